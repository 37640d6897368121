//! Faults of servers and of the network between, by a server that answers as a test says. What a real name node answers
//! is tested against one.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::super::PART;
use super::testing::{
    LIMIT, LIMIT_OF_BOTH, Reply, SHORT_LIMIT, Server, absent, address, answer, at, boolean, exception, json, moved,
    pair, status_of, store, there,
};
use super::*;
use crate::found::verdict;

#[test]
fn what_is_new_gets_the_bits_of_the_site() {
    let folder = tempfile::tempdir().unwrap();
    let store = |umask: &str| {
        let property = format!("<property><name>fs.permissions.umask-mode</name><value>{umask}</value></property>");
        let text = format!("<configuration>{property}</configuration>");
        std::fs::write(folder.path().join("core-site.xml"), text).unwrap();
        let hadoop_folder = Some(folder.path().display().to_string());
        WebHdfs::new(&StoreAddress { hadoop_folder, ..address("webhdfs://nn", LIMIT) }, "ann")
    };
    for (umask, folder_mode, file_mode) in [("", "755", "644"), ("027", "750", "640"), ("77", "700", "600")] {
        let store = store(umask).unwrap();
        assert_eq!((store.folder_mode.as_str(), store.file_mode.as_str()), (folder_mode, file_mode), "{umask}");
    }
    for umask in ["u=rwx,g=,o=", "1777", "9"] {
        assert!(store(umask).unwrap_err().to_string().contains("write it in octal"), "{umask}");
    }
}

/// A port where no server listens.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn content(store: &WebHdfs) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    store.open("/f")?.read_to_end(&mut content)?;
    Ok(content)
}

/// The store of a name node that answers, with a data node that replies so.
fn in_time(reply: &Reply) -> impl Fn(&Server) -> WebHdfs + use<> {
    let limit = if matches!(reply, Reply::Stalls(_)) { LIMIT_OF_BOTH } else { LIMIT };
    move |server| at(&address(&server.url(), limit))
}

