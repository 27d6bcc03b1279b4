//! The shapes of words: of names, degrees, particles, groups and institutions.

use super::{BREAK, is_of_names};
use crate::glyph::combining;
use text::Pattern;

/// Whether the words are the name of a person by their shape.
pub(super) fn is_person(words: &[&str]) -> bool {
    if words.iter().all(|w| is_caseless(w)) {
        let letters: usize = words.iter().map(|w| w.chars().count()).sum();
        let ideographs = words.iter().flat_map(|w| w.chars()).all(is_ideograph);
        return if ideographs { (2..=6).contains(&letters) } else { (2..=6).contains(&words.len()) };
    }
    let last = words.len() - 1;
    let ordinary = words.iter().any(|w| {
        let bare = w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        NOT_NAMES.split('|').any(|n| n == bare)
    });
    (2..=7).contains(&words.len())
        && !ordinary
        && words.iter().enumerate().all(|(i, w)| is_name_word(w, i == last))
        && words.iter().any(|w| {
            w.chars().filter(|c| c.is_alphabetic()).count() > 1 && !is_initials(w) && !is_particle(w)
        })
        && !is_particle(words[last])
}

pub(super) fn is_name_word(word: &str, last: bool) -> bool {
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
    let shaped = word.chars().all(|c| is_of_names(c) && c != ':')
        && !word.ends_with(['-', '‐', '‑'])
        && (1..=24).contains(&letters.len())
        // Only initials and short forms end in a full stop.
        && !(word.ends_with('.') && last && letters.len() > 3);
    if !shaped || is_particle(word) {
        return shaped;
    }
    let start = word.trim_start_matches(['\'', '’', '‘', '`']);
    if !start.starts_with(char::is_uppercase) {
        // "d'Angelo", "al-Rashid", "el-Sayed".
        let tail = start.split_once(['-', '\'', '’', '‐', '‑', '`']);
        return tail
            .is_some_and(|(front, rest)| front.chars().count() <= 3 && rest.starts_with(char::is_uppercase));
    }
    // "BdDV" is a label; "McDonald", "DeHovitz", "ElSayed" are names.
    word.split(|c: char| !c.is_alphabetic()).all(|part| {
        let humps = part.chars().zip(part.chars().skip(1));
        let inner = humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count();
        inner == 0 || inner <= 2 && part.ends_with(char::is_lowercase)
    })
}

/// Names printed in capitals, as words with one.
pub(super) fn cased(words: &[&str]) -> String {
    let capitals = |w: &str| w.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let all = words.iter().all(|w| capitals(w));
    let word = |(i, w): (usize, &&str)| -> String {
        let letters = w.chars().filter(|c| c.is_alphabetic()).count();
        let small = w.to_lowercase();
        if all && i > 0 && i + 1 < words.len() && is_particle(&small) {
            return small;
        }
        if !capitals(w) || is_initials(w) && !(all && w.contains(['\'', '’'])) || !all && letters < 4 {
            return (*w).to_owned();
        }
        let mut out = String::with_capacity(w.len());
        let mut start = true;
        for c in w.chars() {
            if start {
                out.push(c);
            } else {
                out.extend(c.to_lowercase());
            }
            start = !c.is_alphabetic();
        }
        match out.strip_prefix("Mc").filter(|rest| rest.chars().count() > 2) {
            Some(rest) => {
                let mut rest = rest.chars();
                let first = rest.next().into_iter().flat_map(char::to_uppercase);
                "Mc".chars().chain(first).chain(rest).collect()
            }
            None => out,
        }
    };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// "J.", "JA", "J.-P.", "K.".
pub(super) fn is_initials(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let dots = word.matches('.').count();
    let dotted = dots > 0 && letters <= 2 * dots;
    (1..=if dotted { 4 } else { 2 }).contains(&letters)
        && word.chars().all(|c| c.is_uppercase() || matches!(c, '.' | '-' | '‐' | '‑'))
        || dotted && (2..=3).contains(&letters) && word.starts_with(char::is_uppercase) && word.ends_with('.')
}

pub(super) fn is_particle(word: &str) -> bool {
    const PARTICLES: &str = "de|van|von|der|den|di|da|del|della|la|le|el|al|bin|ben|bint|ibn|ter|ten|te|dos|das|du|dela|y|e|do|la.|af|\
        av|zu|zur|zum|vom|st.|st|'t|’t|abu|degli|delle|dello|lo|ou|op|het|san|dal|des|de’|de'|los|las|und";
    PARTICLES.split('|').any(|p| p == word)
}

pub(super) fn is_caseless(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(|c| !c.is_lowercase() && !c.is_uppercase())
}

pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

/// The icon of a researcher's record may be read as "ID" at the end of the surname.
pub(super) fn without_icon(word: &str) -> &str {
    let bare = word.strip_suffix("ID").or_else(|| word.strip_suffix("iD"));
    bare.filter(|b| b.len() >= 2 && b.ends_with(char::is_lowercase)).unwrap_or(word)
}

pub(super) fn is_lone_letter(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if c.is_lowercase())
}

