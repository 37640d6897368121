//! `oozie job -log`, `-errorlog`, `-auditlog` and `-poll`.

use std::time::Duration;

use crate::cli::log::{self, LogArgs};
use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::session;
use howdah_answers::query;
use howdah_host::clock;
use howdah_words::model::id::{JobKind, Target};

/// The pause between two queries of `-poll`.
const PAUSE: Duration = Duration::from_millis(250);
const MINUTE: Duration = Duration::from_secs(60);

/// Prints a log as the verb `log` does.
fn print_log(call: &Call<'_>, options: &[String], id: &str) -> Done {
    let words = options.iter().cloned().chain(["--".to_owned(), id.to_owned()]);
    log::log(call.global, &LogArgs::read(words)?)?;
    Ok(())
}

fn is_coordinator(target: &Target) -> bool {
    target.job().kind() == JobKind::Coordinator
}

/// `-log`, with `-logfilter`, and for a coordinator with `-action` or `-date`.
pub(super) fn log(call: &Call<'_>, id: &str) -> Done {
    let target = call.target(id)?;
    let given = |name: &str| call.line.value(name).map(|value| format!("--{name}={value}"));
    let scope: Vec<String> = ["action", "date"].into_iter().filter_map(given).collect();
    if !scope.is_empty() && !is_coordinator(&target) {
        let why = "Invalid options provided for log retrieval. action and date are valid only for coordinator job \
                   log retrieval";
        return Err(Refusal::Client(why.to_owned()));
    }
    let options: Vec<String> = scope.into_iter().chain(given("logfilter")).collect();
    print_log(call, &options, id)
}

/// `-errorlog`: what commands wrote to standard error; of a bundle the failures.
pub(super) fn error_log(call: &Call<'_>, id: &str) -> Done {
    let runs_commands = match call.target(id)? {
        Target::Job(id) => id.kind() != JobKind::Bundle,
        Target::CoordinatorAction(..) | Target::Node(..) => true,
    };
    let option = if runs_commands { "--stderr" } else { "--logfilter=loglevel=ERROR" };
    print_log(call, &[option.to_owned()], id)
}

/// `-auditlog`.
pub(super) fn audit_log(call: &Call<'_>, id: &str) -> Done {
    print_log(call, &["--audit".to_owned()], id)
}

/// `-poll`: waits until the job is over; the exit status does not say how it ended.
pub(super) fn poll(call: &Call<'_>, id: &str) -> Done {
    let interval = call.number("interval")?.unwrap_or(5);
    let Some(interval) = u32::try_from(interval).ok().filter(|minutes| *minutes > 0) else {
        return Err(Refusal::Plain("interval must be a positive integer".to_owned()));
    };
    let timeout = call.number("timeout")?.unwrap_or(30);
    let most = u32::try_from(timeout).ok().filter(|minutes| *minutes > 0).map(|minutes| MINUTE * minutes);
    let target = call.target(id)?;
    if matches!(target, Target::Node(..)) {
        return Err(Refusal::Plain("invalid job type".to_owned()));
    }
    let mut engine = session::watching_engine(call.global)?;
    let (mut waited, mut since_printed) = (Duration::ZERO, None);
    loop {
        let state = query::run(&mut engine, call.now, |query| query.end_state(&target))?;
        let in_time = most.is_none_or(|most| waited < most);
        let is_due = since_printed.is_none_or(|since| since >= MINUTE * interval);
        if call.line.has("verbose") && (is_due || state.over) {
            print(format!("{}\n", state.status))?;
            since_printed = Some(Duration::ZERO);
        }
        if state.over || !in_time {
            return Ok(());
        }
        clock::pause(PAUSE);
        waited += PAUSE;
        since_printed = since_printed.map(|since| since + PAUSE);
    }
}
