//! The `email` action: a mail that the shim sends through the site's mail server.
//!
//! Follows the email action's specification and `EmailActionExecutor`. The settings of the mail server are never
//! written to the attempt's folder, because the owner of the folder may not be allowed to read its password: the shim
//! gets them when it sends. A mail is sent at most once per attempt.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::blocked::{self, Completion, retry_while_blocked};
use super::shipping;
use super::work::Task;
use crate::context::ActionContext;
use crate::failure::Failure;
use crate::work::MailWork;
use howdah_host::attempt;
use howdah_host::command::WorkOutcome;
use howdah_host::located::Located;
use howdah_host::mail::{EmailMessage, Mailer, Unsent, is_address};
use howdah_host::thread_pool::ThreadPool;
use howdah_xml::Element;

const ATTACHMENTS_ENABLED: &str = "oozie.email.attachment.enabled";
const DEFAULT_CONTENT_TYPE: &str = "text/plain";
/// The text that replaces the attachments where the site sends none.
const WITHOUT_ATTACHMENTS: &str = "\n\nNote: the attachments were left out, because this site sends none \
                                   (oozie.email.attachment.enabled is false).";
/// Time between two checks for a kill while the mail is being sent.
const KILL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Returns the mail server for the shim, or why there is none.
pub(crate) type FindMailer<'a> = &'a dyn Fn() -> Result<Mailer, String>;

/// Returns the work of an `email` action. EM001 without a recipient, EM008 for an attachment in a store without mount.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let text = |name: &str| element.child(name).map(|child| child.text().value);
    let list = |name: &str| items(&text(name).unwrap_or_default());
    let to = list("to");
    if to.is_empty() {
        return Err(Failure::error("EM001", "EM001: the element <to> names no recipient"));
    }
    // Workflow schema 0.1 has `message` in the place of `body`.
    let mut body = text("body").or_else(|| text("message")).unwrap_or_default();
    let mut attachments = list("attachment");
    let enabled = context.site.get(ATTACHMENTS_ENABLED).is_none_or(|value| value.trim().eq_ignore_ascii_case("true"));
    if !enabled && !attachments.is_empty() {
        attachments.clear();
        body.push_str(WITHOUT_ATTACHMENTS);
    }
    let message = EmailMessage {
        to,
        cc: list("cc"),
        bcc: list("bcc"),
        subject: text("subject").unwrap_or_default(),
        body,
        content_type: text("content_type")
            .filter(|kind| !kind.is_empty())
            .unwrap_or_else(|| DEFAULT_CONTENT_TYPE.to_owned()),
        attachments: attachments.iter().map(|path| attachment(path, context)).collect::<Result<_, _>>()?,
    };
    Ok(Task::Mail(Box::new(MailWork { letter: message, identity: context.token.to_owned() })))
}

/// Returns the failure of a mail to something that is no address.
pub(super) fn bad_recipient(letter: &EmailMessage) -> Option<Failure> {
    let mut recipients = letter.to.iter().chain(&letter.cc).chain(&letter.bcc);
    let bad = recipients.find(|address| !is_address(address))?;
    let why = if bad.contains(';') { "; a comma is between two addresses" } else { "" };
    Some(failed(&Unsent::Recipient(format!("[{bad}] is no mail address{why}"))))
}