pub(super) fn is_suffix(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    "Jr|Sr|II|III|IV|JR|SR".split('|').any(|s| s == word)
}

pub(super) fn is_title(word: &str) -> bool {
    const TITLES: &str = "Dr|Prof|Professor|Mr|Mrs|Ms|DR|PROF|Dra|Sir|Dame";
    let word = word.trim_end_matches('.');
    TITLES.split('|').any(|title| title == word)
}

/// Degrees and memberships behind a name. `short`: with it gone no name would be left, so letters that may be a
/// surname ("Yo MA") stay.
pub(super) fn is_degree(word: &str, short: bool) -> bool {
    const DEGREES: &str = "PhD|MD|MSc|BSc|MPH|DPhil|MS|BS|RN|FRCP|MBBS|DrPH|ScD|RD|DVM|MA|BA|PharmD|MBA|Dr|Prof|DSc|MRCP|\
        FACP|PT|EdD|DDS|MPhil|FRCPC|MHS|MBChB|DO|BN|FAHA|FACC|MHSc|MEd|ORCID|iD|ID|MB|MM|BM|BCh|ChB|BMBS|MBBCh|FRCS|MRCS|\
        MRCPsych|FRCPsych|FRCA|FRACP|FRACS|FRCPath|FRCOG|FACS|FAAN|FACE|FASN|FASA|FCCP|FAAP|FMedSci|FRS|FRSE|FRSC|RDN|LD|CDE|\
        CNS|APRN|ARNP|MSN|BSN|DNP|CRNP|FNP|NP|PA|OD|DMD|BDS|MDS|MDSc|BDSc|MPA|MPP|MSPH|MSHS|MSCE|MSCI|MSCR|MAS|MMed|MMedSci|\
        MMSc|BMedSci|MRes|MRPharmS|BPharm|MPharm|RPh|BPT|MPT|DPT|BVSc|BVMS|MVSc|VMD|DrMed|DrSc|DrPhil|DHSc|PsyD|JD|LLM|LLB|\
        MSW|LCSW|BEng|MEng|MTech|BTech|BHSc|BSN|CCRP|CCRN|CSCS|RVT|FESC|FHRS|FSCAI|FANZCA|FCICM|FJFICM|FAHMS|FFPH|MFPH|\
        habil|OBE|CBE|MBE|MACP|FIDSA|FRCPCH|MRCPCH|MRCGP|FRCGP|FRCR|DTMH|Ing|Dipl|PG|PGDip|AM|MMath|MChem|MPsych|MClinPsych|\
        DClinPsy|DClinPsych|CPsychol|BAppSc|MAppSc|GradDip|Hons|Eng|CPH|CHES|MCHES|CPhil|EMBA|BSPT|ATC|MMSc|ScM|AB|SM|SB|MDPhD";
    let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let known = DEGREES.split('|').any(|w| w == bare.as_str());
    known && (!short || bare.chars().any(char::is_lowercase) || bare.len() > 4 || word.contains('.'))
}

/// Whether the words name a group of authors, such as "The Example Study Group".
pub(super) fn is_group(words: &[&str]) -> bool {
    const KINDS: &str = "group|consortium|collaboration|collaborators|collaborative|investigators|network|initiative|\
        committee|team|party|force|trialists|alliance|partnership|researchers";
    let last = words.last().map(|w| w.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase());
    let kind = last.is_some_and(|w| KINDS.split('|').any(|k| k == w));
    let capital = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count();
    let stops = words.iter().rev().skip(1).any(|w| w.ends_with(['.', ':']));
    kind && !stops && words.len() <= 12 && capital >= 2
}

/// Whether the text names an institution, a place or a notice: the kind of line that follows names.
pub(crate) fn is_affiliation(text: &str) -> bool {
    const INSTITUTIONS: &str = "universit|institut|departement|department|departamento|dipartimento|dept|school|hospital|\
        faculty|facult|centre|center|centro|college|laborator|division|clinic|academy|academia|foundation|ministry|\
        research|gmbh|inc|ltd|company|corporation|polytech|hôpital|klinik|museum|agency|council|school|unit|école|avenue|\
        street|road|campus|大学|病院|学院|研究所|университет|институт|medicine|sciences|unidad|servicio|service|laboratoire";
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|w| INSTITUTIONS.split('|').any(|i| w.starts_with(i) && (i.len() > 4 || w == i)))
        || lower.contains('@')
}

