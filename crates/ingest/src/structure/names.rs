//! The meaning of headings: their numbering, their words folded, and the kind of section that they name.

use types::SectionKind;

/// A heading without its numbering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbered<'a> {
    /// Depth of the numbering ("2.1" is 2); 0 without one.
    pub(crate) depth: u8,
    /// The words.
    pub(crate) words: &'a str,
}

/// Takes numbering such as "2.1.", "IV.", "A.", "Appendix B" or "(b)" off a heading.
pub(crate) fn numbering(heading: &str) -> Numbered<'_> {
    let text = heading.trim();
    let numbered = |depth, words| Numbered { depth, words };
    let plain = numbered(0, text);
    // "1.Introduction" without a space
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    if text[..digits].ends_with('.') && text.starts_with(|c: char| c.is_ascii_digit()) {
        let words = &text[digits..];
        if words.len() > 3 && words.starts_with(char::is_uppercase) {
            return numbered(parts(&text[..digits]), words);
        }
    }
    let Some((first, rest)) = text.split_once(|c: char| c.is_whitespace()) else {
        return plain;
    };
    let words = rest.trim_start_matches(|c: char| c.is_whitespace() || "|.:–—-·".contains(c));
    if words.is_empty() {
        return plain;
    }
    let mark = first.trim_end_matches(['.', ')', ':']);
    let bare = mark.trim_start_matches('S');
    let number = |p: &str| (1..=2).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    // "1)" counts the items of a list.
    if !first.ends_with(')') && !bare.is_empty() && bare.len() <= 8 && bare.split('.').all(number) {
        return numbered(parts(bare), words);
    }
    let roman = !mark.is_empty() && mark.len() <= 5 && mark.bytes().all(|b| b"IVX".contains(&b));
    if roman && (first.ends_with('.') || mark.len() > 1) {
        return numbered(1, words);
    }
    // "D. radiodurans" names a species.
    let letter = mark.len() == 1
        && mark.bytes().all(|b| b.is_ascii_uppercase())
        && first.ends_with(['.', ')'])
        && !words.starts_with(char::is_lowercase);
    if letter { numbered(2, words) } else { plain }
}

fn parts(number: &str) -> u8 {
    u8::try_from(number.split('.').filter(|p| !p.is_empty()).count()).unwrap_or(u8::MAX).max(1)
}

/// Lower case, letters and digits only, single spaces; letters spaced out for looks ("A B S T R A C T") close up.
pub(crate) fn fold(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let word: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if !word.is_empty() {
            words.push(word);
        }
    }
    if words.len() >= 4 && words.iter().all(|w| w.chars().count() == 1) {
        return words.concat();
    }
    words.join(" ")
}

/// Headings that name a kind by themselves: the whole folded heading.
const WHOLE: [(SectionKind, &str); 10] = [
    (
        SectionKind::Abstract,
        "abstract|summary|structured abstract|graphical abstract|author summary|plain language summary|lay summary|\
         significance statement|significance|simple summary|highlights|key points",
    ),
    (
        SectionKind::Introduction,
        "introduction|general introduction|introduction and background|background and introduction",
    ),
    (
        SectionKind::Background,
        "background|related work|related works|literature review|review of literature|theory|theoretical background|\
         theoretical framework|preliminaries|rationale|context|motivation|statement of need",
    ),
    (
        SectionKind::Methods,
        "method|methods|methodology|materials|materials and methods|material and methods|material and method|\
         methods and materials|patients and methods|subjects and methods|participants and methods|methods and analysis|\
         experimental procedures|experimental section|experimental|experimental design|experimental methods|\
         experimental setup|study design|participants|procedure|procedures|star methods|star★methods|online methods|\
         search strategy|statistical analysis|statistical analyses|data analysis",
    ),
    (
        SectionKind::Results,
        "results|result|findings|results and discussion|results and discussions|result and discussion|experiments|\
         experimental results|experiments and results|evaluation",
    ),
    (
        SectionKind::Discussion,
        "discussion|discussions|general discussion|comment|limitations|strengths and limitations|study limitations|\
         limitations of the study|discussion and conclusion|discussion and conclusions|discussion conclusion",
    ),
    (
        SectionKind::Conclusion,
        "conclusion|conclusions|concluding remarks|conclusion and perspectives|conclusions and perspectives|\
         conclusions and future work|conclusion and future work|conclusions and future directions|future directions|\
         future perspectives|future work|perspectives|outlook|implications",
    ),
    (
        SectionKind::References,
        "references|reference|references and notes|literature cited|literature|bibliography|works cited|\
         cited literature|notes and references",
    ),
    (
        SectionKind::Supplementary,
        "acknowledgements|acknowledgments|acknowledgement|acknowledgment|appendix|appendices|abbreviations|\
         list of abbreviations|nomenclature|glossary|disclosure|disclosures|declarations|declaration|footnotes|endnotes|\
         notes|transparency document|orcid|orcid ids|keywords|key words|author details|author information|\
         author affiliations|authors information|how to cite this article|pre publication history|\
         prepublication history|peer review",
    ),
    (SectionKind::Body, "case presentation|case report"),
];