/// Every answer that says nothing about the store.
fn faults() -> Vec<Reply> {
    let whole = r#"{"FileStatus":{}}"#;
    vec![
        Reply::Closes,
        Reply::Stalls(String::new()),
        Reply::Stalls("HTTP/1.1 200 OK\r\nContent-Le".to_owned()),
        Reply::Stalls(format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{whole}")),
        Reply::Bytes(format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{whole}")),
        Reply::Bytes(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{whole}\r\n", whole.len())),
        Reply::Bytes("no HTTP\r\n\r\n".to_owned()),
        answer("404 Not Found", "text/html", "<html>no such page</html>"),
        answer("404 Not Found", "application/json", r#"{"RemoteException":{"exception":"FileNotFoundExc"#),
        Reply::Bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 900\r\n\r\n{\"RemoteExc".to_owned()),
        answer("200 OK", "text/html", "<html>log in</html>"),
        Reply::Bytes("HTTP/1.1 302 Found\r\nLocation: http://login/\r\nContent-Length: 0\r\n\r\n".to_owned()),
        moved("http://127.0.0.1:1/login"),
        answer("503 Service Unavailable", "text/html", "busy"),
        exception("403 Forbidden", "StandbyException"),
        exception("403 Forbidden", "RetriableException"),
        exception("403 Forbidden", "SafeModeException"),
        exception("403 Forbidden", "IOException"),
        exception("500 Internal Server Error", "FileNotFoundException"),
        json("200 OK", "{}"),
    ]
}

#[test]
fn a_fault_is_never_an_answer() {
    type Call = fn(&WebHdfs) -> io::Result<()>;
    let calls: [(&str, Call); 12] = [
        ("stat", |store| store.stat("/f").map(drop)),
        ("list", |store| store.list("/f").map(drop)),
        ("open", |store| content(store).map(drop)),
        ("summary", |store| store.summary("/f").map(drop)),
        ("write", |store| store.write("/f", &mut "x".as_bytes(), Existing::Keep)),
        ("create_folders", |store| store.create_folders("/f")),
        ("rename", |store| store.rename("/f", "/g")),
        ("delete", |store| store.delete("/f").map(drop)),
        ("set_mode", |store| store.set_mode("/f", 0o700)),
        ("set_group", |store| store.set_group("/f", "g")),
        ("set_replication", |store| store.set_replication("/f", 2)),
        ("set_times_to_now", |store| store.set_times_to_now("/f")),
    ];
    thread::scope(|scope| {
        for (number, fault) in faults().into_iter().enumerate() {
            scope.spawn(move || {
                let limit = if matches!(fault, Reply::Stalls(_)) { SHORT_LIMIT } else { LIMIT };
                let server = Server::always(fault);
                let store = at(&address(&server.url(), limit));
                for (name, call) in calls {
                    let error = call(&store).expect_err(&format!("{name} {number}"));
                    assert_eq!(verdict(&error), Verdict::Unknown, "{name} {number}: {error}");
                    assert!(error.to_string().starts_with("http://127.0.0.1:"), "{name} {number}: {error}");
                }
            });
        }
    });
}

#[test]
fn absent_is_what_the_store_itself_says() {
    let store = store(&Server::always(absent()));
    assert_eq!(store.stat("/f").unwrap(), None);
    assert_eq!(store.list("/f").unwrap(), None);
    assert_eq!(store.summary("/f").unwrap(), None);
    assert!(!store.delete("/f").unwrap());
    for error in [content(&store).unwrap_err(), store.set_mode("/f", 0o700).unwrap_err()] {
        assert_eq!((verdict(&error), error.kind()), (Verdict::Absent, ErrorKind::NotFound), "{error}");
    }
}

#[test]
fn a_refusal_stays_one() {
    for (reply, expect) in [
        (exception("403 Forbidden", "AccessControlException"), Verdict::Refused),
        // It refuses everything: that says nothing about the path.
        (answer("401 No", "text/html", "<html>"), Verdict::Unknown),
    ] {
        let store = store(&Server::always(reply));
        for error in [store.stat("/f").unwrap_err(), content(&store).unwrap_err(), store.delete("/f").unwrap_err()] {
            assert_eq!(verdict(&error), expect, "{error}");
        }
    }
}

#[test]
fn the_name_node_that_answers_is_found_and_kept() {
    let standby = Server::always(exception("403 Forbidden", "StandbyException"));
    let silent = Server::always(Reply::Stalls(String::new()));
    for (first, limit) in [(standby.port, LIMIT), (silent.port, LIMIT_OF_BOTH), (closed_port(), LIMIT)] {
        let active = Server::start(|head| if head.starts_with("PUT") { boolean(true) } else { there("FILE") });
        let store = pair([first, active.port], limit);
        for _ in 0..3 {
            assert!(store.stat("/f").unwrap().is_some());
        }
        store.create_folders("/d").unwrap();
        assert_eq!(active.requests().len(), 4);
    }
    assert_eq!((standby.requests().len(), silent.requests().len()), (1, 1));
}

#[test]
fn a_change_goes_to_another_name_node_only_when_it_was_not_done() {
    let standby = Server::always(exception("403 Forbidden", "StandbyException"));
    for first in [standby.port, closed_port()] {
        let active = Server::always(boolean(true));
        pair([first, active.port], LIMIT).create_folders("/d").unwrap();
        assert_eq!(active.requests().len(), 1);
    }
    for fault in [Reply::Closes, Reply::Stalls(String::new()), answer("503 Busy", "text/html", "busy")] {
        let limit = if matches!(fault, Reply::Stalls(_)) { LIMIT_OF_BOTH } else { LIMIT };
        let (first, other) = (Server::always(fault), Server::always(boolean(true)));
        let error = pair([first.port, other.port], limit).create_folders("/d").unwrap_err();
        assert_eq!(verdict(&error), Verdict::Unknown, "{error}");
        assert_eq!((first.requests().len(), other.requests().len()), (1, 0), "{error}");
    }
    let error = pair([closed_port(), standby.port], LIMIT).create_folders("/d").unwrap_err();
    assert_eq!(verdict(&error), Verdict::Unknown);
    assert!(error.to_string().contains("cannot be reached") && error.to_string().contains("Standby"), "{error}");
}

#[test]
fn a_connection_that_the_server_has_closed_is_made_again_to_read() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |_| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        if is_first { Reply::Closes } else { there("FILE") }
    });
    assert!(store(&server).stat("/f").unwrap().is_some());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn requests_name_the_user_and_escape_the_path() {
    let server = Server::start(|head| if head.contains("/%252F?") { absent() } else { there("FILE") });
    store(&server).stat("/a b/%41?x").unwrap();
    for proxy in ["oozie", "ann o"] {
        let proxy_user = Some(proxy.to_owned());
        at(&StoreAddress { proxy_user, ..address(&server.url(), LIMIT) }).stat("/f").unwrap();
    }
    let lines: Vec<String> =
        server.requests().iter().map(|request| request.lines().next().unwrap().to_owned()).collect();
    assert_eq!(
        lines,
        [
            "GET /webhdfs/v1/%252F?op=GETFILESTATUS&user.name=ann%20o HTTP/1.1",
            "GET /webhdfs/v1/a%20b/%2541%3Fx?op=GETFILESTATUS&user.name=ann%20o HTTP/1.1",
            "GET /webhdfs/v1/f?op=GETFILESTATUS&user.name=oozie&doas=ann%20o HTTP/1.1",
            "GET /webhdfs/v1/f?op=GETFILESTATUS&user.name=ann%20o HTTP/1.1",
        ]
    );
}

/// A name node that sends contents to a data node, and renames and deletes.
fn name_node(data_node: &Server, stat: Reply) -> Server {
    let port = data_node.port;
    Server::start(move |head| match head.split(' ').nth(1).unwrap() {
        _ if head.starts_with("DELETE") => boolean(true),
        url if url.contains("op=GETFILESTATUS") => stat.clone(),
        url if url.contains("op=RENAME") => answer("200 OK", "application/octet-stream", ""),
        url => moved(&format!("http://127.0.0.1:{port}{url}")),
    })
}

#[test]
fn a_content_is_whole_or_unknown() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n";
    let bytes = |rest: &str| Reply::Bytes(format!("{head}{rest}"));
    for reply in
        [bytes("Content-Length: 3\r\n\r\nabc"), bytes("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")]
    {
        let data_node = Server::always(reply);
        assert_eq!(content(&store(&name_node(&data_node, there("FILE")))).unwrap(), b"abc");
    }
    for reply in [
        bytes("Content-Length: 4\r\n\r\nabc"),
        bytes("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
        bytes("Connection: close\r\n\r\nabc"),
        Reply::Stalls(format!("{head}Content-Length: 4\r\n\r\nabc")),
        answer("200 OK", "text/html", "abc"),
        absent(),
        moved("http://127.0.0.1:1/login"),
        moved("http://127.0.0.1:1/webhdfs/v1/other?op=OPEN"),
    ] {
        let store = in_time(&reply);
        let data_node = Server::always(reply);
        let error = content(&store(&name_node(&data_node, there("FILE")))).unwrap_err();
        assert_eq!(verdict(&error), Verdict::Unknown, "{error}");
    }
    let data_node = Server::always(absent());
    let error = content(&store(&name_node(&data_node, there("DIRECTORY")))).unwrap_err();
    assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, ErrorKind::IsADirectory), "{error}");
}

