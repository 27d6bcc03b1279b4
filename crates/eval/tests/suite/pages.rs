//! The page of a report: what it shows of a log, and that nothing from it becomes markup.

use crate::world::{self, Fake};
use eval::report::{Evaluation, Provenance, SettingHelp, SettingsHelp};
use eval::run;
use eval::runlog::{self, LogIndex, RunHeader};
use std::collections::BTreeMap;
use std::path::Path;
use types::{CheckedClaim, Mode, RunRecord};

const BOTH: [Mode; 2] = [Mode::Hybrid, Mode::Vector];

/// Every start of a tag that the templates write; all else is text.
const TAGS: &[&str] = &[
    "!DOCTYPE html",
    "a",
    "b",
    "blockquote",
    "body",
    "br",
    "caption",
    "circle",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "g",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "head",
    "header",
    "html",
    "input",
    "label",
    "legend",
    "li",
    "line",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "p",
    "q",
    "rect",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
];

/// A run in a log, read back as `eval` does.
async fn logged(folder: &Path, change: impl Fn(&mut RunRecord)) -> Evaluation {
    let (set, judge, fake) = (world::query_set(6, 3), world::judge(), Fake::new(6));
    let (mut sink, mut records) = (Vec::new(), Vec::new());
    let outcome = run(
        world::job(&set, &BOTH, &fake, &judge),
        &mut sink,
        &mut |record| {
            records.push(record);
            Ok(())
        },
        &types::Stop::default(),
    )
    .await
    .expect("runs");
    let from = Provenance {
        query_set_hash: "abc".into(),
        config_hash: "c0ffee".into(),
        seed: 7,
        ..Provenance::default()
    };
    let path = folder.join("log.jsonl");
    for name in ["run-0", "run-1"] {
        for (at, record) in records.iter().enumerate() {
            let mut record = record.clone();
            record.run_id = Some(name.to_owned());
            change(&mut record);
            if at == 0 {
                let header = RunHeader::new(from.clone(), &set, &BOTH, false);
                header.attach(&mut record).expect("serialises");
            }
            runlog::append(&path, &record).expect("appends");
        }
    }
    let mut evaluation = Evaluation::new("run-1", outcome.rows, from);
    let log = LogIndex::open(&path).expect("opens");
    evaluation.read_log(&log, &log.runs[1]).expect("reads");
    evaluation
}

#[tokio::test]
async fn the_page_shows_answers_with_their_quotes_and_earlier_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut evaluation = logged(folder.path(), |record| {
        record.claims = vec![CheckedClaim {
            claim: "It rose.".into(),
            supported: false,
            reason: Some("nothing says so".into()),
            ..CheckedClaim::default()
        }];
    })
    .await;
    let page = evaluation.page();
    let quote = world::sentence(0, 0);
    let marked = format!("We report one outcome here. <mark class=\"quote gold\">{quote}</mark>");
    for says in [
        marked.as_str(),
        "✗ not supported",
        "nothing says so",
        "run-1<strong> (this run)</strong>",
        "Where gold evidence is lost",
        "Trial number 0 (2021), results, p. 3",
    ] {
        assert!(page.contains(says), "{says:?} is not in the page");
    }
    // The first run had none before it, and a chunk stands once among the passages.
    let chunk = world::chunk_id(0, 0);
    assert_eq!(page.matches(&format!("<summary><code>{chunk}")).count(), 1);
    let log = LogIndex::open(&folder.path().join("log.jsonl")).expect("opens");
    evaluation.read_log(&log, &log.runs[0]).expect("reads");
    assert!(evaluation.page().contains("The log has no earlier finished run"));
    evaluation.details = None;
    let page = evaluation.page();
    assert!(
        page.contains("The log of this run was not read"),
        "what is missing is said"
    );
}

#[tokio::test]
async fn hostile_text_is_never_markup() {
    let hostile =
        "</style></td><script>alert(1)</script><a href='javascript:x' onclick=\"y\">&\u{202e}\u{0}\u{200b}";
    let folder = tempfile::tempdir().expect("a folder");
    let mut evaluation = logged(folder.path(), |record| {
        for chunk in record.context.iter_mut().flatten() {
            chunk.text = format!("{hostile} {}", chunk.text);
            chunk.title = Some(hostile.into());
        }
        record.response.evidence_quality = hostile.into();
        record.response_raw = Some(types::ResponseRecord {
            answer: hostile.into(),
            ..record.response.clone()
        });
        record.claims = vec![CheckedClaim {
            claim: hostile.into(),
            reason: Some(hostile.into()),
            ..CheckedClaim::default()
        }];
    })
    .await;
    evaluation.summary.run_id = hostile.into();
    evaluation.notes.push(hostile.into());
    evaluation.provenance.architecture = vec![eval::report::Setting {
        section: hostile.into(),
        key: "k".into(),
        value: hostile.into(),
    }];
    let help = SettingHelp {
        text: hostile.into(),
        default: hostile.into(),
    };
    evaluation.help = SettingsHelp(BTreeMap::from([(format!("{hostile}.k"), help)]));
    for row in &mut evaluation.rows {
        (row.query, row.answer, row.tags) = (hostile.into(), hostile.into(), vec![hostile.into()]);
        row.kind = hostile.into();
    }
    let page = evaluation.page();
    for tag in page.split('<').skip(1) {
        let tag = tag.trim_start_matches('/');
        let name = tag.split([' ', '>']).next().unwrap_or_default();
        let fixed = ["!DOCTYPE html", "!-- written by pipeline -->"];
        let known = TAGS.contains(&name) || fixed.iter().any(|own| tag.starts_with(own));
        assert!(known, "{tag:.60}");
        let (attributes, _) = tag.split_once('>').expect("a tag ends");
        assert!(
            !attributes.contains("onclick=\"") && !attributes.contains("href='"),
            "{attributes}"
        );
    }
    assert!(page.matches("&lt;script&gt;alert(1)").count() > 20);
    assert!(
        !page.contains(['\u{202e}', '\u{0}', '\u{200b}']),
        "what hides or turns text is gone"
    );
    let policy = "Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-";
    assert!(page.contains(policy), "nothing may be loaded or run");
}
