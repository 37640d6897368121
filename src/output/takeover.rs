//! The plan of `takeover`, what was done, and the way back.

use serde_json::{Value, json};

use crate::output::screen::Screen;
use crate::output::text::add_line;
use crate::output::{diagnostic, json, text};
use howdah_engine::format::{time, time_with_seconds};
use howdah_move::oozie_export::{MemberState, OpenAction, ranges};
use howdah_move::takeover::{
    Back, BundleBack, BundleHere, Followed, Item, JobTimeouts, MemberMove, Move, OozieCommand, Planned, PlannedBundle,
    Step,
};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;

/// How many open actions of a job are listed one by one.
const MOST_LISTED: usize = 10;

/// Prints the plan: each job with its open actions, then the commands for Oozie, then how many jobs need what.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn plan(items: &[Item], url: Option<&str>) -> Result<()> {
    let mut text = String::new();
    for item in items {
        add_line(&mut text, diagnostic::plain(&format!("{}: {}", word(item), item.name)));
        add_line(&mut text, diagnostic::plain(&format!("  in Oozie: {}", item.id)));
        match &item.step {
            Step::TakeOver(planned) => add_planned(&mut text, planned),
            Step::Bundle(planned) => add_bundle(&mut text, planned),
            Step::Here(followed) => add_followed(&mut text, followed),
            Step::BundleHere(here) => add_bundle_here(&mut text, here),
            Step::Stays(why) => add_line(&mut text, format!("  {why}")),
            Step::Refused(problems) => {
                for problem in problems {
                    add_line(&mut text, diagnostic::plain(&format!("  {problem}")));
                    problem.help_text().iter().for_each(|help| add_line(&mut text, format!("    {help}")));
                }
            }
        }
    }
    add_commands(&mut text, items, url);
    add_line(&mut text, total(items, url));
    Screen::open().write(text)
}

fn word(item: &Item) -> &'static str {
    match &item.step {
        Step::TakeOver(_) | Step::Bundle(_) => "take over",
        Step::Here(_) | Step::BundleHere(_) => "already here",
        Step::Stays(_) => "stays",
        Step::Refused(_) => "refused",
    }
}

fn add_bundle(text: &mut String, planned: &PlannedBundle) {
    let status = planned.status;
    if planned.coordinators.is_empty() {
        let when = planned.kick_off().map_or_else(|| "at once".to_owned(), |at| format!("at {}", time(at)));
        add_line(text, format!("  here: {status}, it submits its coordinators {when}"));
        return;
    }
    add_line(text, format!("  here: {status}, with {}", counted(planned.coordinators.len(), "coordinator")));
    for member in planned.coordinators.iter().filter(|member| is_over(member)) {
        add_line(text, diagnostic::plain(&format!("  over in Oozie: {}, {}", member.name, member.status)));
    }
}

fn is_over(member: &MemberState) -> bool {
    JobStatus::from_word(&member.status).is_some_and(JobStatus::is_terminal)
}

fn add_bundle_here(text: &mut String, here: &BundleHere) {
    let job = here.job.as_ref().map_or("it was purged here", JobId::as_str);
    add_line(text, format!("  here: {job}"));
    for step in &here.moves {
        add_line(text, diagnostic::plain(&format!("  {}: {} -> {} in Oozie", step.name, step.from, step.to)));
    }
}

fn add_planned(text: &mut String, planned: &Planned) {
    if let Some(bundle) = &planned.bundle {
        add_line(text, diagnostic::plain(&format!("  in the bundle: {bundle}")));
    }
    let next = planned.continuation.next.map(|next| {
        let number = planned.continuation.last_number + 1;
        format!("action {number} at {}, until {}", time(next), time(planned.continuation.end))
    });
    let next = next.unwrap_or_else(|| "no new action: all are created".to_owned());
    add_line(text, format!("  here: {}, {next}", planned.continuation.status));
    add_line(text, format!("  timeout of new actions: {}", timeout_words(planned)));
    let listed = |action: &OpenAction| {
        let created = action.created.map_or_else(|| "?".to_owned(), time_with_seconds);
        let timeout = minutes(action.timeout_minutes.unwrap_or(-1));
        let nominal = action.nominal.map(time).unwrap_or_default();
        format!("  {:>6} {:<7} {nominal}, created {created}, timeout {timeout}", action.number, action.status)
    };
    add_list(text, "carried over", &planned.carried, listed);
    let left = |action: &OpenAction| {
        let workflow = action.external_id.as_deref().unwrap_or("-");
        format!("  {:>6} {:<9} {workflow}", action.number, action.status)
    };
    add_list(text, "left to Oozie", &planned.left, left);
}

