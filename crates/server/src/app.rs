//! What all requests share.

use crate::{
    Options,
    asked::check_cost,
    failed::{Failed, REQUEST_ID, is_locked},
    indexes::{Indexes, Place},
    library::Read,
    limits::{COST, HISTORY_TIME, UNWRITTEN},
    name::Name,
    origin::Origin,
    portal::cache::{Cache, Made},
    shares::{Share, Shares},
    state::{
        State, collections,
        history::{self, Asked},
        jobs::{self, Job, Leases},
        keys::Role,
    },
    telemetry::Telemetry,
};
use engine::{
    ComputePool, Pipeline,
    chat_models::ChatModels,
    settings::{JudgeChoice, Settings},
};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use lab::{
    eval::{judge::dimensions::Dimension, rows::Format},
    evaluate_run::{EvaluateResult, Scorer, cost, read_answer},
};
use serde::Serialize;
use serde_json::{Value, json, to_value};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Display,
    mem::take,
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, OnceCell, broadcast},
    time::timeout,
};
use types::{Silent, Stop, digest::sha256, locked};

/// Writes one line of the log.
pub type LogSink = Arc<dyn Fn(&Value) + Send + Sync>;

/// What all requests share. A clone is the same.
pub(crate) type App = Arc<Shared>;

/// See [`App`].
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) state: State,
    pub(crate) indexes: Arc<Indexes>,
    pub(crate) telemetry: Telemetry,
    pub(crate) rates: DefaultKeyedRateLimiter<i64>,
    pub(crate) log: LogSink,
    /// Whether only this machine can connect.
    pub(crate) loopback: bool,
    /// Whether assistants also have the tools of ADR-013.
    pub(crate) nc: bool,
    /// Web pages of these origins may use the server.
    pub(crate) origins: Vec<Origin>,
    /// The name of the cookie with the session of who reads pages: cookies do not tell the ports of a host apart.
    pub(crate) cookie: String,
    /// The document of `/openapi.json`.
    pub(crate) openapi: String,
    /// Says which job has a new event.
    pub(crate) events: broadcast::Sender<Arc<str>>,
    /// What this server saw of the running jobs.
    pub(crate) leases: Arc<Mutex<Leases>>,
    /// Says that there is a new job.
    pub(crate) new_job: Notify,
    pub(crate) stop: Stop,
    /// What forms of this server's pages are known by; another one after a restart.
    pub(crate) secret: [u8; 32],
    /// Pages of papers that were read last.
    pub(crate) read_pages: Cache,
    /// Questions to try, by index.
    pub(crate) examples: tokio::sync::Mutex<HashMap<Place, Made>>,
    /// The papers of each library, by index.
    pub(crate) libraries: tokio::sync::Mutex<HashMap<Place, Read>>,
    /// With the language models, whose clients all tenants share.
    scorer: OnceCell<(Scorer, ChatModels)>,
    /// The language models of each tenant, whose replies are kept apart.
    models: Mutex<BTreeMap<Name, Arc<ChatModels>>>,
    measurer: OnceCell<Scorer>,
    /// Questions that are not kept yet, how many more are being written, and the right to write them.
    unwritten: Mutex<(Vec<(Name, Asked)>, usize)>,
    writing: tokio::sync::Mutex<()>,
    pool: ComputePool,
    /// Runs what waits for the disk and computes little, so that it keeps nothing from computing.
    pub(crate) disk: ComputePool,
    /// Requests that compute or wait to: computations wait for a core, and this bounds how many wait.
    pub(crate) turns: Arc<Shares>,
    /// MiB of large bodies.
    pub(crate) bodies: Arc<Shares>,
    /// Pages of papers that are read at a time.
    pub(crate) pages: Arc<Shares>,
}

