use super::*;
use crate::{ContextRecord, Origin, RetrievalRecord, ReturnedChunk, RunRecord, SectionKind};
use proptest::prelude::*;
use std::collections::HashMap;

/// What a reader knows: the whole chunks of all records so far, by writer.
#[derive(Default)]
struct Known(HashMap<(String, Part, String), Map<String, Value>>);

impl Known {
    fn read(&mut self, line: &str) -> Result<RunRecord, UnpackError> {
        let mut fields: Map<String, Value> = serde_json::from_str(line).expect("JSON");
        if let Some(by) = fields.get(FIELD).and_then(|packed| packed["by"].as_str()) {
            for (part, id, held) in whole_chunks(&fields) {
                self.0.entry((by.to_owned(), part, id.to_owned())).or_insert(held);
            }
        }
        unpack(&mut fields, |packed, part, id| {
            self.0.get(&(packed.by.clone(), part, id.to_owned())).cloned()
        })?;
        Ok(serde_json::from_value(Value::Object(fields)).expect("a record"))
    }
}

fn write(packer: &mut Packer, record: &RunRecord) -> String {
    let packing = packer.pack(record).expect("packs");
    let line = serde_json::to_string(&packing.record).expect("JSON");
    packer.written(packing);
    line
}

fn chunk(id: &str, text: &str) -> ContextRecord {
    ContextRecord {
        chunk_id: id.into(),
        source_id: "a".into(),
        section: SectionKind::Results,
        page_start: 1,
        page_end: 2,
        text: text.to_owned(),
        origin: Origin::Reranked,
        rerank_score: Some(7.3),
        title: Some("On walking".to_owned()),
        authors: vec!["A. Author".to_owned()],
        year: Some(2020),
    }
}

fn returned(id: &str, text_preview: &str) -> ReturnedChunk {
    ReturnedChunk {
        chunk_id: id.into(),
        source_id: "a".into(),
        section: "results".to_owned(),
        vector_score: 0.1,
        bm25_score: 0.0,
        combined_score: -0.0,
        text_preview: text_preview.to_owned(),
    }
}

fn record(context: Vec<ContextRecord>, returned_chunks: Vec<ReturnedChunk>) -> RunRecord {
    RunRecord {
        query: "q".to_owned(),
        context: Some(context),
        retrieval: RetrievalRecord {
            returned_chunks,
            ..RetrievalRecord::default()
        },
        ..RunRecord::default()
    }
}

#[test]
fn a_text_stands_once() {
    let long = "word ".repeat(300);
    let one = record(
        vec![chunk("a__results__000", &long)],
        vec![returned("a__results__000", &long[..200])],
    );
    let mut packer = Packer::new("w");
    let lines: Vec<String> = (0..3).map(|_| write(&mut packer, &one)).collect();
    assert!(lines[0].len() > 1500 && lines[1].len() < 650, "{}", lines[1]);
    assert_eq!(lines[1], lines[2]);
    assert_eq!(lines[0].matches("word word").count(), 150, "{}", lines[0]);
    assert!(!lines[1].contains("word") && lines[1].contains("\"vector_score\":0.1,"));
    let mut known = Known::default();
    for line in &lines {
        assert_eq!(known.read(line).as_ref(), Ok(&one));
    }
    // Without the first line, nothing is made up.
    let lost = Known::default().read(&lines[1]).expect_err("lost");
    assert!(lost.to_string().contains("a__results__000"), "{lost}");
}

#[test]
fn only_what_was_written_is_referred_to() {
    let one = record(vec![chunk("a__results__000", "text")], Vec::new());
    let mut packer = Packer::new("w");
    // The first try failed: nobody told the packer that the line was written.
    let _ = packer.pack(&one).expect("packs");
    assert!(write(&mut packer, &one).contains("\"text\":\"text\""));
    assert!(!write(&mut packer, &one).contains("\"text\":\"text\""));
}

#[test]
fn a_form_of_another_version_is_refused_and_whole_records_stay() {
    let mut fields: Map<String, Value> =
        serde_json::from_str(r#"{"query":"q","packed":{"form":2,"by":"w"}}"#).expect("JSON");
    let error = unpack(&mut fields, |_, _, _| None).expect_err("another form");
    assert_eq!(error, UnpackError::Form);
    let whole = serde_json::to_string(&record(vec![chunk("a", "t")], Vec::new())).expect("JSON");
    let mut fields: Map<String, Value> = serde_json::from_str(&whole).expect("JSON");
    assert_eq!(unpack(&mut fields, |_, _, _| None), Ok(None));
    assert_eq!(serde_json::to_string(&fields).expect("JSON"), whole);
}

fn any_chunk() -> impl Strategy<Value = ContextRecord> {
    let id = prop::sample::select(vec!["a", "b", "c"]);
    // Few ids and few texts: the same text twice, and another text under the same id.
    let text = prop::sample::select(vec!["", "one", "two \"quoted\"\n\u{202e}"]);
    let title = prop::option::of(Just("T".to_owned()));
    (id, text, title, prop::option::of(-5.0f32..10.0), 0u32..3).prop_map(|(id, text, title, score, page)| {
        ContextRecord {
            title,
            rerank_score: score,
            page_end: page,
            authors: Vec::new(),
            year: None,
            ..chunk(id, text)
        }
    })
}

fn any_returned() -> impl Strategy<Value = ReturnedChunk> {
    let id = prop::sample::select(vec!["a", "b", "d"]);
    let text = prop::sample::select(vec!["", "one", "other"]);
    let score = prop::sample::select(vec![0.0f32, -0.0, 0.1, 0.723_456_7, 3.402e38]);
    (id, text, score).prop_map(|(id, text, score)| ReturnedChunk {
        combined_score: score,
        ..returned(id, text)
    })
}

fn any_record() -> impl Strategy<Value = (bool, RunRecord)> {
    let context = prop::collection::vec(any_chunk(), 0..4);
    let returned = prop::collection::vec(any_returned(), 0..4);
    (any::<bool>(), context, returned)
        .prop_map(|(first, context, returned)| (first, record(context, returned)))
}

proptest! {
    /// Two processes write records of one run in any order: each record is read back as it was.
    #[test]
    fn what_is_written_is_read(records in prop::collection::vec(any_record(), 1..8)) {
        let mut packers = [Packer::new("1"), Packer::new("2")];
        let mut known = Known::default();
        for (first, record) in &records {
            let line = write(&mut packers[usize::from(*first)], record);
            let read = known.read(&line);
            prop_assert_eq!(read.as_ref(), Ok(record));
        }
    }
}
