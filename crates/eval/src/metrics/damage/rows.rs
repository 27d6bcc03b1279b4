//! Damages rows.

use super::Control;
use crate::seed_of;
use crate::{Cited, Sample};
use text::numbers::quantities;

/// A statement of fictional people that no passage makes.
const ADDED: &str = " In a later cohort, Quellmardine and Osterwick saw the opposite in 4711 volunteers.";
const REFUSAL: &str = "The documents do not answer this question.";

/// The rows, each damaged by a control. A row that has nothing to damage stays as it is. The other row that damage is taken
/// from is the next one in an order drawn by `seed`, so that it is never the row itself if there are two.
pub(super) fn damaged(rows: &[Sample], control: Control, seed: u64) -> Vec<Sample> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| (seed_of(seed, &rows[*at].id), *at));
    let mut next = vec![0; rows.len()];
    for (place, at) in order.iter().enumerate() {
        next[*at] = order[(place + 1) % order.len()];
    }
    let damage = |(at, row): (usize, &Sample)| one(row, &rows[next[at]], control, seed_of(seed, &row.id));
    rows.iter().enumerate().map(damage).collect()
}

fn one(row: &Sample, other: &Sample, control: Control, seed: u64) -> Sample {
    let mut out = row.clone();
    match control {
        Control::ForeignPassages => {
            out.passages.clone_from(&other.passages);
            out.retrieved.clone_from(&other.retrieved);
        }
        Control::SwappedQuotes => swap_quotes(&mut out, other),
        Control::ChangedNumber => out.answer = out.answer.map(|answer| changed(&answer, row, seed)),
        Control::AddedSentence if !is_refusal(row) => {
            out.answer = out.answer.map(|answer| answer + ADDED);
        }
        Control::AddedSentence => {}
        Control::DroppedCitations => {
            out.answer = out
                .answer
                .map(|_| crate::metrics::citations::Reading::new(row).text);
            out.citations = Some(Vec::new());
        }
        Control::OtherAnswer => {
            out.answer.clone_from(&other.answer);
            out.citations.clone_from(&other.citations);
            out.refused = other.refused;
        }
        Control::AlwaysRefuse => answer(&mut out, REFUSAL, true),
        Control::EmptyAnswer => answer(&mut out, "", false),
        Control::ShuffledPassages => {
            sort(&mut out.passages, seed, |passage| &passage.text);
            sort(&mut out.retrieved, seed, |id| id);
        }
        Control::ReversedPassages => {
            out.passages.iter_mut().for_each(|passages| passages.reverse());
            out.retrieved.iter_mut().for_each(|ids| ids.reverse());
        }
    }
    out
}

fn is_refusal(row: &Sample) -> bool {
    row.refused == Some(true)
}

fn answer(row: &mut Sample, text: &str, refused: bool) {
    row.answer = Some(text.to_owned());
    row.citations = row.citations.as_ref().map(|_| Vec::new());
    row.refused = Some(refused);
}

/// Gives each citation the quote of the citation at its place in the other row.
fn swap_quotes(row: &mut Sample, other: &Sample) {
    let quotes: Vec<&String> = other
        .citations
        .iter()
        .flatten()
        .filter_map(|cited| cited.quote.as_ref())
        .collect();
    let own = row.citations.iter_mut().flatten();
    for (cited, quote) in own
        .filter(|cited: &&mut Cited| cited.quote.is_some())
        .zip(quotes.iter().cycle())
    {
        cited.quote = Some((*quote).clone());
    }
}

/// The answer with one of its numbers changed to one that neither passages nor reference have.
fn changed(answer: &str, row: &Sample, seed: u64) -> String {
    let known: Vec<f64> = row
        .passages
        .iter()
        .flatten()
        .map(|passage| passage.text.as_str())
        .chain(row.reference.as_deref())
        .chain(row.question.as_deref())
        .flat_map(quantities)
        .map(|quantity| quantity.value)
        .collect();
    let mut own = quantities(answer);
    // Numbers inside citation marks are part of an id.
    let marks = support::marks(answer);
    own.retain(|q| {
        let plain = answer[q.number.clone()]
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.');
        plain
            && !marks
                .iter()
                .any(|mark| mark.span.start <= q.number.start && q.number.end <= mark.span.end)
    });
    if own.is_empty() {
        return answer.to_owned();
    }
    let chosen = &own[(seed % own.len() as u64) as usize];
    let decimals = answer[chosen.number.clone()]
        .split_once('.')
        .map_or(0, |(_, rest)| rest.len());
    let new = (1..100).find_map(|step| {
        let value = chosen.value + 17.0 * f64::from(step);
        let free = known.iter().all(|k| (k - value).abs() > 1e-6);
        free.then(|| format!("{value:.decimals$}"))
    });
    match new {
        Some(new) => format!(
            "{}{new}{}",
            &answer[..chosen.number.start],
            &answer[chosen.number.end..]
        ),
        None => answer.to_owned(),
    }
}

fn sort<T>(list: &mut Option<Vec<T>>, seed: u64, name: impl Fn(&T) -> &String) {
    if let Some(list) = list {
        list.sort_by_key(|one| seed_of(seed, name(one)));
    }
}
