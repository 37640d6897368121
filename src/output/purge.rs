//! `db purge`: what was deleted, or would be.

use crate::output::node::bytes;
use crate::output::text::{add_line, block};
use howdah_engine::format::time;
use howdah_engine::service::purge::PurgeOrder;
use howdah_engine::service::purge::purged::Purged;
use howdah_words::model::effect::Effect;

/// Less free space than this is not reported.
const LEAST_REPORTED: u64 = 1 << 20;

/// Returns the result of a purge.
pub(crate) fn render(purged: &Purged, order: &PurgeOrder) -> String {
    let ended = &order.ended;
    let (workflow, coordinator) = (time(ended.workflow), time(ended.coordinator));
    let since = if workflow == coordinator {
        format!("that ended before {workflow}")
    } else {
        format!(
            "that ended before {workflow} (coordinators before {coordinator}, bundles before {})",
            time(ended.bundle)
        )
    };
    if purged.is_empty() {
        return format!("nothing to delete: there are no jobs {since}\n");
    }
    let verb = if order.effect == Effect::DryRun { "would be deleted" } else { "deleted" };
    let mut text = format!("{verb}: jobs {since}, with all that belongs to them\n");
    let some = |number: u64| (number > 0).then(|| number.to_string());
    text.push_str(&block(&[
        ("Bundles", some(purged.bundles)),
        ("Coordinators", some(purged.coordinators)),
        ("Actions", some(purged.actions)),
        ("Workflow Jobs", some(purged.workflows)),
        ("Nodes", some(purged.nodes)),
        ("Attempts", some(purged.attempts)),
        ("Events", some(purged.events)),
        ("Deliveries", some(purged.deliveries)),
        ("SLA Registrations", some(purged.sla_registrations)),
        ("Texts", purged.texts.and_then(some)),
        ("Folders", some(purged.folders).map(|folders| format!("{folders}, {}", bytes(purged.folder_bytes)))),
    ]));
    if order.effect == Effect::Stored && purged.free_bytes >= LEAST_REPORTED {
        let free = bytes(purged.free_bytes);
        add_line(
            &mut text,
            format!("{free} of the database are free and used again; `howdah db shrink` gives them to the file system"),
        );
    }
    text
}