fn minutes(timeout: i32) -> String {
    if timeout >= 0 { format!("{timeout} min") } else { "none".to_owned() }
}

/// Returns the timeout that a job has here, and the one that it does not get where that is another.
fn timeout_words(planned: &Planned) -> String {
    let JobTimeouts { here, oozie, site } = planned.timeouts;
    let other = match oozie {
        None => " (that of Oozie is not in the import)".to_owned(),
        Some(oozie) if oozie != here => format!(" (in Oozie: {})", minutes(oozie)),
        Some(_) if site != here => format!(" as in Oozie (--timeouts site: {})", minutes(site)),
        Some(_) => String::new(),
    };
    format!("{}{other}", minutes(here))
}

fn add_list(text: &mut String, title: &str, actions: &[OpenAction], line: impl Fn(&OpenAction) -> String) {
    if actions.is_empty() {
        return;
    }
    let numbers: Vec<u32> = actions.iter().map(|action| action.number).collect();
    add_line(text, format!("  {title}: {}", counted(numbers.len(), "action")));
    for action in actions.iter().take(MOST_LISTED) {
        add_line(text, diagnostic::plain(&line(action)));
    }
    let more = actions.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        add_line(
            text,
            format!("         and {more} more, up to {}; --json lists all", ranges(&numbers[numbers.len() - 1..])),
        );
    }
}

fn add_followed(text: &mut String, followed: &Followed) {
    let job = followed.job.as_ref().map_or("it was purged here", JobId::as_str);
    add_line(text, format!("  here: {job}"));
    for step in &followed.moves {
        add_line(text, format!("  {:>6} {} -> {} in Oozie", step.number, step.from, step.to));
    }
    if followed.moves.is_empty() && !followed.left.is_empty() {
        add_line(text, format!("  still in Oozie, as far as is known here: {}", ranges(&followed.left)));
    }
    followed.problems.iter().for_each(|problem| add_line(text, diagnostic::plain(&format!("  {problem}"))));
}

/// Adds the commands that stop Oozie, and those that end its bundles afterwards.
fn add_commands(text: &mut String, items: &[Item], url: Option<&str>) {
    let before = text.len();
    let mut add = |title: String, commands: &mut dyn Iterator<Item = String>| {
        let commands: Vec<String> = commands.collect();
        if !commands.is_empty() {
            add_line(text, format!("\n{title}"));
            for command in commands {
                add_line(text, command);
            }
        }
    };
    let when = if url.is_some() { "With --yes Oozie is stopped by:" } else { "Stop Oozie first:" };
    let stop = format!("{when} it creates and starts no more actions, and what runs ends.");
    add(stop, &mut items.iter().filter_map(Item::stop).map(|command| shell(command, url)));
    let wait = "At last, when the coordinators of a bundle are here and nothing of them runs\nin Oozie (after this, \
                nothing of it can be given back):";
    let is_planned = |item: &&Item| matches!(item.step, Step::Bundle(_));
    let finish = |item: &Item| item.finish().map(|command| shell(&command, url));
    add(wait.to_owned(), &mut items.iter().filter(is_planned).filter_map(finish));
    let now = "Everything of these bundles is here. They can be killed in Oozie, unless they are to\nbe given back:";
    add(now.to_owned(), &mut items.iter().filter(|item| !is_planned(item)).filter_map(finish));
    if text.len() > before {
        text.push('\n');
    }
}

/// Returns a command as a shell reads it.
fn shell(command: &OozieCommand, url: Option<&str>) -> String {
    let url = url.map(|url| format!("-oozie {url} ")).unwrap_or_default();
    let options = command.options();
    match options.split_once(" -value ") {
        Some((job, value)) => format!("  oozie job {url}{job} \\\n    -value {value}"),
        None => format!("  oozie job {url}{options}"),
    }
}

