//! A map that keeps its keys in the order of insertion, so that outputs list metrics and modes as the report does.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keys in the order of insertion, each once; JSON keeps that order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Ordered<V>(#[schemars(with = "std::collections::BTreeMap<String, V>")] IndexMap<String, V>);

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

/// Equal where the order is the same, too: `IndexMap` alone would not compare it.
impl<V: PartialEq> PartialEq for Ordered<V> {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_slice() == other.0.as_slice()
    }
}

impl<V> IntoIterator for Ordered<V> {
    type Item = (String, V);
    type IntoIter = indexmap::map::IntoIter<String, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<V> Ordered<V> {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.get(key)
    }

    /// Sets the value of `key`; a known key keeps its place.
    pub fn insert(&mut self, key: impl Into<String>, value: V) {
        self.0.insert(key.into(), value);
    }

    /// The value of `key`, put in as the default where it is new.
    pub fn entry(&mut self, key: &str) -> &mut V
    where
        V: Default,
    {
        self.0.entry(key.to_owned()).or_default()
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Keys and values in order, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut V)> {
        self.0.iter_mut().map(|(k, v)| (k.as_str(), v))
    }

    /// Values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.values()
    }

    /// Keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> FromIterator<(String, V)> for Ordered<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Ordered;

    #[test]
    fn order_survives_json() {
        let mut map = Ordered::default();
        map.insert("zeta", 1);
        map.insert("alpha", 2);
        map.insert("zeta", 3);
        let json = serde_json::to_string(&map).expect("serialises");
        assert_eq!(json, r#"{"zeta":3,"alpha":2}"#);
        assert_eq!(serde_json::from_str::<Ordered<i32>>(&json).expect("loads"), map);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["zeta", "alpha"]);
        *map.entry("alpha") += 1;
        *map.entry("new") += 1;
        assert_eq!((map.get("alpha"), map.get("new")), (Some(&3), Some(&1)));
        assert_eq!((map.len(), map.is_empty(), map.get("beta")), (3, false, None));
    }

    #[test]
    fn a_key_that_json_names_twice_keeps_its_place_and_the_last_value() {
        let map: Ordered<i32> = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).expect("loads");
        assert_eq!(map.iter().collect::<Vec<_>>(), [("b", &3), ("a", &2)]);
    }
}
