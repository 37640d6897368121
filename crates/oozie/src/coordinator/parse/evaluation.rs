//! Evaluates the texts of a definition and reports what is wrong with them at their places.
//!
//! A text that depends on something unknown has no value and is not a problem; checks that need its value are skipped.

use std::sync::Arc;

use crate::coordinator::definition::Expression;
use crate::coordinator::parse::parser::{MOST_REFUSALS, Parser};
use crate::coordinator::phase::{OtherProperties, Plain};
use crate::elsewhere;
use howdah_el::{ElError, Expr, Knowledge, PartlyKnown, Scope, Template, is_literal};
use howdah_words::error::{Error, ErrorCode, Location, Result, Span};
use howdah_xml::Text;

impl Parser<'_> {
    /// Evaluates a text; `None` when it is refused, which adds a problem, when its value is not known, or when it comes
    /// after [`MOST_REFUSALS`].
    pub(super) fn evaluate(&mut self, text: &Text, scope: &mut dyn Scope) -> Option<String> {
        if self.refusals >= MOST_REFUSALS {
            return None;
        }
        if is_literal(&text.value) {
            // Most texts contain no expression and need no template.
            return Some(text.value.trim().to_owned());
        }
        let template = self.template(text)?;
        self.value(&template, text, scope).map(|value| value.trim().to_owned())
    }

    /// Evaluates a text that may use only the job's properties.
    pub(super) fn plain(&mut self, text: &Text) -> Option<String> {
        self.evaluate(text, &mut Plain(self.job))
    }

    /// Parses a text and evaluates it for a trial; `None` when it is refused.
    pub(super) fn checked_expression(&mut self, text: &Text, scope: &mut dyn Scope) -> Option<Expression> {
        let template = self.template(text)?;
        let before = self.problems.len();
        self.value(&template, text, scope);
        let refused = self.problems.len() > before;
        (!refused).then(|| Expression { template, text: text.clone(), source: Arc::clone(&self.source) })
    }

    /// Parses a text and checks only its calls; `None` when a call is refused.
    pub(super) fn called_expression(&mut self, text: &Text, scope: &mut dyn Scope) -> Option<Expression> {
        let template = self.template(text)?;
        let faults = template.check_calls(scope);
        let refused = !faults.is_empty();
        for fault in faults {
            self.fault(fault, text);
        }
        (!refused).then(|| Expression { template, text: text.clone(), source: Arc::clone(&self.source) })
    }

    /// Parses a text; `None` when it is refused, or comes after [`MOST_REFUSALS`].
    fn template(&mut self, text: &Text) -> Option<Template> {
        if self.refusals >= MOST_REFUSALS {
            return None;
        }
        let template = self.understood(Template::parse(&text.value), text)?;
        if self.knowledge == Knowledge::Complete {
            self.warn_of_missing(&template, text);
        }
        Some(template)
    }

    /// Reports W0141 for each property that `coord:conf` names and the job does not have (decision C46).
    fn warn_of_missing(&mut self, template: &Template, text: &Text) {
        for call in template.calls().filter(|call| call.prefix == "coord" && call.name == "conf") {
            let Some(name) = call.arguments.first().and_then(Expr::as_constant) else { continue };
            let name = name.to_string();
            if self.job.configuration.contains_key(&name) {
                continue;
            }
            let what = format!("coord:conf('{name}')");
            let warning = Error::with(ErrorCode::W0141, &[&name, &what]);
            let warning = match self.suggestions.near(&name, self.job.configuration.keys().map(String::as_str)) {
                Some(near) => warning.help(format!("did you mean [{near}]?")),
                None => warning,
            };
            self.report_at(warning, self.place(text, call.span));
        }
    }

    /// Returns the value of `template`, parsed from `text`, as far as the job's properties are known.
    pub(super) fn value(&mut self, template: &Template, text: &Text, scope: &mut dyn Scope) -> Option<String> {
        let mut partly;
        let scope: &mut dyn Scope = match self.knowledge {
            Knowledge::Complete => scope,
            Knowledge::Partial => {
                partly = PartlyKnown::over(scope, OtherProperties(self.job.configuration));
                &mut partly
            }
        };
        let error = match template.evaluate(scope) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        for fault in template.faults(scope) {
            self.fault(fault, text);
        }
        if error.is_unknown() {
            for variable in template.unknown_variables(scope) {
                let place = self.place(text, variable.span);
                self.unknown_variables.entry(variable.name.to_owned()).or_insert(place);
            }
        }
        None
    }

    /// Returns what the language made of `text`, or reports its error at the place inside the text.
    fn understood<T>(&mut self, result: Result<T, ElError>, text: &Text) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault(error, text);
                None
            }
        }
    }

    fn fault(&mut self, error: ElError, text: &Text) {
        let place = self.place(text, error.span);
        let help = match (error.missing_function(), error.missing_variable()) {
            (Some(function), _) => elsewhere::function_in_coordinator(function),
            // A property with nearly this name is meant more likely than a time, but for a <uri-template>.
            (_, Some(variable)) if error.help.is_none() || self.is_uri_template => elsewhere::field(variable),
            _ => None,
        };
        let unresolved = error.is_unresolved();
        let mut problem = match help {
            Some(help) => error.explain(help).into_error(),
            None => error.into_error(),
        };
        if unresolved {
            problem = problem.help("define the variable in the job properties, or with -D name=value");
        }
        self.report_at(problem, place);
    }

    /// Returns a value, or reports its error at the place of `text`.
    pub(super) fn keep<T>(&mut self, result: Result<T>, text: &Text) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(error, text);
                None
            }
        }
    }

    /// Reports a refusal or a warning at the place of `text`.
    pub(super) fn report(&mut self, error: Error, text: &Text) {
        self.report_at(error, Location::new(&self.source, text.span));
    }

    pub(super) fn report_at(&mut self, error: Error, place: Location) {
        self.refusals += usize::from(!error.is_warning());
        self.problems.push(error.at(place));
    }

    /// Returns the place of a span inside a text.
    fn place(&self, text: &Text, inside: Span) -> Location {
        Location::new(&self.source, text.locate(inside))
    }
}
