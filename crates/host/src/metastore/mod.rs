//! Asks a Hive metastore whether partitions exist (coordinator specification 6.8), and drops partitions and tables
//! (workflow specification 3.2.2 and 3.2.4).
//!
//! Uses Thrift's binary protocol over a plain socket, which is the metastore's own default; no Kerberos. It connects to
//! each server at most once per tick and does not ask a failed server again in that tick, so a dead server costs a tick
//! at most one time limit. Must not depend on datasets or actions.

mod thrift_client;

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use thrift::protocol::{TInputProtocol, TType};

use super::presence::State;
use crate::metastore::thrift_client::{Argument, Connection, Input, Reply, each_field, each_member, read_texts};
use howdah_words::model::partition::Partition;

/// The port of a metastore URI without a port.
const DEFAULT_PORT: u16 = 9083;
/// The most partitions that are searched when a URI names only some of a table's keys.
const MOST_NAMES: i16 = 1000;
/// All names, without a limit.
const ALL_NAMES: i16 = -1;
/// The field of a table with its partition keys.
const PARTITION_KEYS: i16 = 8;

/// The metastores that were asked during one tick.
#[derive(Default)]
pub(super) struct Metastores {
    /// By the servers of a URI; the text says why a server cannot be asked.
    connections: HashMap<String, Result<Metastore, String>>,
    partitions: HashMap<String, State>,
}

impl std::fmt::Debug for Metastores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metastores").field("partitions", &self.partitions).finish_non_exhaustive()
    }
}

impl Metastores {
    /// Whether the partitions of a `hcat:` URI exist. The answer stays the same within a tick.
    pub(super) fn check(&mut self, uri: &str) -> State {
        if let Some(state) = self.partitions.get(uri) {
            return state.clone();
        }
        let state = match Partition::parse(uri) {
            Ok(partition) => self.ask(&partition),
            Err(error) => State::Unreadable(error.message().to_owned()),
        };
        self.partitions.insert(uri.to_owned(), state.clone());
        state
    }

    fn ask(&mut self, partition: &Partition<'_>) -> State {
        let servers = partition.servers;
        let connection = self.connections.entry(servers.to_owned()).or_insert_with(|| connect(servers));
        let metastore = match connection {
            Ok(metastore) => metastore,
            Err(why) => return State::Unknown(why.clone()),
        };
        match metastore.has(partition) {
            Ok(true) => State::Present,
            Ok(false) => State::Missing,
            Err(Refusal::Answered(why)) => State::Unreadable(why),
            Err(Refusal::Broken(error)) => {
                let why = format!("the metastore {servers} does not answer: {error}");
                *connection = Err(why.clone());
                State::Unknown(why)
            }
        }
    }
}

/// Drops the partitions that a `hcat:` URI names, or the whole table when it names no partition, with their data. What
/// does not exist is no failure. Returns a sentence when the metastore cannot be asked or refuses.
pub(crate) fn drop_data(uri: &str) -> Result<(), String> {
    let partition = Partition::parse(uri).map_err(|error| error.message().to_owned())?;
    let mut metastore = connect(partition.servers)?;
    metastore.drop_data(&partition).map_err(|refusal| match refusal {
        Refusal::Answered(why) => why,
        Refusal::Broken(error) => format!("the metastore {} does not answer: {error}", partition.servers),
    })
}

/// Connects to the first server that accepts.
fn connect(servers: &str) -> Result<Metastore, String> {
    let mut reasons = Vec::new();
    for server in servers.split(',').map(str::trim).filter(|server| !server.is_empty()) {
        match Metastore::open(server) {
            Ok(metastore) => return Ok(metastore),
            Err(error) => reasons.push(format!("{server}: {error}")),
        }
    }
    Err(format!("no metastore answers ({})", reasons.join("; ")))
}

/// Why there is no answer to a question.
enum Refusal {
    /// The metastore gives the reason.
    Answered(String),
    /// The connection can no longer be used.
    Broken(thrift::Error),
}

impl From<thrift::Error> for Refusal {
    fn from(error: thrift::Error) -> Self {
        match error {
            thrift::Error::Application(error) => Self::Answered(error.message),
            error => Self::Broken(error),
        }
    }
}

