//! The formats that can be read, and the extensions that files in them have.

use std::path::Path;

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// PDF, read by a worker process.
    Pdf,
    /// One article in JATS XML, the form of PubMed Central and many publishers.
    Jats,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// A BEIR `corpus.jsonl`: one document a line.
    Beir,
}

impl Format {
    /// The name for people and for keys.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Jats => "JATS",
            Self::Markdown => "Markdown",
            Self::Text => "text",
            Self::Beir => "BEIR",
        }
    }

    /// The format that a file's extension stands for; `None` for files that are not searched for.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "pdf" => Some(Self::Pdf),
            "xml" | "nxml" => Some(Self::Jats),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "jsonl" => Some(Self::Beir),
            _ => None,
        }
    }
}
