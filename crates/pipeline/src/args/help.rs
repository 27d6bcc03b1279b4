//! The command line as a whole: help with groups of commands, and `--set` in every command.

use super::{Cli, GLOBAL};
use crate::style;
use clap::{CommandFactory as _, FromArgMatches as _};
use std::fmt::Write as _;

/// How the help groups the commands; the others are hidden.
const GROUPS: [(&str, &[&str]); 3] = [
    (
        "Every day",
        &[
            "ingest", "ask", "search", "eval", "report", "sources", "setup", "doctor",
        ],
    ),
    (
        "Evaluation",
        &[
            "evaluate",
            "runs",
            "sweep",
            "calibrate",
            "bench",
            "judge",
            "queries",
            "metrics",
        ],
    ),
    ("Operation", &["index", "serve", "config"]),
];

/// The name under which every command has `--set`.
const SET: &str = "overrides";

/// The command line: help with groups of commands, and `--set` in every command.
pub(crate) fn command() -> clap::Command {
    let command = with_set(Cli::command());
    let (header, literal) = (style::HELP.get_header(), style::HELP.get_literal());
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(groups, "{header}{group}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {literal}{name:<10}{literal:#} {about}");
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{header}{GLOBAL}:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// Adds `--set` to a command and those below it. It is no global option: of those, the last command's alone counts.
fn with_set(command: clap::Command) -> clap::Command {
    if command.get_name() == "worker" {
        return command;
    }
    let set = clap::Arg::new(SET)
        .long("set")
        .value_name("KEY=VALUE")
        .action(clap::ArgAction::Append)
        .help("Change one setting, for example --set retrieve.candidates=12. Repeatable")
        .help_heading(GLOBAL);
    command.arg(set).mut_subcommands(with_set)
}

impl Cli {
    /// What was parsed, with the `--set` of all commands from the first to the last.
    pub(crate) fn of(matches: &clap::ArgMatches) -> clap::error::Result<Self> {
        let mut cli = Self::from_arg_matches(matches)?;
        let mut level = Some(matches);
        while let Some(matches) = level {
            let set = matches.try_get_many::<String>(SET).ok().flatten();
            cli.global.overrides.extend(set.into_iter().flatten().cloned());
            level = matches.subcommand().map(|(_, below)| below);
        }
        Ok(cli)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_not_hidden_is_in_one_group() {
        let command = command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
    }

    #[test]
    fn options_before_and_after_the_command_are_joined() {
        let sets = |args: &str| {
            let matches = command().try_get_matches_from(args.split(' ')).expect("valid");
            Cli::of(&matches).expect("valid").global.overrides.join(" ")
        };
        assert_eq!(
            sets("pipeline --set a=1 ask --set b=2 q --set c=3"),
            "a=1 b=2 c=3"
        );
        assert_eq!(
            sets("pipeline --set a=1 config --set b=2 show --set c=3"),
            "a=1 b=2 c=3"
        );
        assert_eq!(sets("pipeline sources"), "");
    }

    #[test]
    fn former_names_still_work() {
        for line in [
            "judge-report labelled/ --output out",
            "judge measure labelled/ --out out",
            "judge label-report labels.jsonl",
            "judge correct labels.jsonl",
            "judge label --n 5",
            "ground-truth --list --count 5",
            "queries draft --list -k 5",
            "bench beir dir --run-out run.trec",
            "bench guardrails --answers 5",
            "search --count 3 q",
            "evaluate --test_results answers.json",
        ] {
            let args = ["pipeline"].into_iter().chain(line.split(' '));
            let matches = command().try_get_matches_from(args);
            let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
            Cli::of(&matches).expect("valid");
        }
    }
}
