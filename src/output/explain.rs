//! `explain`: first the answer, then its reasons, then the next commands.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::add_line;
use crate::output::visible::visible;
use crate::output::{decision, theme};
use howdah_answers::query::error_text;
use howdah_answers::query::explain::explanation::{ActionLine, CoordinatorLine, Explanation, NodeExplanation};
use howdah_answers::query::inputs::InputView;
use howdah_answers::query::instance::{InstanceState, InstanceView};
use howdah_answers::query::status::AnyStatus;
use howdah_engine::format::time;

/// Instances of one state that are shown of each input; JSON has all of them.
const MOST_INSTANCES: usize = 12;

const ACTION_COLUMNS: [Column; 4] = [
    column("ACTION", Keep::Always),
    column("STATUS", Keep::Always),
    column("NOMINAL TIME", Keep::Until(1)),
    column("WHY", Keep::Wrap(24)),
];

const COORDINATOR_COLUMNS: [Column; 4] = [
    column("COORDINATOR", Keep::Cut(16)),
    column("JOB ID", Keep::Until(1)),
    column("STATUS", Keep::Always),
    column("WHY", Keep::Wrap(24)),
];

/// Returns the text of an explanation.
pub(crate) fn render(explanation: &Explanation, layout: Layout) -> String {
    let absent = if explanation.nominal_time.is_some() { "not created yet" } else { "not reached yet" };
    let status = explanation.status.map_or(absent, AnyStatus::as_str);
    let nominal = explanation.nominal_time.map(|at| format!("Nominal time {}\n", time(at))).unwrap_or_default();
    let mut text = format!(
        "{}  {}  {}\n{nominal}\n{}\n",
        theme::heading(&explanation.id, layout.colour),
        visible(&explanation.name),
        theme::status(status, layout.colour),
        sentence(&visible(&explanation.why.to_string())),
    );
    for reason in &explanation.reasons {
        add_line(&mut text, sentence(&visible(reason)));
    }
    if !explanation.occupied_by.is_empty() {
        add_line(&mut text, format!("\nRunning now:\n  {}", explanation.occupied_by.join("\n  ")));
    }
    for input in &explanation.inputs {
        text.push_str(&self::input(input, layout));
    }
    if let Some(decision) = &explanation.decision {
        text.push_str(&decision::render(decision, layout));
    }
    if let Some(workflow) = &explanation.workflow {
        let status = theme::status(workflow.status.as_str(), layout.colour);
        add_line(&mut text, format!("\nWorkflow job {}  {}  {status}", workflow.id, visible(&workflow.name)));
        for node in &workflow.nodes {
            text.push_str(&self::node(node, layout));
        }
    }
    if !explanation.actions.is_empty() {
        let row = |action: &ActionLine| {
            // The id of the job is above the table.
            let number = format!("@{}", action.number);
            vec![number, action.status.to_string(), time(action.nominal_time), action.why.to_string()]
        };
        let rows: Vec<Vec<String>> = explanation.actions.iter().map(row).collect();
        text.push('\n');
        text.push_str(&table::render(&ACTION_COLUMNS, &rows, layout));
    }
    if !explanation.coordinators.is_empty() {
        let row = |line: &CoordinatorLine| {
            vec![line.name.clone(), line.id.clone(), line.status.to_string(), line.why.to_string()]
        };
        let rows: Vec<Vec<String>> = explanation.coordinators.iter().map(row).collect();
        text.push('\n');
        text.push_str(&table::render(&COORDINATOR_COLUMNS, &rows, layout));
    }
    if !explanation.next.is_empty() {
        text.push_str("\nTry next:\n");
        for command in &explanation.next {
            add_line(&mut text, format!("  {}", visible(&command.to_string())));
        }
    }
    text
}

/// Returns a sentence with a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", characters.as_str())
}

fn input(input: &InputView, layout: Layout) -> String {
    let of = |state: InstanceState| input.instances.iter().filter(move |instance| instance.state == state).count();
    let (present, all) = (of(InstanceState::Present), input.instances.len());
    let name = theme::heading(&visible(&input.name), layout.colour);
    let not_needed = if present < all && !input.needed { ", not needed now" } else { "" };
    let there = match all {
        0 if input.before_initial_instance == 0 && !input.needed => "not looked at".to_owned(),
        all => format!("{present} of {all} there{not_needed}"),
    };
    let mut text = format!("\nInput {name} (dataset {}): {there}\n", visible(&input.dataset));
    if input.before_initial_instance > 0 {
        let dropped = input.before_initial_instance;
        add_line(&mut text, format!("  {dropped} before the dataset's initial instance: ignored"));
    }
    if !input.needed {
        return text;
    }
    let mut missing = 0;
    for instance in input.instances.iter().filter(|instance| instance.state != InstanceState::Present) {
        missing += 1;
        if missing == 1 {
            // The other instances are in the same folder.
            text.push_str(&self::instance(instance, instance.path.as_deref(), layout));
        } else if missing <= MOST_INSTANCES {
            text.push_str(&self::instance(instance, None, layout));
        }
    }
    if missing > MOST_INSTANCES {
        add_line(&mut text, format!("  and {} more that are not there; --json lists all", missing - MOST_INSTANCES));
    }
    text
}

fn instance(instance: &InstanceView, path: Option<&str>, layout: Layout) -> String {
    let state = theme::status(instance.state.as_str(), layout.colour);
    let time = instance.nominal_time.map_or_else(|| "-".to_owned(), time);
    let mut text = format!("  {state}  {time}  {}\n", visible(&instance.uri));
    if let Some(path) = path.filter(|path| !instance.uri.ends_with(path)) {
        add_line(&mut text, format!("      looked for at {path}"));
    }
    if let Some(detail) = &instance.detail {
        add_line(&mut text, format!("      {}", visible(detail)));
    }
    if let Some(producer) = &instance.producer {
        add_line(&mut text, format!("      {}", producer.text));
        for link in &producer.chain {
            add_line(&mut text, format!("      {}", link.text));
        }
    }
    text
}

fn node(node: &NodeExplanation, layout: Layout) -> String {
    let status = theme::status(node.status.as_str(), layout.colour);
    let mut text = format!("  {} ({})  {status}  {}\n", node.id, visible(&node.kind), visible(&node.text));
    let error = error_text::error_text(node.error_code.as_deref(), node.error_message.as_deref());
    if let Some(error) = error {
        add_line(&mut text, format!("    error  {}", visible(&error)));
    }
    for log in &node.logs {
        add_line(&mut text, format!("    log    {log}"));
    }
    for line in &node.last_lines {
        add_line(&mut text, format!("         | {}", visible(line)));
    }
    text
}