/// The kind that the whole folded heading names.
fn whole(folded: &str) -> Option<SectionKind> {
    WHOLE.iter().find(|(_, names)| names.split('|').any(|n| n == folded)).map(|(kind, _)| *kind)
}

/// Words that make a heading that holds them supplementary wherever they stand.
const BACK_MATTER: &str = "\
    acknowledg|conflict of interest|conflicts of interest|competing interest|competing financial|\
    declaration of interest|declarations of interest|declaration of competing|\
    declaration of conflicting|disclosure statement|financial disclosure|author contribution|\
    authors contribution|authors contributions|contributions of authors|contributorship|\
    credit authorship|funding|financial support|grant support|data availability|availability of data|\
    data and code availability|code availability|data accessibility|data sharing|data statement|\
    availability statement|ethics approval|ethical approval|ethics statement|ethical statement|\
    ethics declaration|ethical standards|consent for publication|consent to publish|\
    consent to participate|informed consent statement|institutional review board statement|\
    supplementary|supplemental|supporting information|additional file|additional information|\
    electronic supplement|extended data|online supplement|abbreviations|provenance and peer|\
    reviewer information|peer review information|reporting summary|software availability|sponsor|\
    appendix|disclaimer";

/// Words that decide a longer heading, weakest last; the first found wins.
const INSIDE: [(SectionKind, &str); 7] = [
    (SectionKind::Introduction, "introduction"),
    (
        SectionKind::Methods,
        "materials and methods|material and methods|patients and methods|methodology|methods|experimental procedures",
    ),
    (SectionKind::Background, "related work|literature review"),
    (SectionKind::Results, "results"),
    (SectionKind::Discussion, "discussion"),
    (SectionKind::Conclusion, "conclusion|conclusions|concluding"),
    (SectionKind::Discussion, "limitations"),
];

/// The kind that words inside a folded heading name.
fn inside(folded: &str) -> Option<SectionKind> {
    let named = |words: &str| words.split('|').any(|w| has_words(folded, w));
    INSIDE.iter().find(|(_, words)| named(words)).map(|(kind, _)| *kind)
}

/// Labels of the parts of structured abstracts, besides those that also head sections.
const ABSTRACT_LABELS: &str = "\
    aim|aims|aim of the study|aims and objectives|background and aims|background and aim|\
    background and objectives|background and objective|background and purpose|background objectives|\
    context|design|design and methods|design setting and participants|design and setting|data sources|\
    data extraction|data synthesis|study selection|evidence acquisition|evidence synthesis|exposure|\
    exposures|findings|funding|importance|interpretation|intervention|interventions|main outcome measures|\
    main outcomes and measures|main outcome measure|main results|methods and findings|\
    methods and results|methodology principal findings|method|objective|objectives|observations|\
    outcome measures|patients|participants|principal findings|purpose|purpose of review|recent findings|\
    results and conclusions|results and conclusion|scope|setting|settings|significance|subjects|summary|\
    trial registration|registration|clinical trial registration|conclusions significance|\
    conclusions and relevance|conclusion and relevance|conclusion significance|introduction|\
    implications|limitation|limitations|level of evidence|research design and methods|search methods|\
    selection criteria|data collection and analysis|authors conclusions|what is known|scope of review|\
    major conclusions|general significance|materials methods|unlabelled";

/// The kind that a heading names, [`SectionKind::Body`] when it names none.
pub(crate) fn kind_of(heading: &str) -> SectionKind {
    let folded = fold(numbering(heading).words);
    if let Some(kind) = whole(&folded) {
        return kind;
    }
    let words = folded.split(' ').count();
    if words <= 14 && BACK_MATTER.split('|').any(|b| has_words(&folded, b)) {
        return SectionKind::Supplementary;
    }
    inside(&folded).filter(|_| words <= 7).unwrap_or(SectionKind::Body)
}

/// Whether the whole heading is a name that papers give their sections.
pub(crate) fn is_known(heading: &str) -> bool {
    let folded = fold(numbering(heading).words);
    whole(&folded).is_some()
        || folded.split(' ').count() <= 9 && BACK_MATTER.split('|').any(|b| folded.starts_with(b))
}

/// Whether a heading opens supplementary matter that may run on over sections of its own, unlike a short notice
/// ("Funding", "Abbreviations").
pub(crate) fn is_appendix(heading: &str) -> bool {
    const LONG: &str =
        "appendix|appendices|supplement|supporting information|extended data|additional file|online methods";
    let folded = fold(numbering(heading).words);
    LONG.split('|').any(|l| has_words(&folded, l))
}

/// Whether a heading opens a notice of the publisher, not a part of the paper.
pub(crate) fn is_notice_heading(heading: &str) -> bool {
    const NOTICES: &str = "\
        publisher s note|publishers note|author details|author affiliations|submit your next manuscript|\
        how to cite this article|article info|article information|article history|open access|keywords|\
        key words|edited by|reviewed by|orcid|orcid ids|ready to submit|quick response code|\
        access this article online|authors details|additional file";
    let folded = fold(heading);
    NOTICES.split('|').any(|n| folded == n || n.len() > 12 && folded.starts_with(n))
        || folded.starts_with("edited by")
        || folded.starts_with("keywords")
}

