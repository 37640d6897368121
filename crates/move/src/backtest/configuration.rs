//! Compares the action's own configuration, where Oozie had resolved it.
//!
//! Oozie resolves it when the action becomes READY. Until then it is as in the definition.

use std::collections::BTreeMap;

use super::comparison::Comparison;
use super::difference::{Field, Ruling};
use super::instances::Compared;
use howdah_engine::settings::MOST_TRIED;
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::satisfy::Moment;
use howdah_oozie::dataset::Reach;
use howdah_words::error::Result;
use howdah_words::model::Properties;

/// Minutes after which each wait of an input logic has ended: Oozie resolved the configuration after it.
const LONG: i64 = 1_000_000_000;

/// The statuses that an action has only when its configuration is resolved.
const RESOLVED: [&str; 5] = ["READY", "SUBMITTED", "RUNNING", "SUSPENDED", "SUCCEEDED"];

pub(super) fn compare(comparison: &mut Comparison<'_>, resolved: &Compared) {
    let recorded: BTreeMap<&str, &str> =
        comparison.action.recorded.configuration.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let row = comparison.action.row;
    let must_be_resolved = RESOLVED.contains(&row.status.as_str()) || row.external_id.is_some();
    if !must_be_resolved && is_as_written(comparison, &recorded) {
        return;
    }
    let computed = match evaluate(comparison, &resolved.action) {
        Ok(computed) => computed,
        Err(error) => {
            let recorded: Vec<String> = recorded.iter().map(|(name, value)| format!("{name}={value}")).collect();
            return comparison.differs(Field::Configuration, (recorded.join(", "), error.to_string()), None);
        }
    };
    if is_equal(&recorded, &computed) {
        return;
    }
    let reordered = resolved.in_recorded_order(comparison.action.recorded);
    let reordered = reordered.and_then(|action| evaluate(comparison, &action).ok());
    report(comparison, &recorded, (&computed, reordered.as_ref()));
}

/// Returns whether the recorded values are the texts of the definition.
fn is_as_written(comparison: &Comparison<'_>, recorded: &BTreeMap<&str, &str>) -> bool {
    let written = &comparison.compiled.application.coordinator.configuration;
    let written: BTreeMap<&str, &str> =
        written.iter().map(|value| (value.name.as_str(), value.value.text.value.as_str())).collect();
    written == *recorded
}

fn is_equal(recorded: &BTreeMap<&str, &str>, computed: &Properties) -> bool {
    let computed = computed.iter().map(|(name, value)| (name.as_str(), value.trim()));
    computed.eq(recorded.iter().map(|(name, value)| (*name, *value)))
}

/// Evaluates the configuration with these instances.
fn evaluate(comparison: &Comparison<'_>, action: &ResolvedAction) -> Result<Properties> {
    let application = &comparison.compiled.application;
    let coordinator = &application.coordinator;
    let nominal = comparison.action.nominal;
    let actual = comparison.action.recorded.actual.as_deref();
    let actual = actual.and_then(|at| comparison.processing().parse_datetime(at).ok()).unwrap_or(nominal);
    let with_logic = coordinator.logic.is_some().then(|| {
        let reach = Reach { nominal, latest_from: actual, most_tried: MOST_TRIED };
        let moment = Moment { reach, waited_minutes: LONG };
        let mut action = action.clone();
        coordinator.satisfy(&mut action, moment, &mut comparison.presence());
        action
    });
    let facts = ActionFacts { id: &comparison.action.row.id, app_name: &coordinator.written_name, nominal, actual };
    coordinator.action_configuration(application.scope(), &facts, with_logic.as_ref().unwrap_or(action))
}

fn report(
    comparison: &mut Comparison<'_>,
    recorded: &BTreeMap<&str, &str>,
    (computed, reordered): (&Properties, Option<&Properties>),
) {
    const NONE: &str = "no such property";
    let mut names: Vec<&str> = recorded.keys().copied().chain(computed.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (was, is) = (recorded.get(name).copied(), computed.get(name).map(|value| value.trim()));
        if was == is {
            continue;
        }
        let in_order_of_oozie = reordered.and_then(|values| values.get(name)).map(|value| value.trim());
        let ruling = (was.is_some() && was == in_order_of_oozie).then_some(Ruling::C18);
        let texts = (was.unwrap_or(NONE).to_owned(), is.unwrap_or(NONE).to_owned());
        comparison.named((Field::Configuration, name), texts, ruling);
    }
}
