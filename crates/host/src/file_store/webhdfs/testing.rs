//! A server that answers as a test says, and stores that ask it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::WebHdfs;
use crate::file_store::{StoreAddress, StoreLimits};

/// What a server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes, and closes the connection.
    Bytes(String),
    /// Sends these bytes, and then nothing more.
    Stalls(String),
    /// Sends these bytes, and then one more every few milliseconds as long as the client reads.
    Drips(String),
    Closes,
}

/// A server, and the requests that it got: each head, and the body behind it.
pub(crate) struct Server {
    pub(super) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (noted, reply) = (Arc::clone(&requests), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, reply) = (Arc::clone(&noted), Arc::clone(&reply));
                thread::spawn(move || serve(stream, &noted, &*reply));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn always(reply: Reply) -> Self {
        Self::start(move |_| reply.clone())
    }

    pub(crate) fn url(&self) -> String {
        format!("webhdfs://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut stream: TcpStream, noted: &Mutex<Vec<String>>, reply: &dyn Fn(&str) -> Reply) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&request);
        let is_whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let is_there = |length: &str| body.len() >= length.parse().expect("a number");
            if head.contains("transfer-encoding: chunked") {
                body.ends_with("0\r\n\r\n")
            } else {
                length.is_none_or(is_there)
            }
        });
        if is_whole {
            break;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend(&buffer[..read]),
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    noted.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
    let reply = reply(&request);
    if let Reply::Bytes(bytes) | Reply::Stalls(bytes) | Reply::Drips(bytes) = &reply {
        let _ = stream.write_all(bytes.as_bytes());
    }
    match reply {
        Reply::Bytes(_) | Reply::Closes => {}
        // Until the client gives up.
        Reply::Stalls(_) => _ = stream.read(&mut buffer),
        Reply::Drips(_) => {
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// For servers that answer.
pub(crate) const LIMIT: Duration = howdah_tier::PATIENCE;
/// For servers that never answer.
pub(crate) const SHORT_LIMIT: Duration = Duration::from_millis(100);
/// For a store of which one server never answers, so that the test waits for as long as this, and another one does.
pub(super) const LIMIT_OF_BOTH: Duration = Duration::from_secs(3);

pub(crate) fn answer(status: &str, kind: &str, body: &str) -> Reply {
    Reply::Bytes(format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    ))
}

pub(crate) fn json(status: &str, body: &str) -> Reply {
    answer(status, "application/json", body)
}

pub(crate) fn exception(status: &str, class: &str) -> Reply {
    json(status, &format!(r#"{{"RemoteException":{{"exception":"{class}","message":"why"}}}}"#))
}

pub(crate) fn absent() -> Reply {
    exception("404 Not Found", "FileNotFoundException")
}

pub(crate) fn there(kind: &str) -> Reply {
    json("200 OK", &format!(r#"{{"FileStatus":{}}}"#, status_of("", kind)))
}

pub(crate) fn status_of(name: &str, kind: &str) -> String {
    let name = serde_json::Value::from(name);
    format!(
        r#"{{"group":"g","length":3,"modificationTime":1,"owner":"o","pathSuffix":{name},"permission":"755",
            "replication":1,"type":"{kind}"}}"#
    )
}

pub(crate) fn boolean(done: bool) -> Reply {
    json("200 OK", &format!(r#"{{"boolean":{done}}}"#))
}

pub(super) fn moved(place: &str) -> Reply {
    Reply::Bytes(format!(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: {place}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ))
}

pub(crate) fn address(server: &str, limit: Duration) -> StoreAddress {
    let limit = u64::try_from(limit.as_millis()).unwrap();
    StoreAddress {
        name: "hdfs://test".to_owned(),
        server: server.to_owned(),
        folder: String::new(),
        hadoop_folder: None,
        proxy_user: None,
        writable: None,
        limits: StoreLimits { connect: limit, answer: limit },
    }
}

pub(super) fn at(address: &StoreAddress) -> WebHdfs {
    WebHdfs::new(address, "ann o").unwrap()
}

pub(super) fn store(server: &Server) -> WebHdfs {
    at(&address(&server.url(), LIMIT))
}

/// A store with two name nodes, at these ports, asked within `limit`.
pub(super) fn pair(ports: [u16; 2], limit: Duration) -> WebHdfs {
    let folder = tempfile::tempdir().unwrap();
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let web = |id: usize| property(&format!("dfs.namenode.http-address.ns.n{id}"), &format!("127.0.0.1:{}", ports[id]));
    let site = [property("dfs.nameservices", "ns"), property("dfs.ha.namenodes.ns", "n0,n1"), web(0), web(1)];
    let text = format!("<configuration>{}</configuration>", site.concat());
    std::fs::write(folder.path().join("hdfs-site.xml"), text).unwrap();
    let folder = Some(folder.path().display().to_string());
    at(&StoreAddress { hadoop_folder: folder, ..address("hdfs://ns", limit) })
}
