//! Lists of messages that stay readable: messages of one kind are one line with a count and the first names.

use crate::{
    commands::references::Here,
    page::Page,
    words::{LINES, count, first_of},
};
use std::{collections::BTreeMap, path::Path};

/// Names on a line that stands for many.
const NAMES: usize = 3;

/// A message about a file or source.
pub(super) struct Item {
    /// What it is about; empty for one that is never grouped.
    name: String,
    /// What is said of it.
    reason: String,
    /// The two on a line of their own.
    line: String,
}

impl Item {
    /// `name: reason`; items with one reason, up to its numbers and quoted parts, are of one kind.
    pub(super) fn new(name: &str, reason: &str) -> Self {
        let name = short(name);
        Self { line: format!("{name}: {reason}"), name, reason: reason.to_owned() }
    }

    /// A message in which the name of another file stands: all with the same `kind` are grouped.
    pub(super) fn pair(name: &str, kind: &str, other: &str) -> Self {
        Self {
            line: format!("{}: {kind} {}", short(name), short(other)),
            name: short(name),
            reason: kind.to_owned(),
        }
    }

    /// A name of which nothing more is said: each has a line of its own.
    pub(super) fn name(name: &str) -> Self {
        Self { line: short(name), name: String::new(), reason: String::new() }
    }

    /// A warning that begins with the name of its source or file.
    pub(super) fn warning(text: &str) -> Self {
        match text.split_once(": ") {
            Some((name, reason)) if !name.contains(' ') || name.contains('/') => Self::new(name, reason),
            _ => Self { name: String::new(), reason: String::new(), line: text.to_owned() },
        }
    }
}

/// A page of lists.
pub(super) struct Lists {
    pub(super) page: Page,
    /// Whether every file and warning is named.
    pub(super) all: bool,
}

impl Lists {
    /// Adds the items under a label: one line a kind, or one line each where all are wanted.
    pub(super) fn add(&mut self, label: &str, items: impl IntoIterator<Item = Item>, noun: &str) {
        let items: Vec<Item> = items.into_iter().collect();
        for line in lines(&items, noun, self.all) {
            self.page.fact(label, line);
        }
    }
}

fn lines(items: &[Item], noun: &str, all: bool) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&Item>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for item in items {
        if all || item.name.is_empty() {
            groups.push((String::new(), vec![item]));
            continue;
        }
        let kind = kind(&item.reason);
        let at = *known.entry(kind.clone()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, group)) => group.push(item),
            None => groups.push((kind, vec![item])),
        }
    }
    let limit = if all { usize::MAX } else { LINES };
    let line = |(kind, group): &(String, Vec<&Item>)| match group.as_slice() {
        [item] => item.line.clone(),
        group => summary(kind, group, noun),
    };
    let mut lines: Vec<String> = groups.iter().take(limit).map(line).collect();
    if groups.len() > limit {
        let more = count(groups.len() - limit, "more line");
        lines.push(format!("… and {more} (-v lists all)"));
    }
    lines
}

fn summary(kind: &str, group: &[&Item], noun: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for item in group {
        // Messages of one source follow each other.
        if names.last() != Some(&item.name.as_str()) {
            names.push(&item.name);
        }
    }
    // Numbers and quoted parts stay where all messages agree in them.
    let same = group.iter().all(|item| item.reason == group[0].reason);
    let reason = if same { &group[0].reason } else { kind };
    let of = match names.len() {
        1 => names[0].to_owned(),
        n => count(n, noun),
    };
    let times = match group.len() {
        n if n > names.len() => format!(" ({n} times)"),
        _ => String::new(),
    };
    let more = match names.len() {
        1 => String::new(),
        _ => format!(": {}", first_of(&names, NAMES)),
    };
    format!("{of}: {reason}{times}{more}")
}

/// A message without what differs between files: numbers as `N`, quoted parts as `…`.
fn kind(reason: &str) -> String {
    let mut out = String::with_capacity(reason.len());
    let mut chars = reason.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '0'..='9' => {
                while chars.next_if(|c| c.is_ascii_digit() || ".,".contains(*c)).is_some() {}
                out.push('N');
            }
            '"' | '`' => {
                let quoted: String = chars.by_ref().take_while(|other| *other != c).collect();
                out.push_str(if quoted.is_empty() { "" } else { "…" });
            }
            _ => out.push(c),
        }
    }
    out
}

/// A path relative to the working directory where it lies below it.
pub(super) fn short(name: &str) -> String {
    let below = Here::find().shown(Path::new(name)).to_str().map(str::to_owned);
    below.filter(|below| !below.is_empty()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Terminal;

    fn text(items: impl IntoIterator<Item = Item>, all: bool) -> String {
        let mut lists = Lists { page: Page::new(), all };
        lists.add("note", items, "paper");
        lists.page.text(Terminal::default())
    }

    #[test]
    fn one_message_is_told_whole_and_many_of_a_kind_in_one_line() {
        let one = [Item::warning("lee: page 3 is an image")];
        assert_eq!(text(one, false), "note     lee: page 3 is an image\n");
        let warnings: Vec<String> = (1..=5)
            .map(|i| format!("p{i}: page {i} is an image"))
            .chain(["lee: no text", "lee: no text", "kim: no text"].map(str::to_owned))
            .chain(["no model: all texts are kept".to_owned()])
            .collect();
        let items = || warnings.iter().map(|text| Item::warning(text));
        assert_eq!(
            text(items(), false),
            "note     5 papers: page N is an image: p1, p2, p3 and 2 more\n\
             note     2 papers: no text (3 times): lee, kim\n\
             note     no model: all texts are kept\n"
        );
        let all = text(items(), true);
        assert_eq!(all.lines().count(), warnings.len());
        assert!(all.contains("p4: page 4 is an image"));
    }

    #[test]
    fn a_source_with_many_messages_of_a_kind_is_named_once() {
        let items = (1..=9).map(|i| Item::warning(&format!("lee: page {i} is an image")));
        assert_eq!(text(items, false), "note     lee: page N is an image (9 times)\n");
    }

    #[test]
    fn thousands_of_kinds_are_cut_with_a_count() {
        let items = (0..99_u8).map(|i| {
            Item::new("a", &format!("odd {}", char::from(b'!' + i % 90).to_string().repeat(usize::from(i))))
        });
        let out = text(items, false);
        assert!(out.lines().count() == LINES + 1 && out.contains("more lines"), "{out}");
    }
}
