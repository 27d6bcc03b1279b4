//! Mapped files, read as slices of numbers.
//!
//! Mapping is `unsafe` in Rust, since another process may change the file below the slice. It is done by
//! tantivy's directory, so that this crate holds no `unsafe`; what makes it sound is that a generation is never
//! changed after it was published.

use crate::IndexError;
use bytemuck::AnyBitPattern;
use std::{
    fs::File,
    marker::PhantomData,
    path::{Path, PathBuf},
};
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

// The files hold little-endian numbers, and slices of them are used as they are.
const _: () = assert!(
    cfg!(target_endian = "little"),
    "the index format is little-endian"
);

/// Maps the files of one folder.
pub(crate) struct Mapper {
    root: PathBuf,
    directory: MmapDirectory,
    lenient: bool,
}

impl Mapper {
    pub(crate) fn new(root: &Path) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(root).map_err(IndexError::text("open", root))?;
        Ok(Self {
            root: root.to_owned(),
            directory,
            lenient: false,
        })
    }

    /// Maps what is left of damaged files: an absent file is empty, and one of another length holds as many whole
    /// values as fit.
    pub(crate) fn lenient(root: &Path) -> Result<Self, IndexError> {
        Ok(Self {
            lenient: true,
            ..Self::new(root)?
        })
    }

    /// Opens a file to read parts of it; `None` where that fails.
    pub(crate) fn file(&self, name: &str) -> Option<File> {
        File::open(self.root.join(name)).ok()
    }

    /// Maps a file that holds exactly `items` values.
    pub(crate) fn map<T: AnyBitPattern>(&self, name: &str, items: usize) -> Result<Mapped<T>, IndexError> {
        let mapped = self.map_any(name)?;
        if mapped.get().len() == items || self.lenient {
            return Ok(mapped);
        }
        let reason = format!(
            "it holds {} values where the manifest counts {items}",
            mapped.get().len()
        );
        Err(IndexError::damaged(self.root.join(name), reason))
    }

    /// Maps a file whatever its length.
    pub(crate) fn map_any<T: AnyBitPattern>(&self, name: &str) -> Result<Mapped<T>, IndexError> {
        let path = self.root.join(name);
        let mut bytes = match self.bytes(name, &path) {
            Err(_) if self.lenient => OwnedBytes::empty(),
            outcome => outcome?,
        };
        if self.lenient {
            let whole = bytes.len() - bytes.len() % size_of::<T>().max(1);
            bytes = bytes.slice(0..whole);
        }
        if !bytes.is_empty()
            && let Err(error) = bytemuck::try_cast_slice::<u8, T>(&bytes)
        {
            return Err(IndexError::damaged(
                path,
                format!("it cannot be read as numbers ({error})"),
            ));
        }
        Ok(Mapped {
            bytes,
            values: PhantomData,
        })
    }

    fn bytes(&self, name: &str, path: &Path) -> Result<OwnedBytes, IndexError> {
        let slice = self
            .directory
            .open_read(Path::new(name))
            .map_err(IndexError::text("map", path))?;
        slice.read_bytes().map_err(IndexError::io("map", path))
    }
}

/// A mapped file of values of one kind.
pub(crate) struct Mapped<T> {
    bytes: OwnedBytes,
    values: PhantomData<T>,
}

impl<T: AnyBitPattern> Mapped<T> {
    pub(crate) fn get(&self) -> &[T] {
        // Checked when it was mapped; an empty file has no alignment and falls to the empty slice.
        bytemuck::try_cast_slice(&self.bytes).unwrap_or(&[])
    }

    /// The `index`-th row of a table with `width` values a row.
    pub(crate) fn row(&self, index: usize, width: usize) -> Option<&[T]> {
        let start = index.checked_mul(width)?;
        self.get().get(start..start.checked_add(width)?)
    }
}