/// A connected metastore.
struct Metastore {
    connection: Connection,
    /// The partition keys of the tables that were asked for, in the table's order.
    keys: HashMap<(String, String), Vec<Key>>,
}

/// A partition key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    name: String,
    /// The name that Hive gives its type.
    kind: String,
}

impl Key {
    /// The metastore stores names in lower case.
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// A value as the metastore stores it: a whole number without leading zeros (`01` is `1`), any other text
    /// unchanged.
    fn kept<'v>(&self, value: &'v str) -> &'v str {
        let whole = matches!(self.kind.as_str(), "tinyint" | "smallint" | "int" | "bigint");
        let digits = value.trim_start_matches('0');
        match digits {
            _ if !whole || !value.bytes().all(|byte| byte.is_ascii_digit()) => value,
            "" => "0",
            digits => digits,
        }
    }
}

impl Metastore {
    fn open(server: &str) -> thrift::Result<Self> {
        let address = if server.contains(':') { server.to_owned() } else { format!("{server}:{DEFAULT_PORT}") };
        Ok(Self { connection: Connection::open(&address)?, keys: HashMap::new() })
    }

    /// Whether a partition with the keys of the URI exists; for a table without partitions, whether the table exists.
    fn has(&mut self, wanted: &Partition<'_>) -> Result<bool, Refusal> {
        let keys = self.partition_keys(wanted.database, wanted.table)?.ok_or_else(|| {
            Refusal::Answered(format!("the metastore has no table {}.{}", wanted.database, wanted.table))
        })?;
        let values = values(wanted, &keys)?;
        if keys.is_empty() {
            return Ok(true);
        }
        match values.iter().copied().collect::<Option<Vec<&str>>>() {
            Some(values) => self.has_exactly(wanted, &values),
            None => self.has_some(wanted, &keys, &values),
        }
    }