impl Shared {
    pub(crate) fn new(
        settings: Settings,
        state: State,
        indexes: Indexes,
        options: Options,
        openapi: String,
    ) -> Self {
        let a_second = |count: u32| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        // The folder is this server's own.
        let folder = sha256(options.data.as_os_str().as_encoded_bytes());
        let cookie = format!("pipeline_session_{}", folder.chars().take(8).collect::<String>());
        let quota =
            Quota::per_second(a_second(crate::limits::RATE)).allow_burst(a_second(crate::limits::BURST));
        Self {
            settings,
            state,
            indexes: Arc::new(indexes),
            telemetry: Telemetry::default(),
            rates: RateLimiter::keyed(quota),
            log: options.log,
            loopback: options.listen.ip().is_loopback(),
            nc: options.nc,
            origins: options.origins,
            cookie,
            openapi,
            events: broadcast::channel(1024).0,
            leases: Arc::default(),
            new_job: Notify::new(),
            stop: options.stop,
            secret: rand::random(),
            read_pages: Cache::default(),
            examples: tokio::sync::Mutex::default(),
            libraries: tokio::sync::Mutex::default(),
            scorer: OnceCell::new(),
            models: Mutex::default(),
            measurer: OnceCell::new(),
            unwritten: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            pool: ComputePool::default(),
            disk: ComputePool::default(),
            turns: Shares::new(options.waiting),
            bodies: Shares::new(crate::limits::BODIES_BYTES >> 20),
            pages: Shares::new(crate::limits::PAGES),
        }
    }

    /// What scores answers of a tenant, whose language model keeps its replies apart; loaded when it is first needed.
    ///
    /// # Errors
    /// When the judge of the settings cannot be loaded.
    pub(crate) async fn scorer(&self, tenant: &Name) -> Result<Scorer, Failed> {
        let load = async || {
            let scorer = self.load(self.settings.clone()).await?;
            Ok::<_, Failed>((scorer, ChatModels::new(&self.settings)?))
        };
        let (scorer, models) = self.scorer.get_or_try_init(load).await?;
        let settings = self.indexes.settings_of(&Place::default_of(tenant.clone()));
        let own = || Arc::new(models.for_section(&settings.llm));
        let models = {
            let mut all = locked(&self.models);
            if all.len() >= crate::limits::OPEN_INDEXES && !all.contains_key(tenant) {
                all.clear();
            }
            Arc::clone(all.entry(tenant.clone()).or_insert_with(own))
        };
        let scorer = scorer.clone();
        Ok(self.pool.run(move || scorer.asking(&models)).await?)
    }

    /// Scores the answer in a request of this format, in these dimensions if a language model judges; the second value is the judge.
    ///
    /// # Errors
    /// When there is no answer, it would take too long, or as [`Self::scorer`].
    pub(crate) async fn score(
        &self,
        tenant: &Name,
        format: Format,
        asked: &impl Serialize,
        dimensions: &'static [Dimension],
    ) -> Result<(EvaluateResult, String), Failed> {
        let record = to_value(asked).map_err(Failed::inside)?;
        let sample = self.pool.run(move || read_answer(format, &record)).await?;
        check_cost(cost(&sample), COST)?;
        let scorer = self.scorer(tenant).await?;
        Ok((scorer.score(&sample, dimensions).await, scorer.judge().to_owned()))
    }

    /// What measures answers and asks no language model.
    ///
    /// # Errors
    /// As [`Self::scorer`].
    pub(crate) async fn measurer(&self) -> Result<Scorer, Failed> {
        let mut settings = self.settings.clone();
        settings.eval.judge = JudgeChoice::Lexical;
        let load = || self.load(settings);
        self.measurer.get_or_try_init(load).await.cloned()
    }

    async fn load(&self, settings: Settings) -> Result<Scorer, Failed> {
        let pool = self.pool.clone();
        let load = move || Scorer::new(&settings, &ChatModels::new(&settings)?, pool, &Silent);
        self.pool.run(load).await.map_err(Failed::from)
    }

    /// Writes a line of the log on what went wrong in a job.
    pub(crate) fn log_job(&self, job: &Job, error: &str) {
        (self.log)(&json!({
            "time": engine::timestamp(), "level": "error", "what": "job", "job": job.id, "tenant": job.tenant, "error": error
        }));
    }

