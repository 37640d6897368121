//! What a job would do, for people and for other programs.
//!
//! Each action is written as soon as it is known and is not kept. Text goes to standard output, problems to standard
//! error; with `--json` both are one document.

mod bundle;
mod workflow;

use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::output::form::Form;
use crate::output::json::escaped;
use crate::output::screen::{Layout, Screen};
use crate::output::{cells, diagnostic};
use howdah_answers::check::dryrun::{DryAction, DryEvent, DryInstance, DryJob, InstanceState};
use howdah_words::error::{Error, Result};
use howdah_words::model::Properties;

pub(crate) use bundle::bundle;
pub(crate) use workflow::workflow;

/// Writes the dry run of one coordinator job.
pub(crate) struct DryRunWriter {
    screen: Screen,
    form: Form,
    job: DryJob,
    app_path: String,
    actions: u64,
    /// What is not written yet.
    pending: String,
    /// Bytes that are collected before they are written.
    gathered: usize,
}

/// Most instances that are named one by one in a summary.
const FEW: usize = 3;

/// Bytes that are written at once when the output is not a terminal.
const GATHERED: usize = 64 * 1024;

impl DryRunWriter {
    /// Starts with the job, before the actions. `app_path` is the workflow application of its actions.
    pub(crate) fn begin(job: DryJob, app_path: &str, form: Form) -> Self {
        let screen = Screen::open();
        let gathered = if screen.layout().width.is_some() { 0 } else { GATHERED };
        let pending =
            if form == Form::Json { format!("{{\"coordJob\":{},\n\"actions\":[", json!(job)) } else { job_text(&job) };
        Self { screen, form, job, app_path: app_path.to_owned(), actions: 0, pending, gathered }
    }

