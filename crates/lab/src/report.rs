//! What people read of results: blocks, which are shown on a terminal, as Markdown or as a page of HTML.
//!
//! [`page`] has the blocks and their three renderers; all that the binary prints for people goes through them. [`evaluation`]
//! is the report of an evaluation, [`phase`] the same as a document in eight sections; [`document`] shows any JSON document. It computes no statistic, reads no file
//! but to write reports, and knows nothing of how answers are made: numbers come from [`eval`].
//!
//! All text from papers, questions and models is escaped by the renderers. The same evaluation gives the same bytes: no clock
//! is read here.
//!
//! ```
//! use lab::report::page::{Page, Terminal};
//!
//! let mut page = Page::new();
//! page.heading("Answers");
//! page.fact("answered", "65 of 105 <b>");
//! assert_eq!(page.text(Terminal::default()), "Answers\nanswered  65 of 105 <b>\n");
//! assert_eq!(page.markdown(), "## Answers\n\n- answered: 65 of 105 \\<b>\n");
//! assert!(page.html("Answers").contains("65 of 105 &lt;b&gt;"));
//! ```

pub mod clean;
pub mod document;
pub mod evaluation;
pub mod page;
pub mod phase;
pub mod words;
