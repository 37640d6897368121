//! `admin`: the state of the system, its settings, its numbers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::oozie::OOZIE_VERSION;
use crate::cli::serve::answered::{Answered, changing, reading};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{numbers, style};
use crate::cli::{session, verb};
use crate::output::oozie::OozieZone;
use howdah_calendar::Zone;
use howdah_engine::verbs::pause_all;
use howdah_host::web::{Answer, Request};
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::secret_text::shown_setting;

/// The mode of a system that starts work.
const NORMAL: &str = "NORMAL";

/// Answers a request to `admin/WHAT`.
pub(super) fn answer(site: &Site, request: &Request, what: &str) -> Answered {
    if request.method == "PUT" && what == "status" {
        return changing(site, request, set_mode);
    }
    reading(request)?;
    let document = match what {
        "status" if request.path.get(1).is_some_and(|version| version == "v0") => {
            json!({ "safeMode": mode(site)? != NORMAL })
        }
        "status" | "systemMode" | "systemmode" => json!({ "systemMode": mode(site)? }),
        "build-version" => json!({ "buildVersion": OOZIE_VERSION, "buildInfo": build_info() }),
        "configuration" => configuration(site)?,
        // The environment may contain secrets, and there is no Java machine.
        "os-env" | "java-sys-properties" => json!({}),
        "instrumentation" => numbers::instrumentation(site)?,
        "metrics" => numbers::metrics(site)?,
        "available-timezones" => timezones(site)?,
        "queue-dump" => json!({ "queueDump": [], "uniqueMapDump": [] }),
        "available-oozie-servers" => servers(request),
        "list_sharelib" => json!({ "sharelib": [] }),
        "jmsinfo" => return Err(Error::new(ErrorCode::E1601, "there is no JMS").into()),
        _ => return Err(Refusal::not_found(&format!("admin/{what}"))),
    };
    Ok(style::json(200, &document))
}

/// Returns the mode of the system: while all jobs are paused it is SAFEMODE.
fn mode(site: &Site) -> Result<&'static str, Refusal> {
    let engine = session::query_engine(&site.global)?;
    let pause = engine.store.read(Snapshot::site_pause)?;
    Ok(if pause.is_some() { "SAFEMODE" } else { NORMAL })
}

/// Sets the mode of the system: SAFEMODE pauses all jobs, NORMAL ends the pause.
fn set_mode(site: &Site, request: &Request) -> Answered {
    site.check_all()?;
    let when = (Effect::Stored, session::clock(&site.global)?.now());
    let mode = request.parameter("systemmode").unwrap_or_default().to_uppercase();
    let mut engine = session::existing_engine(&site.global)?;
    match mode.as_str() {
        NORMAL => drop(pause_all::resume(&mut engine, when)?),
        "SAFEMODE" => drop(pause_all::pause(&mut engine, when)?),
        _ => return Err(Refusal::parameter("systemmode", &mode)),
    }
    verb::start_processes(&engine, &site.global, Effect::Stored)?;
    Ok(Answer::empty(200))
}

/// Returns the build of the Oozie whose answers are given, under Oozie's name, and the program.
fn build_info() -> Value {
    json!({ "build.version": OOZIE_VERSION, "program": concat!("howdah ", env!("CARGO_PKG_VERSION")) })
}

/// Returns the properties of the site as `howdah config` shows them: secrets are hidden.
fn configuration(site: &Site) -> Result<Value, Refusal> {
    let properties = session::settings(&site.global)?.properties.clone();
    let shown = |(name, value): (String, String)| {
        let value = shown_setting(&name, value);
        (name, value)
    };
    Ok(json!(properties.into_iter().map(shown).collect::<BTreeMap<_, _>>()))
}

fn timezones(site: &Site) -> Result<Value, Refusal> {
    let now = session::clock(&site.global)?.now();
    let zone = |id: &&str| {
        let name = format!("{} ({id})", OozieZone::of(id).abbreviation(now));
        json!({ "timezoneId": id, "timezoneDisplayName": name })
    };
    Ok(json!({ "available-timezones": Zone::ids().iter().map(zone).collect::<Vec<Value>>() }))
}

/// Returns the one server that there is, under the name by which the client knows it.
fn servers(request: &Request) -> Value {
    let host = request.header("host").unwrap_or_default();
    json!({ host: format!("http://{host}/oozie") })
}
