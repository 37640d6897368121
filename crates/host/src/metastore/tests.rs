//! Names, values and answers of a metastore, and orders to a scripted one.

use std::fmt::Write as _;

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
fn an_absent_server_is_asked_once() {
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

/// A metastore for one connection: it answers the calls in their order with these results, given as bytes.
fn scripted(answers: &'static [&'static [u8]]) -> (String, std::thread::JoinHandle<Vec<String>>) {
    use std::io::Write as _;
    use thrift::protocol::TBinaryInputProtocol;
    use thrift::transport::TBufferedReadTransport;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut input = TBinaryInputProtocol::new(TBufferedReadTransport::new(stream.try_clone().unwrap()), true);
        let mut calls = Vec::new();
        for answer in answers {
            let call = input.read_message_begin().unwrap();
            let mut text = call.name;
            read_arguments(&mut input, &mut text);
            calls.push(text);
            // The head of a reply without a name, its number, and the result.
            let head = [0x80, 1, 0, 2, 0, 0, 0, 0].into_iter().chain(call.sequence_number.to_be_bytes());
            stream.write_all(&head.chain(answer.iter().copied()).collect::<Vec<u8>>()).unwrap();
        }
        calls
    });
    (server, thread)
}

/// Adds the arguments of a call to its name.
fn read_arguments(input: &mut impl TInputProtocol, text: &mut String) {
    input.read_struct_begin().unwrap();
    loop {
        let field = input.read_field_begin().unwrap();
        match field.field_type {
            TType::Stop => return,
            TType::String => write!(text, " {}", input.read_string().unwrap()).unwrap(),
            TType::I16 => write!(text, " {}", input.read_i16().unwrap()).unwrap(),
            TType::Bool => write!(text, " {}", input.read_bool().unwrap()).unwrap(),
            _ => {
                let list = input.read_list_begin().unwrap();
                let members = (0..list.size).map(|_| input.read_string().unwrap());
                write!(text, " {:?}", members.collect::<Vec<String>>()).unwrap();
            }
        }
    }
}

/// A table with the partition keys `dt` (string) and `hour` (int).
const TABLE: &[u8] = b"\x0c\0\0\x0f\0\x08\x0c\0\0\0\x02\
    \x0b\0\x01\0\0\0\x02dt\x0b\0\x02\0\0\0\x06string\0\
    \x0b\0\x01\0\0\0\x04hour\x0b\0\x02\0\0\0\x03int\0\0\0";
const NAMES: &[u8] = b"\x0f\0\0\x0b\0\0\0\x02\0\0\0\x0bdt=1/hour=7\0\0\0\x0bdt=1/hour=8\0";
const YES: &[u8] = b"\x02\0\0\x01\0";
const VOID: &[u8] = b"\0";
/// `NoSuchObjectException` of an order, and of a question.
const GONE: &[u8] = b"\x0c\0\x01\0\0";
const UNKNOWN: &[u8] = b"\x0c\0\x02\0\0";
/// A `MetaException` of an order.
const REFUSED: &[u8] = b"\x0c\0\x02\x0b\0\x01\0\0\0\x02no\0\0";

fn check_drop(path: &str, answers: &'static [&'static [u8]], expect: (&[&str], Result<(), &str>)) {
    let (server, thread) = scripted(answers);
    let dropped = drop_data(&format!("hcat://{server}/{path}"));
    assert_eq!(dropped.as_ref().copied().map_err(String::as_str), expect.1, "{path}");
    assert_eq!(thread.join().unwrap(), expect.0, "{path}");
}

#[test]
fn partitions_and_tables_are_dropped_with_their_data() {
    check_drop("db/t", &[VOID], (&["drop_table db t true"], Ok(())));
    check_drop("db/t", &[GONE], (&["drop_table db t true"], Ok(())));
    check_drop("db/t", &[REFUSED], (&["drop_table db t true"], Err("no")));
    let get = "get_table db t";
    let whole = "drop_partition db t [\"1\", \"7\"] true";
    check_drop("db/t/dt=1;hour=07", &[TABLE, YES], (&[get, whole], Ok(())));
    check_drop("db/t/dt=1;hour=07", &[TABLE, GONE], (&[get, whole], Ok(())));
    check_drop("db/t/dt=1", &[UNKNOWN], (&[get], Ok(())));
    let names = "get_partition_names_ps db t [\"1\", \"\"] -1";
    let other = "drop_partition db t [\"1\", \"8\"] true";
    check_drop("db/t/dt=1", &[TABLE, NAMES, YES, YES], (&[get, names, whole, other], Ok(())));
    let unknown = "the table db.t has no partition key [x]; it has [dt, hour]";
    check_drop("db/t/x=1", &[TABLE], (&[get], Err(unknown)));
    let gone = drop_data("hcat://127.0.0.1:1/db/t").unwrap_err();
    assert!(gone.starts_with("no metastore answers (127.0.0.1:1: "), "{gone}");
}

/// A server that answers nonsense and one that hangs up differ from a missing partition.
#[test]
fn an_invalid_answer_is_unknown() {
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
