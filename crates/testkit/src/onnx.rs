//! The smallest ONNX files that tests need, written field by field in the protocol-buffer encoding, so that
//! a test knows what a model must answer.

/// A model with `input_ids` and `attention_mask` (both int64, batch × length) whose float output `logits`
/// (batch × 1) is the largest input id of each row.
pub fn largest_id() -> Vec<u8> {
    let cast = node(&["input_ids"], "ids", "Cast", &[int_attribute("to", FLOAT)]);
    let axes = message(&[text(1, "axes"), varint(8, 1), varint(20, 7)]);
    let reduce = node(&["ids"], "logits", "ReduceMax", &[axes, int_attribute("keepdims", 1)]);
    let graph = message(&[
        bytes(1, &cast),
        bytes(1, &reduce),
        text(2, "largest_id"),
        bytes(11, &tensor("input_ids", INT64, &["batch", "length"])),
        bytes(11, &tensor("attention_mask", INT64, &["batch", "length"])),
        bytes(12, &tensor("logits", FLOAT, &["batch", "one"])),
    ]);
    let opset = message(&[text(1, ""), varint(2, 13)]);
    message(&[varint(1, 8), bytes(7, &graph), bytes(8, &opset)])
}

const FLOAT: u64 = 1;
const INT64: u64 = 7;

fn node(inputs: &[&str], output: &str, operator: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut fields: Vec<Vec<u8>> = inputs.iter().map(|i| text(1, i)).collect();
    fields.push(text(2, output));
    fields.push(text(4, operator));
    fields.extend(attributes.iter().map(|a| bytes(5, a)));
    message(&fields)
}

fn int_attribute(name: &str, value: u64) -> Vec<u8> {
    message(&[text(1, name), varint(3, value), varint(20, 2)])
}

fn tensor(name: &str, element: u64, dimensions: &[&str]) -> Vec<u8> {
    let dimensions: Vec<Vec<u8>> = dimensions.iter().map(|d| bytes(1, &text(2, d))).collect();
    let shape = message(&dimensions);
    let kind = message(&[bytes(1, &message(&[varint(1, element), bytes(2, &shape)]))]);
    message(&[text(1, name), bytes(2, &kind)])
}

fn message(fields: &[Vec<u8>]) -> Vec<u8> {
    fields.concat()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}

/// A length-delimited field.
fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(&mut out, field << 3 | 2);
    push_varint(&mut out, value.len() as u64);
    out.extend_from_slice(value);
    out
}

fn varint(field: u64, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(&mut out, field << 3);
    push_varint(&mut out, value);
    out
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
