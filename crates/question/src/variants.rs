//! British and American spellings of the words of a question, irregular plurals, symbols that it parts by a blank, and
//! abbreviations of every field.
//!
//! Papers write tumour or tumor, randomised or randomized. A stemmer keeps them apart, so the other spelling is searched
//! too. A rule may make a word that does not exist ("exercize"): no paper contains it, and it finds nothing.

use std::collections::BTreeSet;
use text::WordList;
use types::{OtherForm, Question, QuestionTerm, Span};

/// Words with fewer letters have no other spelling.
const SHORTEST: usize = 4;

/// Parts of words, British and American.
static PARTS: WordList = WordList::new(
    "aemia/emia aemic/emic haem/hem anaesth/anesth paediatr/pediatr orthopaed/orthoped gynaec/gynec
    caesar/cesar faec/fec aetiolog/etiolog oedema/edema oesophag/esophag oestr/estr foetu/fetu foeta/feta
    rrhoea/rrhea pnoea/pnea coeliac/celiac manoeuvr/maneuver sulph/sulf behaviour/behavior tumour/tumor
    colour/color favour/favor flavour/flavor labour/labor vapour/vapor odour/odor humour/humor
    neighbour/neighbor harbour/harbor honour/honor vigour/vigor rigour/rigor fibre/fiber centre/center
    litre/liter metre/meter titre/titer ageing/aging programme/program modell/model labell/label
    signall/signal travell/travel counsell/counsel aluminium/aluminum sceptic/skeptic mould/mold
    analogue/analog dialogue/dialog catalogue/catalog grey/gray",
);
/// Endings of words, British and American.
static ENDINGS: WordList = WordList::new(
    "ise/ize ised/ized ises/izes iser/izer ising/izing isation/ization isations/izations yse/yze ysed/yzed
    yses/yzes ysing/yzing",
);
/// Singulars and plurals that a stemmer keeps apart.
static PLURALS: WordList = WordList::new(
    "man/men woman/women child/children mouse/mice foot/feet tooth/teeth analysis/analyses diagnosis/diagnoses
    hypothesis/hypotheses metastasis/metastases bacterium/bacteria mitochondrion/mitochondria criterion/criteria larva/larvae",
);
/// Abbreviations that papers of every field write out, in capitals as written: where a paper defines one, its own
/// definition is searched too.
static WRITTEN_OUT: WordList = WordList::new(
    "GI/gastrointestinal; BP/blood pressure; MI/myocardial infarction; CVD/cardiovascular disease;
    CKD/chronic kidney disease; BMI/body mass index; T2D/type 2 diabetes; T2DM/type 2 diabetes;
    QoL/quality of life; RCT/randomised controlled trial; RCTs/randomised controlled trials;
    ICU/intensive care unit; AE/adverse event; AEs/adverse events",
);

/// Searches also for the other spelling of each word of the question.
pub fn with_variants(question: &mut Question) {
    if question.other_language() {
        return;
    }
    let mut seen = BTreeSet::new();
    for at in 0..question.terms.len() {
        let term = &question.terms[at];
        let mut forms: Vec<OtherForm> = symbol(question, at).into_iter().collect();
        forms.extend(compound(question, at));
        let written_out = WRITTEN_OUT.pairs().find(|(short, _)| *short == term.word);
        forms.extend(written_out.map(|(_, long)| form(long, term.span, term)));
        let other = variant(&term.word.to_lowercase()).filter(|other| {
            let stem = text::stem(other);
            let is_there = question.terms.iter().any(|own| own.stem == stem);
            !is_there && !text::terms(other).is_empty() && seen.insert((term.span, stem))
        });
        forms.extend(other.map(|other| form(&other, term.span, term)));
        question.other_forms.extend(forms);
    }
}

/// The symbol that a term and the number behind it may be: `IL 6`, `covid 19`.
fn symbol(question: &Question, at: usize) -> Option<OtherForm> {
    let (head, number) = (question.terms.get(at)?, question.terms.get(at + 1)?);
    let between = question.text.get(head.span.end..number.span.start)?;
    let letters = head.word.len() <= 6 && head.word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let digits = number.word.len() <= 3 && number.word.bytes().all(|byte| byte.is_ascii_digit());
    if between != " " || !letters || !digits {
        return None;
    }
    let text = format!("{}-{}", head.word, number.word);
    let form = form(&text, Span::new(head.span.start, number.span.end), head);
    (form.terms.len() == 1).then_some(form)
}

/// The noun that a verb and its particle may be: `dropped out` is a dropout, `followed up` a follow-up.
fn compound(question: &Question, at: usize) -> Option<OtherForm> {
    static PARTICLES: WordList = WordList::new("out up off down over back");
    let verb = question.terms.get(at)?;
    let rest = question.text.get(verb.span.end..)?.strip_prefix(' ')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let particle = rest[..end].to_lowercase();
    let text = format!("{}{particle}", verb.stem);
    let span = Span::new(verb.span.start, verb.span.end + 1 + end);
    PARTICLES.contains(&particle).then(|| form(&text, span, verb))
}