/// Words that no name holds: institutions, places, the words of notices and of sentences.
const NOT_NAMES: &str = "office|government|bureau|administration|authority|commission|board|service|services|trust|bank|\
    federal|university|université|universität|universidad|universidade|università|universiti|universitas|\
    department|departments|dept|institute|institut|instituto|istituto|institutes|school|schools|hospital|\
    hospitals|faculty|centre|center|centers|centres|college|laboratory|laboratories|lab|division|street|\
    road|avenue|usa|uk|china|india|japan|germany|france|italy|spain|canada|australia|brazil|korea|\
    kingdom|states|netherlands|switzerland|sweden|norway|denmark|republic|abstract|journal|article|\
    articles|research|review|reviews|sciences|science|medicine|medical|health|foundation|academy|clinic|\
    corporation|company|inc|ltd|llc|gmbh|summary|introduction|background|methods|results|conclusion|\
    conclusions|discussion|keywords|highlights|highlight|contents|letter|editorial|report|original|\
    access|received|accepted|published|revised|copyright|correspondence|corresponding|author|authors|\
    email|e-mail|fax|tel|phone|ministry|national|international|association|society|council|agency|\
    committee|programme|program|project|study|studies|trial|trials|protocol|supplement|supplementary|\
    table|figure|fig|page|pages|volume|vol|issue|doi|http|https|www|press|publishing|publisher|\
    publishers|license|licence|citation|editor|editors|edited|reviewed|version|preprint|draft|manuscript|\
    running|title|running-title|history|available|online|therapy|treatment|analysis|effects|effect|\
    systematic|clinical|disease|patients|technology|engineering|biology|chemistry|physics|group|unit|\
    campus|box|suite|equally|contributed|contribution|contributions|present|current|address|affiliation|\
    affiliations|graphical|contact|perspective|commentary|communication|communications|case|series|paper|\
    papers|proceedings|conference|workshop|download|downloaded|cite|cited|share|check|updates|notes|note|\
    figures|tables|references";

/// The text without a label at its start, its accents and initials set as usual.
pub(super) fn plain(text: &str) -> String {
    initials_apart(&accented(without_label(text)))
}

/// "Yu.A." in "Yu.A.Pusep", "1st" in front of the first author.
static GLUED: Pattern = Pattern::new(r"(^|[^\p{L}.'’])((?:\p{Lu}\p{Ll}?\.[-‐]?)+)(\p{Lu}[\p{L}'’]+)");
static COUNT: Pattern = Pattern::new(r"\b\d(st|nd|rd|th)\b");

/// The text with a space behind initials that are set without one, and without the numbers that count the authors.
fn initials_apart(text: &str) -> String {
    let apart = GLUED.replace_all(text, |c: &regex::Captures<'_>| {
        let space = if is_degree(&format!("{}{}", &c[2], &c[3]), false) { "" } else { " " };
        format!("{}{}{space}{}", &c[1], &c[2], &c[3])
    });
    COUNT.replace_all(&apart, "").into_owned()
}

/// Takes "By" or "Authors:" off the start.
fn without_label(text: &str) -> &str {
    let text = text.trim_start();
    for label in ["by ", "author:", "authors:", "author(s):", "written by "] {
        if let Some(start) = text.get(..label.len())
            && start.eq_ignore_ascii_case(label)
        {
            return text[label.len()..].trim_start();
        }
    }
    text
}

/// Puts accents that stand apart over the letter beside them that usually carries them ("Ju¨rges", "Dar´ıo").
fn accented(text: &str) -> String {
    let typical = |accent: char| -> Option<(char, &str)> {
        let letters = match accent {
            '´' => "aeiouyıAEIOUY",
            '¨' => "aeiouyAEIOUY",
            '`' | 'ˆ' => "aeiouAEIOU",
            '˜' => "naoNAO",
            '¸' => "cstCST",
            '˚' => "auAU",
            'ˇ' => "sczrentdSCZRENTD",
            _ => return None,
        };
        Some((combining(accent)?, letters))
    };
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::with_capacity(chars.len());
    let mut i = 0;
    while i < chars.len() {
        let Some((mark, letters)) = typical(chars[i]) else {
            out.push(chars[i]);
            i += 1;
            continue;
        };
        let plain = |c: char| if c == 'ı' { 'i' } else { c };
        let over =
            |c: &char| letters.contains(*c).then(|| unicode_normalization::char::compose(plain(*c), mark))?;
        // "Ju ¨rges": the space is none.
        let apart = out.len() >= 2
            && out.last().is_some_and(|c| *c == ' ' || *c == BREAK)
            && chars.get(i + 1).is_some_and(|c| c.is_lowercase());
        if apart && out.get(out.len() - 2).and_then(over).is_some() {
            out.pop();
        }
        if let Some(c) = out.last().and_then(over) {
            out.pop();
            out.push(c);
        } else if let Some(c) = chars.get(i + 1).and_then(over) {
            out.push(c);
            i += 1;
        } else {
            out.push(chars[i]);
        }
        i += 1;
    }
    out.into_iter().collect()
}
