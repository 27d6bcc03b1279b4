//! Addresses in a text: of the web and of mail, numbers of telephones, DOIs, and markup that opens or loads something.
//!
//! They are recognised by shape in the folded text, also where they are disguised: `hxxp://`, `evil[.]com`, `a (at) b.org`,
//! full-width or invisible characters. A name without scheme or path is one only under a well-known ending, since papers
//! and PDFs run sentences together ("in mice.The").

use crate::Pattern;
use crate::fold::{Folded, fold};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// An address of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Bytes into the text.
    pub span: Range<usize>,
    /// What it leads to, as [`KnownAddresses`] compares it.
    key: String,
}

/// The addresses of a text, in order, not overlapping.
pub fn addresses(text: &str) -> Vec<Address> {
    let folded = fold(text);
    let found = found(text, &folded).into_iter();
    let address = |(span, start): (Range<usize>, usize)| Address {
        key: squeezed(folded.text()[start..span.end].trim_end_matches(is_ending)).replace(' ', ""),
        span: folded.original(span),
    };
    found.map(address).filter(|a| !a.key.is_empty()).collect()
}

/// The text with `[removed]` in the place of these spans, which are in order of their starts.
pub fn without(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut out = String::new();
    let mut from = 0;
    for span in spans {
        if span.start >= from {
            out.extend([&text[from..span.start], "[removed]"]);
        }
        from = span.end.max(from);
    }
    out + &text[from..]
}

/// The addresses of some texts.
#[derive(Clone, Debug, Default)]
pub struct KnownAddresses(Vec<String>);

impl KnownAddresses {
    /// Adds those of a text.
    pub fn add(&mut self, text: &str) {
        let folded = fold(text);
        for (_, start) in found(text, &folded) {
            // With what follows: a PDF breaks an address over lines.
            let rest = folded.text()[start..].chars().take(LONGEST);
            self.0.push(squeezed(&rest.collect::<String>()));
        }
    }

    /// Whether the texts have this address, or one that goes on with a path behind it. Scheme, case, `www.`, the resolver of a
    /// DOI, hyphens and line breaks do not matter.
    pub fn holds(&self, address: &Address) -> bool {
        self.0.iter().any(|known| begins(known, &address.key))
    }
}

/// Characters of an address that are compared.
const LONGEST: usize = 2_000;
/// Endings that are units of measurement as well: `mg.kg/day`.
const UNITS: [&str; 8] = ["kg", "mg", "ml", "mm", "cm", "ms", "min", "day"];
/// Endings of more than two letters under which a name is an address without a path.
const ENDINGS: &str = "com|org|net|edu|gov|mil|int|info|biz|name|pro|mobi|app|dev|xyz|top|site|online|shop|store|club|live|tech|\
    cloud|link|click|page|blog|wiki|zone|space|website|world|news|email|science|health|example|test|invalid|local|onion|\
    xn--[a-z0-9-]+";

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let rest = r#"[^\s<>"`|^{}]*"#;
    let point = r"(?:\\?[.。]|\s?[\[({]\s?(?:[.。]|dot)\s?[\])}]\s?)";
    let at = r"(?:@|\s?[\[({]\s?(?:@|at)\s?[\])}]\s?)";
    let label = r"[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*";
    // Boundaries of words are ASCII: with Unicode ones the regex engine leaves its fast path.
    let end = r"(?-u:\b)";
    let names = format!(r"{label}(?:(?:{point}|\sdot\s){label})*");
    let tag = "img|script|iframe|svg|style|link|object|embed|form|meta|video|audio|base|input|button|body|image|picture";
    let any = [
        r#"\]\(\s*(?P<target>[^\s)"]+)"#.to_owned(),
        format!(r"<[\s/]*(?:(?:{tag}){end}|a\s[^>]*=)[^>]*>?"),
        format!(r"(?P<scheme>(?:h[tx]{{2}}ps?|ftp)\\?\[?:\]?//(?:www\.)?|www\.){rest}"),
        format!(
            r"[a-z][a-z0-9+.-]*\\?\[?:\]?//{rest}|{end}(?:(?:javascript|vbscript|mailto|tel|sms):[^\s]|(?:file:|data:[a-z]+)/){rest}"
        ),
        format!(r"{end}10\s?\.\s?[0-9]{{4,9}}(?:\.[0-9]+)*\s?/\s?{rest}"),
        format!(r"[\p{{L}}\p{{N}}._%+-]+{at}{names}(?:{point}|\sdot\s)\p{{L}}{{2,}}"),
        format!(r"{end}(?:[0-9]{{1,3}}{point}){{3}}[0-9]{{1,3}}{end}(?:[:/]{rest})?"),
        format!(r"(?P<host>{names}{point}(?P<ending>\p{{L}}{{2,}}))[:/?#]{rest}"),
        format!(
            r"(?P<bare>{names}(?:{point}(?:рф|рус|укр|(?P<short>{ENDINGS}|[a-z]{{2}}){end})|\sdot\s(?:{ENDINGS}){end}))"
        ),
    ];
    let phone = [
        // With a country's code, as in North America, or behind what says so.
        r"(?P<abroad>\+[1-9][0-9]{0,2}(?:[ ()./-]{1,2}[0-9]{2,}){2,})",
        r"(?:\([0-9]{3}\) ?|[0-9]{3}[.-])[0-9]{3}[.-][0-9]{4}",
        r"\b(?:tel|phone|telephone|hotline|call|whatsapp|fax)[.:]?(?: us| me| now)?(?: at| on)?:? ?\+?[0-9(][0-9 ()./-]{5,}[0-9]",
    ]
    .map(|phone| format!("{phone}{end}"));
    let any = any.into_iter().chain(phone).collect::<Vec<_>>();
    Regex::new(&any.join("|")).expect("the pattern is fixed and valid")
});