    /// The right to compute.
    ///
    /// # Errors
    /// When as many as are allowed have it, or as many of its tenant.
    pub(crate) fn turn(&self, caller: &Caller) -> Result<Share, Failed> {
        self.turns.take(caller.shares(), 1).ok_or_else(|| {
            let most = self.turns.total;
            let message = format!(
                "too many requests in progress: at most {most}, and less for one tenant; try again later"
            );
            Failed::busy("busy", message, 1)
        })
    }

    /// Runs what computes or reads files.
    pub(crate) fn pool(&self) -> &ComputePool {
        &self.pool
    }

    /// The index of a collection.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub(crate) async fn pipeline(&self, place: &Place) -> Result<Arc<Pipeline>, Failed> {
        Ok(self.indexes.get(place).await?)
    }

    /// What a client is told of a failed judge. The log has its words, which name the address and the settings of the model.
    pub(crate) fn unjudged(&self, why: &str) -> &'static str {
        let id = REQUEST_ID.try_with(ToString::to_string).unwrap_or_default();
        (self.log)(&json!({
            "time": engine::timestamp(), "level": "warn", "what": "judge", "request_id": id, "error": why
        }));
        if why.contains("HTTP 429") { "the judge is rate-limited" } else { "the judge did not answer" }
    }

    /// Adds an event to a job, if its worker still has it.
    pub(crate) async fn tell(&self, job: &Job, name: &'static str, data: Value) {
        let (id, token, data) = (job.id.clone(), job.token, data.to_string());
        if let Err(error) = self.state.run_soon(move |c| jobs::event(c, &id, token, name, &data)).await {
            self.error("event not saved", &error);
        }
        // Nobody may listen.
        let _ = self.events.send(Arc::from(job.id.as_str()));
    }

    /// Keeps a question: at once or, while another program locks the state, later. What cannot be kept is answered all the same, and
    /// the log says so.
    pub(crate) async fn remember(
        self: &Arc<Self>,
        place: &Place,
        route: &str,
        question: &str,
        answered: bool,
        since: Instant,
    ) {
        let asked = Asked {
            at: engine::timestamp(),
            collection: place.collection.to_string(),
            route: route.to_owned(),
            question: question.to_owned(),
            answered,
            milliseconds: milliseconds(since),
        };
        let fits = {
            let mut unwritten = locked(&self.unwritten);
            let fits = unwritten.0.len() + unwritten.1 < UNWRITTEN;
            unwritten.0.extend(fits.then_some((place.tenant.clone(), asked)));
            fits
        };
        if !fits {
            return self.lost(1, "state.sqlite is locked");
        }
        let app = Arc::clone(self);
        let write = tokio::spawn(async move { app.write_history().await });
        // It goes on if it takes longer.
        let _ = timeout(HISTORY_TIME, write).await;
    }

    /// Writes the questions that are not kept yet.
    pub(crate) async fn write_history(&self) {
        let _turn = self.writing.lock().await;
        loop {
            let all = {
                let mut unwritten = locked(&self.unwritten);
                unwritten.1 = unwritten.0.len();
                Arc::new(take(&mut unwritten.0))
            };
            if all.is_empty() {
                return;
            }
            let own = Arc::clone(&all);
            let written = self.state.run_soon(move |c| history::add(c, &own)).await;
            let mut unwritten = locked(&self.unwritten);
            unwritten.1 = 0;
            match written {
                Ok(()) => {}
                Err(error) if is_locked(&error) && !self.stop.is_requested() => {
                    unwritten.0.splice(0..0, all.iter().cloned());
                }
                Err(error) => self.lost(all.len(), &error.to_string()),
            }
        }
    }

    /// Writes them before the server ends, though not for ever: another program may lock the state. Counts what is lost then.
    pub(crate) async fn end_history(&self, time: Duration) {
        if timeout(time, self.write_history()).await.is_err() {
            let (waiting, writing) = take(&mut *locked(&self.unwritten));
            self.lost(waiting.len() + writing, "state.sqlite is locked");
        }
    }

    /// Writes a line of the log on what went wrong outside of a request.
    pub(crate) fn error(&self, what: &str, error: &impl Display) {
        let time = engine::timestamp();
        (self.log)(&json!({"time": time, "level": "error", "what": what, "error": error.to_string()}));
    }

    fn lost(&self, questions: usize, why: &str) {
        self.error(&format!("{questions} questions were not saved to the history"), &why);
    }
}

