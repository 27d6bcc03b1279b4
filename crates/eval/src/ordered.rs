//! A small map that keeps its keys in the order of insertion, so that outputs list metrics and modes as the
//! report does.

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, marker::PhantomData};

/// Keys in the order of insertion, each once. Look-up is linear: meant for tens of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered<V>(Vec<(String, V)>);

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Ordered<V> {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Sets the value of `key`; a known key keeps its place.
    pub fn insert(&mut self, key: impl Into<String>, value: V) {
        let key = key.into();
        match self.0.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// The value of `key`, put in as the default where it is new.
    pub fn entry(&mut self, key: &str) -> &mut V
    where
        V: Default,
    {
        let at = self.0.iter().position(|(k, _)| k == key).unwrap_or_else(|| {
            self.0.push((key.to_owned(), V::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().map(|(k, _)| k.as_str())
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
        let mut out = Self::default();
        for (key, value) in pairs {
            out.insert(key, value);
        }
        out
    }
}

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Ordered<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
            type Value = Ordered<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut out = Ordered::default();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    out.insert(key, value);
                }
                Ok(out)
            }
        }
        deserializer.deserialize_map(Pairs(PhantomData))
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
}
