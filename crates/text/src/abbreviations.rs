//! What a full stop behind a word means: the abbreviations of papers. Their definitions: [`crate::definitions`].

use crate::WordList;

/// When a full stop behind a word ends a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// An ordinary word: whenever something follows that can begin a sentence.
    Free,
    /// Never: `e.g.`, `Dr.`, `vs.`.
    Never,
    /// Not before a number or a bracket: `Fig. 2`, `no. 5`.
    Label,
    /// Only before a word that nearly always begins sentences: `et al. They`, `U.S. We`.
    Starter,
    /// Before any capital: `etc. Patients`.
    Capital,
}

/// The class of `word`, written without its last full stop; `previous` is the word before it.
pub(crate) fn class(word: &str, previous: &str) -> After {
    // "patients with MS.", "under DR.": capitals are a symbol, not an abbreviation with a full stop.
    let symbol =
        word.len() > 1 && word.chars().all(char::is_uppercase) && !matches!(word, "FIG" | "FIGS" | "VS");
    if symbol {
        return After::Free;
    }
    let lower = word.to_lowercase();
    match lower.as_str() {
        "al" if matches!(previous.to_lowercase().as_str(), "et" | "et.") => After::Starter,
        "e.g" | "eg" | "i.e" | "ie" | "vs" | "cf" | "viz" | "approx" | "ca" | "dr" | "drs" | "prof"
        | "mr" | "mrs" | "ms" | "mt" | "st" | "ste" | "resp" | "suppl" | "supp" | "incl" | "esp" | "univ"
        | "dept" | "cv" | "c.f" | "vit" | "messrs" | "mmes" | "mme" | "mlle" | "hon" | "capt" | "lieut"
        | "sgt" => After::Never,
        "fig" | "figs" | "eq" | "eqs" | "eqn" | "eqns" | "ref" | "refs" | "no" | "nos" | "nr" | "vol"
        | "vols" | "p" | "pp" | "tab" | "tabs" | "sec" | "secs" | "sect" | "chap" | "ch" | "ext" | "art"
        | "ver" | "app" | "lot" | "cat" | "ed" | "eds" => After::Label,
        "jan" | "feb" | "mar" | "apr" | "jun" | "jul" | "aug" | "sep" | "sept" | "oct" | "nov" | "dec" => {
            After::Label
        }
        "etc" | "a.m" | "p.m" => After::Capital,
        "sp" | "spp" | "subsp" | "ssp" | "var" | "inc" | "ltd" | "corp" | "co" | "jr" | "sr" | "ph.d"
        | "m.d" | "d.c" | "intl" | "natl" | "bros" | "assoc" => After::Starter,
        // "U.S", "i.v", "b.i.d": single letters with full stops between them.
        _ if is_dotted(word) => After::Starter,
        _ => After::Free,
    }
}

fn is_dotted(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
}

/// Whether a capitalised word nearly always begins a sentence.
pub(crate) fn is_starter(word: &str) -> bool {
    let mut chars = word.chars();
    if !chars.next().is_some_and(char::is_uppercase) || chars.any(char::is_uppercase) {
        return false;
    }
    STARTERS.contains(&word.to_lowercase())
}

/// Whether a letter or number behind this noun names one of several (`vitamin C`, `group 2`), so that a full
/// stop behind that letter ends a sentence.
pub(crate) fn is_counted_noun(word: &str) -> bool {
    COUNTED_NOUNS.contains(&word.to_lowercase())
}

static STARTERS: WordList = WordList::new(
    "a about according after all although an and as at because before both but by compared consistent
    consistently conversely despite due during each even finally first following for from furthermore
    given he hence here how however if in indeed interestingly it its likewise many meanwhile more
    moreover most nevertheless no nonetheless not notably of on once one only other our overall
    participants patients recently results second secondly several she similarly since so some such
    taken that the their then there therefore these they third this those though three through thus to
    together two under unlike until using we what when whereas whether which while with within without
    yet you",
);

static COUNTED_NOUNS: WordList = WordList::new(
    "appendix apolipoprotein arm bin box category class cluster cohort coenzyme condition cytochrome
    factor fig figure grade group hepatitis immunoglobulin influenza level model panel part phase
    protein region sample section site stage step strain study supplement table time type vitamin
    vitamins week",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_word() {
        let check =
            |word: &str, previous: &str, want: After| assert_eq!(class(word, previous), want, "{word}");
        check("al", "et", After::Starter);
        check("al", "the", After::Free);
        check("Fig", "", After::Label);
        check("e.g", "", After::Never);
        check("Vit", "", After::Never);
        check("U.S", "", After::Starter);
        check("www.x", "", After::Free);
        check("mice", "", After::Free);
    }

    #[test]
    fn starters_are_found_in_their_sorted_list() {
        for (word, want) in
            [("The", true), ("You", true), ("A", true), ("the", false), ("THE", false), ("Nature", false)]
        {
            assert_eq!(is_starter(word), want, "{word}");
        }
    }
}
