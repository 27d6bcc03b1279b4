//! Parses tesseract's output (hOCR, which is HTML): each word with its box and confidence, each line with its baseline.

/// A line of recognised words, in pixels from the top left corner.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Line {
    /// Left end of the line.
    pub(super) left: f32,
    /// Baseline at its left end.
    pub(super) baseline: f32,
    /// By how much the baseline falls for each pixel to the right.
    pub(super) slope: f32,
    /// Height from the lowest descender to the highest ascender: about the size of the type.
    pub(super) size: f32,
    /// Whether it runs from left to right.
    pub(super) upright: bool,
    pub(super) words: Vec<Word>,
}

/// A recognised word.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    /// 0 to 1.
    pub(super) confidence: f32,
}

/// Lines of a page, at most: more are no page.
const MAX_LINES: usize = 20_000;

/// Reads the lines. What cannot be understood is passed over: the answer is a guess anyway.
pub(super) fn lines(html: &str) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<span") {
        rest = &rest[at + "<span".len()..];
        let Some(end) = rest.find('>') else { break };
        let (tag, behind) = (&rest[..end], &rest[end + 1..]);
        rest = behind;
        let title = attribute(tag, "title").unwrap_or_default();
        match attribute(tag, "class").unwrap_or_default() {
            "ocrx_word" => {
                let text = behind.split("</span>").next().unwrap_or_default();
                if let (Some(word), Some(line)) = (word(title, text), out.last_mut()) {
                    line.words.push(word);
                }
            }
            // ocr_line, ocr_header, ocr_caption, ocr_textfloat
            class if class.starts_with("ocr_") && out.len() < MAX_LINES => out.extend(line(title)),
            _ => {}
        }
    }
    out.retain(|line| !line.words.is_empty());
    out
}

fn word(title: &str, html: &str) -> Option<Word> {
    let [left, _, right, _] = numbers(title, "bbox")?;
    let [confidence] = numbers(title, "x_wconf")?;
    let text = plain(html);
    (!text.is_empty() && right > left).then_some(Word {
        text,
        left,
        right,
        confidence: (confidence / 100.0).clamp(0.0, 1.0),
    })
}

fn line(title: &str) -> Option<Line> {
    let [left, top, right, bottom] = numbers(title, "bbox")?;
    // Slope, and where it starts below the bottom left corner of the box.
    let baseline = numbers(title, "baseline");
    let [slope, offset] = baseline.unwrap_or_default();
    // A line that runs upwards or downwards has no baseline, and in some versions no angle either.
    let turned = numbers(title, "textangle").is_some_and(|[angle]| angle.abs() >= 1.0);
    let upright = !turned && (baseline.is_some() || right - left >= bottom - top);
    let size = numbers(title, "x_size").map_or(bottom - top, |[size]| size);
    Some(Line {
        left,
        baseline: bottom + offset,
        slope: slope.clamp(-1.0, 1.0),
        size: size.max(1.0),
        upright,
        words: Vec::new(),
    })
}

/// The numbers behind a name in a list such as `bbox 1 2 3 4; x_wconf 96`.
fn numbers<const N: usize>(title: &str, name: &str) -> Option<[f32; N]> {
    let entry = title.split(';').find_map(|e| e.trim().strip_prefix(name)?.strip_prefix(' '))?;
    let mut out = [0.0; N];
    let mut words = entry.split_ascii_whitespace();
    for slot in &mut out {
        *slot = words.next()?.parse().ok().filter(|n: &f32| n.abs() < 1e6)?;
    }
    Some(out)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = tag.match_indices(name).find_map(|(at, _)| {
        let value = tag[at + name.len()..].strip_prefix('=')?;
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        value[1..].split(quote).next()
    });
    at.map(str::trim)
}

/// The text without tags, its entities resolved.
fn plain(html: &str) -> String {
    let mut out = String::new();
    for (i, part) in html.split('<').enumerate() {
        let text = if i == 0 { part } else { part.split_once('>').map_or("", |(_, t)| t) };
        out.push_str(text);
    }
    if let Ok(plain) = quick_xml::escape::unescape_with(&out, quick_xml::escape::resolve_html5_entity) {
        out = plain.into_owned();
    }
    out.retain(|c| !c.is_whitespace() && !c.is_control());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_and_lines_come_with_their_places() {
        let html = "<p><span class='ocr_line' id='line_1_1' title=\"bbox 100 200 500 240; baseline 0.01 -10; \
                    x_size 40; x_descenders 8\">\n<span class='ocrx_word' title='bbox 100 202 180 238; \
                    x_wconf 96'>Fish</span>\n<span class='ocrx_word' title='bbox 200 202 260 238; x_wconf 50'>\
                    <strong>&amp;chips</strong></span></span>\n<span class='ocr_header' title='bbox 0 0 9 9'>\
                    <span class='ocrx_word' title='bbox 1 1 1 1; x_wconf 9'>no width</span></span>";
        let found = lines(html);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].baseline - 230.0).abs() < 0.01 && (found[0].size - 40.0).abs() < 0.01);
        let words: Vec<(&str, f32)> =
            found[0].words.iter().map(|w| (w.text.as_str(), w.confidence)).collect();
        assert_eq!(words, [("Fish", 0.96), ("&chips", 0.5)]);
    }

    #[test]
    fn lines_on_their_side_are_known() {
        let check = |angle: &str, want: bool| {
            let html = format!(
                "<span class='ocr_line' title='bbox 1 2 30 400; {angle}x_size 9'><span class='ocrx_word' title='bbox 1 2 30 \
                 40; x_wconf 90'>up</span></span>"
            );
            assert_eq!(lines(&html)[0].upright, want, "{angle}");
        };
        check("", false);
        check("baseline 0.01 -3; ", true);
        check("baseline 0.01 -3; textangle 0; ", true);
        check("textangle 90; ", false);
        check("baseline 0.01 -3; textangle 180; ", false);
    }

    #[test]
    fn broken_answers_give_what_there_is() {
        let check = |html: &str| assert!(lines(html).is_empty(), "{html}");
        check("");
        check("<span");
        check("<span class='ocrx_word' title='bbox 1 2 3 4; x_wconf 9'>no line</span>");
        check("<span class='ocr_line' title='bbox 1 2'><span class='ocrx_word' title=''>x</span>");
        check("<span class='ocr_line' title='bbox 1 2 NaN 4'>");
    }

    proptest! {
        #[test]
        fn no_answer_breaks_it(parts in proptest::collection::vec(proptest::sample::select(vec![
            "<span class='ocr_line' title='bbox 1 2 3 4; baseline 0 0'>", "<span class='ocrx_word' title='", "bbox 0 0 9 9",
            "; x_wconf 1e9'>", "text", "</span>", "<", ">", "=", "ß", "&amp;", "'", "title=", "class='ocr"]), 0..40)) {
            let _ = lines(&parts.concat());
        }
    }
}