/// Another form of the words at `span`, one of which is `term`.
fn form(text: &str, span: Span, term: &QuestionTerm) -> OtherForm {
    let of = |found: text::Term| QuestionTerm {
        word: text.get(found.span).unwrap_or(&found.stem).to_owned(),
        stem: found.stem,
        span,
        ..term.clone()
    };
    OtherForm {
        text: text.to_owned(),
        span,
        terms: text::terms(text).into_iter().map(of).collect(),
        is_long: false,
    }
}

/// The other spelling or number of a word in lower case; `None` if no rule changes it.
fn variant(word: &str) -> Option<String> {
    let both_ways = |(one, other)| [(one, other), (other, one)];
    let mut plurals = PLURALS.pairs().flat_map(both_ways);
    if let Some((_, other)) = plurals.find(|(own, _)| *own == word) {
        return Some(other.to_owned());
    }
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    for (own, other) in ENDINGS.pairs().flat_map(both_ways) {
        // "rise" and "size" have one spelling.
        if let Some(start) = word.strip_suffix(own).filter(|start| start.len() >= 3) {
            return Some(format!("{start}{other}"));
        }
    }
    // A part of one spelling may contain that of the other: "oedema" holds "edema".
    let swapped = PARTS.pairs().map(|(british, american)| (american, british));
    let (own, other) = PARTS.pairs().chain(swapped).find(|(own, _)| word.contains(own))?;
    Some(word.replacen(own, other, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode};

    #[test]
    fn words_have_their_other_spelling() {
        for (british, american) in [
            ("tumours", "tumors"),
            ("mice", "mouse"),
            ("women", "woman"),
            ("randomised", "randomized"),
            ("hospitalisation", "hospitalization"),
            ("haemoglobin", "hemoglobin"),
            ("anaemia", "anemia"),
            ("oedema", "edema"),
            ("paediatric", "pediatric"),
            ("diarrhoea", "diarrhea"),
            ("analysed", "analyzed"),
            ("behavioural", "behavioral"),
            ("fibre", "fiber"),
            ("oestrogen", "estrogen"),
            ("modelling", "modeling"),
        ] {
            assert_eq!(variant(british).as_deref(), Some(american));
            assert_eq!(variant(american).as_deref(), Some(british));
        }
        for word in ["walking", "rise", "size", "wise", "blood", "p53", "müde", "is"] {
            assert_eq!(variant(word), None, "{word}");
        }
    }

    #[test]
    fn the_other_spelling_is_searched_once() {
        let mut question = crate::analyse(
            "Did tumour size shrink, and which tumour grew in randomized mice?",
            Vec::new(),
            Mode::Hybrid,
            Filter::default(),
        );
        let before = question.terms.clone();
        with_variants(&mut question);
        assert_eq!(question.terms, before);
        let forms: Vec<&str> = question.other_forms.iter().map(|form| form.text.as_str()).collect();
        assert_eq!(forms, ["tumor", "tumor", "randomised", "mouse"], "each mention has its own");
        assert!(question.understood.spellings.is_empty());
        let term = &question.terms[0];
        assert!(question.is_found(term, |stem| stem == text::stem("tumor")));
    }

    #[test]
    fn a_verb_with_its_particle_is_a_noun_too() {
        let mut question = crate::analyse(
            "How many workers dropped out, and who was followed up over a year?",
            Vec::new(),
            Mode::Hybrid,
            Filter::default(),
        );
        with_variants(&mut question);
        let forms: Vec<&str> = question.other_forms.iter().map(|form| form.text.as_str()).collect();
        assert_eq!(forms, ["dropout", "followup"]);
    }

    #[test]
    fn a_symbol_is_searched_however_it_is_parted() {
        let forms = |query: &str| -> Vec<String> {
            let mut question = crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
            with_variants(&mut question);
            let forms = question.other_forms.into_iter();
            forms.flat_map(|form| form.terms).map(|term| term.stem).collect()
        };
        assert_eq!(forms("Did IL 6 fall after covid 19?"), ["il6", "covid19"]);
        assert!(forms("Did group 2 or 30 adults of week 12 differ?").is_empty());
    }

    #[test]
    fn other_languages_are_left_alone() {
        let mut question = crate::analyse(
            "¿Cuál fue el tumor más frecuente en los pacientes del estudio?",
            Vec::new(),
            Mode::Hybrid,
            Filter::default(),
        );
        with_variants(&mut question);
        assert!(question.other_forms.is_empty());
    }
}
