//! The page for people.

use crate::oozie::{Jobs, NOW};
use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::web_server::{Reply, Server};

fn served() -> (Jobs, Server) {
    let jobs = Jobs::new();
    let command = jobs.sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW);
    let server = Server::of(&jobs.sandbox, command);
    (jobs, server)
}

/// Returns a page, which must be complete and bring everything with it.
fn page(server: &Server, path: &str) -> String {
    let Reply { status, body, .. } = server.get(path);
    assert_eq!(status, 200, "{path}: {body}");
    assert!(body.starts_with("<!DOCTYPE html>") && body.trim_end().ends_with("</html>"), "{path}: {body}");
    for foreign in ["<script", "http://", "https://", "style=", "onclick"] {
        let body = body.replace("http://www.w3.org/2000/svg", "").replace("http://no.such.host", "");
        assert!(!body.contains(foreign), "{path} contains {foreign}: {body}");
    }
    body
}

/// Returns the places on this server to which a page links.
fn links(body: &str) -> Vec<String> {
    let found = body.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    found.filter(|link| link.starts_with('/')).map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn every_link_leads_to_a_page() {
    let (jobs, server) = served();
    let mut open = vec!["/".to_owned()];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(path) = open.pop() {
        if seen.len() > 60 || !seen.insert(path.clone()) {
            continue;
        }
        if path == "/style.css" {
            let style = server.get(&path);
            assert_eq!((style.status, style.header("content-type")), (200, Some("text/css;charset=UTF-8")));
            continue;
        }
        open.extend(links(&page(&server, &path)));
    }
    let reached = |part: &str| assert!(seen.iter().any(|path| path.contains(part)), "{part}: {seen:?}");
    [&jobs.workflow, &jobs.coordinator, "/log", "/history", "/definition", "/calendar", "%401", "type=bundle"]
        .into_iter()
        .for_each(reached);
}

#[test]
fn pages_say_why_and_show_what_is_inside() {
    let (jobs, server) = served();
    let list = page(&server, "/");
    assert!(list.contains("RUNNING") && list.contains(&jobs.coordinator), "{list}");
    let coordinator = page(&server, &format!("/job/{}", jobs.coordinator));
    assert!(coordinator.contains("waits for") && coordinator.contains("file:///d/2015"), "{coordinator}");
    let action = page(&server, &format!("/job/{}@1", jobs.coordinator));
    assert!(action.contains("WAITING"), "{action}");
    let workflow = page(&server, &format!("/job/{}", jobs.workflow));
    assert!(workflow.contains("<svg") && workflow.contains("shell-node"), "{workflow}");
    let calendar = page(&server, &format!("/job/{}/calendar", jobs.coordinator));
    assert!(calendar.contains("2015-06") && calendar.contains("15:06"), "{calendar}");
    assert!(page(&server, "/?type=wf&filter=status%3DSUCCEEDED").contains(&jobs.workflow));
    assert!(!page(&server, "/?type=wf&filter=status%3DKILLED").contains(&jobs.workflow));
    server.get("/?filter=colour%3Dred").assert_refused(400, "E0420");
    server.get(&format!("/job/{}/colour", jobs.workflow)).assert_refused(404, "E0301");
    server.get(&format!("/job/{}/calendar?month=x", jobs.coordinator)).assert_refused(400, "E0303");
}

#[test]
fn graphs_in_both_formats() {
    let (jobs, server) = served();
    let graph = |query: &str| server.get(&format!("/oozie/v1/job/{}?show=graph{query}", jobs.workflow));
    let picture = graph("&format=svg&show-kill=true");
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/svg+xml")), "{picture:?}");
    assert!(picture.body.starts_with("<svg") && picture.body.contains("shell-node"), "{picture:?}");
    assert!(graph("&format=dot").body.contains("\"shell-node\" -> "));
    graph("&format=png").assert_refused(400, "E0303");
    server.get(&format!("/oozie/v1/job/{}?show=graph", jobs.coordinator)).assert_refused(400, "E0302");
}

#[test]
fn a_browser_takes_nothing_from_elsewhere() {
    let (jobs, server) = served();
    let reply = server.get("/");
    let policy = reply.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    // What is no page loads and runs nothing.
    let workflow = &jobs.workflow;
    for path in [
        format!("/oozie/v1/job/{workflow}?show=definition"),
        format!("/oozie/v1/job/{workflow}?show=graph"),
        format!("/oozie/v1/job/{workflow}?show=log"),
        "/oozie/versions".to_owned(),
        "/nothing".to_owned(),
    ] {
        let reply = server.get(&path);
        assert_eq!(reply.header("content-security-policy"), Some("default-src 'none'; sandbox"), "{path}: {reply:?}");
    }
}

#[test]
fn texts_of_jobs_are_never_html() {
    let sandbox = Sandbox::new();
    let evil = "<script>alert(1)</script>";
    let written = evil.replace('<', "&lt;");
    let echo = shell("a", &format!("printf '%s' '{written}'; exit 1"), "end");
    workflow(&sandbox, "app", "a", &[echo]);
    let path = sandbox.path("app/workflow.xml");
    let text = std::fs::read_to_string(&path).expect("a definition");
    let named = text.replacen(" name=\"", &format!(" name=\"{written}"), 1);
    std::fs::write(&path, named).expect("a definition");
    let id = sandbox.submit("2015-06-22T15:06Z", &[("note", evil)]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    for path in
        ["/?type=wf".to_owned(), format!("/job/{id}"), format!("/job/{id}/log"), format!("/job/{id}/definition")]
    {
        let body = page(&server, &path);
        assert!(body.contains("&lt;script&gt;") || body.contains("&amp;lt;script"), "{path}: {body}");
    }
    let found = server.get(&format!("/oozie/v1/job/{id}?show=graph")).body;
    assert!(!found.contains("<script"), "{found}");
}

/// A month of many actions, and one without any.
#[test]
fn calendars_of_other_months() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    let (start, end) = ("2015-06-30T22:00Z", "2015-07-01T02:00Z");
    Coordinator { start, end, ..Coordinator::default() }.write(&sandbox);
    let id = sandbox.submit("2015-06-22T15:06Z", &[]);
    sandbox.tick_through("2015-07-02T00:00Z");
    let server = Server::start(&sandbox, &[]);
    let actions = |month: &str| page(&server, &format!("/job/{id}/calendar?month={month}")).matches("%40").count();
    assert_eq!([actions("2015-06"), actions("2015-07"), actions("2015-08")], [2, 2, 0]);
}
