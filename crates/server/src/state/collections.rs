//! The collections of each tenant.

use crate::name::Name;
use rusqlite::{Connection, OptionalExtension as _, Result, params};

/// Adds a collection, unless it exists.
pub(crate) fn add(connection: &Connection, tenant: &Name, id: &Name) -> Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO collections (tenant, id, created) VALUES (?1, ?2, ?3)")?
        .execute(params![tenant, id, engine::timestamp()])?;
    Ok(())
}

/// Whether the tenant has this collection.
pub(crate) fn exists(connection: &Connection, tenant: &Name, id: &Name) -> Result<bool> {
    let mut found = connection.prepare_cached("SELECT 1 FROM collections WHERE tenant = ?1 AND id = ?2")?;
    let found = found.query_row(params![tenant, id], |_| Ok(())).optional()?;
    Ok(found.is_some())
}
