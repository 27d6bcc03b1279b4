//! Repairs, and what is left alone.

use super::*;

fn whole(text: &str, want: &str, repairs: &[&str]) {
    let found = object(text, false).expect(text);
    assert_eq!(
        (found.json.as_str(), found.repairs.as_slice(), found.closed),
        (want, repairs, false),
        "{text}"
    );
}

#[test]
fn damage_is_repaired() {
    whole(r#"{"a": [1, 2, ], }"#, r#"{"a": [1, 2 ] }"#, &[TRAILING_COMMA]);
    whole("{\"a\": 1, // one, or \"1\"\n \"b\": 2}", "{\"a\": 1, \n \"b\": 2}", &[COMMENT]);
    whole("{\"a\": \"x\ny\tz\u{1}\"}", r#"{"a": "x\ny\tz\u0001"}"#, &[CONTROL]);
    whole(
        r#"{"a": True, "b": [False, None], "c": "None"}"#,
        r#"{"a": true, "b": [false, null], "c": "None"}"#,
        &[LITERAL],
    );
    whole(r"{'a': 'it\'s', 'b': None}", r#"{"a": "it's", "b": null}"#, &[SINGLE, LITERAL]);
    whole(
        "{“a”: “he said “no” or \"so\"”, ”b”: ”x”}",
        r#"{"a": "he said “no” or \"so\"", "b": "x"}"#,
        &[TYPOGRAPHIC],
    );
    whole("{“a”: \"“quoted” // no comment\"}", "{\"a\": \"“quoted” // no comment\"}", &[TYPOGRAPHIC]);
    whole("{\"a\":1,}} and more", "{\"a\":1}", &[TRAILING_COMMA]);
}

#[test]
fn what_is_not_certain_is_left_alone() {
    for text in [
        "",
        "a",
        "{a: 1}",
        "{\"a\": b}",
        "{\"a\" 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1,, \"b\": 2}",
        "{\"a\": [1}",
        "{\"a\": 01, }",
        "{\"a\": NaN, }",
        "{\"a\": \"\\x\",}",
        "{\"a\": \"\\u12g4\",}",
        "{'a': \"b\"}",
        "{'a': 'b \"c\"'}",
        "{\"a\": 'b'}",
        "{'a': 'it's'}",
        "{“a”: “x “y”, “b”: “z”}",
        "{/* b */ \"a\": 1}",
        "{,}",
    ] {
        assert_eq!(object(text, false), None, "{text}");
    }
    assert_eq!(object("{'a': 'b', 'c': 'd", true), None, "only usual quotes are closed");
}

#[test]
fn a_cut_end_is_closed() {
    let check = |text: &str, want: Option<&str>, repairs: &[&str]| {
        let found = object(text, true);
        assert_eq!(found.as_ref().map(|f| f.json.as_str()), want, "{text}");
        if let Some(found) = found {
            assert!(found.closed && found.end == text.len(), "{text}");
            assert_eq!(found.repairs, repairs, "{text}");
        }
    };
    check(r#"{"a": [1, {"b": 2}"#, Some(r#"{"a": [1, {"b": 2}]}"#), &[CLOSED]);
    check(r#"{"a": [1,"#, Some(r#"{"a": [1]}"#), &[CLOSED]);
    check("{\"a\": [1\n```\n", Some("{\"a\": [1]}"), &[CLOSED]);
    check(r#"{"a": "x y"#, Some(r#"{"a": "x y"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": "x\"#, Some(r#"{"a": "x"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": "x\u00"#, Some(r#"{"a": "x"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": "x\ud83d"#, Some(r#"{"a": "x"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": "x\ud83d\ude"#, Some(r#"{"a": "x"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": "\ud83d\ude00"#, Some(r#"{"a": "\ud83d\ude00"}"#), &[CUT_STRING, CLOSED]);
    check(r#"{"a": 1, "b"#, Some(r#"{"a": 1}"#), &[DROPPED, CLOSED]);
    check(r#"{"a": 1, "b":"#, Some(r#"{"a": 1}"#), &[DROPPED, CLOSED]);
    check(r#"{"a": 1, "b": tr"#, Some(r#"{"a": 1}"#), &[DROPPED, CLOSED]);
    check(r#"{"a": 1, "b": 12"#, Some(r#"{"a": 1}"#), &[DROPPED, CLOSED]);
    check(r#"{"a": [1, 12"#, Some(r#"{"a": [1]}"#), &[DROPPED, CLOSED]);
    check(r#"{"a": [1, true"#, Some(r#"{"a": [1, true]}"#), &[CLOSED]);
    check(r#"{"a": "#, None, &[]);
    check("{", None, &[]);
}

#[test]
fn an_open_string_that_may_have_swallowed_the_end_is_not_closed() {
    for text in ["{\"a\": \"x}", "{\"a\": [\"x]}", "{\"a\": \"x\n```"] {
        assert_eq!(object(text, false), None, "{text}");
    }
    assert!(object("{\"a\": \"x", false).is_some());
}
