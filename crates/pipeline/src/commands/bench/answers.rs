//! The results of `bench answers`, for people.

use crate::{
    commands::measured::{differences, index, mean, tested},
    page::Page,
    words::{count, number, when},
};
use lab::benchmark::answers::{AnswerMeasure, BenchAnswers, Decisions, OF_BASELINES};

pub(super) fn page(done: &BenchAnswers) -> Page {
    let mut page = Page::new();
    let (questions, papers) = (count(done.questions, "answerable question"), count(done.papers, "paper"));
    let (dataset, mode, own) =
        (&done.dataset, &done.mode, when(done.own_paper, ", each asked of its own paper"));
    page.line(format!("{dataset}: {questions} about {papers}, {mode}{own}"));
    page.gap();
    funnel(&mut page, done);
    baselines(&mut page, done);
    if let Some(against) = &done.against {
        page.gap();
        let systems = "this run - earlier run, and p of a paired randomisation test (by paper)";
        let measures = AnswerMeasure::ALL.map(AnswerMeasure::key);
        differences(&mut page, systems, against, measures, "question");
    }
    let decisions = [
        ("labelled as unanswerable", &done.unanswerable),
        ("without the papers that answer them", &done.removed),
    ];
    let known = decisions.iter().filter_map(|(what, made)| Some((what, made, made.balanced_accuracy?)));
    for (at, (what, made, balanced)) in known.enumerate() {
        if at == 0 {
            page.heading("refusal");
        }
        page.fact(format!("  {what}"), decided(made, balanced));
    }
    reliability(&mut page, done);
    page.gap();
    page.tally(done.left_out, "question", "left out: without labels, or whose evidence cannot be located");
    page.tally(done.in_no_chunk, "question", "whose evidence is in no chunk: they count as not found");
    page.line(format!(
        "answers: {:.1} quotes, {:.0} words; {:.0} ms per question",
        done.quotes, done.words, done.milliseconds
    ));
    index(&mut page, &done.index, "paper");
    page
}

/// Where evidence is lost: one line for each stage.
fn funnel(page: &mut Page, done: &BenchAnswers) {
    let says = |measure: &AnswerMeasure| {
        match measure {
            AnswerMeasure::Candidates => "evidence in a candidate of retrieval",
            AnswerMeasure::Kept => "in a passage that the reranker kept",
            AnswerMeasure::Context => "in the expanded context",
            AnswerMeasure::Mrr => "1 / rank of the first kept passage with evidence",
            AnswerMeasure::Article => "a kept passage is of a paper that the question is about",
            AnswerMeasure::Hit5 => "in one of the five best sentences",
            AnswerMeasure::Hit3 => "in one of the three best sentences",
            AnswerMeasure::Hit1 => "in the best sentence",
            AnswerMeasure::Answer => "shown by the answer",
            AnswerMeasure::First => "shown by its first quote",
            AnswerMeasure::Recall5 => "share of the evidence in the five best sentences",
            AnswerMeasure::Recall => "share of the evidence that the answer shows",
            AnswerMeasure::Answered => "not refused",
        }
        .to_owned()
    };
    let mean = |of: &AnswerMeasure| done.measures.get(of.key()).map_or_else(String::new, mean);
    page.rows(AnswerMeasure::ALL)
        .column("measure", |of| of.key().to_owned())
        .column("mean (95 % interval)", mean)
        .column("", says);
}

fn baselines(page: &mut Page, done: &BenchAnswers) {
    if !done.baselines.is_empty() {
        page.heading("plain baselines, the best sentences of all papers");
    }
    for baseline in &done.baselines {
        let values = OF_BASELINES.map(AnswerMeasure::key).into_iter();
        let values = values.filter_map(|key| Some(format!("{key} {:.4}", baseline.measures.get(key)?.mean?)));
        page.fact(format!("  {}", baseline.name), values.collect::<Vec<_>>().join(", "));
        for key in [AnswerMeasure::Hit5.key(), AnswerMeasure::Hit1.key()] {
            if let Some(compared) = baseline.comparison.get(key) {
                let tested = tested(key, compared, "question");
                page.fact("", format!("pipeline - {}: {tested}", baseline.name));
            }
        }
    }
}

fn decided(made: &Decisions, balanced: f64) -> String {
    let [refused, answered, answerable] = [made.refused, made.answered, made.answerable].map(number);
    let questions = count(made.unanswerable, "question");
    format!(
        "{refused} of {questions} refused; {answered} of {answerable} answerable ones answered; balanced accuracy {balanced:.3}"
    )
}

fn reliability(page: &mut Page, done: &BenchAnswers) {
    let reliability = &done.reliability;
    if reliability.levels.is_empty() {
        return;
    }
    page.heading("confidence of all answers, and how many show labelled evidence");
    for bin in reliability.levels.iter().chain(&reliability.tenths) {
        let (right, answers) = (bin.right, bin.answers);
        let share = right as f64 / answers.max(1) as f64;
        let stated = bin.stated.map_or_else(String::new, |p| format!(", stated {p:.2}"));
        page.fact(format!("  {}", bin.name), format!("{right} of {answers} right ({share:.2}){stated}"));
    }
    if let Some(share) = reliability.high_of_right {
        let percent = 100.0 * share;
        page.quote_line(format!("{percent:.0} % of the right answers are of high confidence"));
    }
}
