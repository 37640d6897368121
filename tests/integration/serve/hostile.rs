//! Requests of clients that mean harm, or of broken ones.

use std::io::Write as _;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;
use crate::serve::server::{Reply, Server};

fn served() -> (Sandbox, Server) {
    let sandbox = Sandbox::new();
    crate::application::workflow(&sandbox, "app", "a", &[crate::application::shell("a", "true", "end")]);
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
    let many: String = (0..500).map(|number| format!("x-{number}: 1\r\n")).collect();
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
    let before = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.get("/oozie/versions").status, 200);
    }
    assert!(before.elapsed() < Duration::from_secs(10), "{:?}", before.elapsed());
    // Each of them is closed after its time.
    let reply = Reply::read(&mut slow[0]);
    assert!(reply.status == 408 || reply.status == 0, "{reply:?}");
    assert!(before.elapsed() < Duration::from_secs(30), "{:?}", before.elapsed());
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
