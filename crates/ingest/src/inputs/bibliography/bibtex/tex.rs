//! TeX as titles and names hold it, read as text.

use unicode_normalization::UnicodeNormalization as _;

/// Accents in accents: two stand on letters of Vietnamese.
const MAX_DEPTH: usize = 4;

/// Commands for an accent, and its combining mark.
const ACCENTS: &str = "` \u{300} ' \u{301} ^ \u{302} ~ \u{303} = \u{304} u \u{306} . \u{307} \" \u{308} r \u{30a} H \u{30b} v \u{30c} \
    d \u{323} c \u{327} k \u{328} b \u{331} t \u{361}";

/// Commands for a character, and the character.
const CHARACTERS: &str = "ss ß o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ dh ð DH Ð th þ TH Þ dj đ DJ Đ ng ŋ NG Ŋ \
    textendash – textemdash — textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” ldots … dots … textellipsis … \
    textregistered ® texttrademark ™ copyright © textdegree ° degree ° pounds £ euro € S § P ¶ textgreater > textless < \
    textbackslash \\ textasciitilde ~ textunderscore _ textbar | TeX TeX LaTeX LaTeX pm ± times × cdot · le ≤ leq ≤ ge ≥ geq ≥ gt > lt < \
    ne ≠ neq ≠ approx ≈ sim ∼ rightarrow → to → leftarrow ← infty ∞ circ ° prime ′ partial ∂ sum ∑ int ∫ sqrt √ in ∈ \
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ \
    pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ \
    Upsilon Υ Phi Φ Psi Ψ Omega Ω textmu µ textalpha α textbeta β textgamma γ";

const PLAIN: &str = "0123456789+-n";
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ";

/// The text of a field. Commands that are not known are left out, and what they apply to stays.
pub(super) fn text(tex: &str) -> String {
    convert(tex, 0).nfc().collect()
}

/// An address: only braces and escapes are taken away.
pub(super) fn address(tex: &str) -> String {
    tex.replace("\\url", "").replace(['\\', '{', '}'], "")
}

fn convert(tex: &str, depth: usize) -> String {
    let mut out = String::with_capacity(tex.len());
    let (mut rest, mut math) = (tex, false);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let twice = rest.starts_with(c);
        match c {
            '\\' => out.push_str(&command(&mut rest, depth)),
            '{' | '}' => {}
            '~' => out.push(' '),
            // A single one is no mathematics.
            '$' if math || rest.match_indices('$').any(|(at, _)| !rest[..at].ends_with('\\')) => math = !math,
            '^' if math => out.push_str(&raised(&argument(&mut rest, depth))),
            '_' if math => out.push_str(&argument(&mut rest, depth)),
            '-' | '`' | '\'' if twice => {
                rest = &rest[1..];
                out.push(match c {
                    '-' if rest.starts_with('-') => '—',
                    '-' => '–',
                    '`' => '“',
                    _ => '”',
                });
                rest = rest.strip_prefix('-').filter(|_| c == '-').unwrap_or(rest);
            }
            c => out.push(c),
        }
    }
    out
}

/// What a command stands for; `rest` is what follows its backslash.
fn command(rest: &mut &str, depth: usize) -> String {
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let (name, after) = rest.split_at(if letters > 0 { letters } else { first });
    *rest = if letters > 0 { after.trim_start() } else { after };
    if let Some(mark) = find(ACCENTS, name) {
        return accented(&argument(rest, depth), mark);
    }
    if let Some(character) = find(CHARACTERS, name) {
        return character.to_owned();
    }
    match name {
        "textsuperscript" => raised(&argument(rest, depth)),
        "href" => {
            argument(rest, depth);
            String::new()
        }
        "&" | "%" | "$" | "#" | "_" | "{" | "}" => name.to_owned(),
        "," | ";" | ":" | "\\" | " " | "\n" => " ".to_owned(),
        _ => String::new(),
    }
}

/// What a command applies to: the next group, command or character.
fn argument(rest: &mut &str, depth: usize) -> String {
    let tex = rest.trim_start();
    let first = tex.chars().next().map_or(0, char::len_utf8);
    (*rest, _) = (&tex[first..], first);
    match &tex[..first] {
        _ if depth >= MAX_DEPTH => String::new(),
        "\\" => command(rest, depth + 1),
        "{" => {
            let end = super::entries::group_end(rest, '}').unwrap_or(rest.len());
            let inner = convert(&rest[..end], depth + 1);
            *rest = rest.get(end + 1..).unwrap_or_default();
            inner
        }
        character => character.to_owned(),
    }
}

/// The text with a mark on its first letter, above the marks that it has.
fn accented(text: &str, mark: &str) -> String {
    // An i with an accent has no dot.
    let letters: String = text.replace('ı', "i").replace('ȷ', "j").nfd().collect();
    let is_mark = unicode_normalization::char::is_combining_mark;
    let mut others = letters.char_indices().skip(1).filter(|(_, c)| !is_mark(*c));
    let (first, rest) = letters.split_at(others.next().map_or(letters.len(), |(at, _)| at));
    if first.is_empty() { String::new() } else { format!("{first}{mark}{rest}") }
}

/// The text raised, if there are such characters.
fn raised(text: &str) -> String {
    let one = |c: char| RAISED.chars().nth(PLAIN.chars().position(|plain| plain == c)?);
    text.chars().map(one).collect::<Option<String>>().unwrap_or_else(|| text.to_owned())
}

fn find<'t>(table: &'t str, name: &str) -> Option<&'t str> {
    let mut words = table.split_ascii_whitespace();
    while let (Some(own), Some(meant)) = (words.next(), words.next()) {
        if own == name {
            return Some(meant);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tex_is_read_as_text() {
        for (tex, want) in [
            (r"Nguy{\~\^e}n, Xu{\^a}n Th{\'\u a}ng", "Nguyễn, Xuân Thắng"),
            (r"Gro{\ss}wend {\O}ystein L{\o}ken \L{}ukasz {\AA}s", "Großwend Øystein Løken Łukasz Ås"),
            (r#"R{\"o}glin M\"uller \"{O}zt\"urk na{\"\i}ve \'{\i}"#, "Röglin Müller Öztürk naïve í"),
            (
                r"Kovalevskait{\.{e}} {\v{S}}im{\r{u}}nek Bart\c{s} Erd\H{o}s \k{a} \d{s} {\=a} \c c",
                "Kovalevskaitė Šimůnek Bartş Erdős ą ṣ ā ç",
            ),
            (
                r"Magnesium $>$ starch, $p \leq 0.05$, {TNF}-$\alpha$, 3\,m$^{2}$, CO$_2$, 10$^{-3}$",
                "Magnesium > starch, p ≤0.05, TNF-α, 3 m², CO2, 10⁻³",
            ),
            (
                r"A~B -- C --- D\&E, 5\,\%, ``so'', \textit{x} \emph{y} \url{https://a.b/_c}",
                "A B – C — D&E, 5 %, “so”, x y https://a.b/_c",
            ),
            (
                r"costs $5, \$6, O'Neil, well-known, x\textsuperscript{th}, \href{u}{t}",
                "costs $5, $6, O'Neil, well-known, xth, t",
            ),
            (r"ünï 中文 \unknown{kept} \'", "ünï 中文 kept "),
            ("{\\'{\\'{\\'{\\'{\\'{\\'a}}}}}} \\{x\\} \\", " {x} "),
        ] {
            assert_eq!(text(tex), want, "{tex}");
        }
        assert_eq!(address(r"\url{https://a.b/~c--d\_e%20$f}"), "https://a.b/~c--d_e%20$f");
    }
}
