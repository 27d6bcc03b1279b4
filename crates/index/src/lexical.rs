//! The inverted index: BM25 over the fields of a chunk.
//!
//! Words and stems are made by `text::terms` on both sides, so that question, index and document frequencies agree; a
//! question is a bag of terms and never parsed as a query language. tantivy keeps dictionary and postings; the
//! score is computed here, because every candidate needs its score whichever list found it, because fields share one
//! saturation, and because lengths are stored exactly rather than in one byte.

mod directory;
mod fields;
mod postings;
mod reader;
mod scorer;
mod whitespace;
mod writer;

pub(crate) use fields::{Field, FieldWords, SEARCHED, STOP_MARK};
pub(crate) use postings::Postings;
pub(crate) use reader::LexicalIndex;
pub(crate) use scorer::{Norms, Scorer, TermPostings};
pub(crate) use whitespace::WhitespaceIndex;
pub(crate) use writer::LexicalWriter;

#[cfg(test)]
mod tests {
    /// Segments keep the words that they were written with, and a question is analysed anew: both must agree.
    #[test]
    fn what_a_stem_is_belongs_to_the_format() {
        let text = "Walking 57.5 min/day improved VO2max in mice (p < 0.05); β-hydroxybutyrate's effects weren't studied.";
        let words = text::indexed_words(text);
        let joined = |of: fn(&text::Word) -> &str, stop: bool| {
            let chosen = words.iter().filter(|word| word.is_stop_word == stop);
            chosen.map(of).collect::<Vec<_>>().join(" ")
        };
        let found = [
            joined(|word| &word.stem, false),
            joined(|word| &word.form, false),
            joined(|word| &word.form, true),
        ];
        assert_eq!(
            found,
            [
                "walk 57.5 min day improv vo2max mice p 0.05 β hydroxybutyr effect",
                "walking 57.5 min day improved vo2max mice p 0.05 β hydroxybutyrate effects",
                "in weren't studied",
            ],
            "text::terms has changed: raise disk::FORMAT, so that older segments are stemmed again"
        );
    }
}
