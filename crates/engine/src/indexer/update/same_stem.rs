//! Files of one folder and stem: one paper in several formats, or several papers. Their content decides, so this runs
//! after reading. Of one paper the best file that can be read is indexed; different papers are all indexed.

use super::{
    candidates::document,
    plan::{Duplicate, IngestPlan, LeftOut, Paper},
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
    let members: Vec<(&ScannedFile, Format, &str)> = files
        .iter()
        .filter_map(|file| match &file.kind {
            FileKind::Paper { format, hash } if !file.named => Some((file, *format, hash.as_str())),
            _ => None,
        })
        .collect();
    let places: Vec<(&Path, Format)> =
        members.iter().map(|(file, format, _)| (file.path.as_path(), *format)).collect();
    let member = |at: usize| {
        let (file, format, hash) = members[at];
        document(file.path.clone(), None, file.root.clone(), format, inputs::content_key(format, hash))
    };
    inputs::same_stem(&places).into_iter().map(|group| group.into_iter().map(member).collect()).collect()
}

/// Removes the files from `found` that need not be indexed, and names them in the plan. Files are in the order in which
/// they are preferred. Those of which nothing is known, because they were not read or cannot be, stay.
pub(super) fn choose_files(
    mut found: Vec<Paper>,
    groups: &[Vec<Paper>],
    print: &dyn Fn(&Paper) -> Option<Fingerprint>,
    plan: &mut IngestPlan,
) -> Vec<Paper> {
    // Of equal files only one was found; the others are named already.
    let present: BTreeSet<PathBuf> = found.iter().map(|paper| paper.path.clone()).collect();
    let mut left_out: BTreeSet<&Path> = BTreeSet::new();
    for group in groups {
        let mut papers: Vec<(&Paper, Fingerprint)> = Vec::new();
        let mut without_text = Vec::new();
        for member in group {
            let Some(print) = print(member) else { continue };
            if !print.has_text {
                without_text.push(member);
            } else if let Some((paper, _)) = papers.iter().find(|(_, paper)| paper.same_paper(&print)) {
                if present.contains(&member.path) {
                    left_out.insert(&member.path);
                    plan.same_paper.push(Duplicate::new(&member.path, &paper.path));
                }
            } else {
                papers.push((member, print));
            }
        }
        let Some((first, _)) = papers.first() else { continue };
        for member in without_text {
            left_out.insert(&member.path);
            plan.without_text.push(LeftOut {
                path: member.path.clone(),
                reason: format!("no text to index; {} is read", path_text::shown(&first.path)),
            });
        }
    }
    found.retain(|paper| paper.record.is_some() || !left_out.contains(paper.path.as_path()));
    found
}

#[cfg(test)]
mod tests;
