//! Names of people in a line of authors: what separates them, what clings to them, and what is no name.

use std::collections::BTreeSet;

/// Stands for a raised mark, such as the number of an affiliation.
pub(crate) const MARK: char = '\u{1F}';
/// Stands for the end of a line or a wide gap: it may separate two names or stand inside one.
pub(crate) const BREAK: char = '\u{1E}';

/// The names of a text, and what was seen around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// In order, without marks and degrees.
    pub(crate) list: Vec<String>,
    /// Names with a mark of an affiliation or a note behind them.
    pub(crate) marked: usize,
    /// Names with a degree behind them.
    pub(crate) degrees: usize,
    /// Names with initials ("Jane A. Smith").
    pub(crate) initials: usize,
    /// Whether the text ends where a name must follow: in a comma or "and".
    pub(crate) open: bool,
    /// What follows the names and is none; empty when all of the text is names.
    pub(crate) rest: String,
}

/// A stretch between two separators.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about what follows"
)]
struct Piece {
    text: String,
    /// Whether a mark follows.
    marked: bool,
    /// Whether a comma, "and" or another sign that separates names follows.
    listed: bool,
    /// Whether that is a comma or a semicolon.
    comma: bool,
    /// Whether only the end of a line or a wide gap follows.
    broken: bool,
}