fn total(items: &[Item], url: Option<&str>) -> String {
    let of = |wanted: &str| items.iter().filter(|item| word(item) == wanted).count();
    let counts = ["take over", "already here", "stays", "refused"].map(|word| (of(word), word));
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let plural = |(count, word)| if count > 1 && word == "stays" { "stay" } else { word };
    let counts: Vec<String> = counts.map(|count| format!("{} {}", count.0, plural(count))).collect();
    let rest = if items.iter().any(|item| item.stop().is_some()) && url.is_none() {
        "\nStop it there, then --follow LATER --yes; or --oozie URL --yes does both."
    } else if items.iter().any(Item::is_to_do) {
        " --yes does it."
    } else if of("refused") > 0 {
        ""
    } else {
        " Nothing is to be done."
    };
    format!("{}.{rest}", if counts.is_empty() { "No job".to_owned() } else { counts.join(", ") })
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Prints what was done about one job.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn done(item: &Item, job: &JobId) -> Result<()> {
    let name = diagnostic::plain(&item.name);
    text::line(&match &item.step {
        Step::Here(followed) => format!("followed {name}: {job}, {}", counted(followed.moves.len(), "action")),
        Step::BundleHere(here) => format!("followed {name}: {job}, {}", counted(here.moves.len(), "coordinator")),
        _ => format!("took over {name}: {job}"),
    })
}

/// Prints the plan as one document, with the jobs that are here now.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn document(items: &[Item], jobs: &[Option<String>], effect: Effect) -> Result<()> {
    let to_do = items.iter().filter(|item| item.is_to_do()).count();
    let views: Vec<Value> =
        items.iter().enumerate().map(|(index, item)| view(item, jobs.get(index).and_then(Option::as_deref))).collect();
    json::print(&mut Screen::open(), &json!({ "dryRun": effect == Effect::DryRun, "toDo": to_do, "jobs": views }))
}

fn view(item: &Item, job: Option<&str>) -> Value {
    let mut view = json!({
        "name": item.name,
        "externalId": item.id,
        "id": job,
        "change": word(item),
        "toDo": item.is_to_do(),
        "problems": item.problems().iter().map(diagnostic::as_json).collect::<Vec<_>>(),
    });
    match &item.step {
        Step::TakeOver(planned) => {
            view["status"] = planned.continuation.status.as_str().into();
            view["nextActionNumber"] = (planned.continuation.last_number + 1).into();
            view["nextNominalTime"] = planned.continuation.next.map(time).into();
            view["endTime"] = time(planned.continuation.end).into();
            view["timeoutMinutes"] = planned.timeouts.here.into();
            view["oozieTimeoutMinutes"] = planned.timeouts.oozie.into();
            view["siteTimeoutMinutes"] = planned.timeouts.site.into();
            view["carriedOver"] = planned.carried.iter().map(action).collect();
            view["leftToOozie"] = planned.left.iter().map(action).collect();
            view["bundleExternalId"] = planned.bundle.clone().into();
            view["oozieCommands"] = json!([command(&planned.stop)]);
        }
        Step::Bundle(planned) => {
            view["status"] = planned.status.as_str().into();
            view["kickoffTime"] = planned.kick_off().map(time).into();
            let member =
                |member: &MemberState| json!({ "name": member.name, "externalId": member.id, "status": member.status });
            view["coordinators"] = planned.coordinators.iter().map(member).collect();
            view["oozieCommands"] = planned.stop.iter().map(command).collect();
        }
        Step::BundleHere(here) => {
            view["id"] = here.job.as_ref().map(JobId::as_str).into();
            let moved = |step: &MemberMove| {
                let (from, to) = (step.from.as_str(), step.to.as_str());
                json!({ "name": step.name, "from": from, "to": to })
            };
            view["followed"] = here.moves.iter().map(moved).collect();
        }
        Step::Here(followed) => {
            view["id"] = followed.job.as_ref().map(JobId::as_str).into();
            view["leftToOozie"] = followed.left.clone().into();
            let moved = |step: &Move| {
                let (from, to) = (step.from.as_str(), step.to.as_str());
                json!({ "actionNumber": step.number, "from": from, "to": to })
            };
            view["followed"] = followed.moves.iter().map(moved).collect();
        }
        Step::Stays(why) => view["why"] = why.as_str().into(),
        Step::Refused(_) => {}
    }
    if let Some(finish) = item.finish() {
        view["lastOozieCommand"] = command(&finish);
    }
    view
}

