//! Cells of CSV: no spreadsheet computes one that [`record`] wrote, and [`plain`] reads it back without loss.

/// A record of these cells, without the end of its line. A cell that a spreadsheet would compute begins with an
/// apostrophe; a number stays a number.
pub fn record<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for (at, cell) in cells.into_iter().enumerate() {
        let cell = cell.as_ref();
        let guard = if is_formula(cell) { "'" } else { "" };
        if at > 0 {
            out.push(',');
        }
        // Where a locale separates cells by semicolons or tabs, an unquoted one would begin a new cell.
        if cell.contains([',', ';', '\t', '"', '\n', '\r']) {
            out.extend(["\"", guard, &cell.replace('"', "\"\""), "\""]);
        } else {
            out.extend([guard, cell]);
        }
    }
    out
}

/// The text of a cell that [`record`] wrote.
pub fn plain(cell: &str) -> &str {
    let guarded = cell.strip_prefix('\'').filter(|text| is_formula(text));
    guarded.unwrap_or(cell)
}

/// What parts the columns of a table, and the table from its header on. Columns are parted by commas, semicolons or tabs: by
/// what a first line `sep=;` says, else by what the header has most of outside quotes.
pub fn layout(text: &str) -> (u8, &str) {
    let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
    let named = first.trim_matches('"').strip_prefix("sep=").filter(|named| named.len() == 1);
    let outside: String = first.split('"').step_by(2).collect();
    let count = |delimiter: &u8| outside.matches(char::from(*delimiter)).count();
    // Of equally many, the last one counts.
    let most = b"\t;,".iter().max_by_key(|delimiter| count(delimiter)).copied();
    let delimiter = named.and_then(|named| named.bytes().next()).or(most);
    // The end of the line that names it stays, so that lines are counted from it on.
    let begin = text.find(first).filter(|_| named.is_some()).map_or(0, |at| at + first.len());
    (delimiter.unwrap_or(b','), &text[begin..])
}

/// Whether a spreadsheet would compute the cell, now or after it has left out quotes and white space before it.
fn is_formula(cell: &str) -> bool {
    let skipped = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\u{200b}'..='\u{200f}' | '\u{feff}')
    };
    let text = cell.trim_start_matches(skipped);
    let before = &cell[..cell.len() - text.len()];
    // The last eight are the full-width and the small forms, which some programs read as the first four.
    let begins = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫']);
    let digits = cell.trim_start_matches(['+', '-']);
    let number = digits.starts_with(|c: char| c == '.' || c.is_ascii_digit()) && cell.parse::<f64>().is_ok();
    before.contains(['\t', '\r', '\n']) || (begins && !number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_all_are_read_back() {
        let check = |cell: &str, want: &str| {
            assert_eq!(record([cell]), want);
            let written = want.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let read = written.map_or_else(|| want.to_owned(), |text| text.replace("\"\"", "\""));
            assert_eq!(plain(&read), cell, "{want}");
        };
        for same in ["", "plain", "-0.25", "+1", "-1e-9", "-.5", "5 mmHg", "a=1", "'tis", "− 1"] {
            check(same, same);
        }
        let guarded = "=1+1|@cmd|-x|--1|-0.5 |+inf|-1+1|  =1|'=1|''-0.5|＝1|﹢1|\u{feff}=1".split('|');
        for cell in guarded {
            check(cell, &format!("'{cell}"));
        }
        check("a,b", "\"a,b\"");
        check("a;=1", "\"a;=1\"");
        check("say \"so\"\n", "\"say \"\"so\"\"\n\"");
        check("\"=1\"", "\"'\"\"=1\"\"\"");
        check("\tx", "\"'\tx\"");
        check("'\rx", "\"''\rx\"");
        check("=1,2", "\"'=1,2\"");
        assert_eq!(record(["a", "-b", "c"]), "a,'-b,c");
    }
}
