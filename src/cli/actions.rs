//! `howdah actions`: actions of all coordinator jobs in one list.

use clap::Args;

use crate::cli::args::{GlobalArgs, PageArgs, ZoneArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::{Moments, read_duration};
use crate::cli::session;
use crate::cli::watch::WatchArgs;
use crate::output::changes;
use crate::output::form::Form;
use crate::output::table_zone::TableZone;
use crate::output::{actions, json};
use howdah_answers::query;
use howdah_answers::query::actions::ActionRequest;
use howdah_calendar::ProcessingZone;
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// List actions of all coordinator jobs, the latest changed first
///
/// Prints a table: the action, its status and nominal time, when its workflow job started and how long it took, how
/// late an action is that has not ended, and why it failed or what it waits for. Actions in WAITING are listed only
/// with --status or --late. With --quiet: only the ids, one per line.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah actions --status FAILED,KILLED,TIMEDOUT --since 24h\n\
\x20 howdah actions --job 'feed-*' --late 1h\n\
\x20 howdah actions --status RUNNING --watch\n\
\x20 howdah actions --status RUNNING --json")]
pub(crate) struct ActionsArgs {
    /// Only these statuses, with commas between them; `failed` means FAILED, KILLED and TIMEDOUT
    #[arg(long, value_name = "STATUSES", value_delimiter = ',')]
    status: Vec<String>,
    /// Only actions that changed at this time or later: a time, a date, today, yesterday, or how long ago, such as 24h
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Only actions that have not ended so long after their nominal time, such as 30m or 1h
    #[arg(long, value_name = "DURATION")]
    late: Option<String>,
    /// Only actions of the jobs with this name or id, in which * fits any text; may be repeated
    #[arg(long, value_name = "PATTERN")]
    job: Vec<String>,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    zone: ZoneArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// The statuses of an unsuccessful end.
const UNSUCCESSFUL: [ActionStatus; 3] = [ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];

/// Lists actions.
pub(crate) fn actions(global: &GlobalArgs, arguments: &ActionsArgs) -> Result<Status, Failure> {
    let zone = arguments.zone.zone()?;
    let processing = session::settings(global)?.submit.processing;
    // What is wrong in the arguments is reported once, before anything is shown.
    request(arguments, session::clock(global)?.now(), (processing, &zone))?;
    arguments.watch.show(global, |engine, now, wanted| {
        let request = request(arguments, now, (processing, &zone))?;
        let view = query::run(engine, now, |query| query.actions(&request, arguments.page.page()))?;
        let text = |layout| match global.form() {
            Form::Json => json::text(&view),
            Form::Quiet => view.actions.iter().flat_map(|action| [action.id.as_str(), "\n"]).collect(),
            Form::Text => actions::list(&view, &zone, layout),
        };
        Ok(wanted.shown(text, || changes::of_actions(&view), false))
    })
}

fn request(
    arguments: &ActionsArgs,
    now: Timestamp,
    (processing, zone): (ProcessingZone, &TableZone),
) -> Result<ActionRequest> {
    let moments = Moments::new(now, processing).with_days_of(zone.zone().cloned());
    let since = arguments.since.as_deref().map(|text| moments.past("--since", text)).transpose()?;
    let late = arguments.late.as_deref().map(|text| read_duration("--late", text)).transpose()?;
    let statuses = statuses(&arguments.status, late.is_some())?;
    Ok(ActionRequest { statuses, since, late, jobs: arguments.job.clone() })
}

/// Reads the statuses to list; without any, those of actions that were started or have ended, or of late ones.
fn statuses(words: &[String], of_late: bool) -> Result<Vec<ActionStatus>> {
    if words.is_empty() {
        let wanted = |status: &ActionStatus| match status {
            ActionStatus::Waiting => of_late,
            ActionStatus::Skipped => false,
            status => !of_late || !status.is_terminal(),
        };
        return Ok(ActionStatus::ALL.iter().copied().filter(wanted).collect());
    }
    let mut statuses = Vec::new();
    for word in words {
        match status(word.trim())? {
            Some(status) => statuses.push(status),
            None => statuses.extend(UNSUCCESSFUL),
        }
    }
    match statuses.iter().find(|status| of_late && status.is_terminal()) {
        Some(status) => {
            let why = format!("--late is for actions that have not ended, and {status} is an end");
            Err(Error::new(ErrorCode::H0002, why).help("leave out one of the two"))
        }
        None => Ok(statuses),
    }
}

/// Reads a status; `None` for `failed` in small letters.
fn status(word: &str) -> Result<Option<ActionStatus>> {
    if word == "failed" {
        return Ok(None);
    }
    let upper = word.to_ascii_uppercase();
    match ActionStatus::from_word(&upper) {
        Some(ActionStatus::Skipped) => {
            let error = Error::new(ErrorCode::H0002, "SKIPPED actions are not listed across jobs");
            Err(error.help("`howdah info JOB --filter status=SKIPPED` lists those of one job"))
        }
        Some(status) => Ok(Some(status)),
        None => {
            let words: Vec<&str> = ActionStatus::ALL.iter().map(|status| status.as_str()).collect();
            let error = Error::new(ErrorCode::H0002, format!("--status [{word}]: there is no such status"));
            let near = did_you_mean(&upper, words.iter().copied());
            Err(error.help(near.map_or_else(
                || format!("the statuses are {}", words.join(", ")),
                |near| format!("did you mean {near}?"),
            )))
        }
    }
}