/// Reads the names at the start of a text. Names end at the first stretch that is none.
pub(crate) fn names(text: &str) -> Names {
    let text = accented(without_label(text));
    let pieces = family_first(joined(pieces(&text)));
    let mut out = Names::default();
    let mut seen = BTreeSet::new();
    let mut group_next = false;
    for (i, piece) in pieces.iter().enumerate() {
        let read = read(&piece.text, group_next);
        group_next = false;
        match read {
            Read::Nothing => {}
            Read::Degree => out.degrees += usize::from(!out.list.is_empty()),
            Read::Suffix(suffix) => {
                if let Some(last) = out.list.last_mut() {
                    last.push(' ');
                    last.push_str(&suffix);
                }
            }
            Read::For => group_next = true,
            Read::Name { name, degree } => {
                out.initials += usize::from(name.split(' ').any(is_initials));
                out.degrees += usize::from(degree);
                out.marked += usize::from(piece.marked);
                if seen.insert(name.to_lowercase()) {
                    out.list.push(name);
                }
            }
            // One odd stretch inside a list of marked names is left out.
            Read::Other if odd_one_out(&pieces[i..]) => {}
            Read::Other => {
                let rest: Vec<&str> = pieces[i..].iter().map(|p| p.text.trim()).collect();
                rest.join(" ").trim().clone_into(&mut out.rest);
                break;
            }
        }
    }
    let last = pieces.iter().rfind(|p| !p.text.trim().is_empty());
    out.open = out.rest.is_empty() && last.is_some_and(|p| p.listed && !p.marked);
    out
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
        Some(match accent {
            '´' => ('\u{301}', "aeiouyıAEIOUY"),
            '`' => ('\u{300}', "aeiouAEIOU"),
            '¨' => ('\u{308}', "aeiouyAEIOUY"),
            'ˆ' => ('\u{302}', "aeiouAEIOU"),
            '˜' => ('\u{303}', "naoNAO"),
            '¸' => ('\u{327}', "cstCST"),
            '˚' => ('\u{30A}', "auAU"),
            'ˇ' => ('\u{30C}', "sczrentdSCZRENTD"),
            _ => return None,
        })
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
        let over = |c: &char| {
            letters
                .contains(*c)
                .then(|| unicode_normalization::char::compose(plain(*c), mark))?
        };
        // "Ju ¨rges": the space is none.
        let apart =
            out.len() >= 2 && out.ends_with(&[' ']) && chars.get(i + 1).is_some_and(|c| c.is_lowercase());
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

fn pieces(text: &str) -> Vec<Piece> {
    let mut out = vec![Piece::default()];
    let words: Vec<&str> = text
        .split_inclusive(|c: char| c.is_whitespace() || c == BREAK)
        .collect();
    for (i, word) in words.iter().enumerate() {
        let trim = |w: &str| {
            w.trim_matches(|c: char| c.is_whitespace() || c == BREAK || c == MARK)
                .to_owned()
        };
        let bare = trim(word);
        // An address of mail or of a researcher's record is no part of a name.
        let address =
            bare.contains('@') || bare.contains("://") || bare.contains("orcid.org") || bare.contains("www.");
        let french = bare == "et" && words.get(i + 1).is_some_and(|w| !trim(w).starts_with("al"));
        if address || french || matches!(bare.as_str(), "and" | "AND" | "And" | "&" | "und") {
            separate(&mut out, |p| p.listed = true);
            continue;
        }
        for (i, c) in word.char_indices() {
            match c {
                BREAK => separate(&mut out, |p| p.broken = true),
                // Numbers of affiliations are short; years and codes of places are not.
                // Only those without a space before them are marks for sure.
                '0'..='9' if digits_around(word, i) <= 2 => {
                    separate(&mut out, |p| {
                        if i > 0 || p.marked {
                            p.marked = true
                        } else {
                            p.listed = true
                        }
                    });
                }
                MARK | '\u{E000}'..='\u{F8FF}' => separate(&mut out, |p| p.marked = true),
                c if MARKS.contains(c) => separate(&mut out, |p| p.marked = true),
                ',' | ';' | '、' | '，' | '؛' | '،' => {
                    separate(&mut out, |p| (p.listed, p.comma) = (true, true));
                }
                '·' | '•' | '|' | '&' | '/' | '∙' | '⋅' => separate(&mut out, |p| p.listed = true),
                '\u{AD}' | '\u{200B}' => {}
                // What is no letter stays: no name holds it.
                c => {
                    if let Some(last) = out.last_mut() {
                        last.text.push(if c.is_whitespace() { ' ' } else { c });
                    }
                }
            }
        }
    }
    out
}

/// Signs behind a name that stand for an affiliation or a note.
const MARKS: &str = "*∗⁎＊†‡§¶#¹²³⁴⁵⁶⁷⁸⁹⁰✉☯☨◊♯∥‖¤⊥✝()[]";

/// Digits in the run around the byte `at`.
fn digits_around(word: &str, at: usize) -> usize {
    let bytes = word.as_bytes();
    let before = bytes[..at]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit())
        .count();
    before + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Ends the last piece, or adds to what ended it.
fn separate(pieces: &mut Vec<Piece>, how: impl Fn(&mut Piece)) {
    let empty = pieces.last().is_some_and(|p| p.text.trim().is_empty());
    let at = if empty {
        pieces.len().checked_sub(2)
    } else {
        pieces.len().checked_sub(1)
    };
    if let Some(piece) = at.and_then(|at| pieces.get_mut(at)) {
        how(piece);
    }
    if !empty {
        pieces.push(Piece::default());
    }
}

fn is_of_names(c: char) -> bool {
    c.is_alphabetic() || "-.'’‘‐‑`´ʼ:".contains(c) || unicode_normalization::char::is_combining_mark(c)
}

/// Joins pieces that only the end of a line or a wide gap holds apart, unless each could be a name of its own in a list
/// without commas.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let commas = pieces.iter().any(|p| p.comma);
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let words = |p: &Piece| p.text.split_whitespace().count();
        if let Some(last) = out.last_mut()
            && last.broken
            && !last.marked
            && !last.listed
        {
            let hyphen = last.text.trim_end().ends_with(['-', '‐']);
            let whole = words(last) >= 2 && words(&piece) >= 2;
            if !whole || commas && words(last) + words(&piece) <= 4 && !piece.broken {
                let end = last.text.trim_end().len();
                last.text.truncate(end);
                if !hyphen {
                    last.text.push(' ');
                }
                last.text.push_str(piece.text.trim_start());
                *last = Piece {
                    text: std::mem::take(&mut last.text),
                    ..piece
                };
                continue;
            }
        }
        out.push(piece);
    }
    out
}

