//! Shows what the libraries report: bars on a terminal, a line every ten seconds elsewhere.

use crate::clean::{clean, clean_line};
use crate::words::number;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::{
    io::IsTerminal as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};
use types::{Reporter, Task};

/// Without a terminal, a running task is told of this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// How long a running task will take is not said before it ran this long.
const LEAST: Duration = Duration::from_secs(10);

/// Progress on standard error.
#[derive(Clone)]
pub(crate) struct Bars {
    all: MultiProgress,
    shows: Display,
    /// Nothing more is shown once the user has stopped the program.
    stopped: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Display {
    Bars,
    Lines,
    Nothing,
}

impl Bars {
    /// Bars or lines, unless `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let shows = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Nothing,
            (false, true) => Display::Bars,
            (false, false) => Display::Lines,
        };
        let target = match shows {
            Display::Bars => ProgressDrawTarget::stderr(),
            Display::Lines | Display::Nothing => ProgressDrawTarget::hidden(),
        };
        Self {
            all: MultiProgress::with_draw_target(target),
            shows,
            stopped: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Whether nothing but warnings and errors is shown.
    pub(crate) fn is_quiet(&self) -> bool {
        self.shows == Display::Nothing
    }

    /// Prints a line above the bars.
    pub(crate) fn note(&self, message: &str) {
        self.all.suspend(|| eprintln!("{}", clean(message)));
    }

    /// As [`Self::note`], but not with `--quiet`.
    pub(crate) fn remark(&self, message: &str) {
        if self.shows != Display::Nothing {
            self.note(message);
        }
    }

    /// Removes all bars for good and prints a message in their place.
    pub(crate) fn stop(&self, message: &str) {
        self.stopped.store(true, Ordering::Relaxed);
        // A terminal that is gone shows nothing anyway.
        let _ = self.all.clear();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
        eprintln!("{}", clean(message));
    }
}

impl Reporter for Bars {
    fn task(&self, name: &str, unit: &str, total: Option<u64>) -> Box<dyn Task> {
        let counted = Arc::new(Counted { unit: unit.to_owned(), about: AtomicBool::new(false) });
        let bar = self.all.add(ProgressBar::new_spinner());
        bar.set_prefix(name.to_owned());
        if self.shows == Display::Bars {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        let lines = (self.shows == Display::Lines).then(|| self.lines(name, &bar, &counted));
        let task = Running { bar, counted, _lines: lines };
        task.style(total);
        Box::new(task)
    }

    fn warn(&self, message: &str) {
        let print = || eprintln!("warning: {}", clean(message));
        self.all.suspend(print);
    }
}

impl Bars {
    /// Prints how far the task is until what this returns is dropped.
    fn lines(&self, name: &str, bar: &ProgressBar, counted: &Arc<Counted>) -> Sender<()> {
        let (running, ended) = channel::<()>();
        let (name, counted, stopped) = (name.to_owned(), Arc::clone(counted), Arc::clone(&self.stopped));
        let bar = bar.clone();
        std::thread::spawn(move || {
            while ended.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let left = remaining(bar.elapsed(), bar.eta());
                eprintln!("{name}: {}", counted.status_line(bar.position(), bar.length(), left));
            }
        });
        running
    }
}

/// What a task counts.
struct Counted {
    unit: String,
    /// The total is an estimate.
    about: AtomicBool,
}

impl Counted {
    /// "1,200 of about 9,800 texts, about 3 min left".
    fn status_line(&self, done: u64, total: Option<u64>, left: Option<Duration>) -> String {
        let (unit, done) = (&self.unit, number(done));
        let Some(total) = total else {
            return format!("{done} {unit}");
        };
        let of = if self.about.load(Ordering::Relaxed) { "of about" } else { "of" };
        let left = left.map_or_else(String::new, |left| format!(", {} left", about(left)));
        format!("{done} {of} {} {unit}{left}", number(total))
    }
}

/// The estimate `eta`, once a task ran long enough; 0 stands for none.
fn remaining(elapsed: Duration, eta: Duration) -> Option<Duration> {
    (elapsed >= LEAST && !eta.is_zero()).then_some(eta)
}

/// A duration as precise as an estimate is: "about 3 min".
fn about(left: Duration) -> String {
    let seconds = left.as_secs();
    match seconds {
        0..10 => "a few seconds".to_owned(),
        10..100 => format!("about {} s", (seconds + 5) / 10 * 10),
        100..5_400 => format!("about {} min", (seconds + 30) / 60),
        _ => format!("about {:.1} h", left.as_secs_f64() / 3600.0),
    }
}

struct Running {
    bar: ProgressBar,
    counted: Arc<Counted>,
    /// Dropping it ends the lines.
    _lines: Option<Sender<()>>,
}

impl Running {
    fn style(&self, total: Option<u64>) {
        let template = match total {
            Some(total) => {
                self.bar.set_length(total);
                "{prefix:>10} [{bar:30}] {told} {wide_msg:.dim}"
            }
            None => "{prefix:>10} {spinner} {told} {wide_msg:.dim}",
        };
        let counted = Arc::clone(&self.counted);
        let told = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let left = remaining(state.elapsed(), state.eta());
            // A line that cannot be drawn is not worth an error.
            let _ = write!(out, "{}", counted.status_line(state.pos(), state.len(), left));
        };
        // The template is fixed text: should a release of the library refuse it, a plain bar still works.
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.with_key("told", told).progress_chars("=> "));
        }
    }
}

impl Task for Running {
    fn advance(&self, n: u64) {
        self.bar.inc(n);
    }

    fn estimate(&self, total: u64) {
        self.counted.about.store(true, Ordering::Relaxed);
        if self.bar.length().is_none() {
            self.style(Some(total));
        } else {
            self.bar.set_length(total);
        }
    }

    fn item(&self, name: &str) {
        self.bar.set_message(clean_line(name));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_tells_how_far_it_is() {
        let counted = Counted { unit: "texts".to_owned(), about: AtomicBool::new(false) };
        assert_eq!(counted.status_line(2_000, None, None), "2,000 texts");
        assert_eq!(counted.status_line(2_000, Some(20_000), None), "2,000 of 20,000 texts");
        counted.about.store(true, Ordering::Relaxed);
        let seconds = Duration::from_secs;
        assert_eq!(
            counted.status_line(2_000, Some(20_000), remaining(seconds(20), seconds(180))),
            "2,000 of about 20,000 texts, about 3 min left"
        );
        // Too early to tell, or it stalls.
        assert_eq!(remaining(seconds(9), seconds(180)), None);
        assert_eq!(remaining(seconds(20), seconds(0)), None);
    }

    #[test]
    fn an_estimate_is_no_more_precise_than_it_can_be() {
        let check = |seconds, want: &str| assert_eq!(about(Duration::from_secs(seconds)), want);
        check(4, "a few seconds");
        check(47, "about 50 s");
        check(170, "about 3 min");
        check(3_599, "about 60 min");
        check(7_200, "about 2.0 h");
    }

    #[test]
    fn nothing_breaks_without_a_terminal() {
        let bars = Bars::new(false);
        let task = bars.task("embedding", "texts", None);
        task.advance(3);
        task.estimate(10);
        task.estimate(12);
        task.item("lee");
        drop(task);
        bars.stop("stopping");
    }
}
