//! Which processes work on a request: those that only read the database, those that also look at files of jobs, or
//! those that may change something.

use howdah_host::web::Request;

/// Where a request is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// In the server itself: the answer is always the same.
    Here,
    /// By a process that only reads the database.
    Database,
    /// By a process that reads the database and files of jobs.
    Files,
    /// By a process that may change something, or that opens files which the request names.
    Changes,
}

impl Lane {
    /// Returns the lane of a request. A request in a wrong lane is never answered wrongly: at worst it waits longer, or
    /// is refused.
    pub(super) fn of(request: &Request) -> Self {
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        let is_reading = request.is_reading();
        match &path[..] {
            _ if request.method == "OPTIONS" => Self::Here,
            ["oozie" | "style.css"] | ["oozie", "versions"] => Self::Here,
            ["oozie", _, "admin", "status"] | ["oozie", _, "jobs" | "validate"] | ["oozie", _, "job", _]
                if matches!(request.method.as_str(), "POST" | "PUT") =>
            {
                Self::Changes
            }
            _ if !is_reading => Self::Files,
            ["oozie", _, "admin", _] | ["oozie", _, "sla"] | [] | ["job", _, "definition" | "history"] => {
                Self::Database
            }
            ["oozie", _, "jobs"] if request.parameter("bulk").is_none() => Self::Database,
            ["oozie", _, "job", _] => match request.parameter("show") {
                Some("status" | "definition" | "auditlog") => Self::Database,
                _ => Self::Files,
            },
            _ => Self::Files,
        }
    }
}

/// Returns the job that a request is about, as it names it.
pub(super) fn subject(request: &Request) -> Option<&str> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let (["oozie", _, "job", id] | ["job", id, ..]) = path[..] else { return None };
    id.split('@').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_host::partner::Message;

    fn request(method: &str, path: &[&str], parameters: &[(&str, &str)]) -> Request {
        let end = "127.0.0.1:1";
        let head = serde_json::json!({
            "method": method, "path": path, "parameters": parameters, "headers": [], "peer": end, "local": end,
        });
        Request::from_message(Message { head: head.to_string().into_bytes(), ..Message::default() }).unwrap()
    }

    #[test]
    fn what_may_look_at_files_of_jobs_has_its_own_processes() {
        for (method, path, parameters, expect) in [
            ("OPTIONS", &["oozie", "v1", "job", "x"][..], &[][..], Lane::Here),
            ("GET", &["oozie", "versions"], &[], Lane::Here),
            ("GET", &[], &[], Lane::Database),
            ("GET", &["oozie", "v1", "jobs"], &[("jobtype", "wf")], Lane::Database),
            ("GET", &["oozie", "v1", "jobs"], &[("bulk", "bundle=x")], Lane::Files),
            ("HEAD", &["oozie", "v1", "admin", "status"], &[], Lane::Database),
            ("GET", &["oozie", "v1", "job", "x"], &[("show", "status")], Lane::Database),
            ("GET", &["oozie", "v1", "job", "x"], &[("show", "log")], Lane::Files),
            ("GET", &["oozie", "v1", "job", "x"], &[], Lane::Files),
            ("GET", &["job", "x"], &[], Lane::Files),
            ("GET", &["job", "x", "log"], &[], Lane::Files),
            ("GET", &["job", "x", "history"], &[], Lane::Database),
            ("POST", &["oozie", "v1", "validate"], &[], Lane::Changes),
            ("DELETE", &["oozie", "v1", "jobs"], &[], Lane::Files),
            ("POST", &["oozie", "v1", "jobs"], &[], Lane::Changes),
            ("PUT", &["oozie", "v1", "jobs"], &[], Lane::Changes),
            ("PUT", &["oozie", "v1", "job", "x"], &[("action", "kill")], Lane::Changes),
            ("PUT", &["oozie", "v1", "admin", "status"], &[], Lane::Changes),
        ] {
            assert_eq!(Lane::of(&request(method, path, parameters)), expect, "{method} {path:?} {parameters:?}");
        }
    }

    #[test]
    fn parts_of_one_job_are_one_subject() {
        let subject = |path: &[&str]| super::subject(&request("GET", path, &[])).map(str::to_owned);
        for path in [&["oozie", "v1", "job", "x@a"][..], &["job", "x"], &["job", "x@2", "log"]] {
            assert_eq!(subject(path).as_deref(), Some("x"), "{path:?}");
        }
        assert_eq!(subject(&["oozie", "v1", "jobs"]), None);
    }
}
