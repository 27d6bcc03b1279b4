//! Counts of requests, in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use types::locked;

/// Upper bounds of the classes of times, in seconds.
const CLASSES: [f64; 12] = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// The times of one route.
#[derive(Clone, Debug, Default)]
struct Times {
    classes: [u64; CLASSES.len()],
    count: u64,
    seconds: f64,
}

/// A value that goes up and down, by label.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    /// Name, type, and what it is.
    pub(crate) help: &'static str,
    pub(crate) values: Vec<(String, f64)>,
}

/// Counts of requests by route.
#[derive(Debug, Default)]
pub(crate) struct Telemetry {
    requests: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    /// Requests that are being answered.
    running: AtomicI64,
}

/// A request that is being answered; dropped when it is not any more.
pub(crate) struct Running<'a>(&'a AtomicI64);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Telemetry {
    /// Counts a request until the value is dropped.
    pub(crate) fn begin(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(&self.running)
    }

    /// Counts an answer. `route` is the pattern of the route, never what the client wrote.
    pub(crate) fn end(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let key = (method, route.to_owned(), status);
        *locked(&self.requests).entry(key).or_default() += 1;
        let mut times = locked(&self.times);
        let times = times.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        let classes = times.classes.iter_mut().zip(CLASSES);
        for (count, _) in classes.filter(|(_, most)| seconds <= *most) {
            *count += 1;
        }
        times.count += 1;
        times.seconds += seconds;
    }

    /// Everything, with further gauges.
    pub(crate) fn text(&self, gauges: &[Gauge]) -> String {
        let requests = locked(&self.requests);
        let requests = requests.iter().map(|((method, route, status), count)| {
            (format!("{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"), *count as f64)
        });
        let (mut out, mut seconds) = (String::new(), Vec::new());
        add(&mut out, "pipeline_requests_total counter Requests that were answered.", requests);
        for (route, times) in &*locked(&self.times) {
            let classes = CLASSES.iter().map(ToString::to_string).zip(times.classes);
            for (most, count) in classes.chain([("+Inf".to_owned(), times.count)]) {
                seconds.push((format!("_bucket{{route=\"{route}\",le=\"{most}\"}}"), count as f64));
            }
            seconds.push((format!("_sum{{route=\"{route}\"}}"), times.seconds));
            seconds.push((format!("_count{{route=\"{route}\"}}"), times.count as f64));
        }
        let help = "pipeline_request_seconds histogram Seconds from the headers of a request to those of its answer.";
        add(&mut out, help, seconds);
        let running = self.running.load(Ordering::Relaxed) as f64;
        let help = "pipeline_requests_running gauge Requests that are being answered.";
        add(&mut out, help, [(String::new(), running)]);
        for Gauge { help, values } in gauges {
            add(&mut out, help, values.clone());
        }
        out
    }
}

/// Adds a metric: its name, its type, what it is, and its values by label.
fn add(out: &mut String, help: &str, values: impl IntoIterator<Item = (String, f64)>) {
    let mut words = help.splitn(3, ' ');
    let [name, kind, help] = [(); 3].map(|()| words.next().unwrap_or_default());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (label, value) in values {
        let _ = writeln!(out, "{name}{label} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up() {
        let telemetry = Telemetry::default();
        for ms in [1, 3, 700, 90_000] {
            telemetry.end("GET", "/a/{id}", 200, Duration::from_millis(ms));
        }
        let running = telemetry.begin();
        let text = telemetry.text(&[Gauge {
            help: "pipeline_jobs gauge Jobs.",
            values: vec![("{state=\"done\"}".to_owned(), 2.0)],
        }]);
        for line in [
            "pipeline_requests_total{method=\"GET\",route=\"/a/{id}\",status=\"200\"} 4",
            "pipeline_request_seconds_bucket{route=\"/a/{id}\",le=\"0.002\"} 1",
            "pipeline_request_seconds_bucket{route=\"/a/{id}\",le=\"1\"} 3",
            "pipeline_request_seconds_bucket{route=\"/a/{id}\",le=\"+Inf\"} 4",
            "pipeline_requests_running 1",
            "pipeline_jobs{state=\"done\"} 2",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} is not in {text}");
        }
        drop(running);
        assert!(telemetry.text(&[]).contains("pipeline_requests_running 0"));
    }
}
