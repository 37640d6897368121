//! The HTTP client of an object store: sends the signed requests of the library through the agent of all stores.
//!
//! So there are one set of time limits, one TLS library and one list of trusted authorities. The library's paths cannot
//! hold every name that an object may have, and it fails on a whole listing where one name is strange: names of a
//! listing pass through it escaped ([`escaped`]), and are read with [`plain`]. Must not know what is asked for.

use std::future::Future;
use std::io::Read as _;
use std::pin::Pin;

use http_body_util::BodyExt as _;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use quick_xml::events::{BytesText, Event};
use quick_xml::{Reader, Writer};
use ureq::http::header::ETAG;
use ureq::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use ureq::{Agent, Error as Trouble};

use super::super::agent::{self, Agents};

/// The most bytes of an answer: a page of a listing has about 400 for an object, a part of a content 8 MiB.
const LARGEST_ANSWER: u64 = 64 << 20;
/// The start of an escaped name: it is never empty, and longer than the name itself.
const MARK: char = 'k';

/// The elements that listings are in.
const LISTINGS: [&str; 2] = ["ListBucketResult", "EnumerationResults"];

/// The headers that make a request a copy.
const COPY_SOURCES: [&str; 3] = ["x-amz-copy-source", "x-goog-copy-source", "x-ms-copy-source"];
/// The header in which Azure says how far a copy is.
const COPY_STATUS: &str = "x-ms-copy-status";

/// The client of one store.
#[derive(Clone, Debug)]
pub(super) struct Wire(Agent);

/// An answer that is no answer of an object store.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NoAnswer(String);

/// A service's future.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl Wire {
    pub(super) fn new(agents: &Agents) -> Self {
        Self(agents.documents.clone())
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let expected = Expected::of(&parts.method, &parts.uri, &parts.headers);
        let method = parts.method.clone();
        let has_body = matches!(method, Method::PUT | Method::POST);
        let body = body.collect().await?.to_bytes();
        let sent = if has_body {
            self.0.run(ureq::http::Request::from_parts(parts, body.as_ref()))
        } else {
            self.0.run(ureq::http::Request::from_parts(parts, ()))
        };
        let (parts, body) = sent.map_err(|trouble| failed(&trouble))?.into_parts();
        let mut bytes = Vec::new();
        // What a HEAD is answered with has a length and no content.
        if method != Method::HEAD {
            let mut reader = body.into_with_config().limit(LARGEST_ANSWER).reader();
            reader.read_to_end(&mut bytes).map_err(|error| failed(&error.into()))?;
        }
        let mut response = Response::from_parts(parts, bytes);
        if response.status().is_success() {
            expected.check(&mut response).map_err(|why| HttpError::new(HttpErrorKind::Decode, NoAnswer(why)))?;
        }
        Ok(response.map(Into::into))
    }
}

/// What a store says when it has done a request. The library believes the status alone, which something between here
/// and the store can send with a page of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Listing,
    /// What became of each object of a deletion.
    Deletions,
    Copy,
    /// Nothing, for the marker of a folder.
    Marker,
    Nothing,
    /// The library reads the answer, or it is a content.
    Other,
}

impl Expected {
    fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        let query = uri.query().unwrap_or_default();
        let is_listing = query.contains("list-type=2") || query.contains("comp=list&") || query.ends_with("comp=list");
        if is_listing {
            Self::Listing
        } else if query == "delete" {
            Self::Deletions
        } else if COPY_SOURCES.iter().any(|name| headers.contains_key(*name)) {
            Self::Copy
        } else if *method == Method::PUT && uri.path().ends_with('/') {
            Self::Marker
        } else if matches!(*method, Method::PUT | Method::DELETE) {
            Self::Nothing
        } else {
            Self::Other
        }
    }

    /// Checks an answer with the status of a success, and makes one that the library reads rightly; in words what is
    /// wrong with it.
    fn check(self, response: &mut Response<Vec<u8>>) -> Result<(), String> {
        match self {
            Self::Listing => *response.body_mut() = with_escaped_names(response.body())?,
            Self::Deletions => {
                check_root(response.body(), "DeleteResult")?;
                let text = String::from_utf8_lossy(response.body());
                // When one of them was not deleted, the whole request has failed.
                if text.contains("<Error>") {
                    let is_denied = text.contains("<Code>AccessDenied</Code>");
                    *response.status_mut() = if is_denied { StatusCode::FORBIDDEN } else { StatusCode::BAD_GATEWAY };
                }
            }
            Self::Copy => match response.headers().get(COPY_STATUS) {
                // Azure may copy later; until then the source is needed.
                Some(status) if status != "success" => return Err(format!("the copy is [{status:?}]")),
                Some(_) => {}
                None => check_root(response.body(), "CopyObjectResult")?,
            },
            Self::Marker | Self::Nothing if !response.body().is_empty() => {
                return Err("a change is answered with a document".to_owned());
            }
            // The library wants a version, and a server that makes folders of markers has none for them.
            Self::Marker => {
                response.headers_mut().entry(ETAG).or_insert(HeaderValue::from_static("\"\""));
            }
            Self::Nothing | Self::Other => {}
        }
        Ok(())
    }
}