/// "Smith, J., Wei, L." and "Smith, Jane; Wei, Li": brings the given names before the surname.
fn family_first(pieces: Vec<Piece>) -> Vec<Piece> {
    let full: Vec<&Piece> = pieces.iter().filter(|p| !p.text.trim().is_empty()).collect();
    let pairs = full.len() >= 2
        && full.len().is_multiple_of(2)
        && full.chunks(2).all(|pair| {
            let mut surname = pair[0].text.split_whitespace().filter(|w| !is_particle(w));
            let one = surname.next().is_some_and(|w| !is_initials(w)) && surname.next().is_none();
            let mut given = pair[1].text.split_whitespace();
            pair[0].comma && !pair[0].marked && one && given.all(|w| is_initials(w) && !is_degree(w, false))
        });
    if !pairs {
        return pieces;
    }
    let pair = |pair: &[&Piece]| Piece {
        text: format!("{} {}", pair[1].text.trim(), pair[0].text.trim()),
        ..pair[1].clone()
    };
    full.chunks(2).map(pair).collect()
}

fn odd_one_out(pieces: &[Piece]) -> bool {
    let [piece, next, ..] = pieces else { return false };
    let short = piece.text.split_whitespace().count() <= 4 && !is_affiliation(&piece.text);
    short && piece.marked && next.marked && matches!(read(&next.text, false), Read::Name { .. })
}

enum Read {
    /// Nothing that says anything.
    Nothing,
    Degree,
    /// "Jr."
    Suffix(String),
    /// "On behalf of": the name of a group follows.
    For,
    Name {
        name: String,
        degree: bool,
    },
    Other,
}

fn read(text: &str, group: bool) -> Read {
    let lettered = |w: &&str| w.chars().any(char::is_alphabetic);
    let mut words: Vec<&str> = text
        .split_whitespace()
        .map(without_icon)
        .filter(lettered)
        .collect();
    while words.first().is_some_and(|w| is_title(w)) {
        words.remove(0);
    }
    // A letter that marks an affiliation, raised or not.
    while words.last().is_some_and(|w| is_lone_letter(w)) {
        words.pop();
    }
    while words.first().is_some_and(|w| is_lone_letter(w)) {
        words.remove(0);
    }
    let mut degree = false;
    while words.last().is_some_and(|w| is_degree(w, words.len() <= 2)) {
        words.pop();
        degree = true;
    }
    let Some(first) = words.first() else {
        return if degree { Read::Degree } else { Read::Nothing };
    };
    if let [suffix] = words.as_slice()
        && is_suffix(suffix)
    {
        return Read::Suffix((*suffix).to_owned());
    }
    let lower = words.join(" ").to_lowercase();
    if lower.ends_with("on behalf of")
        || lower.ends_with("for the")
        || matches!(lower.as_str(), "et al" | "et al.")
    {
        return Read::For;
    }
    let on_behalf = [
        "on behalf of the ",
        "on behalf of ",
        "for the ",
        "and the ",
        "the ",
    ]
    .iter()
    .find_map(|start| lower.strip_prefix(start).map(|_| start.len()));
    if (group || on_behalf.is_some() || first.starts_with(char::is_uppercase)) && is_group(&words) {
        let whole = words.join(" ");
        let name = whole.get(on_behalf.unwrap_or(0)..).unwrap_or(&whole).to_owned();
        return Read::Name { name, degree };
    }
    if words.len() == 1 && words[0].chars().count() <= 3 && !is_caseless(words[0]) {
        return Read::Nothing;
    }
    if is_person(&words) {
        return Read::Name {
            name: cased(&words),
            degree,
        };
    }
    Read::Other
}

/// Whether the words are the name of a person by their shape.
fn is_person(words: &[&str]) -> bool {
    if words.iter().all(|w| is_caseless(w)) {
        let letters: usize = words.iter().map(|w| w.chars().count()).sum();
        let ideographs = words.iter().flat_map(|w| w.chars()).all(is_ideograph);
        return if ideographs {
            (2..=6).contains(&letters)
        } else {
            (2..=6).contains(&words.len())
        };
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

fn is_name_word(word: &str, last: bool) -> bool {
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
        let inner = humps
            .filter(|(a, b)| a.is_lowercase() && b.is_uppercase())
            .count();
        inner == 0 || inner <= 2 && part.ends_with(char::is_lowercase)
    })
}

