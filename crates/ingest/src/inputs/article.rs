//! An article in the making, for formats whose text is flat: headings with levels and blocks one behind the other become the
//! nested elements of JATS, whose reader then does the rest.

use super::jats::{body, tree::Build};
use crate::draft::Draft;
use crate::{Limits, ParseError};
use types::{Document, SourceMeta};

/// The elements so far. `article` and `body` are open.
#[derive(Debug)]
pub(super) struct Article {
    build: Build,
    /// Levels of the sections that are open, from the outermost in.
    sections: Vec<u8>,
}

impl Default for Article {
    fn default() -> Self {
        let mut build = Build::default();
        // A tree that is empty takes them.
        let _ = build.open("article").and_then(|()| build.open("body"));
        Self { build, sections: Vec::new() }
    }
}

impl Article {
    /// Ends the sections of this level and deeper ones, begins one, and opens its title. Nothing else may be open.
    ///
    /// # Errors
    /// When the document is too large.
    pub(super) fn heading(&mut self, level: u8) -> Result<(), ParseError> {
        while self.sections.last().is_some_and(|open| *open >= level) {
            self.sections.pop();
            self.build.close();
        }
        self.sections.push(level);
        self.build.open("sec")?;
        self.build.open("title")
    }

    /// The level of the sections at the top; 1 before there is any.
    pub(super) fn top(&self) -> u8 {
        self.sections.first().copied().unwrap_or(1)
    }

    /// Begins a section at the top, with this title.
    ///
    /// # Errors
    /// When the document is too large.
    pub(super) fn section(&mut self, title: &str) -> Result<(), ParseError> {
        self.heading(self.top())?;
        self.text(title)?;
        self.close();
        Ok(())
    }

    /// Opens an element.
    ///
    /// # Errors
    /// When the document is nested too deep or too large.
    pub(super) fn open(&mut self, name: &str) -> Result<(), ParseError> {
        self.build.open(name)
    }

    /// Gives the element that was opened last an attribute.
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.build.attribute(name, value);
    }

    /// Closes the innermost element.
    pub(super) fn close(&mut self) {
        self.build.close();
    }

    /// Adds text.
    ///
    /// # Errors
    /// When the document is too large.
    pub(super) fn text(&mut self, text: &str) -> Result<(), ParseError> {
        self.build.text(text)
    }

    /// The document.
    ///
    /// # Errors
    /// [`ParseError::TooMuchText`].
    pub(super) fn finish(
        self,
        meta: SourceMeta,
        warnings: Vec<String>,
        limits: &Limits,
    ) -> Result<Document, ParseError> {
        let tree = self.build.finish();
        let mut draft = Draft::new(limits);
        body::read(tree.root(), &mut draft);
        draft.finish(meta, warnings)
    }
}

/// Whether a text can be the name of a person: programs write addresses and accounts in its place.
pub(super) fn is_name(text: &str) -> bool {
    (2..=5).contains(&text.split(' ').count())
        && !text.contains(|c: char| c.is_ascii_digit() || "@:/".contains(c))
}