/// The addresses of a folded text: where each stands, and where that which is compared begins.
fn found(text: &str, folded: &Folded) -> Vec<(Range<usize>, usize)> {
    let hay = folded.text();
    let mut out = Vec::new();
    for captures in PATTERN.captures_iter(hay) {
        let Some(whole) = captures.get(0).filter(|_| is_address(text, folded, &captures)) else {
            continue;
        };
        let scheme = captures.name("scheme").map(|scheme| scheme.end());
        let target = captures.name("target").map(|target| target.start());
        let start = scheme.or(target).unwrap_or(whole.start());
        // A DOI is the same with and without its resolver.
        let own =
            ["doi.org/", "dx.doi.org/"].into_iter().find_map(|resolver| hay[start..].strip_prefix(resolver));
        let doi = own.filter(|own| own.starts_with("10.")).map(|own| hay.len() - own.len());
        out.push((whole.range(), doi.unwrap_or(start)));
    }
    out
}

/// Whether what looks like a name with an ending is an address; all else is.
fn is_address(text: &str, folded: &Folded, captures: &Captures<'_>) -> bool {
    if let Some(number) = captures.name("abroad") {
        // "+10 (20-30)" is a difference and its interval.
        return number.as_str().bytes().filter(u8::is_ascii_digit).count() >= 9;
    }
    let (host, bare) = (captures.name("host"), captures.name("bare"));
    let Some(name) = host.or(bare) else {
        return true;
    };
    let printed = |range: Range<usize>| &text[folded.original(range)];
    let parts = squeezed(name.as_str());
    let mut parts = parts.rsplit('.');
    let (ending, label) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let long = label.chars().count() > 2 && label.contains(char::is_alphabetic);
    let goes_on =
        folded.text()[name.end()..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let counts = if bare.is_some() { long && !goes_on } else { long || ending.len() < 4 };
    // "in mice.In rats" is two sentences.
    let apart = captures.name("ending").or(captures.name("short")).is_some_and(|ending| {
        printed(ending.range()).starts_with(char::is_uppercase)
            && printed(name.range()).contains(char::is_lowercase)
    });
    counts && !apart && !UNITS.contains(&ending)
}

/// A folded text without hyphens and disguise.
fn squeezed(text: &str) -> String {
    static DISGUISE: Pattern =
        Pattern::new(r"\s?[\[({]\s?(?P<sign>[.。:@]|dot|at)\s?[\])}]\s?|\s(?P<word>dot)\s|[\\-]");
    let plain = DISGUISE.replace_all(text, |found: &Captures<'_>| {
        match found.name("sign").or(found.name("word")).map(|sign| sign.as_str()) {
            Some("at" | "@") => "@",
            Some(":") => ":",
            Some(_) => ".",
            None => "",
        }
    });
    plain.replace('。', ".")
}

/// Whether a known text begins with an address that ends there.
fn begins(known: &str, key: &str) -> bool {
    let mut rest = known.char_indices().filter(|(_, c)| *c != ' ');
    let mut end = 0;
    for c in key.chars() {
        match rest.next() {
            Some((at, own)) if own == c => end = at + c.len_utf8(),
            _ => return false,
        }
    }
    let mut behind = known[end..].chars();
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let next = behind.next();
    let joins = next.is_some_and(|c| matches!(c, '.' | '_' | '@' | ':' | '%' | '&' | '=' | '~' | '+'));
    !(word(next) || (joins && word(behind.next())))
}