/// Names printed in capitals, as words with one.
fn cased(words: &[&str]) -> String {
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
pub(crate) fn is_initials(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let dots = word.matches('.').count();
    let dotted = dots > 0 && letters <= 2 * dots;
    (1..=if dotted { 4 } else { 2 }).contains(&letters)
        && word
            .chars()
            .all(|c| c.is_uppercase() || matches!(c, '.' | '-' | '‐' | '‑'))
        || dotted && (2..=3).contains(&letters) && word.starts_with(char::is_uppercase) && word.ends_with('.')
}

fn is_particle(word: &str) -> bool {
    const PARTICLES: &str = "de|van|von|der|den|di|da|del|della|la|le|el|al|bin|ben|bint|ibn|ter|ten|te|dos|das|du|dela|y|e|do|la.|af|\
        av|zu|zur|zum|vom|st.|st|'t|’t|abu|degli|delle|dello|lo|ou|op|het|san|dal|des|de’|de'|los|las|und";
    PARTICLES.split('|').any(|p| p == word)
}

fn is_caseless(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(|c| !c.is_lowercase() && !c.is_uppercase())
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

/// The icon of a researcher's record may be read as "ID" at the end of the surname.
fn without_icon(word: &str) -> &str {
    let bare = word.strip_suffix("ID").or_else(|| word.strip_suffix("iD"));
    bare.filter(|b| b.len() >= 2 && b.ends_with(char::is_lowercase))
        .unwrap_or(word)
}

fn is_lone_letter(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if c.is_lowercase())
}

fn is_suffix(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.'),
        "Jr" | "Sr" | "II" | "III" | "IV" | "JR" | "SR"
    )
}

fn is_title(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.'),
        "Dr" | "Prof" | "Professor" | "Mr" | "Mrs" | "Ms" | "DR" | "PROF" | "Dra" | "Sir" | "Dame"
    )
}

