//! The table of metrics in the documentation is the registry.

use eval::metrics::{Direction, specs};
use std::fmt::Write;

#[test]
fn the_documentation_lists_the_registered_metrics() {
    let mut table =
        "| Metric | Key | Values | Better | Needs | After |\n|---|---|---|---|---|---|\n".to_owned();
    for spec in specs() {
        let better = match spec.direction {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
        };
        let needs: Vec<String> = spec.needs.iter().map(ToString::to_string).collect();
        let (title, key, range, source) = (spec.title, spec.key, spec.range, spec.source);
        let needs = needs.join(", ");
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {title} | `{key}` | between {range} | {better} | {needs} | {source} |"
        );
    }
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evaluation.md"));
    assert!(
        docs.expect("the documentation is there").contains(&table),
        "put this table into docs/evaluation.md:\n{table}"
    );
}
