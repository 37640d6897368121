//! Requests of clients that mean harm, or of broken ones.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};

use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{PATIENCE, Sandbox, wait_for};
use howdah_sandbox::web_server::{Reply, Server};

fn served() -> (Sandbox, Server) {
    let sandbox = Sandbox::new();
    howdah_sandbox::application::workflow(
        &sandbox,
        "app",
        "a",
        &[howdah_sandbox::application::shell("a", "true", "end")],
    );
    sandbox.submit("2015-06-22T15:06Z", &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    (sandbox, server)
}

/// Sends bytes, ends the sending, and reads what is returned.
fn raw(server: &Server, bytes: &[u8]) -> Reply {
    let mut stream = server.connect();
    // The server may refuse before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    Reply::read(&mut stream)
}

#[test]
fn bytes_that_are_no_request() {
    let (_sandbox, server) = served();
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let long = format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(100_000));
    let many: String = "x-header: 1\r\n".repeat(500);
    let bad = [
        &b"\0\xff\xfe"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        long.as_bytes(),
        &format!("GET /oozie/versions HTTP/1.1\r\n{host}{many}\r\n").into_bytes(),
        &format!("GET /oozie/v1/jobs?filter=%ff HTTP/1.1\r\n{host}\r\n").into_bytes(),
        &format!("GET /oozie/v1/job/%c3%28 HTTP/1.1\r\n{host}\r\n").into_bytes(),
        &[b"GET /oozie/versions HTTP/1.1\r\nx: \xff\r\n", host.as_bytes(), b"\r\n"].concat(),
        &format!("POST /oozie/v1/jobs HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n").into_bytes(),
        &format!("POST /oozie/v1/jobs HTTP/1.1\r\n{host}Content-Length: x\r\n\r\n").into_bytes(),
        &format!("POST /oozie/v1/jobs HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n").into_bytes(),
    ];
    for bytes in bad {
        let reply = raw(&server, bytes);
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert!(reply.status == 0 || (400..500).contains(&reply.status), "{start}: {reply:?}");
    }
    assert_eq!(server.get("/oozie/versions").status, 200);
}

#[test]
fn paths_lead_to_no_file() {
    let (_sandbox, server) = served();
    for path in [
        "/../../etc/passwd",
        "/oozie/../../etc/passwd",
        "/oozie/%2e%2e/%2e%2e/etc/passwd",
        "/oozie/v1/job/..%2f..%2fetc%2fpasswd?show=definition",
        "/oozie/v1/job/%00?show=log",
        "/oozie/v1/job/--help?show=log",
        "//oozie/versions",
        "/oozie//versions",
        "/style.css/../../etc/passwd",
    ] {
        let reply = server.get(path);
        assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
        assert!(!reply.body.contains("root:"), "{path}: {reply:?}");
    }
}

#[test]
fn a_page_of_another_site_reads_nothing() {
    let (_sandbox, server) = served();
    for host in ["evil.example", "evil.example:11000", "10.0.0.1", ""] {
        let reply = server.send("GET", "/oozie/v1/jobs", &[("Host", host)], "");
        reply.assert_refused(403, "H0197");
    }
    assert_eq!(server.send("GET", "/oozie/v1/jobs", &[("Host", "localhost:1")], "").status, 200);
}

/// A name that leads to this machine does not make a page of another site one of this machine, wherever it listens.
#[test]
fn only_known_names_are_answered_on_any_address() {
    let (sandbox, _) = served();
    let command = sandbox.howdah(["serve", "--listen", "0.0.0.0:0", "--host", "edge01", "--host", "edge01.example"]);
    let server = Server::of(&sandbox, command);
    let get = |host: &str| server.send("GET", "/oozie/v1/jobs", &[("Host", host)], "");
    for host in ["evil.example", "edge01.evil.example:80", ""] {
        let reply = get(host);
        reply.assert_refused(403, "H0197");
        assert!(reply.body.contains("--host"), "{reply:?}");
    }
    for host in ["edge01:80", "EDGE01.example", "10.1.2.3", "[2001:db8::1]:80", "localhost"] {
        assert_eq!(get(host).status, 200, "{host}");
    }
    let bad = sandbox.howdah(["serve", "--host", "http://edge01:80"]).run();
    assert!(bad.status == Some(2) && bad.stderr.contains("--host edge01.example.com"), "{bad:?}");
}

