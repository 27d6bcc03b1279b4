//! Window vectors.

use super::{CodeRow, dot};
use crate::{
    IndexError,
    disk::{Checksums, ChunkRow, Mapped, Mapper, WindowRow, names},
};

/// Unit vectors of the windows of a segment.
pub(crate) struct WindowTable {
    vectors: Mapped<f32>,
    rows: Mapped<WindowRow>,
    codes: Mapped<i8>,
    code_rows: Mapped<CodeRow>,
    sums: Checksums,
    dimension: usize,
}

impl WindowTable {
    pub(crate) fn open(
        mapper: &Mapper,
        sums: Checksums,
        windows: usize,
        dimension: usize,
    ) -> Result<Self, IndexError> {
        Ok(Self {
            sums,
            vectors: mapper.map(names::WINDOWS, windows.saturating_mul(dimension))?,
            rows: mapper.map(names::WINDOW_ROWS, windows)?,
            codes: mapper.map(names::WINDOW_CODES, windows.saturating_mul(dimension))?,
            code_rows: mapper.map(names::WINDOW_CODE_ROWS, windows)?,
            dimension,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.get().len()
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

    /// The code of a window.
    pub(crate) fn code(&self, window: usize) -> Option<(&[i8], CodeRow)> {
        let row = *self.code_rows.get().get(window)?;
        Some((self.codes.row(window, self.dimension)?, row))
    }

    /// Vector and row of a window when they are as they were written. Searches do not ask: a damaged vector can only
    /// misplace a chunk, and comparing all of them would cost more than the scan.
    pub(crate) fn intact(&self, window: usize) -> Option<(&[f32], &WindowRow)> {
        let (vector, row) = (self.vector(window)?, self.row(window)?);
        let parts = [bytemuck::cast_slice(vector), bytemuck::bytes_of(row)];
        self.sums.hold(window, &parts).then_some((vector, row))
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