    /// Drops the partitions with the keys of the URI; without keys, the table.
    fn drop_data(&mut self, wanted: &Partition<'_>) -> Result<(), Refusal> {
        let (database, table) = (Argument::Text(wanted.database), Argument::Text(wanted.table));
        if wanted.keys.is_empty() {
            self.connection.order("drop_table", &[database, table, Argument::Truth(true)])?;
            return Ok(());
        }
        let Some(keys) = self.partition_keys(wanted.database, wanted.table)? else { return Ok(()) };
        let values = values(wanted, &keys)?;
        if let Some(values) = values.iter().copied().collect::<Option<Vec<&str>>>() {
            return self.drop_partition(wanted, &values);
        }
        for name in self.names_like(wanted, &values, ALL_NAMES)?.unwrap_or_default() {
            if is_named(&name, &keys, &values) {
                let own: Vec<String> =
                    name.split('/').filter_map(|part| part.split_once('=')).map(|(_, value)| unescape(value)).collect();
                self.drop_partition(wanted, &own.iter().map(String::as_str).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    /// Drops one partition; it is no failure when the partition is gone already.
    fn drop_partition(&mut self, wanted: &Partition<'_>, values: &[&str]) -> Result<(), Refusal> {
        let place = [Argument::Text(wanted.database), Argument::Text(wanted.table)];
        let arguments: Vec<Argument<'_>> =
            place.into_iter().chain([Argument::Texts(values), Argument::Truth(true)]).collect();
        self.connection.order("drop_partition", &arguments)?;
        Ok(())
    }

    /// The partition keys of a table; `None` when there is no such table.
    fn partition_keys(&mut self, database: &str, table: &str) -> Result<Option<Vec<Key>>, Refusal> {
        let place = (database.to_owned(), table.to_owned());
        if let Some(keys) = self.keys.get(&place) {
            return Ok(Some(keys.clone()));
        }
        let arguments = [Argument::Text(database), Argument::Text(table)];
        match self.connection.call("get_table", &arguments, read_partition_keys)? {
            Reply::Value(keys) => {
                self.keys.insert(place, keys.clone());
                Ok(Some(keys))
            }
            Reply::NoSuchObject => Ok(None),
        }
    }

    fn has_exactly(&mut self, wanted: &Partition<'_>, values: &[&str]) -> Result<bool, Refusal> {
        let arguments = [Argument::Text(wanted.database), Argument::Text(wanted.table), Argument::Texts(values)];
        let reply = self.connection.call("get_partition", &arguments, |input| input.skip(TType::Struct))?;
        Ok(matches!(reply, Reply::Value(())))
    }

    /// The names of partitions that have some given values; an empty value matches any. The metastore treats values as
    /// patterns. `None` when there is no such table.
    fn names_like(
        &mut self,
        wanted: &Partition<'_>,
        values: &[Option<&str>],
        most: i16,
    ) -> Result<Option<Vec<String>>, Refusal> {
        let any: Vec<&str> = values.iter().map(|value| value.unwrap_or_default()).collect();
        let arguments = [
            Argument::Text(wanted.database),
            Argument::Text(wanted.table),
            Argument::Texts(&any),
            Argument::Short(most),
        ];
        Ok(match self.connection.call("get_partition_names_ps", &arguments, read_texts)? {
            Reply::Value(names) => Some(names),
            Reply::NoSuchObject => None,
        })
    }

    /// Compares the names here, because the metastore treats values as patterns.
    fn has_some(&mut self, wanted: &Partition<'_>, keys: &[Key], values: &[Option<&str>]) -> Result<bool, Refusal> {
        let Some(names) = self.names_like(wanted, values, MOST_NAMES)? else { return Ok(false) };
        if names.iter().any(|name| is_named(name, keys, values)) {
            return Ok(true);
        }
        if names.len() < usize::from(MOST_NAMES.unsigned_abs()) {
            return Ok(false);
        }
        let why = format!("more than {MOST_NAMES} partitions look like this one; name all keys of the table");
        Err(Refusal::Answered(why))
    }
}

/// The wanted value of each key of a table; an error for a key that the table does not have.
fn values<'w>(wanted: &Partition<'w>, keys: &[Key]) -> Result<Vec<Option<&'w str>>, Refusal> {
    if let Some((unknown, _)) = wanted.keys.iter().find(|(name, _)| !keys.iter().any(|key| key.is(name))) {
        let table = format!("{}.{}", wanted.database, wanted.table);
        let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
        let why = format!("the table {table} has no partition key [{unknown}]; it has [{}]", names.join(", "));
        return Err(Refusal::Answered(why));
    }
    let value = |key: &Key| wanted.keys.iter().find(|(name, _)| key.is(name)).map(|(_, value)| key.kept(value));
    Ok(keys.iter().map(value).collect())
}

fn read_key(input: &mut Input) -> thrift::Result<Key> {
    let mut key = Key { name: String::new(), kind: String::new() };
    each_field(input, |input, field| {
        match (field.id, field.field_type) {
            (Some(1), TType::String) => key.name = input.read_string()?,
            (Some(2), TType::String) => key.kind = input.read_string()?,
            (_, kind) => input.skip(kind)?,
        }
        Ok(())
    })?;
    Ok(key)
}

fn read_partition_keys(input: &mut Input) -> thrift::Result<Vec<Key>> {
    let mut keys = Vec::new();
    each_field(input, |input, field| {
        if (field.id, field.field_type) != (Some(PARTITION_KEYS), TType::List) {
            return input.skip(field.field_type);
        }
        each_member(input, |input, kind| {
            if kind == TType::Struct {
                keys.push(read_key(input)?);
                Ok(())
            } else {
                input.skip(kind)
            }
        })
    })?;
    Ok(keys)
}

/// Whether the name of a partition (`dt=12/region=us`) has the wanted values.
fn is_named(name: &str, keys: &[Key], values: &[Option<&str>]) -> bool {
    let wanted = |name: &str| keys.iter().position(|key| key.is(name)).and_then(|place| values[place]);
    name.split('/').filter_map(|part| part.split_once('=')).all(|(key, value)| {
        let value = unescape(value);
        wanted(key).is_none_or(|wanted| wanted == value)
    })
}

/// Decodes the `%3A` in a partition's name.
fn unescape(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests;
