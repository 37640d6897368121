//! Alerts by mail to a real mail server, and by a command.

use std::path::PathBuf;

use serde_json::{Value, json};

use howdah_sandbox::mail_server::{MailServer, mails};
use howdah_sandbox::ports::free_port;
use howdah_sandbox::sandbox::{Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// A database with these payloads in its outbox, due now.
fn outbox(sandbox: &Sandbox, payloads: &[Value]) {
    sandbox.write(
        "app/workflow.xml",
        "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'><start to='end'/><end name='end'/></workflow-app>",
    );
    sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    let sql = "INSERT INTO delivery (payload, receiver, sequence, workflow_job, state, created_at, next_try_at)
        VALUES (?1, json_extract(?1, '$.kind'), 'W' || ?2, 1, 'PENDING', 1262304000, 1262304000)";
    for (number, payload) in payloads.iter().enumerate() {
        connection.execute(sql, (payload.to_string(), number.to_string())).expect("a row");
    }
}

fn site(sandbox: &Sandbox, properties: &[(&str, &str)]) -> PathBuf {
    let lines: Vec<String> = properties.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    sandbox.write("site.properties", &lines.concat())
}

/// The settings for a mail server on a port of this machine.
fn mail_server(port: &str) -> [(&str, &str); 3] {
    [
        ("oozie.email.smtp.host", "127.0.0.1"),
        ("oozie.email.smtp.port", port),
        ("oozie.email.from.address", "howdah@example.org"),
    ]
}

/// Runs a delivery process at a time with the site's settings; returns `state tries` of every delivery.
fn deliver(sandbox: &Sandbox, now: &str, properties: &[(&str, &str)]) -> String {
    sandbox.howdah(["courier", "--site"]).with(site(sandbox, properties)).at(now).succeed();
    sandbox.database().rows("SELECT state, tries FROM delivery ORDER BY delivery").join(", ")
}

fn mail(to: &[&str], subject: &str) -> Value {
    json!({"kind": "mail", "to": to, "subject": subject, "body": "The end was missed.\n.\n"})
}

#[test]
fn every_mail_is_handed_over_once() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    let subjects: Vec<String> = (1..=20).map(|number| format!("SLA END_MISS {number:02}")).collect();
    let payloads: Vec<Value> =
        subjects.iter().map(|subject| mail(&["ops@example.org", "dev@example.org"], subject)).collect();
    outbox(&sandbox, &payloads);
    let port = server.port.to_string();
    assert_eq!(deliver(&sandbox, NOW, &mail_server(&port)), ["DELIVERED 1"; 20].join(", "));
    let mails = mails(&sandbox);
    assert_eq!(mails.len(), 20);
    for subject in &subjects {
        let of_subject: Vec<&String> =
            mails.iter().filter(|mail| mail.contains(&format!("Subject: {subject}\n"))).collect();
        let [mail] = of_subject[..] else { panic!("{} mails [{subject}]", of_subject.len()) };
        for line in
            ["X-MailFrom: howdah@example.org", "X-RcptTo: ops@example.org, dev@example.org", "The end was missed."]
        {
            assert!(mail.contains(line), "{line}: {mail}");
        }
    }
}

#[test]
fn one_contact_without_an_address_keeps_no_mail_from_the_others() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    outbox(&sandbox, &[mail(&["ops@example.org", "joe"], "to ops"), mail(&["joe"], "to nobody")]);
    let port = server.port.to_string();
    assert_eq!(deliver(&sandbox, NOW, &mail_server(&port)), "DELIVERED 1, GIVEN_UP 1");
    let [mail] = &mails(&sandbox)[..] else { panic!("one mail") };
    assert!(mail.contains("Subject: to ops\n") && mail.contains("X-RcptTo: ops@example.org"), "{mail}");
    for reason in sandbox.database().rows("SELECT last_error FROM delivery") {
        assert!(reason.contains("[joe] is no mail address"), "{reason}");
    }
}

#[test]
fn a_mail_waits_for_its_server_and_keeps_its_identity() {
    let sandbox = Sandbox::new();
    outbox(&sandbox, &[mail(&["ops@example.org"], "late")]);
    let absent = free_port().to_string();
    assert_eq!(deliver(&sandbox, NOW, &mail_server(&absent)), "PENDING 1");
    let reason = sandbox.database().value("SELECT last_error FROM delivery");
    assert!(reason.contains(&format!("the mail server 127.0.0.1:{absent} did not take the mail")), "{reason}");
    let Some(server) = MailServer::start(&sandbox) else { return };
    let port = server.port.to_string();
    let present = mail_server(&port);
    // The delivery process dies after the server accepted the mail: it is sent again, with the same identity.
    let file = site(&sandbox, &present);
    let minute = "2010-01-01T00:01Z";
    sandbox.howdah(["courier", "--site"]).with(file).at(minute).die_at("before-delivery-commit");
    wait_for("the first mail", || (mails(&sandbox).len() == 1).then_some(()));
    assert_eq!(deliver(&sandbox, minute, &present), "DELIVERED 2");
    let mails = mails(&sandbox);
    let identity = |mail: &String| mail.lines().find(|line| line.starts_with("Message-ID: <")).map(str::to_owned);
    assert_eq!(mails.len(), 2);
    assert_eq!(identity(&mails[0]), identity(&mails[1]));
    assert!(identity(&mails[0]).is_some(), "{mails:?}");
}

#[test]
fn an_alert_command_gets_its_environment_and_its_input() {
    let sandbox = Sandbox::new();
    let script = "cat > $OUT/said-$EVENT; echo down >&2; exit $STATUS";
    let command = |event: &str, status: &str| {
        json!({"kind": "command", "command": ["sh", "-c", script], "input": "what happened",
            "environment": {"EVENT": event, "STATUS": status, "OUT": sandbox.text("")}})
    };
    let absent = json!({"kind": "command", "command": ["/nonexistent/pager", "-q"]});
    outbox(&sandbox, &[command("END_MISS", "0"), command("START_MISS", "7"), absent]);
    let site = [("howdah.delivery.command.timeout", "300"), ("howdah.delivery.retries", "0")];
    assert_eq!(deliver(&sandbox, NOW, &site), "DELIVERED 1, GIVEN_UP 1, GIVEN_UP 1");
    assert_eq!(sandbox.read("said-END_MISS"), "what happened");
    let reasons = sandbox.database().rows("SELECT last_error FROM delivery WHERE state = 'GIVEN_UP' ORDER BY delivery");
    let expect = [
        "the command [sh] failed: exit status: 7; it says: down",
        "the command [/nonexistent/pager] cannot be run: No such file or directory (os error 2)",
    ];
    assert_eq!(reasons, expect);
}

#[test]
fn an_alert_command_that_takes_too_long_is_given_up() {
    let sandbox = Sandbox::new();
    outbox(&sandbox, &[json!({"kind": "command", "command": ["sleep", "600"]})]);
    let site = [("howdah.delivery.command.timeout", "1"), ("howdah.delivery.retries", "0")];
    assert_eq!(deliver(&sandbox, NOW, &site), "GIVEN_UP 1");
    let reason = sandbox.database().value("SELECT last_error FROM delivery");
    assert_eq!(reason, "the command [sleep] did not end within 1 s");
}
