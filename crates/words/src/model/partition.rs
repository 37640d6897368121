//! HCatalog's URIs: a set of partitions of a table (coordinator specification 6.8).
//!
//! Texts only: the metastore decides whether such partitions exist.

use std::collections::HashMap;

use crate::error::{Error, ErrorCode, Result};

/// The scheme of HCatalog partitions.
pub const HCATALOG: &str = "hcat://";

/// The parts of an HCatalog URI: `hcat://server:port/db/table/key=value;key=value`.
///
/// URIs of other schemes are split in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition<'a> {
    /// `host:port`, several separated by commas.
    pub servers: &'a str,
    pub database: &'a str,
    pub table: &'a str,
    /// Keys and values in the order of the URI; a repeated key has its last value.
    pub keys: Vec<(&'a str, &'a str)>,
}

impl<'a> Partition<'a> {
    /// Splits the URI.
    ///
    /// # Errors
    /// E0906 when a part is missing.
    pub fn parse(uri: &'a str) -> Result<Self> {
        let refused = |why: &str| Err(Error::new(ErrorCode::E0906, format!("{why}: {uri}")));
        let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let (servers, path) = rest.split_once('/').unwrap_or((rest, ""));
        if servers.is_empty() {
            return refused("Server host and port are missing");
        }
        let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let (database, table, partition) = match segments.as_slice() {
            [database, table] => (*database, *table, ""),
            [database, table, partition] => (*database, *table, *partition),
            _ => return refused("URI path is not in expected format"),
        };
        if database.is_empty() {
            return refused("DB name is missing");
        }
        if table.is_empty() {
            return refused("Table name is missing");
        }
        let mut keys: Vec<(&str, &str)> = Vec::new();
        let mut places = HashMap::new();
        for pair in partition.split(';').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some((key, value)) if !value.is_empty() && !value.contains('=') => {
                    let place = *places.entry(key).or_insert(keys.len());
                    match keys.get_mut(place) {
                        Some(known) => known.1 = value,
                        None => keys.push((key, value)),
                    }
                }
                _ => return refused(&format!("Partition key value pair is not specified properly in ({pair})")),
            }
        }
        Ok(Self { servers, database, table, keys })
    }

    /// Returns the value of a key.
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.keys.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, expect: Option<ErrorCode>) {
        assert_eq!(Partition::parse(uri).err().map(|error| error.code()), expect, "{uri}");
    }

    #[test]
    fn splits_partitions() {
        check("hcat://h:1/db/t", None);
        let whole = Partition::parse("hcat://h:1,g:1/db/t/dt=12;region=us").unwrap();
        assert_eq!((whole.database, whole.table), ("db", "t"));
        assert_eq!(whole.keys, [("dt", "12"), ("region", "us")]);
        assert_eq!((whole.value("region"), whole.value("x")), (Some("us"), None));
        assert_eq!(Partition::parse("hcat://h/db/t/a=1;b=2;a=3").unwrap().keys, [("a", "3"), ("b", "2")]);
        for uri in [
            "hcat:///db/t/d=1",
            "hcat://h:1/db",
            "hcat://h:1//t/d=1",
            "hcat://h:1/db/",
            "hcat://h:1/db/t/d=",
            "hcat://h:1/db/t/a=1&b=2",
            "hcat://h:1/a/b/c=1/d=2",
        ] {
            check(uri, Some(ErrorCode::E0906));
        }
    }
}
