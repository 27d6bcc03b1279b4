//! Who may use the server.
//!
//! A key is `pk_ID_SECRET`: its number, then 32 random bytes. Only the SHA-256 of the secret is stored.

use super::random;
use crate::name::Name;
use rusqlite::{Connection, OptionalExtension as _, Result, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What a key may do; each role may do what those before it may.
#[derive(strum::IntoStaticStr, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Ask, search, read.
    Read,
    /// Also add papers and records.
    Write,
    /// Also, as the tenant `default`, see what concerns the server as a whole.
    Admin,
}

impl Role {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn unknown(text: &str) -> String {
    format!("{text:?} is not a valid role; use read, write or admin")
}

/// A key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Its number.
    pub id: i64,
    /// Whose data it opens.
    pub tenant: String,
    /// What it may do.
    pub role: Role,
    /// Name of its holder; may be empty.
    pub name: String,
    /// When it was made, RFC 3339 in UTC.
    pub created: String,
    /// When it was revoked; `None` if it was not.
    pub revoked: Option<String>,
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Makes a key and returns it whole; it cannot be had again.
pub(crate) fn add(connection: &Connection, tenant: &Name, role: Role, name: &str) -> Result<String> {
    let secret = random::<32>();
    connection.execute(
        "INSERT INTO keys (hash, tenant, role, name, created) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![hash(&secret), tenant, role.as_str(), name, engine::timestamp()],
    )?;
    Ok(format!("pk_{}_{secret}", connection.last_insert_rowid()))
}

/// Every key, in the order in which they were made.
pub(crate) fn list(connection: &Connection) -> Result<Vec<Key>> {
    let mut all =
        connection.prepare_cached("SELECT id, tenant, role, name, created, revoked FROM keys ORDER BY id")?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Key {
            id: row.get(0)?,
            tenant: row.get(1)?,
            // An unknown role may do least.
            role: row.get::<_, String>(2)?.parse().unwrap_or(Role::Read),
            name: row.get(3)?,
            created: row.get(4)?,
            revoked: row.get(5)?,
        })
    };
    all.query_map([], row)?.collect()
}

/// Whether there ever was a key: then every request needs one.
pub(crate) fn any(connection: &Connection) -> Result<bool> {
    connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM keys)")?.query_row([], |row| row.get(0))
}

/// Revokes a key; whether there was one to revoke.
pub(crate) fn revoke(connection: &Connection, id: i64) -> Result<bool> {
    let sql = "UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL";
    Ok(connection.execute(sql, params![id, engine::timestamp()])? > 0)
}

/// Whether the key with this number is not valid any more.
pub(crate) fn is_revoked(connection: &Connection, id: i64) -> Result<bool> {
    let sql = "SELECT revoked IS NOT NULL FROM keys WHERE id = ?1";
    connection.prepare_cached(sql)?.query_row([id], |row| row.get(0))
}

/// The number, tenant and role of a key that is valid.
pub(crate) fn find(connection: &Connection, key: &str) -> Result<Option<(i64, Name, Role)>> {
    let parts = key.strip_prefix("pk_").and_then(|rest| rest.split_once('_'));
    let Some((Ok(id), secret)) = parts.map(|(id, secret)| (id.parse::<i64>(), secret)) else {
        return Ok(None);
    };
    let sql = "SELECT hash, tenant, role FROM keys WHERE id = ?1 AND revoked IS NULL";
    let stored = connection
        .prepare_cached(sql)?
        .query_row([id], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    Ok(stored.and_then(|(stored, tenant, role)| {
        let same = bool::from(hash(secret).as_slice().ct_eq(&stored));
        same.then_some((id, tenant.parse().ok()?, role.parse().ok()?))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::state;

    #[test]
    fn a_key_opens_until_it_is_revoked() {
        let (_folder, state) = state();
        let tenant: Name = "ac".parse().expect("a name");
        let own = tenant.clone();
        state
            .now(|c| {
                assert!(!any(c)?);
                let key = add(c, &tenant, Role::Write, "a person")?;
                let other = add(c, &"b".parse().expect("a name"), Role::Read, "")?;
                assert!(key.len() > 40 && key != other);
                assert_eq!(find(c, &key)?, Some((1, own, Role::Write)));
                let changed = format!("{}{}", &key[..key.len() - 2], "AA");
                let swapped = other.replacen("pk_2", "pk_1", 1);
                for wrong in ["", "pk_1", "pk_1_", "pk__", &changed, &swapped, &key[3..]] {
                    assert_eq!(find(c, wrong)?, None, "{wrong}");
                }
                let hashes: Vec<u8> =
                    c.query_row("SELECT hash FROM keys WHERE id = 1", [], |row| row.get(0))?;
                assert!(hashes.len() == 32 && !key.as_bytes().windows(32).any(|part| part == hashes));
                assert!(revoke(c, 1)?);
                assert!(!revoke(c, 1)? && !revoke(c, 9)?);
                assert!(is_revoked(c, 1)? && !is_revoked(c, 2)?);
                assert_eq!(find(c, &key)?, None);
                assert!(any(c)?, "without a valid key nothing is open");
                let listed = list(c)?;
                assert_eq!((listed.len(), listed[0].role), (2, Role::Write));
                assert!(listed[0].revoked.is_some() && listed[1].revoked.is_none());
                Ok(())
            })
            .expect("works");
    }
}
