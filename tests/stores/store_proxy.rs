//! The proxy in front of a tiny server.

use std::io::{self, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use howdah_sandbox::http_message::{Message, WithoutLength};
use howdah_sandbox::sandbox::{PATIENCE, wait_for};
use howdah_sandbox::store_proxy::{Fault, StoreProxy};

/// A server on loopback that answers `said` after the number of its requests so far; `/go` sends the client to `to`.
fn server(to: Option<u16>) -> (u16, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let count = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let request = Message::read(&mut BufReader::new(&client), WithoutLength::Empty, || Ok(()));
            let Ok(Some(request)) = request else { continue };
            let number = {
                let mut count = counted.lock().expect("no test panics while it holds this");
                *count += 1;
                *count
            };
            let body = format!("{} said {number}", request.text());
            let answer = match to {
                Some(to) if request.word(1).starts_with("/go") => {
                    Message::answer("307 Temporary Redirect", "text/plain", "")
                        .with("Location", &format!("http://localhost:{to}/there?op=OPEN"))
                }
                _ => Message::answer("200 OK", "text/plain", &body),
            };
            let _ = client.write_all(&answer.bytes());
        }
    });
    (port, count)
}

fn ask(port: u16, target: &str) -> io::Result<Message> {
    Message::new(&format!("GET {target} HTTP/1.1"), "hello").exchange(port)
}

#[test]
fn a_request_passes_through_and_is_recorded() {
    let (data_node, _) = server(None);
    let (name_node, _) = server(Some(data_node));
    let proxy = StoreProxy::start(&[name_node, data_node]);
    let answer = ask(proxy.port, "/a%20b?user.name=x&Op=open").expect("an answer");
    assert_eq!((answer.status(), answer.text().as_str()), (200, "hello said 1"));
    let location = ask(proxy.port, "/go?op=OPEN").expect("an answer");
    let location = location.header("Location").expect("it sends the client to the data node").to_owned();
    let (_, rest) = location.split_once("127.0.0.1:").expect("a place on loopback");
    let (port, path) = rest.split_once('/').expect("a path");
    assert_ne!(port, data_node.to_string());
    let answer = ask(port.parse().expect("a port"), &format!("/{path}")).expect("an answer");
    assert_eq!(answer.text(), "hello said 1");
    let requests = proxy.requests();
    let seen: Vec<String> = requests.iter().map(|request| format!("{} {}", request.op, request.path)).collect();
    assert_eq!(seen, ["OPEN /a%20b", "OPEN /go", "OPEN /there"]);
    assert!(requests.iter().all(|request| request.method == "GET" && request.ended.is_some() && request.is_sent_on));
    assert_eq!((proxy.received("OPEN").len(), proxy.faults(), proxy.most_at_once()), (3, 0, 1));
}

#[test]
fn each_fault_does_what_it_says() {
    const TIME: Duration = Duration::from_millis(300);
    // It refuses until it is healed.
    let faults =
        Fault::all(TIME).map(|fault| if matches!(fault, Fault::Refuses(_)) { Fault::Refuses(PATIENCE) } else { fault });
    for fault in faults {
        let (server, count) = server(None);
        let proxy = StoreProxy::start(&[server]);
        proxy.plan(move |number, _| (number == 2).then_some(fault));
        let before = Instant::now();
        let answers: Vec<io::Result<Message>> = (0..2).map(|_| ask(proxy.port, "/x?op=DELETE")).collect();
        let took = before.elapsed();
        let seen = answers[1].as_ref().map_or_else(|_| "none".to_owned(), |answer| answer.status().to_string());
        let received = *count.lock().expect("no test panics while it holds this");
        let (expect, expect_received) = match fault {
            Fault::Closes | Fault::Refuses(_) => ("none", 1),
            Fault::HalfAnswer | Fault::LosesAnswer => ("none", 2),
            Fault::Waits(_) => ("200", 2),
            Fault::Unavailable => ("503", 1),
            Fault::AnotherPage => ("404", 1),
            Fault::Standby => ("403", 1),
        };
        assert_eq!((seen.as_str(), received), (expect, expect_received), "{fault:?}");
        assert_eq!(proxy.received("DELETE").len(), received, "{fault:?}");
        assert!(took >= TIME || !matches!(fault, Fault::Waits(_)), "{took:?}");
        if matches!(fault, Fault::Refuses(_)) {
            let refused = ask(proxy.port, "/x?op=DELETE").map_err(|error| error.kind());
            assert_eq!(refused, Err(io::ErrorKind::ConnectionRefused));
        }
        proxy.heal();
        let again = wait_for("the proxy to listen", || ask(proxy.port, "/x?op=DELETE").ok());
        assert_eq!((again.status(), proxy.faults()), (200, 1), "{fault:?}");
    }
}

#[test]
fn the_faults_of_a_seed_are_the_same_ones() {
    let (server, _) = server(None);
    let faults = |seed: u64| -> Vec<Option<Fault>> {
        let proxy = StoreProxy::start(&[server]);
        proxy.break_some(seed, 500, vec![Fault::Closes, Fault::Standby]);
        (0..20).for_each(|_| drop(ask(proxy.port, "/x?op=LISTSTATUS")));
        proxy.requests().into_iter().map(|request| request.fault).collect()
    };
    assert_eq!(faults(1), faults(1));
    assert_ne!(faults(1), faults(2));
}

#[test]
fn requests_at_once_are_counted() {
    let (server, _) = server(None);
    let proxy = StoreProxy::start(&[server]);
    proxy.plan(|_, _| Some(Fault::Waits(PATIENCE)));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| ask(proxy.port, "/x?op=OPEN").expect("an answer"));
        }
        wait_for("all requests", || (proxy.requests().len() == 3).then_some(()));
        proxy.heal();
    });
    assert_eq!(proxy.most_at_once(), 3);
}

#[test]
fn a_message_is_read_as_it_was_sent() {
    let read = |text: &str, without_length| {
        Message::read(&mut text.as_bytes(), without_length, || Ok(())).expect("a whole message")
    };
    let chunked =
        "PUT /a?op=CREATE HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\n\r\n\r\n0\r\n\r\n";
    let message = read(chunked, WithoutLength::Empty).expect("a request");
    assert_eq!((message.word(1), message.text().as_str()), ("/a?op=CREATE", "abc\r\n"));
    let again = String::from_utf8(message.bytes()).expect("text");
    assert_eq!(again, "PUT /a?op=CREATE HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc\r\n");
    let open = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nServer: x\r\n\r\nto the end";
    let message = read(open, WithoutLength::ToTheEnd).expect("an answer");
    assert_eq!((message.status(), message.header("SERVER"), message.text()), (404, Some("x"), "to the end".to_owned()));
    assert!(read(open, WithoutLength::Empty).is_some_and(|message| message.body.is_empty()));
    assert_eq!(read("", WithoutLength::Empty), None);
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
    assert!(Message::read(&mut half.as_bytes(), WithoutLength::ToTheEnd, || Ok(())).is_err());
}
