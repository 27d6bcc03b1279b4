//! Files of one folder and stem: one paper in several formats, or several papers. Their content decides, so it happens
//! after reading. Of one paper the best file that can be read is indexed; different papers are all indexed.

use super::{
    candidates::Candidate,
    plan::{LeftOut, Plan},
};
use ingest::inputs::{Fingerprint, Format};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::path_text;

/// One of several files with the same stem.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    pub(super) format: Format,
    /// Names its content: see [`ingest::inputs::content_key`].
    pub(super) hash: String,
}

/// What is known of a file's content.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// It was read.
    Read(Fingerprint),
    /// It cannot be read.
    Failed,
    /// It was not read yet.
    Unread,
}

/// Takes the files out of `found` that need not be indexed, and names them in the plan. Files are in the order in which
/// they are preferred. With `guess` the files of a group that was not read are put off; else each is indexed.
pub(super) fn settle(
    found: Vec<Candidate>,
    groups: &[Vec<Member>],
    content: &dyn Fn(&Member) -> Content,
    guess: bool,
    plan: &mut Plan,
) -> Vec<Candidate> {
    // Of equal files only one was found; the others are named already.
    let there: BTreeSet<PathBuf> = found.iter().map(|c| c.path.clone()).collect();
    let mut left_out: BTreeSet<&Path> = BTreeSet::new();
    for group in groups {
        let contents: Vec<Content> = group.iter().map(content).collect();
        let mut papers: Vec<(&Member, &Fingerprint)> = Vec::new();
        let mut without_text = Vec::new();
        let mut first_unread = None;
        for (member, content) in group.iter().zip(&contents) {
            match content {
                Content::Unread if guess => {
                    first_unread.get_or_insert(member);
                }
                // What failed is named among the failures.
                Content::Failed | Content::Unread => {}
                Content::Read(print) if !print.has_text => without_text.push(member),
                Content::Read(print) => match papers.iter().find(|(_, paper)| paper.same_paper(print)) {
                    Some((paper, _)) if there.contains(&member.path) => {
                        left_out.insert(&member.path);
                        plan.same_paper
                            .push((path_text::shown(&member.path), path_text::shown(&paper.path)));
                    }
                    Some(_) => {}
                    None => papers.push((member, print)),
                },
            }
        }
        if let Some(first) = first_unread {
            // The first that may be read stands for the group until then.
            for (member, content) in group.iter().zip(&contents) {
                let waits =
                    *content != Content::Failed && member.path != first.path && there.contains(&member.path);
                if waits && left_out.insert(&member.path) {
                    plan.undecided
                        .push((path_text::shown(&member.path), path_text::shown(&first.path)));
                }
            }
        } else if !papers.is_empty() {
            for member in without_text {
                left_out.insert(&member.path);
                plan.without_text.push(LeftOut {
                    path: member.path.clone(),
                    reason: format!(
                        "no text to index; {} is read",
                        path_text::shown(&papers[0].0.path)
                    ),
                });
            }
        }
    }
    let stays = |c: &Candidate| c.record.is_some() || !left_out.contains(c.path.as_path());
    found.into_iter().filter(stays).collect()
}

#[cfg(test)]
mod tests;