#[test]
fn a_server_that_decodes_names_twice_gets_none_with_percent_signs() {
    let server = Server::always(there("DIRECTORY"));
    for error in [store(&server).stat("/a%20b").unwrap_err(), store(&server).delete("/a%20b").unwrap_err()] {
        assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, ErrorKind::Unsupported), "{error}");
    }
    assert!(server.requests().iter().all(|request| request.starts_with("GET /webhdfs/v1/%252F?op=GETFILESTATUS&")));

    let because = |message: &str| {
        let body = format!(r#"{{"RemoteException":{{"exception":"FileNotFoundException","message":"{message}"}}}}"#);
        json("404 Not Found", &body)
    };
    for (probed, is_exact) in [(because("File does not exist: /%2F"), true), (because("not a file: //"), false)] {
        let data_node = Server::start(move |head| match head {
            _ if head.contains("/%252F?op=OPEN&") => probed.clone(),
            _ => answer("201 Created", "text/plain", ""),
        });
        let server = name_node(&data_node, absent());
        let written = store(&server).write("/a%20b/x", &mut "x".as_bytes(), Existing::Keep);
        assert_eq!(written.map_err(|error| error.kind()), if is_exact { Ok(()) } else { Err(ErrorKind::Unsupported) });
        assert_eq!(data_node.requests().len(), 1 + usize::from(is_exact));
    }
}

