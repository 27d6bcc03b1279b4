//! Whether the words of a page look like words, in whatever language.
//!
//! A text layer made by bad OCR, a font whose table to Unicode is wrong, or text decoded twice gives characters that
//! all exist and words that do not: "ibe i'lfin()medan", "%XVKLQJ", "â€œdiÃ©t". No dictionary is needed to tell: signs
//! inside words, private and control characters, scripts mixed inside a word, capitals scattered in it, Latin words
//! without a vowel, letters that stand alone. Each happens now and then in any text (symbols of genes, units, names);
//! on a page of real text in one word of a hundred, on a damaged page in one of five.
//!
//! Formulas and tables are no words: tokens with fewer than three letters, and such with digits, are not judged.

use std::collections::BTreeMap;

/// Fewer words than these say nothing about a page.
const ENOUGH: usize = 25;
/// Odd words in a hundred from which a page is not to be trusted.
const ODD: usize = 12;
/// Latin letters that must be there before the share of vowels says something.
const LETTERS: usize = 250;
/// Vowels in a hundred Latin letters: any language has more than the first and fewer than the second. Sequences of
/// proteins have 24.
const VOWELS: (usize, usize) = (19, 62);
/// Single letters in a hundred tokens from which letters stand alone for no reason.
const ALONE: usize = 55;

/// Pages whose words do not look like words.
pub(crate) fn implausible_pages<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Vec<u32> {
    let mut pages: BTreeMap<u32, Tally> = BTreeMap::new();
    for (page, text) in lines {
        pages.entry(page).or_default().add(text);
    }
    let bad = pages.into_iter().filter(|(_, tally)| tally.is_implausible());
    bad.map(|(page, _)| page).collect()
}

/// What a page's words look like.
#[derive(Debug, Default)]
struct Tally {
    words: usize,
    odd: usize,
    /// Latin letters, and vowels among them.
    letters: usize,
    vowels: usize,
    /// Tokens that hold a letter, and those of one Latin letter.
    tokens: usize,
    alone: usize,
}

impl Tally {
    fn add(&mut self, text: &str) {
        for token in text.split_whitespace() {
            if token.bytes().all(|b| b.is_ascii_lowercase()) && token.len() > 1 {
                self.add_plain(token);
                continue;
            }
            let mut chars = token.chars();
            let lettered = token.chars().any(char::is_alphabetic);
            self.tokens += usize::from(lettered);
            let single = chars.next().is_some_and(is_latin) && chars.next().is_none();
            self.alone += usize::from(single);
            for c in token.chars().filter(|c| is_latin(*c)) {
                self.letters += 1;
                self.vowels += usize::from(is_vowel(c));
            }
            if let Some(odd) = is_odd(token) {
                self.words += 1;
                self.odd += usize::from(odd);
            }
        }
    }

    /// A word of small letters without accents, as most are.
    fn add_plain(&mut self, token: &str) {
        let vowel = |b: &u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
        let vowels = token.bytes().filter(|b| vowel(b)).count();
        self.tokens += 1;
        self.letters += token.len();
        self.vowels += vowels;
        if token.len() >= 3 {
            self.words += 1;
            self.odd +=
                usize::from((vowels * 8 < token.len() || vowels * 2 > token.len()) && is_unspoken(token));
        }
    }

    fn is_implausible(&self) -> bool {
        let odd = self.words >= ENOUGH && self.odd * 100 >= self.words * ODD;
        let vowels = self.vowels * 100;
        let unspoken =
            self.letters >= LETTERS && (vowels < self.letters * VOWELS.0 || vowels > self.letters * VOWELS.1);
        let spread = self.tokens >= 4 * ENOUGH && self.alone * 100 >= self.tokens * ALONE;
        odd || unspoken || spread
    }
}

/// Whether a token cannot be a word; `None` where it is none anyway: a number, an address, a symbol.
fn is_odd(token: &str) -> Option<bool> {
    if token.chars().any(is_meaningless) || is_decoded_twice(token) {
        return Some(true);
    }
    if token.contains(['/', '@', '\\', '=', '|']) || token.contains("www.") {
        return None;
    }
    let word = token.trim_matches(|c: char| !c.is_alphanumeric());
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 || word.chars().any(char::is_numeric) {
        return None;
    }
    Some(
        has_stray_signs(word)
            || mixes_scripts(word)
            || has_scattered_capitals(word)
            || word.split(|c: char| !c.is_alphabetic()).any(is_unspoken),
    )
}

/// Private, control and unassigned characters, and the mark of what could not be decoded.
fn is_meaningless(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}' | '\u{FDD0}'..='\u{FDEF}')
}

