//! Files that clients send: written beside their place first, and named by nothing that a client says but the last part of a name.

use crate::{failed::Failed, state::random};
use axum::http::StatusCode;
use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};
use tempfile::NamedTempFile;
use types::digest::sha256;

/// Endings of papers. What a file is, its content decides; a name without one of these is not read as a paper.
pub(crate) const ENDINGS: [&str; 13] =
    ["pdf", "docx", "html", "htm", "xhtml", "md", "markdown", "txt", "text", "xml", "nxml", "jsonl", "zip"];
/// How the name of a file begins that is not whole yet: with a dot, so that it is no paper, should a killed server leave it.
const BEGUN: &str = ".upload-";
/// Bytes of a name at most, without its extension.
const NAME_BYTES: usize = 200;

/// Files on their way.
pub(crate) struct Upload {
    folder: PathBuf,
    files: Vec<(String, NamedTempFile)>,
}

/// One of them.
pub(crate) struct Incoming {
    name: String,
    file: NamedTempFile,
    start: Vec<u8>,
}

impl Incoming {
    pub(crate) fn write(&mut self, part: &[u8]) -> io::Result<()> {
        let left = 1024_usize.saturating_sub(self.start.len());
        self.start.extend_from_slice(&part[..part.len().min(left)]);
        self.file.write_all(part)
    }
}

impl Upload {
    /// An upload to this folder, which its first file makes.
    pub(crate) fn new(folder: PathBuf) -> Self {
        let files = Vec::new();
        Self { folder, files }
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Begins a file.
    ///
    /// # Errors
    /// When its name is not that of a paper.
    pub(crate) fn begin(&self, name: &str) -> Result<Incoming, Failed> {
        let name = safe_name(name)?;
        fs::create_dir_all(&self.folder)?;
        let file = begun(&self.folder)?;
        Ok(Incoming { name, file, start: Vec::new() })
    }

    /// Takes a file that was written to its end.
    ///
    /// # Errors
    /// When its content is not what its name says.
    pub(crate) fn end(&mut self, file: Incoming) -> Result<(), Failed> {
        let is_pdf = file.start.windows(5).any(|part| part == b"%PDF-");
        let binary = file.start.contains(&0)
            && !file.start.starts_with(&[0xff, 0xfe])
            && !file.start.starts_with(&[0xfe, 0xff]);
        let ends = |with: &str| file.name.to_ascii_lowercase().ends_with(with);
        let is_zip = file.start.starts_with(b"PK\x03\x04");
        let zipped = ends(".docx") || ends(".zip");
        let right = if is_zip { zipped } else { is_pdf == ends(".pdf") && (!binary || is_pdf) && !zipped };
        if !right || file.start.is_empty() {
            let message = "the content of the file is not what its name says";
            let failed =
                Failed::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "other_content", message).value(file.name);
            return Err(failed.hint(
                "upload PDF files as .pdf, texts as .md, .txt, .html, .xml or .jsonl, archives as .zip",
            ));
        }
        self.files.push((file.name, file.file));
        Ok(())
    }

    /// Gives the files their names, each whole and on the disk, and returns these. A file of the same name is replaced.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn keep(self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for (name, file) in self.files {
            file.as_file().sync_all()?;
            file.persist(self.folder.join(&name)).map_err(|error| error.error)?;
            names.push(name);
        }
        File::open(&self.folder)?.sync_all()?;
        Ok(names)
    }
}

fn begun(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(BEGUN).tempfile_in(folder)
}

