//! Counts of requests, in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

/// Upper bounds of the classes of times, in seconds.
const CLASSES: [f64; 12] = [
    0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0,
];

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
    pub(crate) name: &'static str,
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
        let lock = |e: PoisonError<_>| e.into_inner();
        let key = (method, route.to_owned(), status);
        *self.requests.lock().unwrap_or_else(lock).entry(key).or_default() += 1;
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = times.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        for (count, _) in times
            .classes
            .iter_mut()
            .zip(CLASSES)
            .filter(|(_, most)| seconds <= *most)
        {
            *count += 1;
        }
        times.count += 1;
        times.seconds += seconds;
    }

    /// Everything, with further gauges.
    pub(crate) fn text(&self, gauges: &[Gauge]) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "{text}");
        };
        line(format_args!(
            "# HELP pipeline_requests_total Requests that were answered."
        ));
        line(format_args!("# TYPE pipeline_requests_total counter"));
        for ((method, route, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            line(format_args!(
                "pipeline_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
            ));
        }
        line(format_args!(
            "# HELP pipeline_request_seconds Seconds from the headers of a request to those of its answer."
        ));
        line(format_args!("# TYPE pipeline_request_seconds histogram"));
        for (route, times) in &*self.times.lock().unwrap_or_else(PoisonError::into_inner) {
            for (most, count) in CLASSES.iter().zip(times.classes) {
                line(format_args!(
                    "pipeline_request_seconds_bucket{{route=\"{route}\",le=\"{most}\"}} {count}"
                ));
            }
            let Times { count, seconds, .. } = times;
            line(format_args!(
                "pipeline_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}"
            ));
            line(format_args!(
                "pipeline_request_seconds_sum{{route=\"{route}\"}} {seconds}"
            ));
            line(format_args!(
                "pipeline_request_seconds_count{{route=\"{route}\"}} {count}"
            ));
        }
        line(format_args!(
            "# HELP pipeline_requests_running Requests that are being answered."
        ));
        line(format_args!("# TYPE pipeline_requests_running gauge"));
        line(format_args!(
            "pipeline_requests_running {}",
            self.running.load(Ordering::Relaxed)
        ));
        for Gauge { name, help, values } in gauges {
            line(format_args!("# HELP {name} {help}"));
            line(format_args!("# TYPE {name} gauge"));
            for (label, value) in values {
                line(format_args!("{name}{label} {value}"));
            }
        }
        out
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
            name: "pipeline_jobs",
            help: "Jobs.",
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