/// UTF-8 that was read as Latin-1 or Windows-1252: a letter that opens a sequence, a sign that goes on with it.
fn is_decoded_twice(token: &str) -> bool {
    let mut pairs = token.chars().zip(token.chars().skip(1));
    pairs.any(|(a, b)| {
        let opens = "ÃÂâäåæçèéãðïìÐÑÙØ".contains(a);
        let goes_on = matches!(b, '¡'..='¿') && !"ªº»«·°±²³µ´".contains(b) || "€‚ƒ„†‡ˆ‰‹Œ›œ™˜".contains(b);
        opens && goes_on
    })
}

/// Whether a sign stands between two letters that neither words nor names of compounds nor units have there.
fn has_stray_signs(word: &str) -> bool {
    const ALLOWED: &str = "-‐‑–—'’ʼ´`′″.·•⋅,:;&+_()[]<>≥≤±×*−°™®†‡§…\u{AD}";
    let chars: Vec<char> = word.chars().collect();
    chars.windows(3).any(|w| {
        let sign = !w[1].is_alphanumeric() && w[1].is_ascii() || "¡¢£¤¥¦§¨©«¬¯¶¸»¿÷€«»“”„‘".contains(w[1]);
        w[0].is_alphabetic() && w[2].is_alphabetic() && sign && !ALLOWED.contains(w[1])
    })
}

/// Latin and Cyrillic letters in turns.
fn mixes_scripts(word: &str) -> bool {
    let script = |c: char| match c {
        c if is_latin(c) => Some(0),
        '\u{400}'..='\u{52F}' => Some(1),
        '\u{590}'..='\u{5FF}' => Some(2),
        '\u{600}'..='\u{6FF}' => Some(3),
        _ => None,
    };
    let scripts: Vec<u8> = word.chars().filter_map(script).collect();
    scripts.windows(2).filter(|w| w[0] != w[1]).count() >= 2
}

/// Whether capitals follow small letters more than once: "tHe rEsUlT". Names ("TileSeqMave") have one or two words of them.
fn has_scattered_capitals(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let rises = chars.windows(2).filter(|w| w[0].is_lowercase() && w[1].is_uppercase()).count();
    rises >= 2 && rises * 3 >= chars.len()
}

