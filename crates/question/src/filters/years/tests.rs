//! What sets years and what does not, with the clock in 2026.

use crate::filters::asked;

fn years(query: &str) -> Option<(Option<u16>, Option<u16>)> {
    let tags = ["Agriculture".to_owned(), "Food Science".to_owned()];
    asked(query, 2026, &tags).years.map(|years| (years.from, years.to))
}

#[test]
fn a_time_that_modifies_publications_is_a_filter() {
    let check = |query: &str, from: u16, to: u16| {
        let bound = |year: u16| (year > 0).then_some(year);
        assert_eq!(years(query), Some((bound(from), bound(to))), "{query}");
    };
    // The rows of the reference evaluation.
    check("theses from 2023", 2023, 2023);
    check("research between 2020 and 2023", 2020, 2023);
    check("recent studies on agriculture", 2023, 2026);
    check("last year's research", 2025, 2025);
    check("last 5 years", 2021, 2026);
    check("agriculture research in 2023", 2023, 2023);
    // One bound; 0 is none.
    check("What do papers published since 2019 say about sleep?", 2019, 0);
    check("What did studies published before 2021 report on protein or on clocks?", 0, 2020);
    check("studies before 2015", 0, 2014);
    check("trials published in 2020 or later", 2020, 0);
    check("articles from 2018 onwards", 2018, 0);
    check("papers from 2018 until now", 2018, 0);
    check("papers newer than 2018", 2019, 0);
    check("papers older than 2010", 0, 2009);
    check("papers published up to 2015", 0, 2015);
    check("papers published no later than 2015", 0, 2015);
    check("Which trials published after 2015 and papers published before 2020 agree?", 2016, 2019);
    check("Which randomised trials since 2022 in older women dealt with fitness?", 2022, 0);
    // Ranges.
    check("from 2018 to 2020 studies", 2018, 2020);
    check("between 2018 and 2020 studies", 2018, 2020);
    check("2018-2020 papers on sleep", 2018, 2020);
    check("studies from 2018–2020", 2018, 2020);
    check("studies from 2020 and 2021", 2020, 2021);
    check("theses on rice from 2020 to 2022", 2020, 2022);
    check("papers from the 2010s", 2010, 2019);
    // Before the noun.
    check("2021 papers", 2021, 2021);
    check("Do 2021 randomised controlled trials support walking?", 2021, 2021);
    check("2022 agriculture papers", 2022, 2022);
    check("Is there a 2021 paper on sleep?", 2021, 2021);
    check("the newest papers on rice", 2023, 2026);
    check("What do the most recent systematic reviews say?", 2023, 2026);
    check("recently published trials", 2023, 2026);
    check("recent food science theses", 2023, 2026);
    check("What do recent slug papers say?", 2023, 2026);
    check("recent diabetes studies", 2023, 2026);
    check("last year's slug papers", 2025, 2025);
    // Relative.
    check("papers from the last decade", 2016, 2026);
    check("papers of the past decade", 2016, 2026);
    check("What have studies in the past three years shown?", 2023, 2026);
    check("papers published recently", 2023, 2026);
    check("articles published last year", 2025, 2025);
    check("research from this year", 2026, 2026);
    check("literature of the last two decades", 2006, 2026);
    check("papers no older than 5 years", 2021, 2026);
    check("literature since last year", 2025, 0);
    check("What has been published since 2019 on sleep?", 2019, 0);
    check("published since 2019", 2019, 0);
    // With words between.
    check("Which papers were published in 2020?", 2020, 2020);
    check("papers about sleep that were published in 2019", 2019, 2019);
    check("studies of patients with asthma, published since 2019", 2019, 0);
    check("papers published in March 2021", 2021, 2021);
    check("Is there any thesis written in 2022?", 2022, 2022);
    check("a paper from 2021 about sleep", 2021, 2021);
    check("studies from 2019 reporting falls", 2019, 2019);
}

#[test]
fn a_time_that_belongs_to_the_topic_is_none() {
    for query in [
        "",
        "2020",
        "since 2020",
        "after the 2023 trial",
        "What changed after the 2023 trials?",
        "In 2010, how many cases were reported?",
        "57.5-72.5",
        "What was the hazard ratio above 72.5 min/day?",
        "recent infection",
        "What is a recent discovery?",
        "What was the authors' recent report on?",
        "What did the authors' recent studies show?",
        "What do their recent papers say?",
        "How recent are the studies?",
        "What past research has been done on pandemics?",
        "How many masks have past studies projected?",
        "since 2020, how has X changed?",
        "the 2019 pandemic",
        "studies of the 2019 pandemic",
        "papers from the 2009 pandemic",
        "papers on the 2009 pandemic",
        "patients recruited between 2010 and 2015",
        "studies of patients recruited in 2012",
        "studies of patients recruited between 2010 and 2015",
        "studies in 2010 patients",
        "studies of 2010 patients",
        "trials with 2020 participants",
        "How many of 2020 papers screened were included?",
        "papers on samples from 2010",
        "studies on children infected since 2010",
        "studies on deaths in 2010",
        "research on mortality before 1990",
        "the trial from 2010 to 2015",
        "the 2023 study",
        "What did Tandrik et al. 2019 report on stair climbing?",
        "Write the conclusion of the 2026 update of the Harrowdale Cohort.",
        "Who won the football cup in the year the trial was published?",
        "papers not published in 2020",
        "papers not from 2020",
        "all papers except those from 2020",
        "papers other than recent studies",
        "Compare studies from 2010 with studies from 2020",
        "How has the childhood population grown in the last two decades?",
        "What caused the increase in the recent past?",
        "In the last year studies have been stopped early",
        "last 5 patients",
        "papers with 3000 patients",
        "Do studies show that guidelines published in 2020 help?",
        "Do new studies need more funding?",
        "What is the 2019-nCoV literature about?",
        "Is current research enough?",
        "Trials of drug 2020 mg",
        "the equation published in 2010",
        "When was the guideline published in 2020 revised?",
    ] {
        assert_eq!(years(query), None, "{query}");
    }
}

#[test]
fn the_words_are_named() {
    let check = |query: &str, words: &str| {
        let span = asked(query, 2026, &[]).years.expect("years").span;
        assert_eq!(&query[span.start..span.end], words, "{query}");
    };
    check("What do recent studies on rice say?", "recent studies");
    check("Which theses from 2023 are on rice?", "theses from 2023");
    check("What does last year's research say?", "last year's research");
    check("last 5 years", "last 5 years");
    check("Which papers on sleep published since 2019?", "published since 2019");
    check("theses on rice from 2020 to 2022", "from 2020 to 2022");
}
