//! The variables and functions of workflow expressions, as a node sees them when it starts.
//!
//! Follows the workflow specification, section 4.2. Deviations: what is not known of a node is an empty text, never
//! null; a missing counter is 0.

mod names;

use std::collections::BTreeMap;

use super::basic_functions as basic;
use super::constants::constant;
use super::context::{NodeFacts, WorkflowContext};
use super::submission::property;
use crate::configuration::write_configuration;
use howdah_el::{CallError, ElError, Expr, ExprKind, FunctionName, MOST_NAMES, Scope, Template, Value};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

pub(super) use names::{is_of_the_run, names};

/// Evaluates a text of an action, a decision or a kill message.
pub fn evaluate(text: &str, context: &WorkflowContext<'_>) -> Result<String, ElError> {
    evaluate_template(&Template::parse(text)?, context)
}

/// As [`evaluate`], for a text that was parsed already.
pub(super) fn evaluate_template(template: &Template, context: &WorkflowContext<'_>) -> Result<String, ElError> {
    template.evaluate(&mut WorkflowScope::new(context, template))
}

/// Returns the captured output of a node as Oozie shows it: a properties file with the time of its end, as
/// `toPropertiesStr` writes it.
pub fn properties_file(data: &Properties, ended: Timestamp) -> String {
    basic::to_properties(data, ended)
}

/// Returns what is wrong with the calls of a text that a node evaluates, whatever their values will be.
pub fn check_calls(template: &Template) -> Vec<ElError> {
    if template.calls().next().is_none() {
        // Most texts use variables only.
        return Vec::new();
    }
    let conf = Properties::new();
    let action = "0000000-700101000000000-oozie-oozi-W@node";
    let context = WorkflowContext { action, ..WorkflowContext::unknown(&conf) };
    template.check_calls(&mut WorkflowScope::new(&context, template))
}

/// How many regular expressions one text may use.
const MOST_PATTERNS: usize = 50;

/// Everything that a node may use while it starts.
pub struct WorkflowScope<'a> {
    context: &'a WorkflowContext<'a>,
    /// Group and name of each counter that the text uses.
    counters: Vec<(String, String)>,
    /// Bytes that the functions may still produce, so that a short text cannot produce a result without limit.
    room: usize,
    /// Patterns that may still be compiled: each takes time.
    patterns: usize,
}