/// A content that cannot be read.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

/// The requests without the number in the name of a part.
fn without_numbers(requests: &[String]) -> Vec<String> {
    let line = |request: &String| {
        let url = request.lines().next().unwrap().trim_end_matches(" HTTP/1.1").replace("&user.name=ann%20o", "");
        match url.split_once(PART) {
            None => url,
            Some((before, rest)) => format!("{before}PART?{}", rest.split_once('?').unwrap().1),
        }
    };
    requests.iter().map(line).collect()
}

#[test]
fn a_content_gets_its_name_when_it_is_whole() {
    let created = || answer("201 Created", "text/plain", "");
    for (content, existing, expect) in [
        (
            "content",
            Existing::Replace,
            &[
                "GET /webhdfs/v1/d/f?op=GETFILESTATUS",
                "PUT /webhdfs/v1/d/PART?op=CREATE&overwrite=false&permission=644",
                "PUT /webhdfs/v1/d/PART?op=RENAME&destination=%2Fd%2Ff&renameoptions=OVERWRITE",
            ][..],
        ),
        (
            "content",
            Existing::Keep,
            &[
                "GET /webhdfs/v1/d/f?op=GETFILESTATUS",
                "PUT /webhdfs/v1/d/PART?op=CREATE&overwrite=false&permission=644",
                "PUT /webhdfs/v1/d/PART?op=RENAME&destination=%2Fd%2Ff&renameoptions=NONE",
            ],
        ),
        (
            "",
            Existing::Replace,
            &["GET /webhdfs/v1/d/f?op=GETFILESTATUS", "PUT /webhdfs/v1/d/f?op=CREATE&overwrite=true&permission=644"],
        ),
    ] {
        let data_node = Server::always(created());
        let server = name_node(&data_node, absent());
        store(&server).write("/d/f", &mut content.as_bytes(), existing).unwrap();
        assert_eq!(without_numbers(&server.requests()), expect);
        let sent = &data_node.requests()[0];
        let body = if content.is_empty() { "\r\n\r\n0\r\n\r\n" } else { "\r\n\r\n7\r\ncontent\r\n0\r\n\r\n" };
        assert!(sent.ends_with(body) && data_node.requests().len() == 1, "{sent}");
    }
}

#[test]
fn a_content_is_sent_once_and_its_part_is_deleted() {
    for reply in [
        Reply::Closes,
        Reply::Stalls(String::new()),
        answer("200 OK", "text/html", ""),
        exception("403 Forbidden", "IOException"),
    ] {
        let store = in_time(&reply);
        let data_node = Server::always(reply);
        let server = name_node(&data_node, absent());
        let error = store(&server).write("/f", &mut "x".as_bytes(), Existing::Keep).unwrap_err();
        assert_eq!(verdict(&error), Verdict::Unknown, "{error}");
        assert_eq!(data_node.requests().len(), 1);
        let last = without_numbers(&server.requests()).pop();
        assert_eq!(last.as_deref(), Some("DELETE /webhdfs/v1/PART?op=DELETE&recursive=true"));
    }

    let data_node = Server::always(exception("403 Forbidden", "RemoteException"));
    let port = data_node.port;
    let below_a_file = Server::start(move |head| match head.split(' ').nth(1).unwrap() {
        url if url.contains("/file/f?op=GETFILESTATUS") => absent(),
        url if url.contains("/file?op=GETFILESTATUS") => there("FILE"),
        url => moved(&format!("http://127.0.0.1:{port}{url}")),
    });
    for content in ["", "x"] {
        let error = store(&below_a_file).write("/file/f", &mut content.as_bytes(), Existing::Keep).unwrap_err();
        assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, ErrorKind::NotADirectory), "{error}");
    }

    let data_node = Server::always(answer("201 Created", "text/plain", ""));
    let server = name_node(&data_node, absent());
    let error = store(&server).write("/f", &mut "x".as_bytes().chain(Broken), Existing::Keep).unwrap_err();
    assert!(error.to_string().contains("the disk is gone") && data_node.requests().is_empty(), "{error}");
    assert!(server.requests().last().unwrap().starts_with("DELETE"));
    assert!(store(&server).write("/f", &mut Broken, Existing::Keep).is_err());

    for (stat, existing, kind) in [
        (there("FILE"), Existing::Keep, ErrorKind::AlreadyExists),
        (there("DIRECTORY"), Existing::Keep, ErrorKind::AlreadyExists),
        (there("DIRECTORY"), Existing::Replace, ErrorKind::IsADirectory),
    ] {
        let error = store(&name_node(&data_node, stat)).write("/f", &mut "x".as_bytes(), existing).unwrap_err();
        assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, kind), "{error}");
    }
    assert!(data_node.requests().is_empty());
}