    /// Writes one action; breaks when the reader has closed the output.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn action(&mut self, action: &DryAction) -> Result<ControlFlow<()>> {
        self.actions += 1;
        if self.form == Form::Json {
            self.pending.push_str(if self.actions == 1 { "\n" } else { ",\n" });
            // Writing to a String cannot fail.
            let _ = write!(self.pending, "{}", self.action_json(action));
        } else {
            let text = self.action_text(action);
            self.pending.push_str(&text);
        }
        if self.pending.len() < self.gathered {
            return Ok(ControlFlow::Continue(()));
        }
        self.write_pending()?;
        Ok(if self.screen.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Writes the end after the actions: their number, and the problems.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn end(mut self, problems: &[Error]) -> Result<()> {
        let text = if self.form == Form::Json {
            let problems: Vec<Value> = diagnostic::in_order(problems).into_iter().map(diagnostic::as_json).collect();
            format!("\n],\n\"problems\":{}}}\n", Value::Array(problems))
        } else {
            self.closing_text(problems)
        };
        self.pending.push_str(&text);
        self.write_pending()?;
        diagnostic::accompany(problems, self.form);
        Ok(())
    }

    fn write_pending(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        self.screen.write(if self.form == Form::Json { escaped(pending) } else { pending })
    }

    fn closing_text(&self, problems: &[Error]) -> String {
        let stopped = problems.iter().any(|problem| !problem.is_warning());
        match (self.actions, stopped) {
            (0, false) => format!(
                "\nno action is selected: those of the job are due from {} on and before {}\n",
                self.job.start, self.job.end
            ),
            (1, false) => "\n1 action shown\n".to_owned(),
            (shown, false) => format!("\n{shown} actions shown\n"),
            (0, true) => "\nthe first of the selected actions cannot be created\n".to_owned(),
            (shown, true) => format!("\n{shown} shown, the next one cannot be created\n"),
        }
    }

    fn action_json(&self, action: &DryAction) -> Value {
        let events =
            |events: &[DryEvent], event: fn(&DryEvent) -> Value| -> Vec<Value> { events.iter().map(event).collect() };
        json!({
            "actionNumber": action.number,
            "nominalTime": action.nominal,
            "ready": action.ready,
            "inputs": events(&action.inputs, input_json),
            "outputs": events(&action.outputs, output_json),
            "appPath": self.app_path,
            "configuration": action.configuration,
        })
    }

    fn action_text(&self, action: &DryAction) -> String {
        let verdict = match action.ready {
            Some(true) => "ready",
            Some(false) => "waits",
            None => "not checked",
        };
        let mut out = format!("\naction {} at {}: {verdict}\n", action.number, action.nominal);
        for event in &action.inputs {
            push_line(&mut out, &format!("  input {} of dataset {}{}", event.name, event.dataset, tally(event)));
            push_left_out(&mut out, event);
            for instance in &event.instances {
                push_line(&mut out, &format!("    {:<10} {}", instance.state.as_str(), instance_text(instance)));
            }
        }
        for event in &action.outputs {
            push_line(&mut out, &format!("  output {} of dataset {}", event.name, event.dataset));
            push_left_out(&mut out, event);
            for instance in &event.instances {
                push_line(&mut out, &format!("    {}", output_text(instance)));
            }
        }
        push_line(&mut out, &format!("  workflow {}", self.app_path));
        for name in &action.own {
            let value = action.configuration.get(name).map_or("", String::as_str);
            push_value(&mut out, name, value, self.screen.layout());
        }
        out
    }
}

/// Returns how many instances of an event are in which state, when there are several.
fn tally(event: &DryEvent) -> String {
    if event.instances.len() < 2 {
        return String::new();
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for instance in &event.instances {
        let state = instance.state.as_str();
        match counts.iter_mut().find(|(counted, _)| *counted == state) {
            Some((_, count)) => *count += 1,
            None => counts.push((state, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    format!(": {}", counts.join(", "))
}

/// Adds a line about the instances that are left out: each of a few, the ends of many.
fn push_left_out(out: &mut String, event: &DryEvent) {
    if event.before_initial == 0 {
        return;
    }
    let times = match event.left_out.as_slice() {
        [] => "beyond the years that can be counted".to_owned(),
        [first, .., last] if event.left_out.len() > FEW => format!("{first} ... {last}"),
        times => times.join(", "),
    };
    let (count, initial) = (event.before_initial, &event.initial);
    push_line(out, &format!("    left out   {count} before the initial instance {initial}: {times}"));
}

/// Adds a line with a value; on a terminal that is too narrow for a list, one with each of its members.
fn push_value(out: &mut String, name: &str, value: &str, layout: Layout) {
    let line = format!("    {name} = {value}");
    let is_list = value.contains(',') && !value.contains(char::is_whitespace);
    if !is_list || layout.width.is_none_or(|width| cells::width(&line) <= width) {
        return push_line(out, &line);
    }
    push_line(out, &format!("    {name} ="));
    for member in value.split_inclusive(',') {
        push_line(out, &format!("      {member}"));
    }
}

fn input_json(event: &DryEvent) -> Value {
    let instances = event.instances.iter().map(|instance| {
        let mut fields = instance_fields(instance);
        fields.insert("state".to_owned(), json!(instance.state.as_str()));
        Value::Object(fields)
    });
    event_json(event, &instances.collect::<Vec<_>>())
}

fn output_json(event: &DryEvent) -> Value {
    let instances = event.instances.iter().map(|instance| Value::Object(instance_fields(instance)));
    event_json(event, &instances.collect::<Vec<_>>())
}

fn event_json(event: &DryEvent, instances: &[Value]) -> Value {
    json!({
        "name": event.name,
        "dataset": event.dataset,
        "initialInstance": event.initial,
        "beforeInitialInstance": event.before_initial,
        "leftOut": event.left_out,
        "instances": instances,
    })
}

fn instance_fields(instance: &DryInstance) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("nominalTime".to_owned(), json!(instance.nominal));
    fields.insert("uri".to_owned(), json!(instance.uri));
    fields.insert("path".to_owned(), json!(instance.path));
    fields
}

/// Returns an input: the path that is checked, or why the state is unknown.
fn instance_text(instance: &DryInstance) -> String {
    let Some(nominal) = &instance.nominal else { return instance.uri.clone() };
    let mut out = format!("{nominal} {}", instance.dependency);
    if let InstanceState::Unreadable(why) = &instance.state {
        // Writing to a String cannot fail.
        let _ = write!(out, " ({why})");
    }
    out
}

fn output_text(instance: &DryInstance) -> String {
    match &instance.nominal {
        Some(nominal) => format!("{nominal} {}", instance.uri),
        None => instance.uri.clone(),
    }
}

/// Returns the job, one line for each of its attributes.
fn job_text(job: &DryJob) -> String {
    let timeout = match job.timeout_minutes {
        minutes if minutes < 0 => "never".to_owned(),
        minutes => format!("{minutes} minutes"),
    };
    let rows = [
        ("coordinator", job.name.clone()),
        ("path", job.path.clone()),
        ("user", job.user.clone()),
        ("frequency", format!("{} {} ({})", job.frequency, job.time_unit, job.clock)),
        ("start", job.start.clone()),
        ("end", job.end.clone()),
        ("timeout", timeout),
        ("concurrency", job.concurrency.to_string()),
        ("execution", job.execution.to_owned()),
        ("throttle", job.throttle.to_string()),
    ];
    let mut out = String::new();
    for (name, value) in rows {
        push_line(&mut out, &format!("{name:<12} {value}"));
    }
    out.push_str("\nconfiguration of the job, which every workflow gets\n");
    push_properties(&mut out, &job.configuration);
    out
}

/// Appends a line; a value of several lines is joined to one.
fn push_line(out: &mut String, line: &str) {
    out.push_str(&diagnostic::plain(line));
    out.push('\n');
}

/// Appends a line for each property.
fn push_properties(out: &mut String, properties: &Properties) {
    for (name, value) in properties {
        push_line(out, &format!("  {name} = {value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, width: Option<usize>, expect: &str) {
        let mut out = String::new();
        push_value(&mut out, "in", value, Layout { width, colour: false });
        assert_eq!(out, expect);
    }

    #[test]
    fn a_list_is_broken_at_its_commas_where_it_is_too_long_for_the_terminal() {
        check("/a,/b", None, "    in = /a,/b\n");
        check("/a,/b", Some(14), "    in = /a,/b\n");
        check("/a,/b", Some(13), "    in =\n      /a,\n      /b\n");
        check("well, no list", Some(8), "    in = well, no list\n");
        check("/a/b/c/d/e", Some(8), "    in = /a/b/c/d/e\n");
    }

    /// Checks the text for instances that are left out.
    fn check_left_out(count: usize, times: &[&str], expect: &str) {
        let event = DryEvent {
            name: "in".to_owned(),
            dataset: "logs".to_owned(),
            initial: "T".to_owned(),
            before_initial: count,
            left_out: times.iter().map(|time| (*time).to_owned()).collect(),
            instances: Vec::new(),
        };
        let mut out = String::new();
        push_left_out(&mut out, &event);
        assert_eq!(out, expect);
    }

    #[test]
    fn many_left_out_instances_are_shortened() {
        check_left_out(0, &[], "");
        check_left_out(1, &["a"], "    left out   1 before the initial instance T: a\n");
        check_left_out(3, &["a", "b", "c"], "    left out   3 before the initial instance T: a, b, c\n");
        check_left_out(4, &["a", "b", "c", "d"], "    left out   4 before the initial instance T: a ... d\n");
        let beyond = "    left out   2 before the initial instance T: beyond the years that can be counted\n";
        check_left_out(2, &[], beyond);
    }
}