/// Whether the character may stand behind an address.
fn is_ending(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '\'' | '"' | '*' | '_' | '/' | '>'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<&str> {
        addresses(text).into_iter().map(|a| &text[a.span]).collect()
    }

    #[test]
    fn addresses_are_found_in_every_form() {
        let check = |text: &str, want: &[&str]| assert_eq!(shown(text), want, "{text:?}");
        for one in "https://evil.example/x?leak=a|HTTP://EVIL.EXAMPLE|hxxps://evil[.]example/x|\
            https[:]//evil.example|https://еvil.com|ht\u{200b}tps://evil.com|ｈｔｔｐｓ：／／ｅｖｉｌ．ｃｏｍ|\
            http://3232235777/|ftp://evil.example|mailto:a@b.org|www.evil.zone|evil.example|\
            evil[.]example|evil (dot) com|evil dot com|EVIL.COM|xn--e1awd7f.xn--p1ai|испытание.рф|\
            bit.ly/3xYz|t.me/evil|evil.ru|203.0.113.7|203[.]0[.]113[.]7/a|10.1000/182-a|a.b+c@evil.org|\
            a [at] evil [dot] org|+49 30 1234567|+1 (555) 010-9999|(555) 010-9999|555-010-9999|\
            phone 0800 123456|<img src=x onerror=alert(2)>|<script>|<a href='x'>".split('|') {
            check(&format!("See {one} now"), &[one]);
        }
        check("[a](javascript:alert(1)) ![x](/p.png?d=1)", &["](javascript:alert(1", "](/p.png?d=1"]);
        check("[a][1]\n\n[1]: https://evil.example", &["https://evil.example"]);
        check("doi:10.1/x", &[]);
        for text in [
            "e.g. in mice.In rats, i.e. at 5 a.m. (Orvella et al. 2021)",
            "5 mg.kg-1.min-1 of 3.5 mL/kg, 2 mg.kg/day, p<0.05 and a<b=c>d",
            "the CD4/CD8 ratio, and/or 12:30, version 1.2.3 of lme4, Fig. 2.no",
            "a quantum dot in the cell, a quantum dot film/glass, nDCG@10 and P@k, raw data:none",
            "Ph.D. and M.Sc students of J.R. Smith",
            "effect [3] (95% CI 1.2 to 3.4)",
            "+12.5 (3.4), +2.1 in 1999-2005, 2021-03-14, ISSN 1234-5678, 123 456 7890 reads, NCT01234567",
            "rings of 12 cells, calls 3 of 4, during 2010-2015, a recall of 12.3-45.6, +10 (20-30), +12 (120-150)",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn addresses_are_known_in_every_spelling() {
        let check = |known: &str, text: &str, want: bool| {
            let mut all = KnownAddresses::default();
            all.add(known);
            let own = addresses(text);
            assert_eq!(!own.is_empty() && own.iter().all(|a| all.holds(a)), want, "{known:?} {text:?}");
        };
        let paper = "Data: https://osf.io/ab-\n12c/ and https://www.my-host.org/data/\nfiles/v1.zip (mail: a.b@uni.edu).";
        check(paper, "osf.io/ab12c", true);
        check(paper, "HTTP://OSF.IO/AB12C.", true);
        check(paper, "see (https://osf.io/ab-12c)", true);
        check(paper, "my-host.org/data/files/v1.zip", true);
        check(paper, "http://my-host.org", true);
        check(paper, "a.b@uni.edu", true);
        check(paper, "osf.io/ab12", false);
        check(paper, "osf.io/ab12c?leak=x", false);
        check(paper, "osf.io/ab12c/../x", false);
        check(paper, "https://osf.io@evil.example", false);
        check(paper, "https://osf.io.evil.example", false);
        check(paper, "https://my", false);
        check(paper, "uni.edu", false);
        check(paper, "osf[.]io", true);
        let doi = "doi: 10.1016/S0140-6736(20)\n30183-5.";
        check(doi, "https://doi.org/10.1016/s0140-6736(20)30183-5", true);
        check(doi, "(10.1016/S0140-6736(20)30183-5)", true);
        check(doi, "dx.doi.org/10.1016/S0140-6736(20)30183", false);
        check(doi, "https://evil.example/10.1016/S0140-6736(20)30183-5", false);
    }

    proptest! {
        #[test]
        fn spans_are_ordered_slices(text in "(https?:|//|[a-z]{1,3}|[.]|\\[|\\]\\(|@|/|dot| |10\\.1000|<img|\\PC){0,30}") {
            let mut last = 0;
            for address in addresses(&text) {
                prop_assert!(address.span.start >= last && text.get(address.span.clone()).is_some());
                last = address.span.end;
            }
        }
    }
}
