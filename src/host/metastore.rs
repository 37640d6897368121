//! Asks a Hive metastore whether partitions exist (coordinator specification 6.8).
//!
//! Speaks Thrift's binary protocol over a plain socket, the metastore's own default; no Kerberos. Each server is
//! connected to at most once per tick, and one that failed is not asked again in that tick, so a dead server costs a tick
//! no more than one time limit. Knows nothing of datasets or actions.

mod conversation;

use std::collections::HashMap;

use thrift::protocol::{TInputProtocol, TType};

use self::conversation::{Argument, Conversation, Input, Reply, each_field, each_member, read_texts};
use super::presence::State;
use crate::model::partition::Partition;

/// The port of a metastore that names none.
const DEFAULT_PORT: u16 = 9083;
/// The most partitions that are looked through when a URI names only some of a table's keys.
const MOST_NAMES: i16 = 1000;
/// The field of a table that holds its partition keys.
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
    /// Whether the partitions of a `hcat:` URI exist; the same answer whenever it is asked again.
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

/// Why a question has no answer.
enum Refusal {
    /// The metastore says why.
    Answered(String),
    /// The connection is of no use any more.
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

/// A metastore that answers.
struct Metastore {
    conversation: Conversation,
    /// The partition keys of the tables that were asked for, in the table's order.
    keys: HashMap<(String, String), Vec<Key>>,
}

/// A partition key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    name: String,
    /// Hive's name of its type.
    kind: String,
}

impl Key {
    /// The metastore keeps names in small letters.
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// A value as the metastore keeps it: a whole number without zeros before it (`01` is `1`), any other as it is.
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
        Ok(Self { conversation: Conversation::open(&address)?, keys: HashMap::new() })
    }

    /// Whether a partition with the keys of the URI exists; for a table without partitions, whether the table does.
    fn has(&mut self, wanted: &Partition<'_>) -> Result<bool, Refusal> {
        let keys = self.partition_keys(wanted.database, wanted.table)?;
        if let Some((unknown, _)) = wanted.keys.iter().find(|(name, _)| !keys.iter().any(|key| key.is(name))) {
            let table = format!("{}.{}", wanted.database, wanted.table);
            let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
            let why = format!("the table {table} has no partition key [{unknown}]; it has [{}]", names.join(", "));
            return Err(Refusal::Answered(why));
        }
        if keys.is_empty() {
            return Ok(true);
        }
        let value = |key: &Key| wanted.keys.iter().find(|(name, _)| key.is(name)).map(|(_, value)| key.kept(value));
        let values: Vec<Option<&str>> = keys.iter().map(value).collect();
        match values.iter().copied().collect::<Option<Vec<&str>>>() {
            Some(values) => self.has_exactly(wanted, &values),
            None => self.has_some(wanted, &keys, &values),
        }
    }

    fn partition_keys(&mut self, database: &str, table: &str) -> Result<Vec<Key>, Refusal> {
        let place = (database.to_owned(), table.to_owned());
        if let Some(keys) = self.keys.get(&place) {
            return Ok(keys.clone());
        }
        let arguments = [Argument::Text(database), Argument::Text(table)];
        match self.conversation.call("get_table", &arguments, read_partition_keys)? {
            Reply::Value(keys) => {
                self.keys.insert(place, keys.clone());
                Ok(keys)
            }
            Reply::NoSuchObject => Err(Refusal::Answered(format!("the metastore knows no table {database}.{table}"))),
        }
    }

    fn has_exactly(&mut self, wanted: &Partition<'_>, values: &[&str]) -> Result<bool, Refusal> {
        let arguments = [Argument::Text(wanted.database), Argument::Text(wanted.table), Argument::Texts(values)];
        let reply = self.conversation.call("get_partition", &arguments, |input| input.skip(TType::Struct))?;
        Ok(matches!(reply, Reply::Value(())))
    }

    /// An empty value stands for any; the names are compared here, because the metastore takes values for patterns.
    fn has_some(&mut self, wanted: &Partition<'_>, keys: &[Key], values: &[Option<&str>]) -> Result<bool, Refusal> {
        let any: Vec<&str> = values.iter().map(|value| value.unwrap_or_default()).collect();
        let arguments = [
            Argument::Text(wanted.database),
            Argument::Text(wanted.table),
            Argument::Texts(&any),
            Argument::Short(MOST_NAMES),
        ];
        let names = match self.conversation.call("get_partition_names_ps", &arguments, read_texts)? {
            Reply::Value(names) => names,
            Reply::NoSuchObject => return Ok(false),
        };
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

/// Whether a partition's name (`dt=12/region=us`) has the wanted values.
fn is_named(name: &str, keys: &[Key], values: &[Option<&str>]) -> bool {
    let wanted = |name: &str| keys.iter().position(|key| key.is(name)).and_then(|place| values[place]);
    name.split('/').filter_map(|part| part.split_once('=')).all(|(key, value)| {
        let value = unescape(value);
        wanted(key).is_none_or(|wanted| wanted == value)
    })
}

/// Undoes the `%3A` of a partition's name.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_partitions_are_compared_as_they_are_meant() {
        let keys = ["dt", "region"].map(|name| Key { name: name.to_owned(), kind: "string".to_owned() });
        for (name, values, expect) in [
            ("dt=12/region=us", [Some("12"), None], true),
            ("dt=12/region=us", [None, Some("us")], true),
            ("dt=12/region=us", [Some("1."), None], false),
            ("DT=12/region=us", [Some("13"), None], false),
            ("dt=2009-01-01 10%3A00/region=us", [Some("2009-01-01 10:00"), None], true),
            ("dt=50%/region=%zz", [Some("50%"), Some("%zz")], true),
        ] {
            assert_eq!(is_named(name, &keys, &values), expect, "{name} {values:?}");
        }
    }

    #[test]
    fn whole_numbers_have_no_zeros_before_them() {
        for (kind, value, expect) in [
            ("int", "01", "1"),
            ("bigint", "000", "0"),
            ("smallint", "10", "10"),
            ("int", "0x", "0x"),
            ("string", "01", "01"),
        ] {
            assert_eq!(Key { name: "hour".to_owned(), kind: kind.to_owned() }.kept(value), expect, "{kind} {value}");
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_asked_once() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        drop(listener);
        let mut metastores = Metastores::default();
        for table in ["a", "b"] {
            let State::Unknown(why) = metastores.check(&format!("hcat://{server}/db/{table}/dt=1")) else {
                panic!("a dead server answers nothing");
            };
            assert!(why.starts_with(&format!("no metastore answers ({server}: ")), "{why}");
        }
        assert_eq!(metastores.connections.len(), 1);
        assert!(matches!(metastores.check("hcat://h:1/db"), State::Unreadable(_)));
    }

    /// A server that answers nonsense, and one that hangs up, are told from a missing partition.
    #[test]
    fn nonsense_is_no_answer() {
        for answer in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"", b"\x80\x01\x00\x02\x7f\xff\xff\xff"] {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let server = listener.local_addr().unwrap();
            let thread = std::thread::spawn(move || {
                use std::io::{Read as _, Write as _};
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 64]);
                let _ = stream.write_all(answer);
            });
            let state = Metastores::default().check(&format!("hcat://{server}/db/t/dt=1"));
            assert!(matches!(state, State::Unknown(_)), "{state:?}");
            thread.join().unwrap();
        }
    }
}
