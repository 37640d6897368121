//! `oozie job`: runs the action that one of its options names.

use crate::cli::oozie::call::{Call, Done, Refusal};
use crate::cli::oozie::{control, logs, rerun, show, submission};
use howdah_engine::apply::control::Verb;
use howdah_engine::verbs::sla::Alerts;

/// Runs the action that the command line names.
pub(super) fn job(call: &Call<'_>) -> Done {
    let action = call.line.sub_command.actions.iter().find(|name| call.line.has(name)).copied();
    if call.line.has("dryrun") && action != Some("update") {
        return submission::dryrun(call);
    }
    let name = action.unwrap_or_default();
    let id = call.line.value(name).unwrap_or_default();
    match name {
        "submit" | "run" => submission::submit(call),
        "start" => submission::start(call, id),
        "suspend" => control::whole(call, id, Verb::Suspend),
        "resume" => control::whole(call, id, Verb::Resume),
        "kill" => control::kill(call, id),
        "ignore" => control::ignore(call, id),
        "change" => control::change(call, id),
        "update" => control::update(call, id),
        "slaenable" => control::set_alerts(call, id, Alerts::Enabled),
        "sladisable" => control::set_alerts(call, id, Alerts::Disabled),
        "slachange" => control::change_sla(call, id),
        "rerun" => rerun::rerun(call, id),
        "info" => show::info(call, id),
        "retries" => show::retries(call, id),
        "missingdeps" => show::missing_dependencies(call, id),
        "definition" => show::definition(call, id),
        "configcontent" => show::configuration(call, id),
        "poll" => logs::poll(call, id),
        "log" => logs::log(call, id),
        "errorlog" => logs::error_log(call, id),
        "auditlog" => logs::audit_log(call, id),
        other => {
            let why = "generates a definition from a program, which is not available: submit the definition";
            Err(Refusal::Client(format!("-{other} {why}")))
        }
    }
}