fn items(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn attachment(path: &str, context: &ActionContext<'_>) -> Result<Located, Failure> {
    shipping::place(path, context).map_err(|why| failure("EM008", &format!("the attachment [{path}]: {why}")))
}

fn failure(code: &str, why: &str) -> Failure {
    Failure::error(code, format!("{code}: {why}"))
}

/// Sends the mail, unless the attempt in `folder` is killed before the mail server has it. While an attachment cannot
/// be read at present, nothing was sent, and it tries again.
pub(super) fn perform(work: MailWork, mailer: Result<Mailer, String>, folder: &Path) -> WorkOutcome {
    let sent = match mailer {
        Ok(mailer) => {
            let mail = Arc::new((mailer, work));
            retry_while_blocked(folder, || post(&mail, folder))
        }
        Err(why) => Err(failed(&Unsent::Refused(format!("the site's mail server is not known: {why}")))),
    };
    blocked::outcome(sent)
}

/// Tries to send the mail once.
fn post(mail: &Arc<(Mailer, MailWork)>, folder: &Path) -> Result<Completion, Failure> {
    let pool = ThreadPool::new();
    let defect = Unsent::Refused("the program that talks to the mail server failed; this is a defect of howdah".into());
    let sent = Arc::clone(mail);
    pool.begin(move || sent.0.post(&sent.1.letter, &sent.1.identity), Err(defect));
    loop {
        if attempt::is_kill_requested(folder) {
            return Ok(Completion::Stopped);
        }
        match pool.finished(KILL_CHECK_INTERVAL).pop() {
            Some(Ok(())) => return Ok(Completion::ToTheEnd),
            Some(Err(unsent)) => return Err(failed(&unsent)),
            None => {}
        }
    }
}

fn failed(unsent: &Unsent) -> Failure {
    let (code, what, why) = match unsent {
        Unsent::Sender(why) => ("EM002", "oozie.email.from.address in the site file: ", why),
        Unsent::Recipient(why) => ("EM004", "in to, cc or bcc: ", why),
        Unsent::Refused(why) => ("EM007", "", why),
        Unsent::Attachment(why) | Unsent::Blocked(why) => ("EM008", "the attachment ", why),
    };
    blocked::passing(failure(code, &format!("{what}{why}")), matches!(unsent, Unsent::Blocked(_)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;

    fn planned(sandbox: &Sandbox, body: &str) -> Result<EmailMessage, Failure> {
        match plan(&element(&format!("<email>{body}</email>")), &sandbox.context())? {
            Task::Mail(work) => Ok(work.letter),
            _ => unreachable!("email plans a mail"),
        }
    }

    fn check_refused(body: &str, expect: &str) {
        let failure = planned(&Sandbox::new(), body).unwrap_err();
        assert_eq!(failure.code, expect, "{body}: {}", failure.message);
        assert!(failure.message.starts_with(expect), "{}", failure.message);
    }

    #[test]
    fn recipients_are_separated_by_commas() {
        let message = planned(
            &Sandbox::new(),
            "<to> a@x , b@x,,</to><cc>c@x</cc><bcc>d@x</bcc><subject>s</subject><body>line\n two</body>",
        );
        let message = message.unwrap();
        assert_eq!((message.to, message.cc, message.bcc), (items("a@x,b@x"), items("c@x"), items("d@x")));
        assert_eq!((message.subject.as_str(), message.body.as_str()), ("s", "line\n two"));
        assert_eq!(message.content_type, "text/plain");
        let old = planned(&Sandbox::new(), "<to>a@x</to><subject>s</subject><message>old</message>").unwrap();
        assert_eq!(old.body, "old");
        let html = planned(&Sandbox::new(), "<to>a@x</to><content_type>text/html</content_type>").unwrap();
        assert_eq!(html.content_type, "text/html");
    }

    #[test]
    fn attachments_are_found_through_mounts_and_in_the_application() {
        let mut sandbox = Sandbox::new();
        let body = "<to>a@x</to><body>b</body><attachment>hdfs://nn/r.csv, file:///x/y, lib/z</attachment>";
        let message = planned(&sandbox, body).unwrap();
        for (path, expect) in message.attachments.iter().zip(["store/r.csv", "/x/y", "app/lib/z"]) {
            assert!(path.path().ends_with(expect), "{path:?}");
        }
        sandbox.site = [(ATTACHMENTS_ENABLED.to_owned(), "false".to_owned())].into();
        let message = planned(&sandbox, body).unwrap();
        assert!(message.attachments.is_empty() && message.body.starts_with("b\n\nNote: "), "{message:?}");
        assert_eq!(planned(&sandbox, "<to>a@x</to><body>b</body>").unwrap().body, "b");
    }

    #[test]
    fn what_cannot_be_sent_has_its_code() {
        check_refused("<to/>", "EM001");
        check_refused("<to> , </to>", "EM001");
        check_refused("<to>a@x</to><attachment>s3a://bucket/r.csv</attachment>", "EM008");
        let blocked = Unsent::Blocked(String::new());
        for (unsent, expect) in [
            (blocked.clone(), "EM008"),
            (Unsent::Sender(String::new()), "EM002"),
            (Unsent::Recipient(String::new()), "EM004"),
            (Unsent::Refused(String::new()), "EM007"),
            (Unsent::Attachment(String::new()), "EM008"),
        ] {
            let failure = failed(&unsent);
            assert_eq!((failure.code.as_str(), failure.is_about_start()), (expect, unsent == blocked));
        }
    }
}
