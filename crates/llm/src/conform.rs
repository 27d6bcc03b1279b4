//! Replies that mean what the schema asks for, and write it in another way: read where there is one way to read them.

use crate::extract;
use serde_json::{Map, Value};

/// How often a value is unwrapped at most.
const UNWRAPS: u32 = 4;

/// The JSON in the form of the schema, `None` where nothing changes, and whether all of it has that form. Parts that
/// could be read in several ways stay as they are.
pub(crate) fn conform(json: &str, schema: &Value) -> (Option<String>, bool) {
    let Ok(value) = serde_json::from_str::<Value>(json) else {
        return (None, false);
    };
    let mut read = value.clone();
    let fits = fit(&mut read, schema, UNWRAPS);
    ((read != value).then(|| read.to_string()), fits)
}

/// Brings a value into the form of the schema; whether all of it has it.
fn fit(value: &mut Value, schema: &Value, unwraps: u32) -> bool {
    let mut types = match &schema["type"] {
        Value::String(own) => vec![own.as_str()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => return true,
    };
    types.sort_by_key(|own| *own != "null");
    let settled = |value: &mut Value| types.iter().any(|own| settle(value, schema, own, unwraps));
    if settled(value) {
        return true;
    }
    let inner = match &*value {
        Value::Array(list) if list.len() == 1 => list.first().cloned(),
        Value::Object(members) if members.len() == 1 => members.values().next().cloned(),
        Value::String(text) => in_string(text),
        _ => None,
    };
    let only = schema["properties"].as_object().filter(|own| own.len() == 1);
    let around = match (value.is_array(), only.and_then(|own| own.keys().next())) {
        (true, Some(key)) => Value::Object(Map::from_iter([(key.clone(), value.clone())])),
        _ => Value::Array(vec![value.clone()]),
    };
    let inner = inner
        .filter(|_| unwraps > 0)
        .and_then(|mut inner| fit(&mut inner, schema, unwraps - 1).then_some(inner));
    let other = inner.or_else(|| Some(around).and_then(|mut around| settled(&mut around).then_some(around)));
    let fits = other.is_some();
    *value = other.unwrap_or_else(|| value.take());
    fits
}

/// The value that a string holds: JSON, a word for one, or nothing.
fn in_string(text: &str) -> Option<Value> {
    match letters(text).as_str() {
        "yes" | "true" => Some(true.into()),
        "no" | "false" => Some(false.into()),
        "" | "null" | "none" | "na" => Some(Value::Null),
        _ => serde_json::from_str(extract::json(text)?).ok(),
    }
}

/// As [`fit`], for one type of the schema and without a change of what is around the value.
fn settle(value: &mut Value, schema: &Value, own: &str, unwraps: u32) -> bool {
    let read = match (own, &mut *value) {
        ("object", Value::Object(members)) => return object(members, schema, unwraps),
        ("array", Value::Array(items)) => {
            items.retain(|item| !item.is_null());
            let fits = items.iter_mut().map(|item| fit(item, &schema["items"], unwraps));
            return fits.fold(true, |all, own| all & own);
        }
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => return true,
        ("null", Value::String(text)) if in_string(text) == Some(Value::Null) => Value::Null,
        ("array", Value::Null) => Value::Array(Vec::new()),
        ("string", Value::String(text)) => match schema["enum"].as_array() {
            None if text.trim() == "null" => "".into(),
            Some(list) => {
                match list.iter().find(|own| letters(own.as_str().unwrap_or_default()) == letters(text)) {
                    Some(own) => own.clone(),
                    None => return false,
                }
            }
            None => return true,
        },
        ("string", Value::Number(number)) => number.to_string().into(),
        ("string", Value::Null) if schema["enum"].is_null() => "".into(),
        ("string", Value::Array(list)) if list.is_empty() && schema["enum"].is_null() => "".into(),
        ("boolean", Value::Number(number)) if number.as_u64().is_some_and(|n| n < 2) => {
            (number.as_u64() == Some(1)).into()
        }
        ("integer", Value::Number(number)) if !number.is_f64() => return true,
        ("integer", Value::Number(number)) => match number.as_f64() {
            Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => (number as i64).into(),
            _ => return false,
        },
        _ => return false,
    };
    *value = read;
    true
}

/// An object fits if it has a property, those that it has fit, and it lacks none but texts and lists.
fn object(members: &mut Map<String, Value>, schema: &Value, unwraps: u32) -> bool {
    let Some(properties) = schema["properties"].as_object() else {
        return true;
    };
    let (mut any, mut fits) = (false, true);
    for (name, own) in properties {
        let alike = |key: &&String| letters(key) == letters(name) && !properties.contains_key(*key);
        if !members.contains_key(name)
            && let Some(key) = members.keys().find(alike).cloned()
        {
            let value = members.shift_remove(&key).unwrap_or_default();
            members.insert(name.clone(), value);
        }
        match members.get_mut(name) {
            Some(value) => {
                any = true;
                fits &= fit(value, own, unwraps);
            }
            None => fits &= own["type"] == "string" && own["enum"].is_null() || own["type"] == "array",
        }
    }
    any && fits
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer() -> Value {
        let text = json!({"type": "string"});
        let evidence = json!({"type": "object", "properties": {"id": text, "quote": text}});
        let claim = json!({"type": "object", "properties": {
            "evidence": {"type": "array", "items": evidence}, "sentence": text}});
        json!({"type": "object", "properties": {
            "claims": {"type": "array", "items": claim},
            "no_evidence": {"type": "boolean"},
            "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
            "quality": text,
            "caveats": {"type": "array", "items": text},
        }})
    }

    fn right() -> Value {
        json!({"claims": [{"evidence": [{"id": "a", "quote": "q"}], "sentence": "s"}], "no_evidence": false,
            "confidence": "high", "quality": "", "caveats": []})
    }

    #[track_caller]
    fn check(schema: &Value, said: &Value, want: &Value) {
        let (read, fits) = conform(&said.to_string(), schema);
        let read = read.map_or_else(|| said.clone(), |read| serde_json::from_str(&read).expect("JSON"));
        assert_eq!((&read, fits), (want, true), "{said}");
    }

    #[test]
    fn what_can_be_read_in_one_way_is_read() {
        let (schema, right) = (answer(), right());
        let with = |place: &str, value: Value| {
            let mut said = right.clone();
            *said.pointer_mut(place).expect("a place") = value;
            said
        };
        for said in [
            right.clone(),
            with("/confidence", json!("High")),
            with("/confidence", json!(" HIGH. ")),
            with("/confidence", json!(["high"])),
            with("/no_evidence", json!("false")),
            with("/no_evidence", json!("False")),
            with("/no_evidence", json!(0)),
            with("/quality", Value::Null),
            with("/quality", json!("null")),
            with("/quality", json!([])),
            with("/caveats", Value::Null),
            with("/caveats", json!("")),
            with("/caveats", json!("None.")),
            with("/caveats", json!([null])),
            with("/claims/0/evidence", json!({"id": "a", "quote": "q"})),
            with("/claims/0/evidence/0", json!([{"id": "a", "quote": "q"}])),
            with("/claims/0/evidence", json!("[{\"id\": \"a\", \"quote\": \"q\"}]")),
            with("/claims", right["claims"][0].clone()),
            with("/claims", json!({"claim": right["claims"][0]})),
            with("/claims", json!(right["claims"].to_string())),
            json!(right.to_string()),
            json!(json!(right.to_string()).to_string()),
            json!(format!("```json\n{right}\n```")),
            json!([right]),
            json!({"cited_answer": right}),
            json!({"answer": right.to_string()}),
            json!([{"x": right}]),
        ] {
            check(&schema, &said, &right);
        }
        let camel = right.to_string().replace("no_evidence", "noEvidence").replace("claims", "Claims");
        let (read, fits) = conform(&camel, &schema);
        let read: Value = serde_json::from_str(&read.expect("other names")).expect("JSON");
        assert_eq!((&read, fits), (&right, true));
        check(&schema, &with("/caveats", json!("One trial.")), &with("/caveats", json!(["One trial."])));
    }

    #[test]
    fn numbers_and_lists_without_their_key_are_read() {
        let score = json!({"type": "object", "properties": {"score": {"type": "number"}}});
        for said in [json!("0.8"), json!(" 0.80 "), json!([0.8]), json!({"value": "0.8"})] {
            check(&score, &json!({ "score": said }), &json!({"score": 0.8}));
        }
        let grade = json!({"type": "object", "properties": {"excerpt": {"type": "integer"}}});
        let grades = json!({"type": "object", "properties": {"scores": {"type": "array", "items": grade}}});
        let want = json!({"scores": [{"excerpt": 1}, {"excerpt": 2}]});
        check(&grades, &json!([{"excerpt": "1"}, {"excerpt": 2.0}]), &want);
        check(&grades, &json!({"scores": {"excerpt": "3"}}), &json!({"scores": [{"excerpt": 3}]}));
        let id = json!({"type": "object", "properties": {"id": {"type": ["string", "null"]}}});
        check(&id, &json!({"id": "none"}), &json!({"id": null}));
        check(&id, &json!({"id": 7}), &json!({"id": "7"}));
    }

    #[test]
    fn what_could_mean_several_things_stays() {
        let (schema, right) = (answer(), right());
        for (place, value) in [
            ("/confidence", json!("very high")),
            ("/confidence", Value::Null),
            ("/no_evidence", json!("unclear")),
            ("/no_evidence", Value::Null),
            ("/claims", json!("Walking helps.")),
            ("/claims/0/evidence", json!(7)),
        ] {
            let mut said = right.clone();
            *said.pointer_mut(place).expect("a place") = value;
            assert_eq!(conform(&said.to_string(), &schema), (None, false), "{said}");
        }
        for said in
            [json!([right, right]), json!({"a": right, "b": 1}), json!({}), json!("text"), json!(null)]
        {
            assert_eq!(conform(&said.to_string(), &schema), (None, false), "{said}");
        }
        let score = json!({"type": "object", "properties": {"score": {"type": "number"}}});
        for said in ["80%", "8/10", "0,8", "1,000", "high", "NaN", "inf"] {
            let said = json!({ "score": said }).to_string();
            assert_eq!(conform(&said, &score), (None, false), "{said}");
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(conform(&deep, &schema), (None, false));
    }
}