/// Removes the files that a killed server left unfinished in the folder of a tenant, those last written before `since`: newer
/// ones may be of another server.
pub(crate) fn remove_begun(tenant: &Path, since: SystemTime) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries(tenant).map(|entry| entry.path().join("papers"));
    for folder in folders.chain([tenant.join("answers")]) {
        for entry in entries(&folder) {
            let old = || entry.metadata().and_then(|of| of.modified()).is_ok_and(|at| at < since);
            if entry.file_name().to_string_lossy().starts_with(BEGUN) && old() {
                // The next round tries again.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Writes a text to a new file of this folder, on the disk, and returns its name.
pub(crate) fn keep_text(folder: &Path, text: &str) -> io::Result<String> {
    fs::create_dir_all(folder)?;
    let name = format!("{}.json", random::<16>());
    let mut file = begun(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(folder.join(&name)).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(name)
}

/// The last part of the name, without what could steer a terminal or hide the file.
fn safe_name(name: &str) -> Result<String, Failed> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '(' | ')' | ',');
    let clean: String = last.chars().filter(kept).collect();
    let clean = clean.trim_matches(['.', ' ']).to_owned();
    let (stem, ending) = clean.rsplit_once('.').unwrap_or((&clean, ""));
    if stem.is_empty() || !ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) {
        let message = match ending {
            "" => "a file without an extension is not read as a paper".to_owned(),
            ending => format!("files of the type .{ending} are not read as papers"),
        };
        let failed = Failed::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "file_type", message).value(name);
        return Err(failed.hint(format!("upload files with one of the extensions {}", ENDINGS.join(", "))));
    }
    if stem.len() <= NAME_BYTES {
        return Ok(clean);
    }
    let cut = stem[..stem.floor_char_boundary(NAME_BYTES)].trim_end();
    // Another name with the same beginning is another file.
    let digest = &sha256(stem.as_bytes())[..16];
    Ok(format!("{cut}-{digest}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        let check = |name: &str, want: Option<&str>| {
            assert_eq!(safe_name(name).ok().as_deref(), want, "{name:?}");
        };
        check("walkers 2021.pdf", Some("walkers 2021.pdf"));
        check("../../etc/passwd.md", Some("passwd.md"));
        check("C:\\papers\\Größe.TXT", Some("Größe.TXT"));
        check("a\u{1b}[2J\u{202e}.pdf", Some("a2J.pdf"));
        check(".hidden.md", Some("hidden.md"));
        for name in ["", ".", "..", "/", ".pdf", "paper", "paper.exe", "paper.pdf/", "manifest.csv"] {
            check(name, None);
        }
        for long in ["x", "论"] {
            let cut = |of: usize| safe_name(&format!("{}.markdown", long.repeat(of))).expect("cut");
            assert!((200..255).contains(&cut(1000).len()), "{}", cut(1000));
            assert!(cut(1000) == cut(1000) && cut(1000) != cut(1001), "one file each");
        }
    }

    #[test]
    fn what_a_killed_server_left_is_removed_and_nothing_else() {
        let tenant = tempfile::tempdir().expect("a folder");
        let papers = tenant.path().join("c").join("papers");
        let upload = Upload::new(papers.clone());
        let left = upload.begin("a.md").expect("begun").file.keep().expect("left").1;
        fs::write(papers.join("b.md"), "# B").expect("written");
        let minute = std::time::Duration::from_mins(1);
        remove_begun(tenant.path(), SystemTime::now() - minute);
        assert!(left.exists(), "it may be in use");
        remove_begun(tenant.path(), SystemTime::now() + minute);
        assert!(!left.exists() && papers.join("b.md").exists());
    }

    #[test]
    fn content_and_name_agree() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, bytes: &[u8]| -> Result<Vec<String>, Failed> {
            let mut upload = Upload::new(folder.path().to_owned());
            let mut file = upload.begin(name)?;
            file.write(bytes)?;
            upload.end(file)?;
            Ok(upload.keep()?)
        };
        assert_eq!(put("a.md", b"# Walking").expect("kept"), ["a.md"]);
        assert_eq!(fs::read(folder.path().join("a.md")).expect("there"), b"# Walking");
        assert!(put("b.pdf", b"%PDF-1.7 ...").is_ok());
        assert!(put("b.zip", b"PK\x03\x04 a.pdf %PDF-1.7").is_ok() && put("b.docx", b"PK\x03\x04").is_ok());
        for (name, bytes) in [
            ("c.pdf", b"# Walking".as_slice()),
            ("c.md", b"%PDF-1.7"),
            ("c.txt", b"\x7fELF\0\0"),
            ("c.md", b""),
            ("c.zip", b"%PDF-1.7"),
            ("c.docx", b"words"),
            ("c.pdf", b"PK\x03\x04 %PDF-"),
        ] {
            let failed = put(name, bytes).expect_err("refused");
            assert_eq!(failed.parts.code, "other_content", "{name}");
        }
        let left: Vec<_> = fs::read_dir(folder.path()).expect("listed").collect();
        assert_eq!(left.len(), 4, "what was refused leaves nothing");
    }
}
