//! Deserialises TOML values into typed settings, with errors that say which values are allowed.

use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, IntoDeserializer, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use std::fmt::{self, Display};
use toml::{Table, Value};

/// Reads `table` as `T`.
pub(super) fn read<T: DeserializeOwned>(table: Table) -> Result<T, ReadError> {
    T::deserialize(Reader(Value::Table(table)))
}

/// Why values could not be read as settings.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The value is not one of the variants of an enum.
    Choice {
        /// The names of the variants, in order.
        allowed: &'static [&'static str],
    },
    /// Anything else.
    Other(String),
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice { allowed } => write!(f, "{}", one_of(allowed)),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: Display>(text: T) -> Self {
        Self::Other(text.to_string())
    }

    fn unknown_variant(_: &str, allowed: &'static [&'static str]) -> Self {
        Self::Choice { allowed }
    }
}

/// `one of "a", "b"`.
pub(super) fn one_of(allowed: &[&str]) -> String {
    let names: Vec<String> = allowed.iter().map(|name| format!("{name:?}")).collect();
    format!("one of {}", names.join(", "))
}

/// A deserialiser over a TOML value that reports the variants of an enum.
struct Reader(Value);

impl<'de> Deserializer<'de> for Reader {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            Value::Integer(number) => visitor.visit_i64(number),
            Value::Float(number) => visitor.visit_f64(number),
            Value::Boolean(value) => visitor.visit_bool(value),
            Value::Datetime(time) => visitor.visit_string(time.to_string()),
            Value::Array(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter().map(Reader))),
            Value::Table(table) => visitor.visit_map(MapDeserializer::new(
                table.into_iter().map(|(key, value)| (key, Reader(value))),
            )),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => {
                let variant: de::value::StringDeserializer<ReadError> = text.into_deserializer();
                variant.deserialize_enum(name, variants, visitor)
            }
            other => Reader(other).deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, ReadError> for Reader {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