/// Whether the server has neither answered on a connection nor ended it.
fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("an open socket");
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false).expect("an open socket");
    matches!(peeked, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

/// A client that sends nothing, or a little, keeps no other client from being served, and is not waited for.
#[test]
fn many_slow_connections() {
    let (_sandbox, server) = served();
    let mut slow = Vec::new();
    for number in 0..200 {
        let mut stream = server.connect();
        if number % 2 == 0 {
            stream.write_all(b"GET /oozie/versions HTT").expect("the server accepts");
        }
        slow.push(stream);
    }
    assert_eq!(server.get("/oozie/versions").status, 200);
    assert!(is_open(&slow[0]), "the server waited for the end of another connection");
    for _ in 0..20 {
        assert_eq!(server.get("/oozie/versions").status, 200);
    }
    // Each of them is closed after its time.
    wait_for("the end of a slow connection", || (!is_open(&slow[0])).then_some(()));
    let reply = Reply::read(&mut slow[0]);
    assert!(reply.status == 408 || reply.status == 0, "{reply:?}");
}

#[test]
fn the_server_needs_a_database_and_a_free_port() {
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error[H0100]"), "{ran:?}");
    let (sandbox, server) = served();
    let ran = sandbox.howdah(["serve", "--listen", &format!("127.0.0.1:{}", server.port)]).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error[H0195]"), "{ran:?}");
}

/// Bytes that a client may send after a request was changed at random places.
fn mutated(dice: &mut Dice, host: &str) -> Vec<u8> {
    const REQUESTS: [&str; 6] = [
        "GET /oozie/v1/jobs?jobtype=coord&filter=status%3DRUNNING&offset=1&len=50 HTTP/1.1\r\n",
        "GET /oozie/v2/job/0000000-150622150600000-oozie-oozi-W@a?show=info&timezone=Europe/Vienna HTTP/1.1\r\n",
        "GET /oozie/v1/job/test?show=log&logfilter=recent%3D1h%3Blimit%3D3 HTTP/1.1\r\n",
        "GET /job/test/calendar?month=2015-06 HTTP/1.1\r\n",
        "POST /oozie/v1/validate HTTP/1.1\r\nContent-Type: application/xml\r\nContent-Length: 20\r\n",
        "PUT /oozie/v1/job/test?action=kill&type=action&scope=1-3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
    ];
    let request = dice.one_of(&REQUESTS);
    let mut bytes = format!("{request}Host: {host}\r\nConnection: close\r\n\r\n<workflow-app/>     \n").into_bytes();
    for _ in 0..dice.between(0, 5) {
        let last = i64::try_from(bytes.len()).expect("few bytes") - 1;
        let place = usize::try_from(dice.between(0, last)).expect("not negative");
        let any = u8::try_from(dice.between(0, 255)).expect("a byte");
        match dice.between(0, 3) {
            0 => bytes[place] = any,
            1 => bytes.insert(place, dice.one_of(b"%&=?/@;\0\xff\r\n-")),
            2 if bytes.len() > 1 => drop(bytes.remove(place)),
            _ => bytes.truncate(place.max(1)),
        }
    }
    bytes
}

/// The server and the most processes that work for it.
const MOST_PROCESSES: usize = 1 + 4 + 8 + 4;

/// Returns the memory of some processes, in KiB.
fn memory(processes: &[i32]) -> u64 {
    let of = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    processes.iter().filter_map(of).sum()
}

/// Sends requests that were changed at random places: none brings a process down, and their memory does not grow.
#[test]
fn many_hostile_requests() {
    let (sandbox, server) = served();
    let host = format!("127.0.0.1:{}", server.port);
    let mut dice = Dice::new(17);
    let mut send = |number: usize| {
        for _ in 0..number {
            let reply = raw(&server, &mutated(&mut dice, &host));
            assert!(reply.status < 500 || reply.status == 503, "{reply:?}");
        }
    };
    let number = howdah_tier::Trials { quick: 500, full: 1_000, soak: 10_000 }.number();
    send(number / 5);
    let processes = sandbox.processes();
    let before = memory(&processes);
    send(number / 5 * 4);
    let after = memory(&processes);
    // On a busy machine a request may come while the last one is still answered: then there is a process more.
    let now = sandbox.processes();
    assert!(processes.iter().all(|process| now.contains(process)), "{processes:?} {now:?}");
    assert!(now.len() <= MOST_PROCESSES, "{now:?}");
    assert!(after < before + 10_000, "{before} KiB before, {after} KiB after");
    assert_eq!(server.get("/oozie/versions").status, 200);
}

/// A body that never ends is refused at the bound.
#[test]
fn an_endless_body() {
    let (sandbox, server) = served();
    assert_eq!(server.get("/oozie/v1/jobs").status, 200);
    let before = memory(&sandbox.processes());
    let mut stream = server.connect();
    let head = format!("Host: 127.0.0.1:{}\r\nTransfer-Encoding: chunked\r\n", server.port);
    write!(stream, "POST /oozie/v1/validate HTTP/1.1\r\n{head}\r\n").expect("the server reads");
    let chunk = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
    // Far more than the bound: the server stops reading.
    let sent = (0..2000).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 2000, "{sent}");
    let reply = Reply::read(&mut stream);
    assert!(reply.status == 413 || reply.status == 0, "{reply:?}");
    let after = memory(&sandbox.processes());
    assert!(after < before + 20_000, "{before} KiB before, {after} KiB after");
}

/// Bodies that come byte by byte keep no other client waiting, and end after their time.
#[test]
fn slow_bodies() {
    let (_sandbox, server) = served();
    let mut slow: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut slow {
        let head = format!("Host: 127.0.0.1:{}\r\nContent-Length: 100000\r\n", server.port);
        write!(stream, "POST /oozie/v1/validate HTTP/1.1\r\n{head}\r\n<").expect("the server reads");
    }
    assert_eq!(server.get("/oozie/v1/jobs").status, 200);
    let definition = [("Content-Type", "application/xml")];
    let small = server.send("POST", "/oozie/v1/validate", &definition, "<workflow-app/>");
    assert_eq!(small.status, 403, "{small:?}");
    assert!(is_open(&slow[0]), "the server waited for a slow body");
    if howdah_tier::full("a body may take half a minute") {
        let statuses = slow.iter_mut().map(|stream| {
            stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
            Reply::read(stream).status
        });
        // There are fewer places for large bodies: one without a place is refused at the same time.
        assert_eq!(statuses.into_iter().find(|status| *status != 503), Some(408));
    }
}

/// A client that does not read its answers keeps no process of the server.
#[test]
fn answers_that_are_not_read() {
    let (_sandbox, server) = served();
    let mut silent: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut silent {
        let request = format!("GET /oozie/v1/job/test?show=log HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
        stream.write_all(request.repeat(20).as_bytes()).expect("the server reads");
    }
    for _ in 0..5 {
        assert_eq!(server.get("/oozie/v1/job/test?show=log").status, 200);
    }
}