/// Milliseconds since then, to two digits.
pub(crate) fn milliseconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e5).round() / 100.0
}

/// Who makes a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The number and tenant of the key; `None` while the server has no keys: then everybody on this machine may do all.
    pub(crate) key: Option<(i64, Name)>,
    pub(crate) role: Role,
}

impl Caller {
    /// Who shares with others; `None` while there are no keys: then nobody does.
    pub(crate) fn shares(&self) -> Option<&Name> {
        self.key.as_ref().map(|(_, tenant)| tenant)
    }

    /// Whose data is meant where no tenant is named.
    pub(crate) fn tenant(&self) -> Name {
        self.key.as_ref().map_or_else(Name::of_default, |(_, tenant)| tenant.clone())
    }

    /// The collection that is meant where none is named.
    pub(crate) fn place(&self) -> Place {
        Place::default_of(self.tenant())
    }

    /// A collection of a tenant that the request names. It need not exist.
    ///
    /// # Errors
    /// When the key is another tenant's: as if there were no such collection.
    pub(crate) fn place_in(&self, tenant: &Name, collection: &Name) -> Result<Place, Failed> {
        match &self.key {
            Some((_, own)) if own != tenant => Err(Failed::not_found("collection", collection.as_str())),
            _ => Ok(Place { tenant: tenant.clone(), collection: collection.clone() }),
        }
    }

    /// The same, of a collection that exists.
    ///
    /// # Errors
    /// When it does not exist, or is another tenant's.
    pub(crate) async fn existing(
        &self,
        app: &App,
        tenant: &Name,
        collection: &Name,
    ) -> Result<Place, Failed> {
        let place = self.place_in(tenant, collection)?;
        let own = place.clone();
        let exists = app.state.read(move |c| collections::exists(c, &own.tenant, &own.collection)).await?;
        if exists || place.is_default() {
            Ok(place)
        } else {
            Err(Failed::not_found("collection", collection.as_str()))
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// What requests share, over a folder of its own.
    pub(crate) fn app() -> (tempfile::TempDir, App) {
        let (folder, state) = crate::state::testing::state();
        let settings = engine::settings::Loaded::defaults().expect("settings").settings;
        let indexes = Indexes::new(settings.clone(), folder.path().to_owned());
        let options = Options {
            listen: ([127, 0, 0, 1], 0).into(),
            data: folder.path().to_owned(),
            origins: Vec::new(),
            waiting: 1,
            nc: false,
            log: Arc::new(|_| ()),
            stop: Stop::default(),
        };
        let shared = Shared::new(settings, state, indexes, options, String::new());
        (folder, Arc::new(shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_question_does_not_wait_for_a_lock_of_another_program() {
        let (folder, app) = testing::app();
        let other = Connection::open(folder.path().join("state.sqlite")).expect("opens");
        other.execute_batch("BEGIN IMMEDIATE").expect("locked");
        let place = Place::default_of(Name::of_default());
        let ask = async || {
            let asked = app.remember(&place, "/v1/ask", "How far?", true, Instant::now());
            // The lock itself is waited for longer.
            timeout(crate::state::LOCK_TIME / 2, asked).await.expect("in time");
        };
        for _ in 0..3 {
            ask().await;
        }
        let kept = async || {
            let list = app.state.read(|c| history::list(c, &Name::of_default(), i64::MAX, 9)).await;
            list.expect("read").len()
        };
        assert_eq!(kept().await, 0);
        // Those being written count, too.
        let waiting = locked(&app.unwritten).0.len();
        assert_eq!(waiting + locked(&app.unwritten).1, 3);
        locked(&app.unwritten).1 = UNWRITTEN;
        ask().await;
        other.execute_batch("ROLLBACK").expect("free");
        app.write_history().await;
        assert_eq!(kept().await, 3);
    }
}
