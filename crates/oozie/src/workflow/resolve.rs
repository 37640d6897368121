//! Evaluates the texts of a node: an action's body, a decision's cases, a kill message.
//!
//! Deviations: every attribute and every text is evaluated separately after the XML reader has unescaped it, so that an
//! expression may contain `&lt;`; cases are evaluated one by one until one is true, and "true" may be written in upper
//! or lower case.

use std::sync::Arc;

use super::context::WorkflowContext;
use super::definition::{Case, Target};
use super::functions::{WorkflowScope, evaluate};
use howdah_el::{ElError, Template};
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText};
use howdah_xml::{Element, Node, Text};

/// Evaluates texts of one document in one job.
#[derive(Clone, Copy)]
pub struct Resolver<'a> {
    /// The document of the texts.
    pub source: &'a Arc<SourceText>,
    pub context: &'a WorkflowContext<'a>,
}

impl Resolver<'_> {
    /// Returns the element with every attribute and every text evaluated.
    ///
    /// # Errors
    /// E1004, or the code of a function, at the first expression without a value.
    pub fn element(&self, element: &Element) -> Result<Element> {
        let mut resolved = element.clone();
        self.resolve(&mut resolved)?;
        Ok(resolved)
    }

    /// Returns the value of a text.
    ///
    /// # Errors
    /// As [`Self::element`].
    pub fn text(&self, text: &Text) -> Result<String> {
        evaluate(&text.value, self.context).map_err(|error| self.at(text, error))
    }

    /// Returns the target of a decision: that of the first case that is true.
    ///
    /// # Errors
    /// The case whose predicate has no value, with the error of [`Self::element`].
    pub fn decision<'d>(&self, cases: &'d [Case], default: &'d Target) -> Result<Choice<'d>, CaseError> {
        let mut tried = Vec::new();
        for case in cases {
            let (value, shown) = self.predicate(&case.predicate);
            let value = value.map_err(|error| CaseError { to: case.to.name.clone(), error })?;
            tried.push((case.to.name.as_str(), shown));
            if value.trim().eq_ignore_ascii_case("true") {
                return Ok(Choice { to: &case.to, tried, is_default: false });
            }
        }
        Ok(Choice { to: default, tried, is_default: true })
    }

    /// Returns the value of a predicate, and its text with the values that it used.
    fn predicate(&self, text: &Text) -> (Result<String>, String) {
        let template = match Template::parse(&text.value) {
            Ok(template) => template,
            Err(error) => return (Err(self.at(text, error)), String::new()),
        };
        let (value, seen) = template.evaluate_seen(&mut WorkflowScope::new(self.context, &template));
        let shown = shortened(template.with_values(&seen).trim(), LONGEST_PREDICATE);
        (value.map_err(|error| self.at(text, error)), shown)
    }

    fn at(&self, text: &Text, error: ElError) -> Error {
        let place = Location::new(self.source, text.locate(error.span));
        error.into_error().at(place)
    }

    /// Returns the message of a kill node.
    ///
    /// # Errors
    /// E0756, or H0113 where the message needs something that the machine cannot know at present.
    pub fn kill_message(&self, message: &Text) -> Result<String> {
        evaluate(&message.value, self.context).map_err(|error| {
            let place = Location::new(self.source, message.locate(error.span));
            let refused = Error::new(ErrorCode::E0756, &error.message);
            let error = error.into_error();
            if error.may_pass() { error } else { refused }.at(place)
        })
    }

    fn resolve(&self, element: &mut Element) -> Result<()> {
        for attribute in &mut element.attributes {
            self.replace(&mut attribute.value)?;
        }
        for child in &mut element.children {
            match child {
                Node::Element(child) => self.resolve(Arc::make_mut(child))?,
                Node::Text(text) => self.replace(text)?,
            }
        }
        Ok(())
    }

    fn replace(&self, text: &mut Text) -> Result<()> {
        let value = self.text(text)?;
        if value != text.value {
            *text = Text { value, span: text.span, verbatim: false };
        }
        Ok(())
    }
}

/// The most cases whose values are told, and the most characters of one.
const MOST_CASES: usize = 10;
const LONGEST_PREDICATE: usize = 300;

/// What a decision chose.
#[derive(Clone, Debug)]
pub struct Choice<'d> {
    pub to: &'d Target,
    /// The cases whose predicates were evaluated: the node that each leads to, and its predicate with the values that
    /// it used. Unless the default was taken, the last one is true.
    tried: Vec<(&'d str, String)>,
    is_default: bool,
}

impl Choice<'_> {
    /// Returns why the decision chose what it chose: each predicate with the values that it used.
    pub fn why(&self) -> String {
        let last = self.tried.len();
        let mut why: Vec<String> = Vec::new();
        for (number, (to, shown)) in (1..).zip(&self.tried).take(MOST_CASES) {
            let verdict = if number == last && !self.is_default { "true" } else { "false" };
            why.push(format!("case {number}, to {to}, was {verdict}: {shown}"));
        }
        if last > MOST_CASES {
            why.push(format!("{} more cases", last - MOST_CASES));
        }
        if self.is_default {
            why.push(format!("so the default, {}, was taken", self.to.name));
        }
        why.join("; ")
    }
}

/// Returns the start of a text.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A case whose predicate has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The target of the case, which names it.
    pub to: String,
    pub error: Error,
}