/// Degrees and memberships behind a name. `short`: with it gone no name would be left, so letters that may be a
/// surname ("Yo MA") stay.
fn is_degree(word: &str, short: bool) -> bool {
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
fn is_group(words: &[&str]) -> bool {
    const KINDS: &str = "group|consortium|collaboration|collaborators|collaborative|investigators|network|initiative|\
        committee|team|alliance|partnership|researchers";
    let last = words
        .last()
        .map(|w| w.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase());
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
    lower.split(|c: char| !c.is_alphanumeric()).any(|w| {
        INSTITUTIONS
            .split('|')
            .any(|i| w.starts_with(i) && (i.len() > 4 || w == i))
    }) || lower.contains('@')
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[&str]) {
        let text = text
            .replace('^', &MARK.to_string())
            .replace('\n', &BREAK.to_string());
        assert_eq!(names(&text).list, want, "{text}");
    }

    #[test]
    fn names_lose_their_marks() {
        check(
            "Jane A. Smith 1,2, Li Wei1* and Óscar de la Cruz3",
            &["Jane A. Smith", "Li Wei", "Óscar de la Cruz"],
        );
        check(
            "Maria Rossi a,b, Pierre Le Blanc c",
            &["Maria Rossi", "Pierre Le Blanc"],
        );
        check("Yu Li^^ , Rosa Lam^, Ann Po^", &["Yu Li", "Rosa Lam", "Ann Po"]);
        check("Anna Berg ✉, Tom Ash‡☯", &["Anna Berg", "Tom Ash"]);
        check("Kim Oster[1], Jo Falk (2)", &["Kim Oster", "Jo Falk"]);
    }

    #[test]
    fn degrees_titles_and_addresses_are_no_names() {
        check("Anna Berg, MD, PhD; Tom O’Neil, RN", &["Anna Berg", "Tom O’Neil"]);
        check(
            "Dr. Anna Berg MBBS FRCP, Prof. Tom Ash M.D., Ph.D.",
            &["Anna Berg", "Tom Ash"],
        );
        check("Anna Berg^, MBChB, MPH; Tom Ash^, BA", &["Anna Berg", "Tom Ash"]);
        check("Yo-Lin MA, Anna Berg", &["Yo-Lin MA", "Anna Berg"]);
        check(
            "Anna Berg anna@snail.org and Tom Ash https://orcid.org/0000-0001",
            &["Anna Berg", "Tom Ash"],
        );
        check("Anna Berg ID 1, Tom AshID2", &["Anna Berg", "Tom Ash"]);
        check(
            "Anna Berg, MB, Tom Ash, MD, Jo Falk, MM",
            &["Anna Berg", "Tom Ash", "Jo Falk"],
        );
        check(
            "John Ulrich, Jr., Anna Berg III",
            &["John Ulrich Jr.", "Anna Berg III"],
        );
    }

    #[test]
    fn names_of_many_kinds() {
        check(
            "María del S. Hernández-Montes,* and Jan van ’t Hoff",
            &["María del S. Hernández-Montes", "Jan van ’t Hoff"],
        );
        check(
            "YING SHEN,1 HAU-SAN MCDONALD,2 and A. DE LA CRUZ3",
            &["Ying Shen", "Hau-San McDonald", "A. de la Cruz"],
        );
        check(
            "Anna Ju ¨rger1, Dar´ıo Mun˜oz2 and Yee How Say",
            &["Anna Jürger", "Darío Muñoz", "Yee How Say"],
        );
        check("Anna BERG and Tom d’Angelo", &["Anna Berg", "Tom d’Angelo"]);
        check(
            "Jack DeHovitz, Omar al-Rashid",
            &["Jack DeHovitz", "Omar al-Rashid"],
        );
        check(
            "N. S. Maan, J.-P. Blanc & T. Ash",
            &["N. S. Maan", "J.-P. Blanc", "T. Ash"],
        );
        check(
            "Smith, J. A., Wei, L. and O’Neil, T.",
            &["J. A. Smith", "L. Wei", "T. O’Neil"],
        );
        check(
            "Smith J, Wei LT, de la Cruz O",
            &["Smith J", "Wei LT", "de la Cruz O"],
        );
        check("Иван Петров, Анна Иванова", &["Иван Петров", "Анна Иванова"]);
        check("山田太郎、鈴木花子", &["山田太郎", "鈴木花子"]);
    }

    #[test]
    fn groups_are_authors() {
        check(
            "Anna Berg, Tom Ash, on behalf of the Garden Snail Study Group",
            &["Anna Berg", "Tom Ash", "Garden Snail Study Group"],
        );
        check(
            "Anna Berg and the SLIME Investigators",
            &["Anna Berg", "SLIME Investigators"],
        );
    }

    #[test]
    fn lines_break_inside_names_and_between_them() {
        check(
            "Anna Berg^, Tom\nAsh^, Kim Oster",
            &["Anna Berg", "Tom Ash", "Kim Oster"],
        );
        check(
            "Anna Berg · Tom Ash\nKim Oster · Jo Falk",
            &["Anna Berg", "Tom Ash", "Kim Oster", "Jo Falk"],
        );
        check(
            "Anna Berg\nTom Ash\nKim Oster",
            &["Anna Berg", "Tom Ash", "Kim Oster"],
        );
        check("Anna Berg, Anne-\nMarie Ash", &["Anna Berg", "Anne-Marie Ash"]);
        check(
            "Anna Berg,\nTom Ash and\nKim Oster",
            &["Anna Berg", "Tom Ash", "Kim Oster"],
        );
    }

    #[test]
    fn what_is_no_name_ends_the_names() {
        check(
            "Department of Physiology, University of Nowhere, Springfield, USA",
            &[],
        );
        check("The effects were measured in all of the groups", &[]);
        check("Highlights BdDV- Anna", &[]);
        check(
            "Anna Berg1, Tom Ash2\n1Department of Snails, Lower Wood",
            &["Anna Berg", "Tom Ash"],
        );
        check("Ways to sleep, Ash 12 and more", &[]);
        check("U.S. Snail Accountability Office", &[]);
        check("Editor: Anna Berg. Printer: Slime Media Group.", &[]);
        check("", &[]);
        assert!(names("Anna Berg, Tom Ash and").open && !names("Anna Berg, Tom Ash").open);
        assert_eq!(names("Anna Berg1, Tom Ash2").marked, 2);
    }
}