/// A server that replaces nothing, with a file of old content, and what it does with the renames by their number.
fn http_fs(
    fault: impl Fn(usize) -> Option<Reply> + Send + Sync + 'static,
) -> (Server, Arc<Mutex<BTreeMap<String, bool>>>) {
    let data_node = Server::always(answer("201 Created", "text/plain", ""));
    let port = data_node.port;
    // Whether the content at each path is the new one.
    let files = Arc::new(Mutex::new(BTreeMap::from([("/f".to_owned(), false)])));
    let (kept, renames) = (Arc::clone(&files), AtomicUsize::new(0));
    let server = Server::start(move |head| {
        let url = head.split(' ').nth(1).unwrap();
        let (path, query) = url.trim_start_matches("/webhdfs/v1").split_once('?').unwrap();
        let mut files = kept.lock().unwrap();
        if query.starts_with("op=CREATE") {
            files.insert(path.to_owned(), true);
            return moved(&format!("http://127.0.0.1:{port}{url}"));
        }
        if query.starts_with("op=GETFILESTATUS") {
            return if files.contains_key(path) { there("FILE") } else { absent() };
        }
        if query.starts_with("op=DELETE") {
            return boolean(files.remove(path).is_some());
        }
        let to = query.split('&').find_map(|part| part.strip_prefix("destination=%2F")).unwrap();
        let to = format!("/{to}");
        if files.contains_key(&to) {
            return boolean(false);
        }
        // Those that are refused for the name that exists do not count.
        let told = fault(renames.fetch_add(1, Ordering::SeqCst));
        if told.as_ref().is_none_or(|told| matches!(told, Reply::Closes)) {
            let is_new = files.remove(path).unwrap();
            files.insert(to, is_new);
        }
        told.unwrap_or_else(|| boolean(true))
    });
    // The data node runs as long as the test program.
    (server, files)
}

#[test]
fn a_server_that_does_not_replace_keeps_the_old_content_until_the_new_one_has_its_name() {
    let write = |fault: fn(usize) -> Option<Reply>| {
        let (server, files) = http_fs(fault);
        let written = store(&server).write("/f", &mut "x".as_bytes(), Existing::Replace);
        let left: Vec<(String, bool)> = files.lock().unwrap().clone().into_iter().collect();
        (written.map_err(|error| error.to_string()), left)
    };
    let only = |is_new: bool| vec![("/f".to_owned(), is_new)];
    assert_eq!(write(|_| None), (Ok(()), only(true)));
    // Nothing was renamed; the new content does not get the name and the old one gets it back.
    for number in [|number| (number == 0).then(|| boolean(false)), |number| (number == 1).then(|| boolean(false))] {
        let (written, left) = write(number);
        assert!(written.is_err() && left == only(false), "{written:?} {left:?}");
    }
    // The answer is lost after the old content was renamed: the error says where it is.
    let (written, left) = write(|number| (number == 0).then_some(Reply::Closes));
    let [(old, false)] = left.as_slice() else { panic!("{left:?}") };
    assert!(old.starts_with("/.howdah-old-") && written.as_ref().is_err_and(|text| text.contains(old)), "{written:?}");
    // The answer is lost after the new content got the name: both contents are left.
    let (written, left) = write(|number| (number == 1).then_some(Reply::Closes));
    let [(old, false), (new, true)] = left.as_slice() else { panic!("{left:?}") };
    assert!(new == "/f" && written.as_ref().is_err_and(|text| text.contains(old)), "{written:?}");
    // It cannot be put back either.
    let (written, left) = write(|number| (number > 0).then(|| boolean(false)));
    let [(old, false)] = left.as_slice() else { panic!("{left:?}") };
    assert!(written.as_ref().is_err_and(|text| text.contains(old)), "{written:?}");
}

