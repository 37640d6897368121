//! A login with Kerberos that cannot be made: without tickets, and where the library dies. The name node is a few lines
//! that only say how they want clients to log in, and the tickets are no real ones: no KDC is needed.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

use super::{allow_with, site};
use howdah_sandbox::application::{Coordinator, action, hourly_input, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::store_application::NOW;
use howdah_sandbox::store_proxy::SHORT_LIMIT;

/// The answer "cannot tell".
const UNKNOWN: Option<i32> = Some(75);
/// The status of a tick that could not find out everything.
const SOME_FAILED: Option<i32> = Some(1);
/// The length of the question how clients log in.
const QUESTION: usize = 25;
/// Why there is no answer when the process that logs in is killed.
const DEATH: &str = "the process that tried to log in with the Kerberos library ended with signal: 9 (SIGKILL)";

/// A field of a protocol buffer that is a text, or a message.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).expect("short")], content].concat()
}

/// What a name node answers that wants Kerberos.
fn offer() -> Vec<u8> {
    let way = [field(1, b"KERBEROS"), field(2, b"GSSAPI"), field(3, b"nn"), field(4, b"localhost")].concat();
    let login = [&[0x10, 1], &field(4, &way)[..]].concat();
    let with_length = |part: &[u8]| [&[u8::try_from(part.len()).expect("short")], part].concat();
    let answer = [with_length(&[0x10, 0]), with_length(&login)].concat();
    [&u32::try_from(answer.len()).expect("short").to_be_bytes()[..], &answer].concat()
}

/// Starts a name node that wants Kerberos and ends each connection after that; returns its name.
fn name_node() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let greet = |mut client: TcpStream| {
        let mut question = [0; QUESTION];
        client.read_exact(&mut question).and_then(|()| client.write_all(&offer()))
    };
    std::thread::spawn(move || {
        // A client that only looks whether a server listens sends nothing.
        listener.incoming().flatten().for_each(|client| drop(greet(client)));
    });
    format!("hdfs://127.0.0.1:{port}")
}

/// A file like one with tickets of `ann@EXAMPLE.COM`.
fn cache() -> Vec<u8> {
    let text = |text: &str| [&u32::try_from(text.len()).expect("short").to_be_bytes(), text.as_bytes()].concat();
    let head = [&[5, 4, 0, 0][..], &1_u32.to_be_bytes(), &1_u32.to_be_bytes()].concat();
    [head, text("EXAMPLE.COM"), text("ann")].concat()
}

/// A sandbox that may ask a store with the tickets of `tickets` in it, which is not there yet. A process that logs in
/// dies.
fn sandbox(store: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    sandbox.write("hadoop/core-site.xml", &site([("hadoop.security.authentication", "kerberos")]));
    let folder = sandbox.text("hadoop");
    allow_with(&sandbox, store, &[("howdah.store.hadoop-folder", &folder), SHORT_LIMIT]);
    // Nothing of this machine's Kerberos is read.
    let settings = sandbox.write("krb5.conf", "[libdefaults]\n default_realm = EXAMPLE.COM\n");
    sandbox.set("KRB5_CONFIG", &settings.display().to_string());
    sandbox.set("HOWDAH_FAULT", "login");
    let tickets = sandbox.path("tickets");
    sandbox.set("KRB5CCNAME", &format!("FILE:{}", tickets.display()));
    (sandbox, tickets)
}

/// Without tickets no library is used, and no process that could die in it is started.
#[test]
fn missing_tickets_are_seen_without_the_library() {
    let store = name_node();
    let (sandbox, tickets) = sandbox(&store);
    let other = sandbox.write("caches/primary", "tkt\n");
    let folder = other.parent().expect("a folder of the sandbox").display().to_string();
    for (name, expect) in [
        (format!("FILE:{}", tickets.display()), "cannot be used: No such file"),
        (tickets.display().to_string(), "cannot be used: No such file"),
        (format!("FILE:{}", other.display()), "cannot be used: it is no cache of tickets"),
        (format!("DIR:{folder}"), "cannot be used: it has no cache of tickets"),
        (format!("DIR::{folder}/tkt"), "cannot be used: No such file"),
    ] {
        let ran = sandbox.howdah(["fs", "test", &format!("{store}/in")]).at(NOW).env("KRB5CCNAME", &name).run();
        assert_eq!(ran.status, UNKNOWN, "{name}: {ran:?}");
        assert!(ran.stderr.contains(expect) && ran.stderr.contains("kinit gets new ones"), "{name}: {ran:?}");
        assert!(ran.stderr.contains(&format!("looked for in [{name}]")), "{name}: {ran:?}");
    }
    // The default of the settings.
    let settings = format!("[libdefaults]\n default_ccache_name = FILE:{}/%{{uid}}\n", sandbox.text("no"));
    sandbox.write("krb5.conf", &settings);
    let ran = sandbox.howdah(["fs", "test", &format!("{store}/in")]).at(NOW).env("KRB5CCNAME", "").run();
    assert!(ran.status == UNKNOWN && ran.stderr.contains(&format!("[FILE:{}/", sandbox.text("no"))), "{ran:?}");
}

/// The library kills the process that logs in: a tick ends in order and says so, no status moves, and a running action
/// waits.
#[test]
fn a_library_that_dies_ends_no_tick_and_no_runner() {
    let store = name_node();
    let (sandbox, tickets) = sandbox(&store);
    std::fs::write(tickets, cache()).expect("a file of the sandbox");
    let ran = sandbox.howdah(["fs", "test", &format!("{store}/in")]).at(NOW).run();
    assert!(ran.status == UNKNOWN && ran.stderr.contains(DEATH), "{ran:?}");
    let body = format!("<fs><name-node>{store}</name-node><mkdir path='/made'/></fs>");
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    let waits = || sandbox.howdah(["explain", &job]).at(NOW).succeed().stdout.contains(DEATH);
    wait_for("the action's problem", || waits().then_some(()));
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    Coordinator { data: hourly_input(&format!("{store}/in/${{HOUR}}"), ""), ..Coordinator::default() }.write(&sandbox);
    sandbox.submit(NOW, &[]);
    let ran = sandbox.howdah(["tick"]).at(NOW).run();
    assert_eq!((ran.status, ran.stderr.matches(DEATH).count()), (SOME_FAILED, 1), "{ran:?}");
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING");
}