impl From<CaseError> for Error {
    /// Returns the error of the predicate, with the case named in the help.
    fn from(fault: CaseError) -> Self {
        fault.error.more_help(&format!("in the case that leads to [{}]", fault.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::Span;
    use howdah_words::model::Properties;
    use howdah_xml::{read, write};

    fn with_resolver<T>(xml: &str, ask: impl FnOnce(&Resolver<'_>, &Element) -> T) -> T {
        let source = SourceText::new("workflow.xml", xml);
        let document = read(&source).expect("the test's XML is well formed");
        let conf = [("n", "5"), ("markup", "<b/> & c"), ("db_password", "hunter2"), ("no_token", "")];
        let conf: Properties = conf.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let context = WorkflowContext { user: "joe", outside: None, ..WorkflowContext::unknown(&conf) };
        ask(&Resolver { source: &source, context: &context }, &document.root)
    }

    /// Asks about a decision whose cases lead to `first` and `second`, and else to `default`.
    fn with_cases<T>(predicates: [&str; 2], ask: impl FnOnce(&Resolver<'_>, &[Case], &Target) -> T) -> T {
        let xml = format!("<switch><case>{}</case><case>{}</case></switch>", predicates[0], predicates[1]);
        with_resolver(&xml, |resolver, root| {
            let target = |name: &str| Target { name: name.to_owned(), span: Span::default() };
            let texts = root.children_named("case").map(Element::raw_text);
            let cases = ["first", "second"].into_iter().zip(texts);
            let cases: Vec<Case> = cases.map(|(name, predicate)| Case { to: target(name), predicate }).collect();
            ask(resolver, &cases, &target("default"))
        })
    }

    fn check_element(xml: &str, expect: &str) {
        let got = with_resolver(xml, |resolver, root| match resolver.element(root) {
            Ok(element) => write(&element),
            Err(error) => format!("{} {error}", error.location().map(ToString::to_string).unwrap_or_default()),
        });
        assert_eq!(got, expect, "{xml}");
    }

    #[test]
    fn evaluates_every_attribute_and_text() {
        check_element("<a x=\"${n}\"><b>${wf:user()}</b>-${n + 1}</a>", "<a x=\"5\"><b>joe</b>-6</a>");
        check_element("<a>${n &lt; 6 &amp;&amp; true}</a>", "<a>true</a>");
        check_element("<a x=\"${concat(&quot;q&quot;, n)}\"/>", "<a x=\"q5\"/>");
        check_element("<a>${markup}</a>", "<a>&lt;b/&gt; &amp; c</a>");
        check_element("<a>\\${n} #{n}</a>", "<a>${n} #{n}</a>");
    }

    #[test]
    fn names_the_place_of_a_bad_expression() {
        check_element(
            "<a>\n  <b>x ${nope}</b></a>",
            "workflow.xml:2:10 E1004: Expression language evaluation error, variable [nope] cannot be resolved",
        );
    }

    #[test]
    fn takes_the_first_case_that_is_true() {
        for (predicates, expect) in [
            (["${n gt 9}", "${n eq 5}"], "second"),
            ([" TRUE ", "${nope}"], "first"),
            (["yes", "1"], "default"),
            (["${nope}", "true"], "error in first"),
        ] {
            let got = with_cases(predicates, |resolver, cases, default| match resolver.decision(cases, default) {
                Ok(choice) => choice.to.name.clone(),
                Err(fault) => format!("error in {}", fault.to),
            });
            assert_eq!(got, expect, "{predicates:?}");
        }
    }

    #[test]
    fn the_reason_of_a_choice_has_the_values() {
        for (predicates, expect) in [
            (
                ["${n gt 9}", "${wf:user() eq 'joe' and n lt 6}"],
                "case 1, to first, was false: '5' gt 9; case 2, to second, was true: 'joe' eq 'joe' and '5' lt 6",
            ),
            (
                ["${empty n}", "no"],
                "case 1, to first, was false: empty '5'; case 2, to second, was false: no; so the default, default, \
                 was taken",
            ),
            (["true", "${n}"], "case 1, to first, was true: true"),
            // What was skipped is not evaluated for the reason either.
            (["${n eq 5 or fs:exists('/x')}", ""], "case 1, to first, was true: '5' eq 5 or fs:exists('/x')"),
            (
                ["${n ne 5 and fs:dirSize(nope) gt 5}", "${n eq 5 ? true : fs:exists('/x')}"],
                "case 1, to first, was false: '5' ne 5 and fs:dirSize(nope) gt 5; case 2, to second, was true: '5' eq \
                 5 ? true : fs:exists('/x')",
            ),
            (
                ["${db_password eq ''}", "${wf:conf('db_password') ne concat(db_password, n)}"],
                "case 1, to first, was false: '*****' eq ''; case 2, to second, was true: '*****' ne '*****'",
            ),
            (
                ["${wf:conf(concat('db_', 'password')) eq ''}", "${trim(db_password) eq 'no' or no_token eq ''}"],
                "case 1, to first, was false: '*****' eq ''; case 2, to second, was true: '*****' eq 'no' or '' eq ''",
            ),
        ] {
            let got = with_cases(predicates, |resolver, cases, default| {
                resolver.decision(cases, default).expect("a choice").why()
            });
            assert_eq!(got, expect, "{predicates:?}");
        }
    }

    #[test]
    fn a_kill_message_has_its_own_code() {
        for (xml, expect) in [
            ("<message>failed: ${wf:errorMessage('x')}!</message>", "failed: !"),
            (
                "<message>${nope}</message>",
                "E0756: Exception parsing Kill node message [variable [nope] cannot be resolved]",
            ),
        ] {
            let got = with_resolver(xml, |resolver, root| match resolver.kill_message(&root.text()) {
                Ok(message) => message,
                Err(error) => error.to_string(),
            });
            assert_eq!(got, expect);
        }
    }
}