impl Scope for WorkflowScope<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(constant(name).or_else(|| property(self.context.conf, name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        match function.prefix {
            "" => self.basic(function.name, arguments),
            "wf" => self.workflow(function.name, arguments),
            "hadoop" => self.hadoop(function.name, arguments),
            "fs" | "hcat" => self.outside(function, arguments),
            _ => Err(CallError::UnknownFunction),
        }
    }

    fn names(&self) -> Vec<String> {
        let is_provided = |name: &&str| self.context.outside.is_some() || !asks_outside(name);
        let functions = names().filter(is_provided).map(str::to_owned);
        functions.chain(self.context.conf.keys().take(MOST_NAMES).cloned()).collect()
    }
}

impl<'a> WorkflowScope<'a> {
    /// Creates the scope for one evaluation of a text.
    pub fn new(context: &'a WorkflowContext<'a>, template: &Template) -> Self {
        let mut scope = Self { context, counters: Vec::new(), room: basic::LONGEST_RESULT, patterns: MOST_PATTERNS };
        for node in template.expressions().flat_map(Expr::nodes) {
            scope.note_counter(node);
        }
        scope
    }
}

impl WorkflowScope<'_> {
    fn basic(&mut self, name: &str, arguments: &[Value]) -> Result<Value, CallError> {
        let text = match name {
            "firstNotNull" => {
                let [first, second] = exactly(arguments)?;
                return Ok(if first.is_missing() { second } else { first }.clone());
            }
            "concat" => {
                let [first, second] = exactly(arguments)?;
                Some(format!("{first}{second}"))
            }
            "trim" => exactly::<1>(arguments)?[0].to_text().trim_matches(|c| c <= ' ').to_owned().into(),
            "urlEncode" => Some(basic::url_encode(&exactly::<1>(arguments)?[0].to_text())),
            "replaceAll" => {
                self.take_pattern()?;
                // Null becomes the empty text before it reaches Java's function.
                let [source, pattern, replacement] = exactly(arguments)?.each_ref().map(Value::to_text);
                Some(basic::replace_all(&source, &pattern, &replacement).map_err(CallError::Failed)?)
            }
            "appendAll" => {
                self.take_pattern()?;
                let [source, append, delimiter] = exactly(arguments)?.each_ref().map(Value::to_text);
                Some(basic::append_all(&source, &append, &delimiter).map_err(CallError::Failed)?)
            }
            "timestamp" => {
                let [] = exactly(arguments)?;
                Some(basic::timestamp(self.context.now, self.context.offset_minutes))
            }
            "toJsonStr" => Some(basic::to_json(&map(&exactly::<1>(arguments)?[0])?)),
            "toPropertiesStr" => Some(basic::to_properties(&map(&exactly::<1>(arguments)?[0])?, self.context.now)),
            "toConfigurationStr" => Some(write_configuration(&map(&exactly::<1>(arguments)?[0])?)),
            _ => return Err(CallError::UnknownFunction),
        };
        self.bounded(text)
    }

    /// Counts a pattern that is about to be compiled.
    fn take_pattern(&mut self) -> Result<(), CallError> {
        let why = || CallError::Failed(format!("one text uses more than {MOST_PATTERNS} regular expressions"));
        self.patterns = self.patterns.checked_sub(1).ok_or_else(why)?;
        Ok(())
    }

    /// Returns the text as a value; an error when all texts together have become too long.
    fn bounded(&mut self, text: Option<String>) -> Result<Value, CallError> {
        let size = text.as_ref().map_or(0, String::len);
        self.room = self
            .room
            .checked_sub(size)
            .ok_or_else(|| CallError::Failed(format!("the results are longer than {} bytes", basic::LONGEST_RESULT)))?;
        Ok(text.into())
    }

    fn workflow(&self, name: &str, arguments: &[Value]) -> Result<Value, CallError> {
        let job = match name {
            "id" => self.context.id,
            "name" => self.context.name,
            "appPath" => self.context.app_path,
            "user" => self.context.user,
            "run" => {
                let [] = exactly(arguments)?;
                return Ok(Value::Int(self.context.run.into()));
            }
            "group" | "lastErrorNode" => {
                let [] = exactly(arguments)?;
                let text = if name == "group" { self.context.group } else { self.context.last_error_node };
                return Ok(known(text));
            }
            "callback" => return self.callback(arguments),
            "conf" => {
                let name = exactly::<1>(arguments)?[0].to_text();
                return Ok(known(self.context.conf.get(&*name).map(String::as_str)));
            }
            _ => return self.node(name, arguments),
        };
        let [] = exactly(arguments)?;
        Ok(job.into())
    }

    /// Returns the address to which Oozie's work would report the end of this action with a status. Here the process
    /// itself is watched, so the address is never called.
    fn callback(&self, arguments: &[Value]) -> Result<Value, CallError> {
        let [status] = exactly(arguments)?;
        let WorkflowContext { callback, action, .. } = self.context;
        if action.is_empty() {
            return Err(CallError::Failed("it is the address of an action, and there is no action here".to_owned()));
        }
        Ok(format!("{callback}?id={action}&status={status}").into())
    }

    /// Evaluates the functions about one node.
    fn node(&self, name: &str, arguments: &[Value]) -> Result<Value, CallError> {
        let fact: fn(NodeFacts) -> Option<String> = match name {
            "transition" => |facts| facts.transition,
            "errorCode" => |facts| facts.error_code,
            "errorMessage" => |facts| facts.error_message,
            "actionExternalId" => |facts| facts.external_id,
            "actionTrackerUri" => |facts| facts.tracker_uri,
            "actionExternalStatus" => |facts| facts.external_status,
            "actionData" => {
                let data = self.facts(arguments)?.data;
                return Ok(Value::Map(data.into_iter().map(|(name, value)| (name, value.into())).collect()));
            }
            _ => return Err(CallError::UnknownFunction),
        };
        Ok(known(fact(self.facts(arguments)?)))
    }

    fn hadoop(&self, name: &str, arguments: &[Value]) -> Result<Value, CallError> {
        match name {
            "counters" => {
                let stats = self.facts(arguments)?.stats;
                let mut counters = match &stats {
                    Some(stats) => read_counters(stats)?,
                    None => BTreeMap::new(),
                };
                for (group, name) in &self.counters {
                    let group = counters.entry(group.clone()).or_insert_with(|| Value::Map(BTreeMap::new()));
                    if let Value::Map(counters) = group {
                        counters.entry(name.clone()).or_insert(Value::Int(0));
                    }
                }
                Ok(Value::Map(counters))
            }
            "conf" => {
                let outside = self.context.outside.ok_or(CallError::UnknownFunction)?;
                let [authority, name] = exactly(arguments)?.each_ref().map(Value::to_text);
                outside.cluster_property(&authority, &name).map(Value::from)
            }
            _ => Err(CallError::UnknownFunction),
        }
    }

    /// Evaluates the functions about a path or a URI.
    fn outside(&self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        let outside = self.context.outside.ok_or(CallError::UnknownFunction)?;
        let path = |arguments| exactly::<1>(arguments).map(|[path]| path.to_text());
        match (function.prefix, function.name) {
            ("fs", "exists") => outside.exists(&path(arguments)?).map(Value::Bool),
            ("fs", "isDir") => outside.is_dir(&path(arguments)?).map(Value::Bool),
            ("fs", "fileSize") => outside.file_size(&path(arguments)?).map(Value::Int),
            ("fs", "dirSize") => outside.dir_size(&path(arguments)?).map(Value::Int),
            ("fs", "blockSize") => outside.block_size(&path(arguments)?).map(Value::Int),
            ("hcat", "exists") => outside.has_partition(&path(arguments)?).map(Value::Bool),
            _ => Err(CallError::UnknownFunction),
        }
    }

    fn facts(&self, arguments: &[Value]) -> Result<NodeFacts, CallError> {
        let [node] = exactly(arguments)?;
        Ok(self.context.nodes.facts(&node.to_text()).unwrap_or_default())
    }

    /// Records the counter that `hadoop:counters(node)[group][name]` uses, so that a missing one can be 0.
    fn note_counter(&mut self, node: &Expr) {
        let ExprKind::Member(inner, name) = &node.kind else { return };
        let ExprKind::Member(base, group) = &inner.kind else { return };
        let ExprKind::Call(call) = &base.kind else { return };
        if call.function() != (FunctionName { prefix: "hadoop", name: "counters" }) {
            return;
        }
        if let (Some(group), Some(name)) = (self.key(group), self.key(name)) {
            self.counters.push((group, name));
        }
    }

    /// Returns the text of a key that is a constant or a variable.
    fn key(&mut self, key: &Expr) -> Option<String> {
        let value = match &key.kind {
            ExprKind::Variable(name) => self.variable(name).ok().flatten(),
            _ => key.as_constant(),
        };
        value.map(|value| value.to_string())
    }
}

