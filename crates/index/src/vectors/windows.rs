//! Window vectors.

use super::CodeRow;
use crate::{
    IndexError,
    disk::{ChunkRow, Mapped, Mapper, WindowRow, names},
};
use std::{fs::File, os::unix::fs::FileExt as _};
use types::vector::dot;

/// Unit vectors of the windows of a segment.
pub(crate) struct WindowTable {
    vectors: Mapped<f32>,
    rows: Mapped<WindowRow>,
    codes: Mapped<i8>,
    code_rows: Mapped<CodeRow>,
    dimension: usize,
    /// The file of the vectors, to read some of them without mapping them.
    file: Option<File>,
}

impl WindowTable {
    pub(crate) fn open(mapper: &Mapper, windows: usize, dimension: usize) -> Result<Self, IndexError> {
        Ok(Self {
            file: mapper.file(names::WINDOWS),
            vectors: mapper.map(names::WINDOWS, windows.saturating_mul(dimension))?,
            rows: mapper.map(names::WINDOW_ROWS, windows)?,
            codes: mapper.map(names::WINDOW_CODES, windows.saturating_mul(dimension))?,
            code_rows: mapper.map(names::WINDOW_CODE_ROWS, windows)?,
            dimension,
        })
    }

    pub(crate) fn vector(&self, window: usize) -> Option<&[f32]> {
        self.vectors.row(window, self.dimension)
    }

    pub(crate) fn row(&self, window: usize) -> Option<&WindowRow> {
        self.rows.get().get(window)
    }

    /// The codes of all windows, one after the other, and what belongs to each.
    pub(crate) fn codes(&self) -> (&[i8], &[CodeRow]) {
        (self.codes.get(), self.code_rows.get())
    }

    /// Numbers in a vector and in a code.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// As [`Self::best`], without the window, by reading the vectors into `buffer` instead of mapping them. A search looks
    /// at a thousand vectors all over the file, and the system maps sixteen pages for each: soon the whole file would
    /// count as memory of this process.
    pub(crate) fn best_read(&self, chunk: &ChunkRow, query: &[f32], buffer: &mut Vec<f32>) -> Option<f32> {
        let windows = chunk.windows();
        let place = (windows.start * self.dimension * size_of::<f32>()) as u64;
        buffer.resize(windows.len() * self.dimension, 0.0);
        let file = self.file.as_ref();
        let read = file.map(|file| file.read_exact_at(bytemuck::cast_slice_mut(buffer), place));
        if !matches!(read, Some(Ok(()))) {
            return self.best(chunk, query).map(|(_, cosine)| cosine);
        }
        let cosine = |vector: &[f32]| dot(vector, query).clamp(-1.0, 1.0);
        buffer.chunks_exact(self.dimension.max(1)).map(cosine).reduce(f32::max)
    }

    /// The best window of a chunk and its cosine with the unit vector `query`; the first one on a tie, `None`
    /// when the chunk has no window.
    pub(crate) fn best(&self, chunk: &ChunkRow, query: &[f32]) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for window in chunk.windows() {
            let cosine = dot(self.vector(window)?, query).clamp(-1.0, 1.0);
            if best.is_none_or(|(_, most)| cosine > most) {
                best = Some((window, cosine));
            }
        }
        best
    }
}
