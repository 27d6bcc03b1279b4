//! Draws what the libraries report.

use crate::clean::{clean, clean_line};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;
use types::{Reporter, Task};

/// Progress bars on standard error; hidden when that is no terminal.
pub(crate) struct Bars {
    all: MultiProgress,
}

impl Bars {
    /// Bars that are drawn, unless `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        Self {
            all: MultiProgress::with_draw_target(target),
        }
    }
}

impl Bars {
    /// Prints a line on standard error, above the bars.
    pub(crate) fn note(&self, message: &str) {
        self.all.suspend(|| eprintln!("{}", clean(message)));
    }
}

impl Reporter for Bars {
    fn task(&self, name: &str, unit: &str, total: Option<u64>) -> Box<dyn Task> {
        let bar = self
            .all
            .add(total.map_or_else(ProgressBar::new_spinner, ProgressBar::new));
        let per_second = format!("{{per_sec:.1}} {unit}/s");
        let template = if total.is_some() {
            format!(
                "{{prefix:>10}} [{{bar:30}}] {{pos}}/{{len}} {unit} ({}, {{eta}} left) {{msg}}",
                "{per_sec}"
            )
        } else {
            format!("{{prefix:>10}} {{spinner}} {{pos}} {unit} ({per_second}) {{msg}}")
        };
        // The template is fixed text: should a release of the library refuse it, a plain bar still works.
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Box::new(Bar(bar))
    }

    fn warn(&self, message: &str) {
        let print = || eprintln!("warning: {}", clean(message));
        self.all.suspend(print);
    }
}

struct Bar(ProgressBar);

impl Task for Bar {
    fn advance(&self, n: u64) {
        self.0.inc(n);
    }
    fn item(&self, name: &str) {
        self.0.set_message(clean_line(name));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