/// A Latin word in small letters that hardly has a vowel, or hardly anything else.
fn is_unspoken(word: &str) -> bool {
    let letters = word.chars().count();
    if letters < 4 || !word.chars().all(is_latin) || !word.chars().skip(1).all(char::is_lowercase) {
        return false;
    }
    let vowels = word.chars().filter(|c| is_vowel(*c)).count();
    let run = word
        .split(|c: char| !matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u'))
        .map(str::len)
        .max();
    vowels == 0 || letters >= 8 && vowels * 8 < letters || run.is_some_and(|n| n >= 5)
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || c.is_alphabetic() && matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Vowels with all their accents, and y.
fn is_vowel(c: char) -> bool {
    use unicode_normalization::UnicodeNormalization;
    let plain = match c {
        'æ' | 'Æ' | 'ø' | 'Ø' | 'œ' | 'Œ' | 'ı' => return true,
        c if c.is_ascii() => c,
        c => std::iter::once(c).nfd().next().unwrap_or(c),
    };
    matches!(plain.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first article of the declaration of human rights, or its like, in many languages and scripts.
    const GOOD: &[&str] = &[
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience \
         and should act towards one another in a spirit of brotherhood. Everyone has the right to life, liberty and \
         security of person. No one shall be held in slavery or servitude.",
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt \
         und sollen einander im Geist der Brüderlichkeit begegnen. Jeder hat das Recht auf Leben, Freiheit und \
         Sicherheit der Person. Niemand darf in Sklaverei oder Leibeigenschaft gehalten werden.",
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de \
         conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Nul ne sera tenu en \
         esclavage ni en servitude.",
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i \
         sumieniem i powinni postępować wobec innych w duchu braterstwa. Każda osoba ma prawo do życia, wolności i \
         bezpieczeństwa swej osoby. Źdźbło trawy i chrząszcz.",
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají \
         spolu jednat v duchu bratrství. Vlk zmrzl. Každý má právo na život, svobodu a \
         osobní bezpečnost.",
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja \
         omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä. Jokaisella on oikeus elämään.",
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được tạo \
         hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu. Ai cũng có quyền được sống.",
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и \
         должны поступать в отношении друг друга в духе братства. Взгляд встретился со взглядом.",
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με \
         λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح \
         الإخاء لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي تمييز",
        "人人生而自由 在尊严和权利上一律平等 他们赋有理性和良心 并应以兄弟关系的精神相对待 すべての人間は 生まれながらにして \
         自由であり かつ 尊厳と権利とについて平等である 모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर \
         उन्हें भाईचारे के भाव से बर्ताव करना चाहिए",
    ];

    fn implausible(text: &str) -> bool {
        let mut tally = Tally::default();
        // A page holds more than a paragraph.
        (0..4).for_each(|_| tally.add(text));
        tally.is_implausible()
    }

    #[test]
    fn good_text_of_many_languages_looks_like_words() {
        for text in GOOD {
            assert!(!implausible(text), "{text}");
            assert!(!implausible(&text.to_uppercase()), "{text}");
        }
    }

    #[test]
    fn formulas_tables_and_sequences_are_no_damage() {
        for text in [
            "x i = 3 + 4y, f(x) = g(h(k)), ∑ a b c d n − 1, p < 0.05, β 1 x 2 + ε; H0 : μ 1 = μ 2 with σ² known and n = 12",
            "Fat mass, kg 32.0 (4.1) 30.6 (3.9) −1.4 (−2.2 to −0.6) 0.003 BMI, kg/m2 27.1 26.6 −0.5 0.04 HbA1c, % 7.1 6.9",
            "BRCA1 TP53 mTORC1 SIRT6 PGC-1α Nrf2 KCNJ11 qRT-PCR siRNA IL-6 TNF-α hsCRP GLUT4 eIF2α NF-κB kDa mmHg ctrl Fgfr2 \
             were measured in all samples of the liver and of the muscle, and so was the protein of each of these genes",
            "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALS GATTACAGATTACA",
            "Schmidt R, Schwarz K, Ngwenya T, Hrdlička P, Krč M, Szczepański W, Smith JD, Ng CK. J Clin Endocrinol Metab 2010; \
             Pflugers Arch, Br J Nutr, Proc Natl Acad Sci; strengths, lengths, scripts and prompts of the rhythms",
            "Table 2 | a | b | c | d | e | f | yes | no | n | % | (a) (b) (c) (d)",
        ] {
            assert!(!implausible(text), "{text}");
        }
    }

    #[test]
    fn damaged_text_is_told() {
        let good = GOOD[0];
        let swap = |from: &str, to: &str| {
            let to: Vec<char> = to.chars().collect();
            let pick =
                |c: char| from.chars().position(|f| f == c).and_then(|i| to.get(i)).copied().unwrap_or(c);
            good.chars().map(pick).collect::<String>()
        };
        // A font whose shapes are numbered in the order of their use.
        let shuffled = swap("abcdefghijklmnopqrstuvwxyz", "qwrtbzpsdfghjklxcvbnmtprsk");
        // Signs for letters, as a font without a table gives them.
        let signs = swap("aeinrt", "%&$#!{");
        let private: String = good.chars().map(|c| if c == 'e' { '\u{E065}' } else { c }).collect();
        let twice =
            "SchlÃ¼ssel fÃ¼r dÃ¼nne TÃ¼ren â€œniÃ±oâ€\u{9d} aÃ±os despuÃ©s estÃ¡n aquÃ\u{AD} mÃ¡s allÃ¡ del rÃ\u{AD}o"
                .repeat(2);
        let spread: String = good.chars().filter(|c| c.is_alphabetic()).flat_map(|c| [c, ' ']).collect();
        let turns: String = good
            .chars()
            .enumerate()
            .map(|(i, c)| if i % 2 == 0 { c.to_ascii_uppercase() } else { c })
            .collect();
        let ocr = "tbe na~ives s()on bad reas{}n to su$pect tlie vicer^y, viceroy^s sinc#rity in bis expres5ions cf r<gret a\\ tlie \
                   procee~ings cf wbicli tbey c0mplained; ibe i~lfinomedan f@ith bas b~en appr^priately entitl~d tbe rel|gion cf \
                   tbe sw\"rd and w!th equ%l propr*ety m~y we s^ designate tb{se of tb~ Christ}ans beh~ving thems#lves";
        for text in [&shuffled, &signs, &private, &twice, &spread, &turns, &ocr.to_owned()] {
            assert!(implausible(text), "{text}");
        }
    }

    #[test]
    fn pages_are_judged_one_by_one() {
        let bad = "%XVKLQJ 7K&UH ZD$V QR UHV^XOW wh{ch c~uld b<e re#d";
        let mut lines = Vec::new();
        for _ in 0..12 {
            lines.push((1, GOOD[0]));
            lines.push((2, bad));
        }
        assert_eq!(implausible_pages(lines.iter().copied()), [2]);
        assert_eq!(implausible_pages(lines[..2].iter().copied()), [0_u32; 0]);
    }
}
