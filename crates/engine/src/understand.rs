//! What is taken from the words of a question before it is searched: filters, spellings and abbreviations.

use crate::{Pipeline, clock::Clock, error::EngineError, pool::apart};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{
    ChunkQuery, Filter, FilterKind, MAX_QUESTION_CHARS, Mode, Question, SectionKind, SourceId, SourceQuery,
    Span, StoreError, TakenFilter, check_chars,
};

impl Pipeline {
    /// A question with its vector and with what its words ask for, ready for retrieval, and a clock that has timed the
    /// stages `understand` and `embed`.
    ///
    /// # Errors
    /// When the question is empty, the filter names a source that the store does not hold, or the model fails.
    pub(crate) async fn analyse(
        &self,
        query: &str,
        mode: Mode,
        filter: &Filter,
    ) -> Result<(Question, Clock), EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuestion);
        }
        check_chars(query, MAX_QUESTION_CHARS).map_err(|length| EngineError::LongQuestion { length })?;
        let filter = &self.known_sources(filter).await?;
        let mut clock = Clock::start(self.stages.clone());
        let mut question = self.understand(query, mode, filter).await?;
        clock.lap("understand");
        question.vector = self.embed(question::respelt(&question)).await?;
        self.base.embedder.id().clone_into(&mut question.embedder);
        clock.lap("embed");
        Ok((question, clock))
    }

    async fn understand(&self, query: &str, mode: Mode, filter: &Filter) -> Result<Question, EngineError> {
        let (text, filter) = (query.to_owned(), filter.clone());
        let analyse = move || question::analyse(&text, Vec::new(), mode, filter);
        let mut question = self.base.pool.run(analyse).await;
        self.correct_spelling(&mut question).await?;
        self.take_filters(&mut question).await?;
        self.add_abbreviations(&mut question).await?;
        // The earlier system had nothing of the kind.
        if !self.settings.phase2.rules {
            question.study_item = question::study_item(&question);
        }
        Ok(question)
    }

    async fn embed(&self, text: String) -> Result<Vec<f32>, EngineError> {
        let (embedder, pool) = (Arc::clone(&self.base.embedder), self.base.pool.clone());
        let turns = Arc::clone(&self.base.embedding);
        let embed = async move {
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await.ok();
            pool.run(move || embedder.embed_query(&text)).await
        };
        Ok(apart(embed).await?)
    }

    /// The filter with the ids of its sources as the store writes them.
    pub(crate) async fn known_sources(&self, filter: &Filter) -> Result<Filter, EngineError> {
        let mut filter = filter.clone();
        let Some(ids) = &mut filter.sources else {
            return Ok(filter);
        };
        let mut known = self.sources(ids.clone()).await?;
        if known.len() < ids.len() {
            known = self.store.find_sources(&SourceQuery::All).await?;
        }
        for id in ids {
            let meant = id.meant(known.iter().map(|source| &source.meta.source_id));
            let unknown = || {
                EngineError::Filter(format!(
                    "no source {:?} is in the index; `pipeline papers` prints the source ids",
                    id.as_str()
                ))
            };
            *id = meant.ok_or_else(unknown)?.clone();
        }
        Ok(filter)
    }

    /// Reads words that neither the store nor the embedding model holds as those that are spelt like them. The words of the
    /// model are the common ones of its language: "starving" is no slip of "starting".
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn correct_spelling(&self, question: &mut Question) -> Result<(), EngineError> {
        if !self.settings.question.spelling {
            return Ok(());
        }
        let mut words = question::may_be_misspelt(question);
        words.retain(|word| !self.embedder().knows(word));
        if !words.is_empty() {
            let neighbours = self.store.neighbours(&words).await?;
            question::with_spellings(question, &words, &neighbours);
        }
        Ok(())
    }

    /// Searches also for the long forms of abbreviations, and for the abbreviations of long forms, as the sources define
    /// them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn add_abbreviations(&self, question: &mut Question) -> Result<(), EngineError> {
        if !self.settings.question.abbreviations {
            return Ok(());
        }
        let phrases = question::phrases(question);
        let keys: Vec<String> = phrases.iter().map(|phrase| phrase.key.clone()).collect();
        let defined = self.store.abbreviations(&keys).await?;
        let shorts = question::short_keys(&defined);
        if shorts.is_empty() {
            return Ok(());
        }
        let of_short = self.store.abbreviations(&shorts).await?;
        let of_short: BTreeMap<_, _> = shorts.into_iter().zip(of_short).collect();
        let is_common = |word: &str| self.embedder().knows(word);
        question::with_abbreviations(question, (&phrases, &defined), &of_short, is_common);
        Ok(())
    }

    /// Adds the filters that the question's words ask for, except of the kinds that were given.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn take_filters(&self, question: &mut Question) -> Result<(), EngineError> {
        if !self.settings.question.filters {
            return Ok(());
        }
        let given = question.filter.clone();
        self.take_publications(question, &given).await?;
        if given.sources.is_none() {
            self.take_sources(question, &given).await?;
        }
        Ok(())
    }

    /// Years and subjects.
    async fn take_publications(&self, question: &mut Question, given: &Filter) -> Result<(), EngineError> {
        let none = Vec::new();
        let tags = if given.tags.is_none() && question::speaks_of_publications(&question.text) {
            self.tags().await?
        } else {
            &none
        };
        let asked = question::asked(&question.text, self.year(), tags);
        let mut spans: Vec<Span> = Vec::new();
        if let Some(years) = asked.years
            && (given.year_from, given.year_to) == (None, None)
        {
            (question.filter.year_from, question.filter.year_to) = (years.from, years.to);
            took(question, FilterKind::Year, words_at(question, years.span));
            spans.push(years.span);
        }
        for subject in asked.subjects {
            question.filter.tags.get_or_insert_default().extend(subject.tags);
            took(question, FilterKind::Subjects, words_at(question, subject.span));
            spans.push(subject.span);
        }
        question::without_terms(question, &spans);
        Ok(())
    }

    /// The sources that the question is about, and the section of them that it names.
    async fn take_sources(&self, question: &mut Question, given: &Filter) -> Result<(), EngineError> {
        let alone = question.named_sources.is_empty();
        let perhaps = alone.then(|| question::perhaps_named(&question.text));
        question.named_sources.extend(perhaps.flatten());
        let mentions = question::mentions(question);
        let Some(query) = mentions.filter(|_| !question.named_sources.is_empty()) else {
            return Ok(());
        };
        let mut stored = self.store.find_sources(&query).await?;
        // What is not searched anyway cannot be meant.
        stored.retain(|source| question.filter.admits(&source.meta));
        let Some(sources) = question::meant_sources(question, &stored) else {
            if alone {
                question.named_sources.clear();
            }
            return Ok(());
        };
        let texts = question.named_sources.iter().map(|named| named.text.as_str());
        let names = texts.collect::<Vec<_>>().join(", ");
        let named = question.section;
        let verb = question::part_asked_for(question);
        question.filter.sources = Some(sources.clone());
        if let [one] = sources.as_slice() {
            let meta = stored.iter().find(|stored| stored.meta.source_id == *one);
            let title = meta.and_then(|stored| stored.meta.title.as_deref()).unwrap_or_default();
            question::without_title(question, title);
        }
        // The part of the paper that the verb asks for; an abstract says it too.
        let (wanted, words) = match (named, verb) {
            (Some(section), _) => (vec![section], section.to_string()),
            (None, Some(verb)) => {
                let meant = question.section.into_iter().chain([SectionKind::Abstract]);
                let words = if verb.is_empty() { names.clone() } else { verb };
                (meant.collect(), words)
            }
            (None, None) => (Vec::new(), String::new()),
        };
        for section in wanted {
            if given.sections.is_none() && self.all_have(&sources, section).await? {
                question.section = Some(section);
                // What a paper concludes about a topic may stand anywhere in it.
                if named.is_some() || question.is_about_names_alone() {
                    question.filter.sections = Some(vec![section]);
                    took(question, FilterKind::Sections, words);
                }
                break;
            }
        }
        took(question, FilterKind::Sources, names);
        Ok(())
    }

    /// Whether each source has chunks of a section.
    async fn all_have(&self, sources: &[SourceId], section: SectionKind) -> Result<bool, StoreError> {
        let chunks = self.store.chunks(&ChunkQuery::Sources(sources.to_vec())).await?;
        let with: BTreeSet<&SourceId> =
            chunks.iter().filter(|chunk| chunk.section == section).map(|chunk| &chunk.source_id).collect();
        Ok(sources.iter().all(|source| with.contains(source)))
    }

    /// The year that "last year" is relative to.
    fn year(&self) -> u16 {
        let now = || u16::try_from(jiff::Zoned::now().year()).unwrap_or_default();
        self.settings.question.year().unwrap_or_else(now)
    }

    /// The tags of the store's sources, sorted, each once.
    async fn tags(&self) -> Result<&Vec<String>, StoreError> {
        let read = || async {
            let sources = self.store.find_sources(&SourceQuery::All).await?;
            let tags: BTreeSet<String> = sources.iter().flat_map(|source| source.meta.tags.clone()).collect();
            Ok(tags.into_iter().collect())
        };
        self.tags.get_or_try_init(read).await
    }
}

fn took(question: &mut Question, kind: FilterKind, words: String) {
    question.understood.filters.push(TakenFilter { kind, words });
}

fn words_at(question: &Question, span: Span) -> String {
    let words = question.text.get(span.start..span.end).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
