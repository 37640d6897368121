//! What a job would do, for people and for other programs.
//!
//! Each action is written as soon as it is known; nothing is kept. Text goes to standard output, problems to standard
//! error; with `--json` both are one document.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::engine::dryrun::{DryAction, DryEvent, DryInstance, DryJob, InstanceState};
use crate::engine::workflow::create::PreparedWorkflow;
use crate::error::{Error, Result};
use crate::output::diagnostic;
use crate::output::form::Form;
use crate::output::json;
use crate::output::screen::Screen;

/// Writes the dry run of one coordinator job.
pub(crate) struct DryRunWriter {
    screen: Screen,
    form: Form,
    app_path: String,
    actions: u64,
    /// What is not written yet.
    pending: String,
    /// Bytes that are gathered before they are written.
    gathered: usize,
}

/// Bytes that are written at once where nobody watches.
const GATHERED: usize = 64 * 1024;

impl DryRunWriter {
    /// Begins with what stands before the actions: the job. `app_path` is the workflow application of its actions.
    pub(crate) fn begin(job: &DryJob, app_path: &str, form: Form) -> Self {
        let screen = Screen::open();
        let gathered = if screen.layout().width.is_some() { 0 } else { GATHERED };
        let mut writer =
            Self { screen, form, app_path: app_path.to_owned(), actions: 0, pending: String::new(), gathered };
        let text =
            if form == Form::Json { format!("{{\"coordJob\":{},\n\"actions\":[", json!(job)) } else { job_text(job) };
        writer.pending = text;
        writer
    }

    /// Writes one action; breaks when nobody reads any more.
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
        self.screen.write(std::mem::take(&mut self.pending))?;
        Ok(if self.screen.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Writes what stands behind the actions: their number, and the problems.
    ///
    /// # Errors
    /// H0111 when standard output cannot take it.
    pub(crate) fn end(mut self, problems: &[Error]) -> Result<()> {
        let text = if self.form == Form::Json {
            let problems: Vec<Value> = diagnostic::in_order(problems).into_iter().map(diagnostic::as_json).collect();
            format!("\n],\n\"problems\":{}}}\n", Value::Array(problems))
        } else {
            match self.actions {
                1 => "\n1 action shown\n".to_owned(),
                shown => format!("\n{shown} actions shown\n"),
            }
        };
        self.pending.push_str(&text);
        self.screen.write(&self.pending)?;
        diagnostic::accompany(problems, self.form);
        Ok(())
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
        let verdict = if action.ready { "ready" } else { "waits" };
        let mut out = format!("\naction {} at {}: {verdict}\n", action.number, action.nominal);
        for event in &action.inputs {
            push_line(&mut out, &format!("  input {} of dataset {}", event.name, event.dataset));
            for instance in &event.instances {
                push_line(&mut out, &format!("    {:<10} {}", instance.state.as_str(), instance_text(instance)));
            }
            if event.before_initial > 0 {
                push_line(&mut out, &format!("    {} before the initial instance, left out", event.before_initial));
            }
        }
        for event in &action.outputs {
            push_line(&mut out, &format!("  output {} of dataset {}", event.name, event.dataset));
            for instance in &event.instances {
                push_line(&mut out, &format!("    {}", output_text(instance)));
            }
        }
        push_line(&mut out, &format!("  workflow {}", self.app_path));
        for (name, value) in &action.configuration {
            push_line(&mut out, &format!("    {name} = {value}"));
        }
        out
    }
}

fn input_json(event: &DryEvent) -> Value {
    let instances = event.instances.iter().map(|instance| {
        let mut fields = instance_fields(instance);
        fields.insert("state".to_owned(), json!(instance.state.as_str()));
        Value::Object(fields)
    });
    json!({
        "name": event.name,
        "dataset": event.dataset,
        "beforeInitialInstance": event.before_initial,
        "instances": instances.collect::<Vec<_>>(),
    })
}

fn output_json(event: &DryEvent) -> Value {
    let instances = event.instances.iter().map(|instance| Value::Object(instance_fields(instance)));
    json!({ "name": event.name, "dataset": event.dataset, "instances": instances.collect::<Vec<_>>() })
}

fn instance_fields(instance: &DryInstance) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("nominalTime".to_owned(), json!(instance.nominal));
    fields.insert("uri".to_owned(), json!(instance.uri));
    fields.insert("path".to_owned(), json!(instance.path.as_ref().map(|path| path.to_string_lossy())));
    fields
}

/// An input: what is looked for, or why there is no answer.
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

/// The job, one line for each of its attributes.
fn job_text(job: &DryJob) -> String {
    let timeout = match job.timeout_minutes {
        minutes if minutes < 0 => "none: actions wait for ever".to_owned(),
        minutes => format!("{minutes} minutes"),
    };
    let rows = [
        ("coordinator", job.name.clone()),
        ("path", job.path.clone()),
        ("user", job.user.clone()),
        ("frequency", format!("{} {} ({})", job.frequency, job.time_unit, job.time_zone)),
        ("start", job.start.clone()),
        ("end", job.end.clone()),
        ("timeout", timeout),
        ("concurrency", job.concurrency.to_string()),
        ("execution", job.execution.to_owned()),
        ("throttle", job.throttle.to_string()),
    ];
    rows.iter().fold(String::new(), |mut out, (name, value)| {
        push_line(&mut out, &format!("{name:<12} {value}"));
        out
    })
}

/// Appends a line on which values of several lines stand as one.
fn push_line(out: &mut String, line: &str) {
    out.push_str(&diagnostic::plain(line));
    out.push('\n');
}

/// Writes that a workflow could be started, with the problems that do not refuse it.
///
/// # Errors
/// H0111 when standard output cannot take it.
pub(crate) fn workflow(workflow: &PreparedWorkflow, problems: &[Error], form: Form) -> Result<()> {
    if form != Form::Json {
        diagnostic::accompany(problems, form);
        return Screen::open().write("OK\n");
    }
    let problems: Vec<Value> = diagnostic::in_order(problems).into_iter().map(diagnostic::as_json).collect();
    let document = json!({
        "workflow": { "appName": workflow.name, "appPath": workflow.app_path },
        "problems": problems,
    });
    json::print(&mut Screen::open(), &document)
}
