//! The `email` action on a real mail server.

use std::net::TcpListener;

use howdah_sandbox::mail_server::{MailServer, mails};
use howdah_sandbox::one_action::{attempt, begin, kill, run};
use howdah_sandbox::ports::free_port;
use howdah_sandbox::sandbox::Sandbox;

fn site(port: u16) -> String {
    format!(
        "oozie.email.smtp.host=127.0.0.1\noozie.email.smtp.port={port}\noozie.email.from.address=howdah@example.org\n\
         oozie.email.smtp.username=ann\noozie.email.smtp.password=s3cret-word\n"
    )
}

fn body(elements: &str) -> String {
    format!("<email xmlns='uri:oozie:email-action:0.2'>{elements}</email>")
}

/// The elements that every email has, and those after them.
fn to(recipients: &str, rest: &str) -> String {
    body(&format!("<to>{recipients}</to>{rest}"))
}

const TEXT: &str = "<subject>${wf:name()} is done</subject><body>line one\n.\nline three</body>";

#[test]
fn all_receivers_get_the_mail_with_its_attachments_once() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    sandbox.write("report.csv", "1,2\n");
    sandbox.write("app/inside.txt", "beside the workflow\n");
    let attachments = "<attachment>file://${sandbox}/report.csv, inside.txt</attachment>";
    let copies = "<cc>dev@example.org</cc><bcc>boss@example.org</bcc>";
    let elements = format!("{copies}{TEXT}<content_type>text/html</content_type>{attachments}");
    assert_eq!(run(&sandbox, &site(server.port), &to("ops@example.org, ann@example.org", &elements)), "SUCCEEDED, OK");
    let [mail] = &mails(&sandbox)[..] else { panic!("one mail") };
    for line in [
        "X-MailFrom: howdah@example.org",
        "X-RcptTo: ops@example.org, ann@example.org, dev@example.org, boss@example.org",
        "To: ops@example.org, ann@example.org",
        "Cc: dev@example.org",
        "Subject: test is done",
        "Content-Type: text/html; charset=utf-8",
        "line one\n.\nline three",
        "filename=\"report.csv\"",
        "1,2",
        "filename=\"inside.txt\"",
    ] {
        assert!(mail.contains(line), "{line}: {mail}");
    }
    assert!(!mail.contains("Bcc"), "{mail}");
    let order = sandbox.read(&format!("{}/attempt.json", attempt(&sandbox)));
    assert!(order.contains("ops@example.org") && !order.contains("s3cret-word"), "{order}");
}

#[test]
fn old_schemas_and_a_site_without_attachments() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    let first = format!("<email xmlns='uri:oozie:email-action:0.1'><to>a@example.org</to>{TEXT}</email>");
    assert_eq!(run(&sandbox, &site(server.port), &first), "SUCCEEDED, OK");
    let without = site(server.port) + "oozie.email.attachment.enabled=false\n";
    let second = to("b@example.org", &format!("{TEXT}<attachment>/nonexistent</attachment>"));
    assert_eq!(run(&sandbox, &without, &second), "SUCCEEDED, OK");
    let mails = mails(&sandbox);
    assert_eq!(mails.iter().filter(|mail| mail.contains("the attachments were left out")).count(), 1, "{mails:?}");
    assert_eq!(mails.iter().filter(|mail| mail.contains("line three")).count(), 2, "{mails:?}");
}

#[test]
fn every_failure_has_its_code_and_sends_nothing() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    let check = |site: &str, body: &str, expect: &str| {
        let got = run(&sandbox, site, body);
        assert!(got.starts_with(&format!("KILLED, ERROR, {expect}")), "{body}: {got}");
    };
    let good = site(server.port);
    check(&good, &to("", TEXT), "EM001: EM001: the element <to> names no recipient");
    let sender = good.replace("howdah@example.org", "howdah");
    check(
        &sender,
        &to("a@x.org", TEXT),
        "EM002: EM002: oozie.email.from.address in the site file: [howdah] is no mail",
    );
    check(&good, &to("a@x.org, joe", TEXT), "EM004: EM004: in to, cc or bcc: [joe] is no mail address");
    check(
        &good,
        &to("a@x.org", &format!("{TEXT}<attachment>/nonexistent</attachment>")),
        "EM008: EM008: the attachment [",
    );
    let absent = free_port();
    let refused = format!("EM007: EM007: the mail server 127.0.0.1:{absent} did not take the mail: ");
    check(&site(absent), &to("a@x.org", TEXT), &refused);
    assert_eq!(mails(&sandbox), [""; 0]);
}

#[test]
fn a_mail_is_killed_while_its_server_hesitates() {
    let sandbox = Sandbox::new();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("it is bound").port();
    let patient = site(port) + "oozie.email.smtp.socket.timeout.ms=600000\n";
    let job = begin(&sandbox, &patient, &to("a@x.org", TEXT));
    // A connection to the server exists: the mail is being sent.
    let _client = silent.accept().expect("the shim connects");
    assert!(kill(&sandbox, &job).starts_with("KILLED, KILLED"));
}
