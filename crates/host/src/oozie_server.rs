//! A client of Oozie's web services: sends one request and returns the answer, within limits of time and size.
//!
//! Must not depend on what the answers say. No Kerberos: a server that asks for it is reported with what to do instead.

use std::time::Duration;

use ureq::{Agent, Body, http::Response};

use howdah_words::error::{Error, ErrorCode, Result};

/// How long the server may take to accept a connection, and then for the first byte.
const STEP: Duration = Duration::from_secs(60);
/// How long a whole answer may take.
const WHOLE: Duration = Duration::from_secs(300);
/// The most bytes of an answer: a page of actions with their configurations is large.
const MOST_BYTES: u64 = 256 << 20;

/// A server, and the user who asks.
#[derive(Debug)]
pub struct OozieServer {
    url: String,
    user: String,
    agent: Agent,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The body of an answer that says that the request was done.
    Done(String),
    /// The server does not have what the request names: `E0604` and its relatives, or status 404.
    Absent(String),
}

impl OozieServer {
    /// A client of the server at a URL such as `http://host:11000/oozie`.
    ///
    /// # Errors
    /// H0240 when the URL is not one of HTTP.
    pub fn new(url: &str, user: &str) -> Result<Self> {
        let url = url.trim().trim_end_matches('/');
        if !is_url(url) || url.contains(['?', '#', ' ']) {
            let error = Error::with(ErrorCode::H0240, &[&url, &"it is not a URL of HTTP"]);
            return Err(error.help("write it as http://HOST:11000/oozie"));
        }
        let agent = Agent::config_builder()
            .timeout_resolve(Some(STEP))
            .timeout_connect(Some(STEP))
            .timeout_send_request(Some(STEP))
            .timeout_recv_response(Some(STEP))
            .timeout_global(Some(WHOLE))
            .http_status_as_error(false)
            .user_agent(concat!("howdah/", env!("CARGO_PKG_VERSION")))
            .proxy(None)
            .build()
            .into();
        Ok(Self { url: url.to_owned(), user: user.to_owned(), agent })
    }

    /// Returns the address of the web services.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Reads what a path below the web services names, such as `v1/job/ID?show=info`.
    ///
    /// # Errors
    /// H0240 when the server gives no answer, H0241 when it refuses, H0242 when it wants Kerberos.
    pub fn get(&self, path: &str) -> Result<Reply> {
        let answer = self.agent.get(self.address(path)).call();
        self.reply(path, answer)
    }

    /// Changes a job: a PUT without a body, such as `v1/job/ID?action=kill`.
    ///
    /// # Errors
    /// As [`OozieServer::get`].
    pub fn put(&self, path: &str) -> Result<Reply> {
        let answer = self.agent.put(self.address(path)).send_empty();
        self.reply(path, answer)
    }

    fn address(&self, path: &str) -> String {
        let sign = if path.contains('?') { '&' } else { '?' };
        let user = percent_encoding::utf8_percent_encode(&self.user, percent_encoding::NON_ALPHANUMERIC);
        format!("{}/{path}{sign}user.name={user}", self.url)
    }

    fn reply(&self, path: &str, answer: Result<Response<Body>, ureq::Error>) -> Result<Reply> {
        let silent = |cause: &dyn std::fmt::Display| {
            let help = "check the address, and that the server runs: curl URL/v1/admin/status";
            Error::with(ErrorCode::H0240, &[&self.url, cause]).help(help)
        };
        let mut answer = answer.map_err(|cause| silent(&cause))?;
        let status = answer.status().as_u16();
        if (200..=299).contains(&status) {
            let body = answer.body_mut().with_config().limit(MOST_BYTES).read_to_string();
            return body.map(Reply::Done).map_err(|cause| silent(&cause));
        }
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let message = [header("oozie-error-code"), header("oozie-error-message")].join(" ").trim().to_owned();
        let wants = header("www-authenticate");
        if status == 401 && wants.split(',').any(|way| way.trim_start().starts_with("Negotiate")) {
            return Err(self.kerberos());
        }
        let is_absent = ["E0604", "E0605"].contains(&header("oozie-error-code"));
        if is_absent || (status == 404 && header("oozie-error-code").is_empty()) {
            return Ok(Reply::Absent(if message.is_empty() { "status 404".to_owned() } else { message }));
        }
        let why = if message.is_empty() { format!("status {status}") } else { format!("status {status}: {message}") };
        Err(Error::with(ErrorCode::H0241, &[&format!("{}/{path}", self.url), &why]))
    }

    fn kerberos(&self) -> Error {
        Error::with(ErrorCode::H0242, &[&self.url]).help(format!(
            "let curl fetch the answers into a folder, and name the folder instead: howdah import oozie '{}' \
             --print-fetch > fetch.sh; kinit; sh fetch.sh oozie-answers",
            self.url
        ))
    }
}

/// Returns whether a source is the address of a server.
pub fn is_url(source: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| source.get(..scheme.len()).is_some_and(|start| start == *scheme))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Answers one request; returns the address of the services, and later the head of the request.
    fn serve(answer: &'static str) -> (String, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/oozie/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = vec![0; 4096];
            let length = stream.read(&mut head).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&head[..length]).into_owned()
        });
        (url, server)
    }

    fn ask(answer: &'static str) -> (Result<Reply>, String) {
        let (url, server) = serve(answer);
        let reply = OozieServer::new(&url, "ann o").unwrap().get("v1/job/1-C?show=info");
        (reply, server.join().unwrap())
    }

    #[test]
    fn an_answer_is_read_and_names_the_user() {
        let (reply, head) = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
        assert_eq!(reply.unwrap(), Reply::Done("{}".to_owned()));
        assert!(head.starts_with("GET /oozie/v1/job/1-C?show=info&user.name=ann%20o HTTP/1.1"), "{head}");
    }

    #[test]
    fn refusals_are_told_apart() {
        let absent = "HTTP/1.1 404 Not Found\r\noozie-error-code: E0604\r\noozie-error-message: E0604: Job does not \
                      exist [x]\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        assert_eq!(ask(absent).0.unwrap(), Reply::Absent("E0604 E0604: Job does not exist [x]".to_owned()));
        let refused = "HTTP/1.1 401 Unauthorized\r\noozie-error-code: E0508\r\nContent-Length: 0\r\nConnection: \
                       close\r\n\r\n";
        let error = ask(refused).0.unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0241);
        assert!(error.message().contains("status 401: E0508"), "{error}");
        let kerberos = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\nConnection: \
                        close\r\n\r\n";
        let error = ask(kerberos).0.unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0242);
        assert!(error.help_text().unwrap().contains("--print-fetch"), "{error:?}");
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let error = OozieServer::new("http://127.0.0.1:1/oozie", "ann").unwrap().get("versions").unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0240);
        assert!(error.message().contains("http://127.0.0.1:1/oozie"), "{error}");
        for wrong in ["ftp://a", "host:11000", "http://a b/oozie", "http://a/oozie?x=1"] {
            assert_eq!(OozieServer::new(wrong, "ann").unwrap_err().code(), ErrorCode::H0240, "{wrong}");
        }
    }
}
