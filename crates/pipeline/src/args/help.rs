//! The command line as a whole: help with groups of commands, and `--set` in every command.

use super::{Cli, GLOBAL};
use crate::style;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _};
use std::fmt::Write as _;

/// How the help groups the commands; the others are hidden.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Every day", &["ingest", "ask", "search", "eval", "report", "papers", "setup", "doctor", "demo"]),
    (
        "Evaluation",
        &["score", "runs", "sweep", "calibrate", "bench", "judge", "verify", "queries", "metrics"],
    ),
    ("Operation", &["index", "serve", "mcp", "skill", "config"]),
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
        .help("Change one setting, for example --set retrieve.top_k=12. Repeatable")
        .help_heading(GLOBAL);
    command.arg(set).mut_subcommands(with_set)
}

/// The error with a way out that the parser does not know: a command with two letters in the wrong order, a question
/// without quotes, a question beside `--per-paper`.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (usage, wrong) = (text(ContextKind::Usage), text(ContextKind::InvalidArg));
    let (asks, other) = (usage.contains("QUESTION"), text(ContextKind::PriorArg));
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand if usage.contains("pipeline [") => {
            let typed = text(ContextKind::InvalidSubcommand);
            let mut names = GROUPS.iter().flat_map(|(_, names)| *names);
            let near = names.find(|name| strsim::osa_distance(name, &typed) == 1);
            near.map(|name| format!("did you mean '{name}'?"))
        }
        ErrorKind::UnknownArgument if asks && !wrong.starts_with('-') => {
            Some("put the question in quotes, as in \"What is CRP?\"".to_owned())
        }
        ErrorKind::ArgumentConflict if [wrong, other] == ["[QUESTION]", "--per-paper"] => {
            Some("write the questions to a file, one a line: --per-paper --file columns.txt".to_owned())
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
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
        assert_eq!(sets("pipeline --set a=1 ask --set b=2 q --set c=3"), "a=1 b=2 c=3");
        assert_eq!(sets("pipeline --set a=1 config --set b=2 show --set c=3"), "a=1 b=2 c=3");
        assert_eq!(sets("pipeline papers"), "");
    }

    /// The commands that a document shows, in blocks and in lines of text.
    fn commands_of(markdown: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut is_block = false;
        for line in markdown.replace("\\\n", " ").lines() {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
            } else if is_block {
                let line = line.trim().trim_start_matches("$ ");
                let line = line.strip_prefix("target/release/").unwrap_or(line);
                found.extend(line.starts_with("pipeline ").then(|| line.to_owned()));
            } else {
                let code = line.split('`').skip(1).step_by(2);
                found.extend(code.filter(|code| code.starts_with("pipeline ")).map(str::to_owned));
            }
        }
        found
    }

    #[test]
    fn the_documents_show_commands_that_exist() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).expect("docs");
        let docs = docs.map(|entry| entry.expect("an entry").path());
        let more = ["README.md", "CONTRIBUTING.md", "corpus/README.md", "queries/README.md"];
        let docs = docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
        // Text that names a command leaves out its arguments.
        let is_name = |error: &clap::Error| {
            matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelp)
        };
        let (mut seen, mut wrong) = (0, Vec::new());
        let read = |path: std::path::PathBuf| (std::fs::read_to_string(&path).expect("a document"), path);
        let skill = (crate::commands::skill::text(), "SKILL.md".into());
        for (text, path) in docs.chain(more.map(|name| root.join(name))).map(read).chain([skill]) {
            for line in commands_of(&text) {
                let mut fails = |error: String| wrong.push(format!("{}: {line}: {error}", path.display()));
                // What follows belongs to the shell.
                let words = shlex::split(&line).unwrap_or_default().into_iter();
                let words = words.take_while(|word| !["|", ">", "&&", "2>", "&"].contains(&word.as_str()));
                let parsed = command().try_get_matches_from(words).and_then(|found| Cli::of(&found));
                let overrides = match parsed {
                    Ok(cli) => cli.global.overrides,
                    Err(error) if is_name(&error) || line.contains(" COMMAND ") => continue,
                    Err(error) => {
                        fails(error.to_string());
                        continue;
                    }
                };
                let model = [("PROVIDER", "ollama"), ("MODEL", "small")];
                let model = model.map(|(key, value)| (format!("PIPELINE__LLM__{key}"), value.to_owned()));
                if let Err(error) = engine::settings::Loaded::load(None, model, &overrides) {
                    fails(error.to_string());
                }
                seen += 1;
            }
        }
        assert!(wrong.is_empty() && seen > 100, "{seen} commands; {}", wrong.join("\n"));
    }

    #[test]
    fn former_names_still_work() {
        for line in [
            "eval --out reports",
            "report --out reports",
            "bench beir dir --run-out run.trec",
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
