//! Files of one folder and stem: one paper in several formats, or several papers. Their content decides, so this runs
//! after reading. Of one paper the best file that can be read is indexed; different papers are all indexed.

use super::{
    candidates::Candidate,
    plan::{IngestPlan, LeftOut, MetadataSource, Paper},
    scan::{FileKind, ScannedFile},
};
use ingest::inputs::{self, Fingerprint, Format};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::path_text;

/// Files below the paths that lie in one folder and have one stem, each group in the order in which its files are
/// preferred. Files that the user named are read as they are.
pub(super) fn groups(files: &[ScannedFile]) -> Vec<Vec<Paper>> {
    let members: Vec<(Paper, Format)> = files
        .iter()
        .filter_map(|file| match &file.kind {
            FileKind::Paper { format, hash } if !file.named => {
                let paper = Paper {
                    path: file.path.clone(),
                    copies: Vec::new(),
                    record: None,
                    root: file.root.clone(),
                    format: Some(*format),
                    hash: inputs::content_key(*format, hash),
                    source_id: ingest::source_id_of(&file.path),
                    metadata: MetadataSource::Document,
                };
                Some((paper, *format))
            }
            _ => None,
        })
        .collect();
    let places: Vec<(&Path, Format)> =
        members.iter().map(|(paper, format)| (paper.path.as_path(), *format)).collect();
    let groups = inputs::same_stem(&places).into_iter();
    groups.map(|group| group.into_iter().map(|i| members[i].0.clone()).collect()).collect()
}

/// What is known of a file's content.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FileContent {
    /// It was read.
    Read(Fingerprint),
    /// It cannot be read.
    Failed,
    /// It was not read yet.
    Unread,
}

/// Removes the files from `found` that need not be indexed, and names them in the plan. Files are in the order in which
/// they are preferred. With `defer_unread` the files of a group that was not read are left undecided; else each is
/// indexed.
pub(super) fn choose_files(
    found: Vec<Candidate>,
    groups: &[Vec<Paper>],
    content: &dyn Fn(&Paper) -> FileContent,
    defer_unread: bool,
    plan: &mut IngestPlan,
) -> Vec<Candidate> {
    // Of equal files only one was found; the others are named already.
    let present: BTreeSet<PathBuf> = found.iter().map(|c| c.path.clone()).collect();
    let mut left_out: BTreeSet<&Path> = BTreeSet::new();
    for group in groups {
        let contents: Vec<FileContent> = group.iter().map(content).collect();
        let mut papers: Vec<(&Paper, &Fingerprint)> = Vec::new();
        let mut without_text = Vec::new();
        let mut first_unread = None;
        for (member, content) in group.iter().zip(&contents) {
            match content {
                FileContent::Unread if defer_unread => {
                    first_unread.get_or_insert(member);
                }
                // What failed is named among the failures.
                FileContent::Failed | FileContent::Unread => {}
                FileContent::Read(print) if !print.has_text => without_text.push(member),
                FileContent::Read(print) => match papers.iter().find(|(_, paper)| paper.same_paper(print)) {
                    Some((paper, _)) if present.contains(&member.path) => {
                        left_out.insert(&member.path);
                        plan.same_paper.push((path_text::shown(&member.path), path_text::shown(&paper.path)));
                    }
                    Some(_) => {}
                    None => papers.push((member, print)),
                },
            }
        }
        if let Some(first) = first_unread {
            // The first that may be read stands for the group until then.
            for (member, content) in group.iter().zip(&contents) {
                let waits = *content != FileContent::Failed
                    && member.path != first.path
                    && present.contains(&member.path);
                if waits && left_out.insert(&member.path) {
                    plan.undecided.push((path_text::shown(&member.path), path_text::shown(&first.path)));
                }
            }
        } else if !papers.is_empty() {
            for member in without_text {
                left_out.insert(&member.path);
                plan.without_text.push(LeftOut {
                    path: member.path.clone(),
                    reason: format!("no text to index; {} is read", path_text::shown(&papers[0].0.path)),
                });
            }
        }
    }
    let is_kept = |c: &Candidate| c.record.is_some() || !left_out.contains(c.path.as_path());
    found.into_iter().filter(is_kept).collect()
}

#[cfg(test)]
mod tests;
