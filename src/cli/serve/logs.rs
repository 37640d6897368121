//! `show=log`, `errorlog` and `auditlog`: what `howdah log` prints, up to a bound.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use crate::cli::log::{LogArgs, log_to};
use crate::cli::scope::ScopeArgs;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::style;
use crate::cli::session;
use crate::output::screen::Screen;
use howdah_answers::query;
use howdah_host::web::{Answer, Request};
use howdah_words::model::id::{JobKind, Target};
use howdah_words::model::secret::masked;

/// The longest log that is returned, in bytes.
const LARGEST_LOG: usize = 8 * 1024 * 1024;
/// Changes of statuses that are more than the longest log has: a line of one has the time to the second, the id of the
/// job, a status and what caused it, which are more than 60 bytes.
#[expect(clippy::cast_possible_truncation, reason = "it is far below four thousand million")]
const MOST_CHANGES: u32 = (LARGEST_LOG / 60) as u32;

/// Answers `show=log`, of a coordinator job also for the actions of `type` and `scope`.
pub(super) fn log(site: &Site, request: &Request, target: &Target) -> Answered {
    let mut options = Vec::new();
    if let Some(scope) = request.parameter("scope").filter(|scope| !scope.is_empty()) {
        let is_date = request.parameter("type") == Some("date");
        check_scope(site, target, (scope, is_date))?;
        let name = if is_date { "date" } else { "action" };
        options.push(format!("--{name}={scope}"));
    }
    options.extend(request.parameter("logfilter").map(|filter| format!("--logfilter={filter}")));
    answered(text(site, target, options))
}

/// Refuses more actions at once than are listed: they would need as much memory as there are.
fn check_scope(site: &Site, target: &Target, (text, is_date): (&str, bool)) -> Result<(), Refusal> {
    let Target::Job(id) = target else { return Ok(()) };
    let now = session::clock(&site.global)?.now();
    let given = |wanted: bool| (is_date == wanted).then(|| text.to_owned());
    let scope = ScopeArgs { action: given(false), date: given(true) };
    let Some(scope) = scope.scope(&session::moments(&site.global, now)?)?.filter(|_| id.kind() == JobKind::Coordinator)
    else {
        return Ok(());
    };
    let mut engine = session::query_engine(&site.global)?;
    Ok(query::run(&mut engine, now, |query| query.check_scope(id, &scope, style::LARGEST_PAGE))?)
}

/// Answers `show=errorlog`: what commands wrote to standard error; of a bundle the failures.
pub(super) fn error_log(site: &Site, _: &Request, target: &Target) -> Answered {
    let is_bundle = matches!(target, Target::Job(id) if id.kind() == JobKind::Bundle);
    let option = if is_bundle { "--logfilter=loglevel=ERROR" } else { "--stderr" };
    answered(text(site, target, vec![option.to_owned()]))
}

/// Answers `show=auditlog`.
pub(super) fn audit_log(site: &Site, _: &Request, target: &Target) -> Answered {
    answered(text(site, target, vec!["--audit".to_owned()]))
}

fn answered(text: Result<String, Refusal>) -> Answered {
    Ok(Answer::new(200, "text/plain;charset=UTF-8", masked(&text?).into_owned()))
}

/// Returns what `howdah log` prints with these options.
///
/// # Errors
/// As the verb.
pub(super) fn text(site: &Site, target: &Target, options: Vec<String>) -> Result<String, Refusal> {
    let words = options.into_iter().chain(["--".to_owned(), target.to_string()]);
    let arguments = LogArgs::read(words)?.bounded(style::LARGEST_PAGE, MOST_CHANGES);
    let bounded = Bounded::default();
    let screen = bounded.clone();
    log_to(&site.global, &arguments, || Screen::of(screen))?;
    Ok(bounded.text(target))
}

/// A text that takes no more than its bound.
#[derive(Clone, Debug, Default)]
struct Bounded {
    bytes: Rc<RefCell<Vec<u8>>>,
    is_full: Rc<RefCell<bool>>,
}

impl Bounded {
    fn text(&self, target: &Target) -> String {
        let mut bytes = self.bytes.take();
        if *self.is_full.borrow() {
            let rest = format!("\n(the log is longer: `howdah log {target}` prints all of it)\n");
            bytes.extend_from_slice(rest.as_bytes());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = self.bytes.borrow_mut();
        let room = LARGEST_LOG.saturating_sub(text.len());
        if room == 0 && !bytes.is_empty() {
            self.is_full.replace(true);
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(room);
        text.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_text_takes_no_more_than_its_bound() {
        let mut bounded = Bounded::default();
        assert!(bounded.write_all(&vec![b'a'; LARGEST_LOG]).is_ok());
        assert_eq!(bounded.write_all(b"b").map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
        let target = Target::parse("0000000-150622124850154-oozie-oozi-W").unwrap();
        let text = bounded.text(&target);
        assert!(text.ends_with("prints all of it)\n") && text.starts_with("aaa") && text.len() < LARGEST_LOG + 200);
    }
}
