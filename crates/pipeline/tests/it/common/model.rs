//! A model folder that embeds fast: the real tokenizer, and a seeded table of one short vector for each word piece, of
//! which the embedder takes the mean. Written field by field in the protocol-buffer encoding of ONNX.

use std::path::Path;

const DIMENSION: usize = 8;
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// Writes the folder; models of other seeds have other ids and other vectors. `tokenizer` is a `tokenizer.json` of
/// at most `pieces` word pieces.
pub fn write(folder: &Path, tokenizer: &Path, pieces: usize, seed: u64) {
    std::fs::create_dir_all(folder).expect("made");
    std::fs::copy(tokenizer, folder.join("tokenizer.json")).expect("copied");
    std::fs::write(folder.join("model.onnx"), onnx(pieces, seed)).expect("written");
    std::fs::write(folder.join("model.json"), r#"{"pooling": "mean", "max_tokens": 256}"#).expect("written");
}

/// `last_hidden_state = Gather(table, input_ids)`.
fn onnx(pieces: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1_u32 << 23) as f32) - 1.0
    };
    let table: Vec<u8> = (0..pieces * DIMENSION).flat_map(|_| next().to_le_bytes()).collect();
    let initializer = [
        varint(1, pieces as u64),
        varint(1, DIMENSION as u64),
        varint(2, FLOAT),
        text(8, "table"),
        bytes(9, &table),
    ]
    .concat();
    let gather =
        [text(1, "table"), text(1, "input_ids"), text(2, "last_hidden_state"), text(4, "Gather")].concat();
    let graph = [
        bytes(1, &gather),
        text(2, "table_of_pieces"),
        bytes(5, &initializer),
        bytes(11, &value("input_ids", INT64, &["batch", "length"])),
        bytes(11, &value("attention_mask", INT64, &["batch", "length"])),
        bytes(12, &value("last_hidden_state", FLOAT, &["batch", "length", "width"])),
    ]
    .concat();
    let opset = [text(1, ""), varint(2, 13)].concat();
    [varint(1, 8), bytes(7, &graph), bytes(8, &opset)].concat()
}

fn value(name: &str, element: u64, dimensions: &[&str]) -> Vec<u8> {
    let shape: Vec<u8> = dimensions.iter().flat_map(|d| bytes(1, &text(2, d))).collect();
    let tensor = [varint(1, element), bytes(2, &shape)].concat();
    [text(1, name), bytes(2, &bytes(1, &tensor))].concat()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    let mut out = number(field << 3 | 2);
    out.extend(number(value.len() as u64));
    out.extend_from_slice(value);
    out
}

fn varint(field: u64, value: u64) -> Vec<u8> {
    [number(field << 3), number(value)].concat()
}

fn number(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}