/// Returns whether a function needs [`Outside`](super::context::Outside).
fn asks_outside(function: &str) -> bool {
    ["fs:", "hcat:"].iter().any(|prefix| function.starts_with(prefix)) || function == "hadoop:conf"
}

/// Converts a value that may be missing.
fn known(text: Option<impl Into<Value>>) -> Value {
    text.map_or_else(Value::missing, Into::into)
}

fn exactly<const N: usize>(arguments: &[Value]) -> Result<&[Value; N], CallError> {
    arguments.try_into().map_err(|_| CallError::ArgumentCount { expected: N..=N })
}

fn map(value: &Value) -> Result<Properties, CallError> {
    match value {
        Value::Null => Ok(Properties::new()),
        Value::Map(entries) => Ok(entries.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()),
        other => Err(CallError::Failed(format!("[{other}] of type [{}] is not a map", other.type_name()))),
    }
}

/// Reads the counters from their JSON text.
fn read_counters(stats: &str) -> Result<BTreeMap<String, Value>, CallError> {
    let json: BTreeMap<String, serde_json::Value> = serde_json::from_str(stats)
        .map_err(|error| CallError::Failed(format!("the counters are not valid: {error}")))?;
    Ok(json.into_iter().map(|(name, value)| (name, counter_value(value))).collect())
}

fn counter_value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Object(members) => {
            Value::Map(members.into_iter().map(|(name, value)| (name, counter_value(value))).collect())
        }
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(counter_value).collect()),
        serde_json::Value::Number(number) => number.as_i64().map_or_else(|| number.as_f64().into(), Value::Int),
        serde_json::Value::String(text) => text.into(),
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Null => Value::Null,
    }
}

#[cfg(test)]
mod tests;
