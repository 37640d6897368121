//! What actions of a coordinator job wait for.

use serde_json::{Value, json};

use howdah_answers::query::inputs::InputView;
use howdah_answers::query::instance::InstanceState;

/// Returns, for each of these actions, what it waits for first and what of each input is missing.
pub(crate) fn missing_dependencies(open: &[(u32, Vec<InputView>)]) -> Value {
    let actions: Vec<Value> = open.iter().map(|(number, inputs)| of_action(*number, inputs)).collect();
    json!({ "missingDependencies": actions })
}

fn of_action(number: u32, inputs: &[InputView]) -> Value {
    let missing = |input: &InputView| -> Vec<String> {
        let missing = input.instances.iter().filter(|instance| instance.state != InstanceState::Present);
        missing.map(|instance| instance.uri.clone()).collect()
    };
    let needed = inputs.iter().filter(|input| input.needed);
    let open: Vec<(&str, Vec<String>)> =
        needed.map(|input| (input.name.as_str(), missing(input))).filter(|(_, missing)| !missing.is_empty()).collect();
    let first = open.first().and_then(|(_, missing)| missing.first());
    let sets: Vec<Value> =
        open.iter().map(|(name, missing)| json!({ "dataSet": name, "missingDependencies": missing })).collect();
    json!({ "id": number, "blockedOn": first, "dataSets": sets })
}
