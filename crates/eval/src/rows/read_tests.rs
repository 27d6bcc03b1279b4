//! Each format, and damaged files.

use super::*;
use crate::rows::{Expected, Passage};

fn load(text: &str) -> RowSet {
    read("in", text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fails(text: &str) -> String {
    match read("in", text, &ReadOptions::default()) {
        Ok(set) => panic!("{set:?}\n{text}"),
        Err(error) => error.to_string(),
    }
}

fn texts(passages: Option<&Vec<Passage>>) -> Vec<&str> {
    passages.expect("passages").iter().map(|passage| passage.text.as_str()).collect()
}

const RAGAS: &str = r#"{"user_input":"How far did they walk?","response":"Two miles.","retrieved_contexts":["They walked two miles.","It rained."],"reference":"Two miles.","reference_contexts":["They walked two miles."]}
{"user_input":"Who sang?","response":"","retrieved_contexts":[],"reference":null}
"#;

#[test]
fn ragas_lines_with_crlf_a_byte_order_mark_and_blank_lines() {
    let damaged = format!("\u{feff}\r\n{}\r\n\r\n", RAGAS.replace('\n', "\r\n\r\n"));
    for text in [RAGAS, &damaged] {
        let set = load(text);
        assert_eq!((set.format, set.container), (Format::Ragas, Container::JsonLines));
        let row = &set.rows[0];
        assert_eq!((row.id.as_str(), row.question.as_deref()), ("1", Some("How far did they walk?")));
        assert_eq!(texts(row.passages.as_ref()), ["They walked two miles.", "It rained."]);
        assert_eq!(row.gold_quotes.as_ref().map(Vec::len), Some(1));
        // A field that is null is missing; an empty list says that there was nothing.
        let row = &set.rows[1];
        assert_eq!((row.reference.as_deref(), row.answer.as_deref()), (None, Some("")));
        assert_eq!(row.passages.as_ref().map(Vec::len), Some(0));
    }
    let decoded = decode("in", damaged.as_bytes()).expect("UTF-8");
    assert_eq!(load(&decoded.text).rows.len(), 2);
}

#[test]
fn ragas_tables_with_lists_as_python_and_as_json() {
    let table = "user_input,response,retrieved_contexts,reference\r\n\
        \"How far, they asked?\",Two miles.,\"['They walked two miles.', \"\"It's true.\"\"]\",Two miles.\r\n\r\n\
        '=Who sang?,,\"[\"\"The \\\"\"choir\\\"\" sang.\"\"]\",\r\n\
        \"Two\nlines?\",x,One passage without brackets.,y\r\n";
    let set = load(table);
    assert_eq!((set.format, set.container), (Format::Ragas, Container::Csv));
    assert_eq!(texts(set.rows[0].passages.as_ref()), ["They walked two miles.", "It's true."]);
    assert_eq!(texts(set.rows[1].passages.as_ref()), ["The \"choir\" sang."]);
    assert_eq!(set.rows[1].question.as_deref(), Some("=Who sang?"), "the guard of a formula goes");
    assert_eq!((set.rows[1].answer.as_deref(), set.rows[1].reference.as_deref()), (Some(""), None));
    assert_eq!(texts(set.rows[2].passages.as_ref()), ["One passage without brackets."]);
    assert_eq!(set.rows[2].line, Some(5));
    let tabs = load("question\tanswer\tcontexts\nHow far?\tTwo miles.\t['a']\n");
    assert_eq!((tabs.format, tabs.rows.len()), (Format::RagasV1, 1));

    let error = fails("user_input,response,retrieved_contexts\na,b,\"['x\"\nc,d\ne,f,\"[1]\"\n");
    for part in [
        "line 2: retrieved_contexts is not a list",
        "line 3: has 2 cells, the header has 3",
        "line 4: retrieved_contexts item 1",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn tables_saved_by_column() {
    for text in [
        r#"{"question": ["How far?", "Who sang?"], "answer": ["Two miles.", "Nobody."], "contexts": [["They walked."], []]}"#,
        r#"{"question": {"0": "How far?", "1": "Who sang?"}, "answer": {"0": "Two miles.", "1": "Nobody."},
            "contexts": {"0": ["They walked."], "1": []}}"#,
    ] {
        let rows = load(text).rows;
        assert_eq!(rows.len(), 2, "{text}");
        assert_eq!(texts(rows[0].passages.as_ref()), ["They walked."]);
        assert_eq!(
            (rows[1].question.as_deref(), rows[1].answer.as_deref()),
            (Some("Who sang?"), Some("Nobody."))
        );
    }
    // A wrapper beside a list of the same length is no table.
    let wrapped =
        r#"{"test_cases": [{"input": "How far?", "actual_output": "Two miles."}], "labels": ["a"]}"#;
    assert_eq!(load(wrapped).rows[0].question.as_deref(), Some("How far?"));
    // Of different lengths it is no table.
    fails(r#"{"question": ["How far?", "Who sang?"], "answer": ["Two miles."]}"#);
}

#[test]
fn tables_as_spreadsheets_write_them() {
    let check = |table: &str, want: (&str, Option<f64>)| {
        let set = load(table);
        let row = &set.rows[0];
        assert_eq!((row.question.as_deref(), row.latency_ms), (Some(want.0), want.1), "{table}");
        assert_eq!(texts(row.passages.as_ref()), ["a; b", "c, d"], "{table}");
    };
    let lists = r#""['a; b', 'c, d']""#;
    check(
        &format!(
            "user_input;response;retrieved_contexts;latency_ms\r\nHow far, really?;x;{lists};1.234,5\r\n"
        ),
        ("How far, really?", Some(1234.5)),
    );
    check(
        &format!("\u{feff}sep=;\r\nuser_input;response;retrieved_contexts\r\nHow far?;x;{lists}\r\n"),
        ("How far?", None),
    );
    check(
        &format!(
            "\"user_input\"\tresponse\t\"retrieved_contexts\"\tlatency_ms\nHow far, and why?\tx\t{lists}\t7,5\n"
        ),
        ("How far, and why?", Some(7.5)),
    );
    check(
        &format!("user_input,response,retrieved_contexts,latency_ms\nHow far; why?,x,{lists},7.5\n"),
        ("How far; why?", Some(7.5)),
    );
    // Lines are counted from the first one.
    let error = fails("sep=;\nuser_input;response\na;b\nc\nd\n");
    assert!(error.contains("line 4: has 1 cell") && error.contains("line 5: "), "{error}");
    // In other encodings.
    let table = "user_input;response\nWie weit ist es genau?;größer – 5\n";
    let units: Vec<u16> = table.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    let latin = table.chars().map(|c| if c == '–' { 0x96 } else { c as u8 }).collect();
    for bytes in [
        table.as_bytes().to_vec(),
        little.clone(),
        big.clone(),
        [vec![0xff, 0xfe], little].concat(),
        [vec![0xfe, 0xff], big].concat(),
        latin,
    ] {
        let text = decode("in", &bytes).expect("text").text;
        assert_eq!(load(&text).rows[0].answer.as_deref(), Some("größer – 5"));
    }
}

#[test]
fn what_json_does_not_have_is_read_or_named() {
    let set = load(
        "{\"user_input\": \"q\", \"response\": \"a\\ud800\", \"retrieved_contexts\": [\"p\", null, \"q\"], \"latency_ms\": NaN, \"tags\": null}\n{\"user_input\": \"NaN?\", \"response\": \"b\", \"reference\": -Infinity}\n",
    );
    assert_eq!((set.rows.len(), set.rows[0].answer.as_deref()), (2, Some("a\u{fffd}")));
    assert_eq!(texts(set.rows[0].passages.as_ref()), ["p", "q"]);
    assert_eq!((set.rows[0].latency_ms, set.rows[1].question.as_deref()), (None, Some("NaN?")));
    let numpy = "user_input,response,retrieved_contexts\nq,a,\"array(['p'\n 'q'], dtype=object)\"\nq,a,\"['p' ... 'q']\"\nq,a,\"array(['p'\"\n";
    let error = fails(numpy);
    assert!(
        error.contains("line 4: retrieved_contexts is not a list")
            && error.contains("line 5: retrieved_contexts"),
        "{error}"
    );
    let set = load(&numpy.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert_eq!(texts(set.rows[0].passages.as_ref()), ["p", "q"]);
}

#[test]
fn passages_that_deep_eval_joins_are_parted() {
    let table = "input,actual_output,retrieval_context,context\nq|r,a|b,One.|Two.,Gold.\nq,a,\"| A | B |\n| - | - |\",\n";
    let lines = "{\"input\": \"q|r\", \"actual_output\": \"a|b\", \"retrieval_context\": \"One.|Two.\", \"context\": \"Gold.\"}\n";
    for text in [table, lines] {
        let set = load(text);
        assert_eq!(texts(set.rows[0].passages.as_ref()), ["One.", "Two."], "{text}");
        assert_eq!(set.rows[0].answer.as_deref(), Some("a|b"), "{text}");
        assert_eq!(set.rows[0].gold_quotes.as_ref().map(Vec::len), Some(1), "{text}");
    }
    assert_eq!(texts(load(table).rows[1].passages.as_ref()), ["| A | B |\n| - | - |"]);
    let other = load("user_input,response,retrieved_contexts\nq,a,One.|Two.\n");
    assert_eq!(texts(other.rows[0].passages.as_ref()), ["One.|Two."]);
}

#[test]
fn results_of_promptfoo() {
    let result = |at: usize, vars: &str, provider: &str| {
        format!(
            r#"{{"promptIdx": 0, "testIdx": {at}, "vars": {vars}, "prompt": {{"raw": "Whole prompt?", "label": "p"}}, "provider": {{"id": "{provider}", "label": ""}},
            "response": {{"output": "Two miles.", "tokenUsage": {{}}}}, "success": true, "latencyMs": 250, "gradingResult": null}}"#
        )
    };
    let results = [
        result(0, r#"{"question": "How far?", "context": ["They walked."], "reference": "2"}"#, "a"),
        result(1, r#"{"topic": "x"}"#, "b"),
    ]
    .join(",\n");
    let text = format!(
        "{{\"evalId\": \"eval-1\", \"results\": {{\"version\": 3, \"prompts\": [{{\"raw\": \"x\"}}], \"results\": [\n{results}], \"stats\": {{}}}}, \"config\": {{}}, \"shareableUrl\": null}}"
    );
    let set = load(&text);
    assert_eq!((set.format, set.rows.len()), (Format::Promptfoo, 2));
    let row = &set.rows[0];
    assert_eq!((row.question.as_deref(), row.answer.as_deref()), (Some("How far?"), Some("Two miles.")));
    assert_eq!((texts(row.passages.as_ref()), row.reference.as_deref()), (vec!["They walked."], Some("2")));
    assert_eq!(
        (row.latency_ms, row.tags.as_slice(), row.line),
        (Some(250.0), &["a".to_owned()][..], Some(2))
    );
    assert_eq!(set.rows[1].question.as_deref(), Some("Whole prompt?"));
    let error = fails(&text.replace("\"Two miles.\"", "{\"a\": 1}"));
    assert!(error.contains("line 2: response.output must be a string"), "{error}");
}

#[test]
fn test_cases_of_deep_eval() {
    let case = r#"{"name": "far", "input": "How far?", "actual_output": "Two miles.", "expected_output": "2 miles",
        "retrieval_context": ["They walked two miles."], "context": ["Two miles is the way."], "completion_time": 1.5}"#;
    let camel =
        case.replace("actual_output", "actualOutput").replace("retrieval_context", "retrievalContext");
    for text in [
        format!("[{case}]"),
        format!("{{\"testCases\": [{camel}]}}"),
        format!("{{\"version\": 1, \"test_cases\": [\n{case}]}}"),
    ] {
        let set = load(&text);
        assert_eq!((set.format, set.rows.len()), (Format::DeepEval, 1), "{text}");
        let row = &set.rows[0];
        assert_eq!((row.id.as_str(), row.latency_ms), ("far", Some(1500.0)));
        assert_eq!((row.answer.as_deref(), row.reference.as_deref()), (Some("Two miles."), Some("2 miles")));
        assert_eq!(texts(row.passages.as_ref()), ["They walked two miles."]);
    }
}

#[test]
fn rows_of_the_service_alone_in_a_list_and_in_lines() {
    let row = r#"{"company_id": "c7", "question": "Who can weld?", "answer": "Only r_12.", "contexts": ["Welded hulls for six years."], "retrieved_resumes": ["CV_12.txt", "cv_03.txt", "CV_12.txt"], "expected_resumes": ["CV_12.txt"], "ground_truth": "r_12"}"#;
    let pretty = row.replace(", \"", ",\n  \"");
    for text in
        [row.to_owned(), pretty, format!("[{row}]"), format!("{row}\n{}\n", row.replace("weld", "paint"))]
    {
        let set = load(&text);
        assert_eq!(set.format, Format::RagasService, "{text}");
        let row = &set.rows[0];
        assert_eq!(row.retrieved.as_deref(), Some(&["CV_12.txt".to_owned(), "cv_03.txt".to_owned()][..]));
        assert_eq!(row.expected.as_ref().expect("expected")[0].document, "CV_12.txt");
        assert_eq!((row.reference.as_deref(), row.tags.as_slice()), (Some("r_12"), &["c7".to_owned()][..]));
    }
    let old = load(r#"{"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["one", "two"]}"#);
    assert_eq!((old.format, old.rows[0].reference.as_deref()), (Format::RagasV1, Some("one\ntwo")));
    let other = load(
        r#"{"question": "q", "answer": "a", "reference": "r", "expected_refusal": false, "retrieved_contexts": ["c"]}"#,
    );
    assert_eq!(other.rows[0].reference.as_deref(), Some("r"));
    let map = "fields that are not read: retrieved_contexts; --map retrieved_contexts=retrieved_contexts reads \
               retrieved_contexts";
    assert_eq!(other.notes, [map]);
}

#[test]
fn questions_without_answers_are_sent_to_eval() {
    let error = fails(r#"[{"question": "Who can weld?", "expected_resumes": ["cv_12.txt"]}]"#);
    assert!(error.contains("in has questions but no answers; run `pipeline eval --queries in`"), "{error}");
}

#[test]
fn test_results_by_id() {
    let text = "{\n \"t1\": {\"query_id\": \"Q_1\", \"top_k_chunks\": [{\"chunk_id\": \"Guide.pdf::0033\", \"text\": \"Renewal began in May.\",\
        \"doc_id\": \"Guide.pdf\", \"page\": 3, \"score\": 0.8}], \"answers\": \"In May. [Guide.pdf:3]\"},\n \
        \"t2\": {\"query_id\": \"Q_2\", \"top_k_chunks\": [], \"answers\": \"Unknown.\"}}";
    let set = load(text);
    assert_eq!((set.format, set.container), (Format::TestResults, Container::Json));
    let row = &set.rows[0];
    assert_eq!((row.id.as_str(), row.query_id.as_deref(), row.line), ("t1", Some("Q_1"), Some(2)));
    assert_eq!(row.retrieved.as_deref(), Some(&["Guide.pdf".to_owned()][..]));
    assert_eq!(row.passages.as_ref().expect("passages")[0].page, Some(3));
    assert_eq!((set.rows[1].id.as_str(), set.rows[1].line), ("t2", Some(3)));
    let twice = text.replace("\"t2\"", "\"t1\"");
    assert!(fails(&twice).contains("line 3: the id \"t1\" is already on line 2"));
}

#[test]
fn our_own_documents() {
    let log = |query: &str, mode: &str, run: &str| {
        format!(
            r#"{{"query":"q?","response":{{"answer":"A (a, a__body__000).","citations":[{{"source_id":"a","chunk_id":"a__body__000","relevant_quote":"A","page_start":2,"page_end":3}}],"no_evidence":false}},"retrieval":{{"returned_chunks":[{{"chunk_id":"b__body__001","source_id":"b"}},{{"chunk_id":"a__body__000","source_id":"a"}}]}},"run_id":"{run}","query_id":"{query}","mode":"{mode}","context":[{{"chunk_id":"a__body__000","source_id":"a","text":"A.","page_start":2}}],"timings_ms":{{"total":12.5}}}}"#
        )
    };
    let text = [log("D1", "hybrid", "r1"), log("D1", "hybrid", "r2"), log("D1", "vector", "r2")].join("\n");
    let set = load(&text);
    assert_eq!(set.format, Format::RunLog);
    assert_eq!(set.notes[0], "the log has several runs; the last one is read (2 of 3 lines)");
    let row = &set.rows[0];
    assert_eq!((row.id.as_str(), row.latency_ms, row.refused), ("D1 hybrid", Some(12.5), Some(false)));
    assert_eq!(row.retrieved.as_deref(), Some(&["b".to_owned(), "a".to_owned()][..]));
    assert_eq!(row.citations.as_ref().expect("citations")[0].pages, Some((2, 3)));
    assert_eq!(row.query_id.as_deref(), Some("D1"));
    assert_eq!(set.rows[1].tags, ["vector"]);

    let ask = "{\n \"query\": \"q?\", \"answer\": \"A.\", \"citations\": [], \"no_evidence\": true,\n \"timings_ms\": {\"total\": 3}\n}\n";
    let set = load(&ask.repeat(2));
    assert_eq!((set.format, set.rows.len(), set.rows[0].refused), (Format::Ask, 2, Some(true)));
    assert_eq!(set.rows[1].line, Some(5));
}

#[test]
fn a_run_log_has_its_texts_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    let line = |query: &str, run: &str, passage: &str, more: &str| {
        format!(
            r#"{{"query":"q?","response":{{"answer":"A.","citations":[],"no_evidence":false}},"run_id":"{run}","query_id":"{query}","context":[{{"chunk_id":"a__body__000","source_id":"a",{passage}}}]{more}}}"#
        )
    };
    let hash = |text: &str| types::digest::sha256(text.as_bytes());
    let stored = format!(r#""text_sha256":"{}""#, hash("Stored."));
    let file = path.with_file_name("texts").join(&hash("Stored.")[..2]).join(hash("Stored."));
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(&file, "Stored.").expect("written");
    let read_run = |lines: &[String], run: &str| {
        let run = Some(run.to_owned()).filter(|run| !run.is_empty());
        read("log", &lines.join("\n"), &ReadOptions { run, path: path.clone(), ..ReadOptions::default() })
    };
    let newer = line("D1", "r0", "\"origin\":\"reranked\"", r#","log_version":9"#);
    let lines = [
        newer.clone(),
        line("D1", "r1", r#""text":"In the line.""#, ""),
        line("D1", "r2", &stored, ""),
        line("D2", "r2", &stored.replace("sha256\":\"", "sha256\":\"ff"), ""),
    ];
    let texts = |set: &RowSet| -> Vec<Option<String>> {
        let text = |row: &Sample| Some(row.passages.as_ref()?[0].text.clone());
        set.rows.iter().map(text).collect()
    };
    let set = read_run(&lines, "").expect("reads");
    assert_eq!(texts(&set), [Some("Stored.".to_owned()), None], "n/a where the text is missing");
    assert!(
        set.notes[1].contains("line 4: the text of passage a__body__000 cannot be read"),
        "{:?}",
        set.notes
    );
    assert_eq!(texts(&read_run(&lines, "r1").expect("reads")), [Some("In the line.".to_owned())]);
    let error = read_run(&lines, "r0").expect_err("another version").to_string();
    assert!(error.contains("line 1: its log_version is 9"), "{error}");

    // Lines of other programs are read for what they share, which is said once.
    let whole = types::RunRecord {
        query: "q?".to_owned(),
        run_id: Some("r3".to_owned()),
        ..types::RunRecord::default()
    };
    let whole = serde_json::to_string(&whole).expect("serialises");
    let foreign = line("D2", "r3", r#""text":"In the line.""#, "");
    let set = read_run(&[whole.clone(), foreign.clone(), foreign.replace("D2", "D3")], "").expect("reads");
    let [note] = &set.notes[..] else { panic!("{:?}", set.notes) };
    assert!(note.starts_with("2 of 3 lines are no whole records of this program"), "{note}");
    assert!(note.ends_with("line 2: missing field `section`"), "{note}");
    assert_eq!(read_run(&[whole, foreign], "").expect("reads").rows.len(), 2);
}

#[test]
fn a_run_of_trec() {
    let set = load("\u{feff}MED-10 Q0 Doc-1 1 0.5 tag\nMED-10 Q0 doc-1 2 0.25 tag\n");
    assert_eq!((set.format, set.format_name().as_str()), (Format::Trec, "trec"));
    assert_eq!(set.rows[0].retrieved.as_deref(), Some(&["Doc-1".to_owned(), "doc-1".to_owned()][..]));
    assert!(set.rows[0].answer.is_none());
}

#[test]
fn other_keys_are_named_by_a_map() {
    let text = r#"{"my_id": "x", "prompt": "How far?", "output": {"text": "Two miles."}, "hits": [{"text": "They walked."}], "other": 1}"#;
    let error = fails(text);
    assert!(error.contains("my_id, prompt, output, hits, other") && error.contains("--map"), "{error}");
    let options = ReadOptions {
        format: None,
        map: FieldMap::parse("id=my_id,question=prompt,answer=output.text,contexts=hits").expect("a map"),
        ..ReadOptions::default()
    };
    let set = read("in", text, &options).expect("rows");
    assert_eq!((set.format, set.rows[0].answer.as_deref()), (Format::Mapped, Some("Two miles.")));
    assert_eq!((set.rows[0].id.as_str(), set.notes.len()), ("x", 1));
    assert_eq!(set.notes, ["fields that are not read: other"]);
    // A map comes before the keys of the format.
    let options = ReadOptions {
        format: Some(Format::Ragas),
        map: FieldMap::parse("reference=gold.0").expect("a map"),
        ..ReadOptions::default()
    };
    let set =
        read("in", r#"{"user_input": "q", "response": "a", "reference": "b", "gold": ["c"]}"#, &options);
    assert_eq!(set.expect("rows").rows[0].reference.as_deref(), Some("c"));
}

#[test]
fn every_wrong_line_is_named() {
    let good = |number: usize| format!("{{\"id\": {number}, \"user_input\": \"q\", \"response\": \"a\"}}");
    let mut lines: Vec<String> = (1..=20).map(good).collect();
    lines[4] = "{\"id\": 5, \"user_input\": \"q\", ".to_owned();
    let error = fails(&lines.join("\n"));
    assert!(error.contains("in: line 5: not JSON: EOF") && !error.contains("line 6"), "{error}");
    lines[0] = "[1]".to_owned();
    lines[1] = r#"{"id": 2, "user_input": "q", "response": 7, "retrieved_contexts": 5}"#.to_owned();
    lines[2] = r#"{"id": 3, "metadata": {}}"#.to_owned();
    lines[3] = good(19);
    lines[5] = r#"{"id": 6, "user_input": [{"content": "Hi", "type": "human"}], "response": "a"}"#.to_owned();
    let error = fails(&lines.join("\n"));
    for part in [
        "line 1: must be a JSON object, got a list",
        "line 2: response must be a string, got a number",
        "line 2: retrieved_contexts must be a list, got a number",
        "line 3: has none of user_input, response, retrieved_contexts",
        "line 5: not JSON",
        "line 6: user_input must be a string, got a list; conversations",
        "line 19: the id \"19\" is already on line 4",
        "--map FIELD=KEY",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let list = "[\n{\"user_input\": \"q\", \"response\": 1},\n{\"user_input\": \"q\", \"response\": \"a\"},\n\n{\"user_input\": 2, \"response\": \"a\"}]";
    let error = fails(list);
    assert!(error.contains("line 2: response") && error.contains("line 5: user_input"), "{error}");
}

#[test]
fn files_that_are_nothing() {
    assert!(fails(" \n").contains("the file is empty"));
    assert!(fails("[]").contains("format is not known; it holds no record with keys"), "{}", fails("[]"));
    assert!(fails("[{\"user_input\": \"q\",]").contains("line 1: not JSON"));
    assert!(
        fails("just words\nand more").contains("the keys just words"),
        "{}",
        fails("just words\nand more")
    );
    let error = decode("in", b"PK\x03\x04\0\0").expect_err("no text").to_string();
    assert!(error.contains("the file is no text; save it as UTF-8"), "{error}");
    // Pages of expected documents are read wherever they are.
    let set = load(r#"{"question": "q", "answer": "a", "expected_resumes": {"a.pdf": [3]}}"#);
    let wanted = Expected { document: "a.pdf".into(), pages: vec![3], grade: 1 };
    assert_eq!(set.rows[0].expected.as_deref(), Some(&[wanted][..]));
}