/// Whether a heading is one of the sections that every paper has: the measure of what headings look like here.
pub(crate) fn is_main(heading: &str) -> bool {
    use SectionKind::{Conclusion, Discussion, Introduction, Methods, References, Results};
    // These stand below another heading more often than not.
    const PARTS: &str = "\
        materials|experimental design|study design|participants|procedure|procedures|search strategy|\
        statistical analysis|statistical analyses|data analysis|findings|evaluation|comment|limitations|\
        strengths and limitations|study limitations|limitations of the study|future directions|\
        future perspectives|future work|perspectives|outlook|implications|literature";
    let folded = fold(numbering(heading).words);
    let kind = whole(&folded);
    matches!(kind, Some(Introduction | Methods | Results | Discussion | Conclusion | References))
        && !PARTS.split('|').any(|p| p == folded)
}

/// Whether a label at the start of a paragraph is one of those that structured abstracts use.
pub(crate) fn is_abstract_label(label: &str) -> bool {
    let folded = fold(label);
    ABSTRACT_LABELS.split('|').any(|w| w == folded.as_str())
        || whole(&folded).is_some_and(|kind| {
            !matches!(kind, SectionKind::References | SectionKind::Supplementary | SectionKind::Body)
        })
        || folded.split(' ').count() <= 3 && inside(&folded).is_some()
}

/// Whether a heading is the title of a panel that journals set into a paper, or a label inside one.
pub(crate) fn is_panel(heading: &str) -> bool {
    const PANELS: &str = "\
        research in context|evidence before this study|added value of this study|\
        implications of all the available evidence|what is already known on this topic|\
        what is already known about this topic|what is already known about this subject|\
        what is already known on this subject|what is known about the subject|what this study adds|\
        what this paper adds|what does this study add|how might this impact on clinical practice|\
        how this study might affect research practice or policy|strengths and limitations of this study|\
        key messages|key message|key points|key findings|take home messages|take home message|\
        clinical perspective|what is new|what are the clinical implications|practitioner points|\
        novelty and impact|teaching points|at a glance commentary|implications for practice|\
        what are the new findings|summary box|why was this study done|what did the researchers do and find|\
        what do these findings mean";
    let folded = fold(heading);
    PANELS.split('|').any(|p| p == folded)
}

/// Whether a label names what an author did (the roles of the CRediT taxonomy): a part of a statement, no heading.
pub(crate) fn is_contributor_role(label: &str) -> bool {
    const ROLES: &str = "\
        conceptualization|conceptualisation|data curation|formal analysis|funding acquisition|investigation|\
        methodology|project administration|resources|software|supervision|validation|visualization|\
        visualisation|writing original draft|writing review editing|writing review and editing|writing";
    let folded = fold(label);
    ROLES.split('|').any(|role| role == folded)
}

/// Whether `words` occur in `folded` from the start of a word on.
fn has_words(folded: &str, words: &str) -> bool {
    folded.match_indices(words).any(|(at, _)| at == 0 || folded.as_bytes()[at - 1] == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbering_is_taken_off() {
        let check = |heading: &str, depth: u8, words: &str| {
            assert_eq!(numbering(heading), Numbered { depth, words }, "{heading}");
        };
        check("2.1. Participants", 2, "Participants");
        check("3 Results", 1, "Results");
        check("1.Introduction", 1, "Introduction");
        check("4.2.10 | Cell lines", 3, "Cell lines");
        check("IV. DISCUSSION", 1, "DISCUSSION");
        check("A. Data", 2, "Data");
        check("A new hope", 0, "A new hope");
        check("D. radiodurans", 0, "D. radiodurans");
        check("2020 in review", 0, "2020 in review");
        check("Participants", 0, "Participants");
        check("5-HT receptors", 0, "5-HT receptors");
        check("", 0, "");
        check("2.", 0, "2.");
    }

    #[test]
    fn headings_name_their_kind() {
        use SectionKind::*;
        let check = |heading: &str, want: SectionKind| assert_eq!(kind_of(heading), want, "{heading}");
        check("A B S T R A C T", Abstract);
        check("1. Introduction", Introduction);
        check("MATERIALS AND METHODS", Methods);
        check("2.4 Statistical Analysis", Methods);
        check("Results & Discussion", Results);
        check("Results and discussion", Results);
        check("Conclusions and outlook", Conclusion);
        check("Authors’ contributions", Supplementary);
        check("Conflict of interest statement", Supplementary);
        check("References", References);
        check("Data Availability Statement", Supplementary);
        check("Effects of exercise on insulin", Body);
        check("Supplementary Materials:", Supplementary);
    }

    #[test]
    fn labels_of_structured_abstracts() {
        let check = |label: &str, want: bool| assert_eq!(is_abstract_label(label), want, "{label}");
        check("Background:", true);
        check("Methodology/Principal Findings", true);
        check("MAIN OUTCOME MEASURES:", true);
        check("Sirtuins", false);
    }
}
