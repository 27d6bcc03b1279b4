//! DOIs as people and publishers write them.

use percent_encoding::percent_decode_str;

/// A DOI without the prefixes that it is written with, in lower case; `None` when it is none.
pub(crate) fn doi(text: &str) -> Option<String> {
    const KNOWN: &str = "|doi|doi.org|http://doi.org|https://doi.org|http://dx.doi.org|https://dx.doi.org";
    let lower = text.trim().to_lowercase();
    let at = lower.find("10.")?;
    let before = lower[..at].trim_end_matches([' ', '/', ':']);
    let doi = &lower[at..];
    let whole = doi.split_once('/').is_some_and(|(_, suffix)| !suffix.is_empty());
    (KNOWN.split('|').any(|known| known == before) && whole && !doi.contains(char::is_whitespace))
        .then(|| doi.to_owned())
}

/// What a URL holds behind the DOI of an article: the views of its page, and the kinds of its file.
const VIEWS: &str = "/full|/fulltext|/full-text|/abstract|/summary|/pdf|/epdf|/pdfdirect|/html|/meta|/epub|/references|\
    .pdf|.full|.abstract|.html";

/// The DOI in a URL of a publisher or resolver, in lower case; `None` where there is none.
pub(super) fn doi_in_url(url: &str) -> Option<String> {
    let url = percent_decode_str(url.trim()).decode_utf8_lossy().to_lowercase();
    let starts = url.match_indices("10.").map(|(at, _)| at);
    let mut found = starts.filter_map(|at| {
        // A DOI is a part of the path or the value of a parameter, and its prefix is a number.
        let apart = at == 0 || matches!(url.as_bytes()[at - 1], b'/' | b'=' | b':' | b' ');
        let (prefix, suffix) = url[at..].split_once('/')?;
        let number = &prefix[3..];
        let registrant =
            (4..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let end = suffix.find(|c: char| c.is_whitespace() || "?#&\"<>".contains(c));
        let suffix = trimmed(&suffix[..end.unwrap_or(suffix.len())]);
        (apart && registrant && !suffix.is_empty()).then(|| format!("{prefix}/{suffix}"))
    });
    found.next()
}

/// A suffix without the view of the page that a URL ends with.
fn trimmed(suffix: &str) -> &str {
    let mut rest = suffix.trim_end_matches(['/', '.', ',', ';', ')']);
    while let Some(shorter) = VIEWS.split('|').find_map(|view| rest.strip_suffix(view)) {
        rest = shorter.trim_end_matches('/');
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dois_lose_their_prefixes() {
        let check = |text: &str, want: Option<&str>| assert_eq!(doi(text).as_deref(), want, "{text}");
        check("doi: 10.1000/Abc", Some("10.1000/abc"));
        check("https://doi.org/10.1000/ABC", Some("10.1000/abc"));
        check("10.1000/", None);
        check("see 10.1000/abc", None);
    }

    #[test]
    fn urls_of_publishers_hold_dois() {
        let check = |url: &str, want: Option<&str>| assert_eq!(doi_in_url(url).as_deref(), want, "{url}");
        let want = Some("10.99999/abc.2014.00123");
        check("https://doi.org/10.99999/ABC.2014.00123", want);
        check("https://www.example.org/articles/10.99999/abc.2014.00123/full", want);
        check("https://www.example.org/articles/10.99999/abc.2014.00123/full/html", want);
        check("https://example.org/doi/abs/10.99999/abc.2014.00123?journalCode=x", want);
        check("https://example.org/article?id=10.99999/abc.2014.00123&type=x", want);
        check("https://example.org/content/pdf/10.99999%2Fabc.2014.00123.pdf", want);
        check("10.99999/abc.2014.00123", want);
        check("doi:10.99999/abc.2014.00123.", want);
        check("https://example.org/article/pii/S0140-6736(20)30183-5", None);
        check("https://example.org/v110.99999/x", None);
        check("https://example.org/10.5/x", None);
        check("https://example.org/10.99999/", None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(https://x.org/)?[10./%a-f2F \u{e9}?]{0,40}") {
            let _ = (doi(&text), doi_in_url(&text));
        }
    }
}