fn action(action: &OpenAction) -> Value {
    json!({
        "actionNumber": action.number,
        "status": action.status,
        "nominalTime": action.nominal.map(time),
        "createdTime": action.created.map(time_with_seconds),
        "timeoutMinutes": action.timeout_minutes,
        "externalId": action.external_id,
    })
}

fn command(command: &OozieCommand) -> Value {
    json!({ "command": format!("oozie job {}", command.options()), "request": format!("PUT {}", command.request()) })
}

/// Prints the way back of a job.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn back(back: &Back, effect: Effect, as_json: bool) -> Result<()> {
    if as_json {
        return json::print(&mut Screen::open(), &back_view(back, effect));
    }
    Screen::open().write(back_text(back, effect))
}

/// Prints the way back of a bundle: itself, then each of its coordinators.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn back_of_bundle(back: &BundleBack, effect: Effect, as_json: bool) -> Result<()> {
    if as_json {
        return json::print(
            &mut Screen::open(),
            &json!({
                "dryRun": effect == Effect::DryRun,
                "id": back.job.as_str(),
                "name": back.name,
                "externalId": back.oozie_id,
                "wasBack": back.is_repeated,
                "coordinators": back.coordinators.iter().map(|one| back_view(one, effect)).collect::<Vec<_>>(),
                "oozieCommands": back.commands.iter().map(command).collect::<Vec<_>>(),
            }),
        );
    }
    let mut text = String::new();
    let verb = stop_verb(effect, back.is_repeated);
    add_line(&mut text, diagnostic::plain(&format!("{} ({}): {verb}", back.name, back.job)));
    if !back.commands.is_empty() {
        add_line(&mut text, "\nThen on Oozie's side:");
        back.commands.iter().for_each(|command| add_line(&mut text, shell(command, None)));
    }
    for one in &back.coordinators {
        text.push('\n');
        text.push_str(&back_text(one, effect));
    }
    Screen::open().write(text)
}

fn back_view(back: &Back, effect: Effect) -> Value {
    json!({
        "dryRun": effect == Effect::DryRun,
        "id": back.job.as_str(),
        "name": back.name,
        "externalId": back.oozie_id,
        "wasBack": back.is_repeated,
        "nextNominalTime": back.from.map(time),
        "lastActionNumber": back.last_number,
        "returned": back.returned,
        "ranHere": back.ran,
        "oozieCommands": back.commands.iter().map(command).collect::<Vec<_>>(),
    })
}

fn stop_verb(effect: Effect, is_repeated: bool) -> &'static str {
    match (effect, is_repeated) {
        (_, true) => "was given back before",
        (Effect::DryRun, false) => "would stop here",
        (Effect::Stored, false) => "stopped here",
    }
}

fn back_text(back: &Back, effect: Effect) -> String {
    let mut text = String::new();
    let verb = stop_verb(effect, back.is_repeated);
    add_line(&mut text, diagnostic::plain(&format!("{} ({}): {verb}", back.name, back.job)));
    if let Some(from) = back.from {
        add_line(&mut text, format!("  Oozie continues at {}, after action {}", time(from), back.last_number));
    }
    for (numbers, what) in [(&back.returned, "continue in Oozie"), (&back.ran, "ran or run here")] {
        if !numbers.is_empty() {
            add_line(&mut text, format!("  actions that {what}: {numbers}"));
        }
    }
    add_line(&mut text, "\nThen on Oozie's side, in this order:");
    for command in &back.commands {
        if let OozieCommand::KillActions { .. } = command {
            let last = back.last_number;
            add_line(
                &mut text,
                format!("  # wait until `oozie job -info` shows action {last}; it starts none of them"),
            );
        }
        add_line(&mut text, shell(command, None));
    }
    text
}
