//! The form with the question, and where its answer stands.

use super::view::View;
use crate::failed::Failed;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use types::{Filter, Mode};

/// The question of a form, and where to search.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Form {
    pub(super) question: String,
    /// `hybrid`, `vector` or `bm25`; empty for that of the settings.
    mode: String,
    pub(super) year_from: String,
    pub(super) year_to: String,
    /// Tags, one on each line, of which a paper has at least one; empty for all papers.
    pub(super) tags: String,
    /// Ids of papers, one on each line; empty for all.
    pub(super) papers: String,
    /// Whether nothing is taken from its words: no filter, no other spelling, no long form of an abbreviation.
    pub(super) as_written: bool,
    #[serde(skip_serializing)]
    pub(super) token: String,
}

impl Form {
    /// Its fields but the question, for another form.
    fn hidden(&self) -> Markup {
        let Self { mode, year_from, year_to, tags, papers, .. } = self;
        let all = [
            ("mode", mode),
            ("year_from", year_from),
            ("year_to", year_to),
            ("tags", tags),
            ("papers", papers),
        ];
        html! {
            @for (name, value) in all {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
        }
    }

    /// The retrieval mode that the reader chose.
    ///
    /// # Errors
    /// When there is no such mode.
    pub(super) fn mode(&self) -> Result<Option<Mode>, Failed> {
        let wrong = |_| Failed::invalid("mode", "a mode is hybrid, vector or bm25").value(self.mode.as_str());
        (!self.mode.is_empty()).then(|| self.mode.parse().map_err(wrong)).transpose()
    }

    /// The conditions that the reader chose.
    ///
    /// # Errors
    /// When a year is none.
    pub(super) fn filter(&self) -> Result<Filter, Failed> {
        let year = |text: &str| {
            let text = text.trim();
            let wrong =
                |_| Failed::invalid("filter", "a year must be a number of at most four digits").value(text);
            (!text.is_empty()).then(|| text.parse::<u16>().map_err(wrong)).transpose()
        };
        let papers: Vec<_> = lines(&self.papers).map(Into::into).collect();
        let tags: Vec<_> = lines(&self.tags).map(str::to_owned).collect();
        Ok(Filter {
            sources: (!papers.is_empty()).then_some(papers),
            tags: (!tags.is_empty()).then_some(tags),
            year_from: year(&self.year_from)?,
            year_to: year(&self.year_to)?,
            ..Filter::default()
        })
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// An answer, and the page of a paper beside it.
pub(super) fn split(answer: &Markup, beside: Option<&Markup>) -> Markup {
    html! {
        div.split {
            div #answer { (answer) }
            aside #pane aria-label="Page of the paper" { @if let Some(beside) = beside { (beside) } }
        }
    }
}

/// The form with the question.
pub(super) fn question(view: &View<'_>, form: &Form) -> Markup {
    let modes =
        [("", "as set"), ("hybrid", "words and meaning"), ("vector", "meaning only"), ("bm25", "words only")];
    html! {
        form.question #ask action="/ask" method="post" data-ask {
            (view.hidden())
            label.unseen for="question" { "Question" }
            textarea #question name="question" rows="2" required maxlength="10000" dir="auto" placeholder="What do you want to know?" { (form.question) }
            button type="submit" { "Ask" }
            button.quiet type="button" data-stop hidden { "Stop" }
            label.note data-enter hidden { input type="checkbox"; " Enter sends (else Ctrl-Enter)" }
            details open[!form.filter().unwrap_or_default().is_empty()] {
                summary { "Where to search" }
                div.fields {
                    label { "Search by " select name="mode" {
                        @for (value, name) in modes {
                            option value=(value) selected[form.mode == value] { (name) }
                        }
                    } }
                    label { "Published from " input name="year_from" inputmode="numeric" size="5" value=(form.year_from); }
                    label { "to " input name="year_to" inputmode="numeric" size="5" value=(form.year_to); }
                    label { "With one of these tags (one per line) " textarea name="tags" rows="1" dir="auto" { (form.tags) } }
                    label { "Only these papers (one ID per line) " textarea name="papers" rows="2" { (form.papers) } }
                }
            }
        }
    }
}

/// Asks the question again as it is written.
pub(super) fn as_written(view: &View<'_>, form: &Form) -> Markup {
    html! {
        form action="/ask" method="post" data-ask {
            (view.hidden()) (form.hidden())
            input type="hidden" name="question" value=(form.question);
            input type="hidden" name="as_written" value="true";
            button.quiet type="submit" { "Search the exact words instead" }
        }
    }
}