/// Checks the outermost element of an answer.
fn check_root(document: &[u8], expect: &str) -> Result<(), String> {
    let text = String::from_utf8_lossy(document);
    let mut reader = Reader::from_str(&text);
    loop {
        match reader.read_event().map_err(|error| format!("an answer cannot be read: {error}"))? {
            Event::Start(tag) | Event::Empty(tag) if tag.local_name().into_inner() == expect => return Ok(()),
            Event::Start(_) | Event::Empty(_) | Event::Eof => return Err(format!("an answer is no [{expect}]")),
            _ => {}
        }
    }
}

impl HttpService for Wire {
    fn call<'life, 'future>(&'life self, request: HttpRequest) -> Answer<'future>
    where
        'life: 'future,
        Self: 'future,
    {
        Box::pin(self.send(request))
    }
}

impl HttpConnector for Wire {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// A request without a whole answer, in the library's words, which decide whether it is sent again.
fn failed(trouble: &Trouble) -> HttpError {
    let kind = if agent::was_not_sent(trouble) {
        HttpErrorKind::Connect
    } else if agent::was_closed(trouble) {
        HttpErrorKind::Interrupted
    } else if matches!(trouble, Trouble::Timeout(_)) {
        HttpErrorKind::Timeout
    } else {
        HttpErrorKind::Unknown
    };
    HttpError::new(kind, NoAnswer(agent::explain(trouble)))
}

/// A name as one step of a path of the library, whatever is in it.
fn escaped(name: &str) -> String {
    format!("{MARK}{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}

/// The name in an escaped one; `None` when it is none.
pub(super) fn plain(escaped: &str) -> Option<String> {
    let name = percent_decode_str(escaped.strip_prefix(MARK)?).decode_utf8().ok()?;
    Some(name.into_owned())
}

/// A listing in which each name of an object or of a common prefix is escaped.
fn with_escaped_names(listing: &[u8]) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(listing).map_err(|_| "a listing is not UTF-8".to_owned())?;
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::new(Vec::new());
    let bad = |error: &dyn std::fmt::Display| format!("a listing cannot be read: {error}");
    let mut open: Vec<String> = Vec::new();
    let mut name: Option<String> = None;
    let (mut goes_on, mut has_token) = (false, false);
    loop {
        let event = reader.read_event().map_err(|error| bad(&error))?;
        match (&event, &mut name) {
            // The rest of such a listing cannot be asked for.
            (Event::Eof, _) if goes_on && !has_token => return Err(bad(&"it goes on, and does not say where")),
            (Event::Eof, _) if open.is_empty() => return Ok(writer.into_inner()),
            (Event::Eof, _) => return Err(bad(&"it ends too early")),
            (Event::Start(tag), _) => {
                let tag = tag.local_name().into_inner().to_owned();
                // Another document would be read as a listing of nothing.
                if open.is_empty() && !LISTINGS.contains(&tag.as_str()) {
                    return Err(bad(&format!("it is no listing but [{}]", tag.escape_debug())));
                }
                has_token |= tag == "NextContinuationToken";
                if is_name(open.last().map(String::as_str), &tag) {
                    name = Some(String::new());
                }
                open.push(tag);
            }
            (Event::End(_), _) => {
                open.pop();
                if let Some(name) = name.take() {
                    writer.write_event(Event::Text(BytesText::new(&escaped(&name)))).map_err(|error| bad(&error))?;
                }
            }
            (Event::Text(part), None) => {
                goes_on |= open.last().is_some_and(|tag| tag == "IsTruncated") && part.trim() == "true";
            }
            (Event::Text(part), Some(name)) => {
                name.push_str(part);
                continue;
            }
            (Event::CData(part), Some(name)) => {
                name.push_str(part);
                continue;
            }
            (Event::GeneralRef(reference), Some(name)) => {
                let text = quick_xml::escape::unescape(&format!("&{};", &**reference))
                    .map_err(|error| bad(&error))?
                    .into_owned();
                name.push_str(&text);
                continue;
            }
            _ => {}
        }
        writer.write_event(event).map_err(|error| bad(&error))?;
    }
}

/// Whether an element holds the name of an object or of a common prefix.
fn is_name(parent: Option<&str>, element: &str) -> bool {
    matches!(
        (parent, element),
        (Some("Contents"), "Key") | (Some("CommonPrefixes"), "Prefix") | (Some("Blob" | "BlobPrefix"), "Name")
    )
}

#[cfg(test)]
mod tests {
    use ureq::http::HeaderName;

    use super::*;

    #[test]
    fn every_name_passes_through_a_path_of_the_library() {
        for name in ["a", "a/", "/a", "a//b", "a/../b", "..", "a\nb", "100%", "%2F", "é ?#&<", "", "\u{1}"] {
            let path = object_store::path::Path::parse(escaped(name)).unwrap();
            assert_eq!(plain(path.as_ref()).as_deref(), Some(name));
            assert!(escaped(name).len() > name.len());
        }
        assert_eq!(plain("a"), None);
    }

    #[test]
    fn the_names_of_a_listing_are_escaped_and_nothing_else() {
        let listing = "<ListBucketResult><Prefix>a/</Prefix><Contents><Key>a/../b&amp;c&#10;</Key><Size>3</Size></Contents>\
                       <CommonPrefixes><Prefix>a//</Prefix></CommonPrefixes></ListBucketResult>";
        let read = String::from_utf8(with_escaped_names(listing.as_bytes()).unwrap()).unwrap();
        let expect = "<ListBucketResult><Prefix>a/</Prefix><Contents><Key>ka%2F%2E%2E%2Fb%26c%0A</Key><Size>3</Size></Contents>\
                      <CommonPrefixes><Prefix>ka%2F%2F</Prefix></CommonPrefixes></ListBucketResult>";
        assert_eq!(read, expect);
        for content in ["<Contents><Key>a", "</X>", "<Contents><Key>&x;</Key></Contents></ListBucketResult>"] {
            with_escaped_names(format!("<ListBucketResult>{content}").as_bytes()).unwrap_err();
        }
        for other in ["<html></html>", "<Error><Code>InternalError</Code></Error>"] {
            with_escaped_names(other.as_bytes()).unwrap_err();
        }
        let truncated =
            |rest: &str| format!("<ListBucketResult><IsTruncated>true</IsTruncated>{rest}</ListBucketResult>");
        with_escaped_names(truncated("").as_bytes()).unwrap_err();
        let token = "<NextContinuationToken>t</NextContinuationToken>";
        with_escaped_names(truncated(token).as_bytes()).unwrap();
    }

    fn check(method: &Method, uri: &str, header: &str, answer: (&str, &str), expect: Option<u16>) {
        let header_is_empty = header.is_empty();
        let header = (!header_is_empty).then(|| (header.parse::<HeaderName>().unwrap(), HeaderValue::from_static("x")));
        let expected = Expected::of(method, &uri.parse().unwrap(), &header.into_iter().collect());
        let mut response = Response::new(answer.1.as_bytes().to_vec());
        if !answer.0.is_empty() {
            response.headers_mut().insert(COPY_STATUS, answer.0.parse().unwrap());
        }
        let checked = expected.check(&mut response).map(|()| response.status().as_u16());
        assert_eq!(checked.ok(), expect, "{method} {uri} {answer:?}");
        // The library takes no other answer for a written object.
        let is_marker = *method == Method::PUT && uri.ends_with('/') && header_is_empty;
        assert_eq!(response.headers().contains_key(ETAG), is_marker && expect.is_some(), "{method} {uri}");
    }

    #[test]
    fn a_page_of_something_else_is_no_answer() {
        const PAGE: &str = "<html><body>Please log in</body></html>";
        let (put, delete, post) = (&Method::PUT, &Method::DELETE, &Method::POST);
        let copied = "<?xml version='1.0'?><CopyObjectResult><ETag>e</ETag></CopyObjectResult>";
        for source in ["x-amz-copy-source", "x-goog-copy-source"] {
            check(put, "/b/k", source, ("", copied), Some(200));
            for wrong in [PAGE, "", "<Error><Code>InternalError</Code></Error>", "no XML"] {
                check(put, "/b/k", source, ("", wrong), None);
            }
        }
        check(put, "/b/k", "x-ms-copy-source", ("success", ""), Some(200));
        check(put, "/b/k", "x-ms-copy-source", ("pending", ""), None);
        check(put, "/b/k", "x-ms-copy-source", ("", PAGE), None);
        for method in [put, delete] {
            check(method, "/b/k", "", ("", ""), Some(200));
            check(method, "/b/k", "", ("", PAGE), None);
        }
        check(put, "/b/k/", "", ("", ""), Some(200));
        check(put, "/b/k/", "", ("", PAGE), None);
        check(post, "/b?delete", "", ("", "<DeleteResult/>"), Some(200));
        check(
            post,
            "/b?delete",
            "",
            ("", "<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>"),
            Some(403),
        );
        check(post, "/b?delete", "", ("", "<DeleteResult><Error><Code>X</Code></Error></DeleteResult>"), Some(502));
        check(post, "/b?delete", "", ("", PAGE), None);
        check(post, "/b?delete", "", ("", ""), None);
        check(post, "/b/k?uploads", "", ("", PAGE), Some(200));
    }
}
