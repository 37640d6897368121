//! `oozie admin`, `validate` and `info`.

use std::path::{Path, PathBuf};

use crate::cli::oozie::call::{Call, Done, OOZIE_VERSION, Refusal, print};
use crate::cli::{session, verb};
use howdah_answers::check::validate::{self as check, Policy, Quotable, Request, Target};
use howdah_calendar::Zone;
use howdah_engine::verbs::pause_all;
use howdah_host::files;
use howdah_host::found::Found;
use howdah_store::Snapshot;
use howdah_words::model::effect::Effect;

/// `admin`, of which the first option in Oozie's order counts.
pub(super) fn admin(call: &Call<'_>) -> Done {
    let has = |name: &str| call.line.has(name);
    if has("version") {
        return print(format!("Oozie server build version: {OOZIE_VERSION}\n"));
    }
    if let Some(mode) = call.line.value("systemmode") {
        return set_mode(call, &mode.to_uppercase());
    }
    if has("status") {
        let engine = session::query_engine(call.global)?;
        let pause = engine.store.read(Snapshot::site_pause)?;
        return print(format!("System mode: {}\n", if pause.is_some() { "SAFEMODE" } else { "NORMAL" }));
    }
    if has("queuedump") {
        return print("QueueDump is null!\n");
    }
    if has("configuration") {
        let settings = session::settings(call.global)?;
        let lines = settings.properties.iter().map(|(name, value)| format!("{name} : {value}\n"));
        return print(lines.collect::<String>());
    }
    match UNAVAILABLE.iter().find(|(name, _)| has(name)) {
        Some((name, why)) => Err(Refusal::Client(format!("-{name} is not available: {why}"))),
        None => Ok(()),
    }
}

/// What only a server has, and what there is instead.
const UNAVAILABLE: &[(&str, &str)] = &[
    ("sharelibupdate", "there is no share library; commands use the programs of this machine"),
    ("shareliblist", "there is no share library; commands use the programs of this machine"),
    ("servers", "there is no server"),
    ("osenv", "there is no server; commands run in the environment of the user's job"),
    ("javasysprops", "there is no Java machine"),
    ("metrics", "use `howdah metrics`"),
    ("instrumentation", "use `howdah metrics`"),
    ("purge", "use `howdah db purge`"),
];

/// Sets the mode of the system: SAFEMODE pauses all jobs, NORMAL ends the pause.
fn set_mode(call: &Call<'_>, mode: &str) -> Done {
    let when = (Effect::Stored, call.now);
    match mode {
        "SAFEMODE" | "NORMAL" => {
            let mut engine = session::engine(call.global, session::clock(call.global)?.as_ref())?;
            if mode == "NORMAL" {
                pause_all::resume(&mut engine, when)?;
            } else {
                pause_all::pause(&mut engine, when)?;
            }
            verb::start_processes(&engine, call.global, Effect::Stored)?;
            print(format!("System mode: {mode}\n"))
        }
        "NOWEBSERVICE" => Err(Refusal::Client("NOWEBSERVICE is not available: there is no web service".to_owned())),
        _ => Err(Refusal::Client(format!(
            "Invalid input provided for option: systemmode value given :{mode} Expected values are: \
             NORMAL/NOWEBSERVICE/SAFEMODE "
        ))),
    }
}

/// `validate FILE`.
pub(super) fn validate(call: &Call<'_>) -> Done {
    let [file] = &call.line.arguments[..] else {
        return Err(Refusal::Client("One file must be specified".to_owned()));
    };
    let path = PathBuf::from(file);
    if matches!(files::find(&path), Found::Absent) {
        let path = files::absolute(Path::new(file)).unwrap_or(path);
        return Err(Refusal::Client(format!("File does not exist : {}", path.display())));
    }
    let settings = session::settings(call.global)?;
    let mounts = session::mounts(call.global, &settings)?;
    let policy = Policy::parse(std::iter::empty(), std::iter::empty())?;
    let quotable = Quotable::named([&path]);
    let request = Request {
        mounts: &mounts,
        settings: &settings,
        now: call.now,
        job: None,
        policy: &policy,
        quotable: &quotable,
    };
    // The client prints the server's message without the code before it.
    match check::first_error(request, Target::Path(path))? {
        Some(problem) => Err(Refusal::Client(problem.to_string())),
        None => print("Valid workflow-app\n"),
    }
}

/// `info -timezones`.
pub(super) fn info(call: &Call<'_>) -> Done {
    if !call.line.has("timezones") {
        return Ok(());
    }
    print(Zone::ids().join("\n") + "\n")
}
