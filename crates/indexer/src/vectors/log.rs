//! Vectors on disk from the moment they are made, so that a run that is killed loses none of them.
//!
//! A file holds the vectors of one source by one embedder: a header, then one record of fixed length for each text, with
//! a checksum of its own. Records are only ever appended, several at a time. What a killed run wrote in part is dropped
//! when the file is read or appended to.

use super::{TextKey, Vectors};
use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::MetadataExt as _,
    path::Path,
};
use types::files::{create_anew, open_in_place};

/// How a file begins. The length of a vector follows, then the CRC-32 of both, 4 bytes each in little-endian order.
const MAGIC: &[u8; 8] = b"vectors2";
const HEADER: usize = MAGIC.len() + 8;
const KEY: usize = 32;

/// Reads the vectors of a file; none when it is absent, of another dimension or no such file. A record that does not
/// match its checksum is left out.
pub(super) fn read(path: &Path, dimension: usize) -> Vectors {
    let bytes = fs::read(path).unwrap_or_default();
    let records = records(&bytes, dimension).unwrap_or_default();
    let intact = records.chunks_exact(record_bytes(dimension)).filter_map(decode);
    Vectors(intact.collect())
}

/// Whether a file is not what was written. A last record that was written in part does not count: a run was killed.
pub(super) fn is_damaged(path: &Path) -> bool {
    let Ok(bytes) = fs::read(path) else { return true };
    if bytes.len() < HEADER {
        // A run was killed within the first bytes.
        let common = bytes.len().min(MAGIC.len());
        return bytes[..common] != MAGIC[..common];
    }
    let Some(dimension) = dimension_of(&bytes) else {
        return true;
    };
    match records(&bytes, dimension) {
        Some(records) => records
            .chunks_exact(record_bytes(dimension))
            .any(|record| decode(record).is_none()),
        None => true,
    }
}

/// Appends vectors to a file, which is made where there is none or one of another dimension.
pub(super) fn append(path: &Path, dimension: usize, vectors: &[(TextKey, Vec<f32>)]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_in_place(path)?;
    if file.metadata()?.nlink() > 1 {
        // Under its other name the file may be somebody's.
        drop(create_anew(path)?);
        file = open_in_place(path)?;
    }
    let end = usable(&mut file, dimension)?;
    file.set_len(end)?;
    let mut bytes = Vec::with_capacity(HEADER + vectors.len() * record_bytes(dimension));
    if end == 0 {
        bytes.extend(header(dimension));
    }
    for (key, vector) in vectors {
        encode(key, vector, &mut bytes);
    }
    file.write_all(&bytes)
}

/// How much of the file is header and whole records.
fn usable(file: &mut File, dimension: usize) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut head = [0; HEADER];
    if length < HEADER as u64
        || io::Read::read_exact(file, &mut head).is_err()
        || head[..] != header(dimension)
    {
        return Ok(0);
    }
    let rest = length - HEADER as u64;
    Ok(length - rest % record_bytes(dimension) as u64)
}

fn header(dimension: usize) -> Vec<u8> {
    let mut header = [&MAGIC[..], &(dimension as u32).to_le_bytes()].concat();
    header.extend(crc32fast::hash(&header).to_le_bytes());
    header
}

fn dimension_of(bytes: &[u8]) -> Option<usize> {
    let (head, _) = bytes.split_at_checked(HEADER)?;
    let number = head.strip_prefix(MAGIC)?.get(..4)?.try_into().ok()?;
    let dimension = usize::try_from(u32::from_le_bytes(number)).ok()?;
    (head == header(dimension)).then_some(dimension)
}

/// The records behind the header, the last one perhaps in part; `None` when the header is another.
fn records(bytes: &[u8], dimension: usize) -> Option<&[u8]> {
    let (head, rest) = bytes.split_at_checked(HEADER)?;
    (head == header(dimension)).then_some(rest)
}

fn record_bytes(dimension: usize) -> usize {
    KEY + 4 * dimension + 4
}

/// Key, numbers and CRC-32 of both.
fn encode(key: &TextKey, vector: &[f32], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&key.0);
    for value in vector {
        out.extend_from_slice(&value.to_le_bytes());
    }
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
}

fn decode(record: &[u8]) -> Option<(TextKey, Vec<f32>)> {
    let (body, crc) = record.split_at_checked(record.len().checked_sub(4)?)?;
    if crc != crc32fast::hash(body).to_le_bytes() {
        return None;
    }
    let (key, numbers) = body.split_at_checked(KEY)?;
    let number = |bytes: &[u8]| bytes.try_into().ok().map(f32::from_le_bytes);
    let vector = numbers.chunks_exact(4).map(number).collect::<Option<_>>()?;
    Some((TextKey(key.try_into().ok()?), vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(names: &[&str]) -> Vec<(TextKey, Vec<f32>)> {
        let one = |name: &&str| (TextKey::sentence(name), vec![name.len() as f32, 0.5]);
        names.iter().map(one).collect()
    }

    #[test]
    fn what_is_appended_comes_back_whatever_a_killed_run_left_at_the_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("ab/abcd");
        assert_eq!(read(&path, 2), Vectors::default());
        append(&path, 2, &vectors(&["a", "bb"])).expect("written");
        append(&path, 2, &vectors(&["ccc"])).expect("written");
        let whole = fs::read(&path).expect("there");
        let all = vectors(&["a", "bb", "ccc"]);
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).expect("written");
            assert!(!is_damaged(&path), "cut at {cut}");
            let kept = cut.saturating_sub(HEADER) / record_bytes(2);
            let left: Vectors = Vectors(all[..kept].iter().cloned().collect());
            assert_eq!(read(&path, 2), left, "cut at {cut}");
            // The next run goes on behind the last whole record.
            append(&path, 2, &all[kept..]).expect("written");
            assert_eq!(fs::read(&path).expect("there"), whole, "cut at {cut}");
        }
        // Another name of the file may be somebody's.
        let other = dir.path().join("other");
        fs::hard_link(&path, &other).expect("linked");
        append(&path, 2, &vectors(&["d"])).expect("written");
        assert_eq!(
            (fs::read(&other).expect("there"), read(&path, 2).0.len()),
            (whole, 1)
        );
        // Of another dimension: nothing can be used, and the file begins anew.
        assert_eq!(read(&path, 3), Vectors::default());
        append(&path, 3, &[(TextKey::window("w"), vec![1.0; 3])]).expect("written");
        assert_eq!(read(&path, 3).0.len(), 1);
    }

    #[test]
    fn a_damaged_record_costs_no_other() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("abcd");
        append(&path, 2, &vectors(&["a", "bb", "ccc"])).expect("written");
        let whole = fs::read(&path).expect("there");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x11;
            fs::write(&path, bytes).expect("written");
            assert!(is_damaged(&path), "byte {at}");
            let left = read(&path, 2).0.len();
            assert_eq!(left, if at < HEADER { 0 } else { 2 }, "byte {at}");
        }
        for other in [&b""[..], b"x", b"something else altogether"] {
            fs::write(&path, other).expect("written");
            assert_eq!(is_damaged(&path), !other.is_empty(), "{other:?}");
            assert_eq!(read(&path, 2), Vectors::default());
        }
    }
}