#[test]
fn a_change_that_was_not_done_says_why() {
    let rename = |exists: &'static [&'static str], done: Reply| {
        let server = Server::start(move |head| match head {
            _ if head.starts_with("PUT") => done.clone(),
            _ if exists.iter().any(|path| head.contains(&format!("/v1{path}?"))) => there("DIRECTORY"),
            _ => absent(),
        });
        (store(&server).rename("/from", "/above/to").map_err(|error| (verdict(&error), error.kind())), server)
    };
    let not_found = Err((Verdict::Absent, ErrorKind::NotFound));
    let exists = Err((Verdict::Refused, ErrorKind::AlreadyExists));
    assert_eq!(rename(&["/from", "/above"], boolean(true)).0, Ok(()));
    assert_eq!(rename(&["/from", "/above"], answer("200 OK", "application/octet-stream", "")).0, Ok(()));
    assert_eq!(rename(&["/above"], boolean(false)).0, not_found);
    assert_eq!(rename(&["/from"], boolean(false)).0, not_found);
    assert_eq!(rename(&["/above"], absent()).0, not_found);
    assert_eq!(rename(&["/from", "/above"], boolean(false)).0, Err((Verdict::Unknown, ErrorKind::TimedOut)));
    let (answer, server) = rename(&["/from", "/above/to"], boolean(true));
    assert_eq!(answer, exists);
    assert!(server.requests().iter().all(|request| request.starts_with("GET")), "nothing is changed");

    let undone =
        |stat: Reply| Server::start(move |head| if head.starts_with("GET") { stat.clone() } else { boolean(false) });
    assert!(!store(&undone(absent())).delete("/f").unwrap());
    assert_eq!(verdict(&store(&undone(there("FILE"))).delete("/f").unwrap_err()), Verdict::Unknown);
    let kind = |stat: Reply| store(&undone(stat)).set_replication("/f", 2).unwrap_err().kind();
    assert_eq!((kind(absent()), kind(there("DIRECTORY"))), (ErrorKind::NotFound, ErrorKind::IsADirectory));
    assert_eq!(store(&undone(there("FILE"))).create_folders("/f").unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn what_must_not_be_done_is_not_sent() {
    let server = Server::always(boolean(true));
    let store = store(&server);
    for error in [
        store.delete("/").unwrap_err(),
        store.delete("///").unwrap_err(),
        store.delete("/data/../x").unwrap_err(),
        store.rename("/", "/x").unwrap_err(),
        store.rename("/a", "/a/b").unwrap_err(),
        store.stat("relative").unwrap_err(),
    ] {
        assert_eq!((verdict(&error), error.kind()), (Verdict::Refused, ErrorKind::InvalidInput), "{error}");
    }
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn a_file_is_no_folder() {
    let list = |entries: &str, stat: Reply| {
        let listing = json("200 OK", &format!(r#"{{"FileStatuses":{{"FileStatus":[{entries}]}}}}"#));
        let server = Server::start(move |head| match head {
            _ if head.contains("op=LISTSTATUS_BATCH&") => exception("400 Bad Request", "IllegalArgumentException"),
            _ if head.contains("op=LISTSTATUS&") => listing.clone(),
            _ => stat.clone(),
        });
        store(&server).list("/d/f").map(|found| found.map(|entries| entries.len())).map_err(|error| error.kind())
    };
    assert_eq!(list("", absent()), Ok(Some(0)));
    assert_eq!(list(&status_of("x", "FILE"), absent()), Ok(Some(1)));
    assert_eq!(list(&status_of("", "FILE"), absent()), Err(ErrorKind::NotADirectory));
    // The last step of the path itself: a file, or a folder with a file of its own name.
    assert_eq!(list(&status_of("f", "FILE"), there("FILE")), Err(ErrorKind::NotADirectory));
    assert_eq!(list(&status_of("f", "FILE"), there("DIRECTORY")), Ok(Some(1)));
    let below_a_file = store(&Server::always(exception("403 Forbidden", "ParentNotDirectoryException")));
    assert_eq!((below_a_file.stat("/f/x").unwrap(), below_a_file.list("/f/x").unwrap()), (None, None));
}

fn names(listed: io::Result<Option<Vec<Entry>>>) -> Vec<String> {
    listed.unwrap().unwrap().into_iter().map(|entry| entry.name).collect()
}

fn part(names: &[&str], remaining: usize) -> Reply {
    let entries: Vec<String> = names.iter().map(|name| status_of(name, "FILE")).collect();
    let listed = format!(r#"{{"FileStatuses":{{"FileStatus":[{}]}}}}"#, entries.join(","));
    let text = format!(r#"{{"DirectoryListing":{{"partialListing":{listed},"remainingEntries":{remaining}}}}}"#);
    json("200 OK", &text)
}

#[test]
fn a_listing_comes_in_parts() {
    let server = Server::start(|head| match head {
        _ if head.contains("op=LISTSTATUS_BATCH&user.name=ann%20o&startAfter=b ") => part(&["c"], 0),
        _ if head.contains("/d?op=LISTSTATUS_BATCH&user.name=ann%20o ") => part(&["a", "b"], 1),
        _ if head.contains("/again?op=LISTSTATUS_BATCH") => part(&["a", "b"], 1),
        _ if head.contains("/empty?op=LISTSTATUS_BATCH") => part(&[], 0),
        _ if head.contains("/nothing?op=LISTSTATUS_BATCH") => part(&[], 1),
        _ => absent(),
    });
    let store = store(&server);
    assert_eq!(names(store.list("/d")), ["a", "b", "c"]);
    assert!(names(store.list("/empty")).is_empty());
    assert_eq!(store.list("/absent").unwrap(), None);
    let before = server.requests().len();
    // It is known to be too long from the first part.
    let error = store.list_up_to("/d", 2).unwrap_err();
    assert!(verdict(&error) == Verdict::Unknown && error.to_string().contains("more than 2 entries"), "{error}");
    assert!(StoreError::in_error(&error).unwrap().is_of_path);
    assert_eq!(server.requests().len(), before + 1);
    // The end does not come.
    assert_eq!(verdict(&store.list("/nothing").unwrap_err()), Verdict::Unknown);
}

#[test]
fn parts_that_repeat_are_no_listing() {
    let server = Server::always(part(&["a", "b"], 1));
    assert_eq!(verdict(&store(&server).list("/d").unwrap_err()), Verdict::Unknown);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_server_without_parts_is_asked_for_them_once_and_its_answer_is_bounded() {
    let entries: Vec<String> = (0..5_000).map(|number| status_of(&format!("{number:0200}"), "FILE")).collect();
    let listing = json("200 OK", &format!(r#"{{"FileStatuses":{{"FileStatus":[{}]}}}}"#, entries.join(",")));
    let server = Server::start(move |head| match head {
        _ if head.contains("op=LISTSTATUS_BATCH") => exception("400 Bad Request", "IllegalArgumentException"),
        _ => listing.clone(),
    });
    let store = store(&server);
    assert_eq!(names(store.list("/d")).len(), 5_000);
    assert_eq!(names(store.list_up_to("/d", 5_000)).len(), 5_000);
    // One is too long by its entries, the other by its bytes.
    for most in [4_999, 10] {
        let error = store.list_up_to("/d", most).unwrap_err();
        assert!(verdict(&error) == Verdict::Unknown && error.to_string().contains("too many to list"), "{error}");
    }
    let batches = server.requests().iter().filter(|head| head.contains("_BATCH")).count();
    assert_eq!((batches, server.requests().len()), (1, 5));
}
