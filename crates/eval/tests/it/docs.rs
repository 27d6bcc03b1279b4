//! The table of metrics in the documentation is the registry.

use eval::metrics::{Direction, Need, all};
use std::fmt::Write;

#[test]
fn the_documentation_lists_the_registered_metrics() {
    let mut table =
        "| Metric | Key | Values | Better | Needs | After |\n|---|---|---|---|---|---|\n".to_owned();
    for spec in all() {
        let better = match spec.direction {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
            Direction::Neither => "–",
        };
        let names = |needs: &[Need]| needs.iter().map(|need| need.name()).collect::<Vec<_>>();
        let mut needs = names(spec.needs).join(", ");
        if !spec.needs_one_of.is_empty() {
            let one_of = names(spec.needs_one_of).join(" or ");
            needs = [needs, one_of]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
        }
        let range = if spec.range.high.is_finite() {
            format!("{} to {}", spec.range.low, spec.range.high)
        } else {
            "count".to_owned()
        };
        let (title, key, source) = (spec.title, spec.key, spec.source);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {title} | `{key}` | {range} | {better} | {needs} | {source} |"
        );
    }
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evaluation.md"));
    assert!(
        docs.expect("the documentation is there").contains(&table),
        "put this table into docs/evaluation.md:\n{table}"
    );
}
