//! Parses the elements of a `bundle-app` to a [`Bundle`] and collects every problem, in Oozie's order
//! (`BundleSubmitXCommand`): expressions, names, kick-off time, whether anything would start at all.
//!
//! Expects a document that the schema accepts; for another it may miss problems but reports no false ones. Without
//! properties only texts without expressions are known, and nothing that depends on the others is checked.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::{BundleScope, OtherProperties};
use super::{Bundle, BundleCoordinator};
use crate::configuration::read_configuration;
use howdah_calendar::ProcessingZone;
use howdah_el::{ElError, Knowledge, PartlyKnown, Scope, Template, is_literal};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{Document, Element};

/// The most refusals reported for one bundle; after the last one no more texts are evaluated.
const MOST_REFUSALS: usize = 100;

/// Reads a bundle application.
///
/// Returns the bundle when everything in it is known and nothing is refused, and all problems: E0700, E1004, E1301,
/// E1304, E1305, E1318, E1321, at most [`MOST_REFUSALS`], and warnings.
pub fn parse(
    document: &Document,
    (knowledge, properties): (Knowledge, &Properties),
    processing: ProcessingZone,
) -> (Option<Bundle>, Vec<Error>) {
    let mut scope = BundleScope::new(properties);
    let mut partly;
    let scope: &mut dyn Scope = match knowledge {
        Knowledge::Complete => &mut scope,
        Knowledge::Partial => {
            partly = PartlyKnown::over(&mut scope, OtherProperties(properties));
            &mut partly
        }
    };
    let mut parser = Parser { document, scope, values: BTreeMap::new(), refusals: 0, problems: Vec::new() };
    parser.evaluate_texts(&document.root);
    let bundle = parser.bundle(processing);
    (bundle.filter(|_| parser.refusals == 0), parser.problems)
}

/// Returns the error, which Oozie reports as a failure of the whole submission.
fn wrapped(error: Error) -> Error {
    error.reported_by_oozie_as(ErrorCode::E1310)
}

/// The time at which the coordinators of a bundle are submitted.
enum KickOff {
    /// It depends on a property that is not known, or is not a time.
    Unknown,
    AtOnce,
    At(Timestamp),
}

struct Parser<'a> {
    document: &'a Document,
    scope: &'a mut dyn Scope,
    /// The values of the texts with expressions, by the text without the blanks at its ends; `None` where the value is
    /// not known.
    values: BTreeMap<&'a str, Option<String>>,
    refusals: usize,
    problems: Vec<Error>,
}

impl<'a> Parser<'a> {
    /// Evaluates each text of `element` and below it; E1004 for each fault of a text that has no value or can never
    /// have one.
    fn evaluate_texts(&mut self, element: &'a Element) {
        let attributes = element.attributes.iter().map(|attribute| &attribute.value);
        let texts = attributes.chain(element.texts()).filter(|text| !is_literal(&text.value));
        for text in texts {
            if self.is_full() {
                return;
            }
            let value = self.evaluate(&text.value);
            let faults = value.as_ref().err().cloned().unwrap_or_default();
            self.values.insert(text.value.trim(), value.ok().flatten());
            for fault in faults {
                let unresolved = fault.is_unresolved();
                let place = self.document.locate(text.locate(fault.span));
                let problem = wrapped(fault.into_error()).at(place);
                let help = "define the variable in the job properties, or with -D name=value";
                self.refuse(if unresolved { problem.help(help) } else { problem });
            }
        }
        for child in element.elements() {
            self.evaluate_texts(child);
        }
    }

    /// Returns the value of a text, without the blanks at its ends, or everything that is wrong with it; `None` when
    /// the value is not known.
    fn evaluate(&mut self, text: &str) -> Result<Option<String>, Vec<ElError>> {
        let template = Template::parse(text).map_err(|fault| vec![fault])?;
        let first = match template.evaluate_known(self.scope) {
            Ok(Some(value)) => return Ok(Some(value.trim().to_owned())),
            Ok(None) => None,
            Err(first) => Some(first),
        };
        let faults = template.faults(self.scope);
        match first {
            None if faults.is_empty() => Ok(None),
            // All expressions together may be too much where each one alone is not.
            Some(first) if faults.is_empty() => Err(vec![first]),
            _ => Err(faults),
        }
    }

    /// Returns the value of a text; `None` when it is not known, or has none.
    fn value(&mut self, text: &str) -> Option<String> {
        let text = text.trim();
        if is_literal(text) {
            return Some(text.to_owned());
        }
        match self.values.get(text) {
            Some(value) => value.clone(),
            None if self.is_full() => None,
            // The text has several parts.
            None => self.evaluate(text).ok().flatten(),
        }
    }

    fn is_full(&self) -> bool {
        self.refusals >= MOST_REFUSALS
    }

    /// Adds a refusal, unless there are too many; the last one mentions this.
    fn refuse(&mut self, problem: Error) {
        if self.is_full() {
            return;
        }
        self.refusals += 1;
        self.problems.push(problem);
        if self.is_full()
            && let Some(last) = self.problems.last_mut()
        {
            last.mention_limit(MOST_REFUSALS);
        }
    }

    fn bundle(&mut self, processing: ProcessingZone) -> Option<Bundle> {
        let root = &self.document.root;
        let coordinators = self.coordinators(root);
        let kick_off = self.kick_off(root, processing);
        let name = root.attribute("name").and_then(|name| self.value(&name.value));
        if let Some(coordinators) = &coordinators
            && !coordinators.iter().any(|coordinator| coordinator.enabled)
        {
            let refused = Error::new(ErrorCode::E1318, name.as_deref().unwrap_or_default());
            let help = "enable a coordinator: a bundle that starts none fails at once";
            self.refuse(refused.at(self.document.locate(root.tag)).help(help));
        }
        let kick_off = match kick_off {
            KickOff::Unknown => return None,
            KickOff::AtOnce => None,
            KickOff::At(at) => Some(at),
        };
        Some(Bundle { name: name?, kick_off, coordinators: coordinators? })
    }

    /// Returns the coordinators; `None` when something about them is not known.
    fn coordinators(&mut self, root: &Element) -> Option<Vec<BundleCoordinator>> {
        self.check_names(root);
        let found: Vec<Option<BundleCoordinator>> =
            root.children_named("coordinator").map(|element| self.coordinator(element)).collect();
        found.into_iter().collect()
    }

    /// Reports E1304 for a name that occurred before, E1305 for an empty one, E1321 for one that is still an
    /// expression.
    ///
    /// Two equal texts have the same value, for any properties.
    fn check_names(&mut self, root: &Element) {
        let mut seen = BTreeSet::new();
        for name in root.children_named("coordinator").filter_map(|element| element.attribute("name")) {
            let value = self.value(&name.value);
            // Oozie evaluates the result of the first evaluation of the name again.
            let fault = value.as_ref().and_then(|value| self.evaluate(value).err()?.into_iter().next());
            let problem = if value.as_ref().is_some_and(String::is_empty) {
                Error::with(ErrorCode::E1305, &[]).help("give the coordinator a name")
            } else if let Some(fault) = fault {
                Error::new(ErrorCode::E1321, fault.message).help("a property that the name uses contains an expression")
            } else if seen.insert(value.unwrap_or_else(|| name.value.clone())) {
                continue;
            } else {
                Error::new(ErrorCode::E1304, &name.value).help("each coordinator of a bundle needs its own name")
            };
            self.refuse(wrapped(problem).at(self.document.locate(name.span)));
        }
    }

    fn coordinator(&mut self, element: &Element) -> Option<BundleCoordinator> {
        let enabled = match element.attribute("enabled") {
            Some(text) => self.value(&text.value).map(|value| value.eq_ignore_ascii_case("true")),
            None => Some(true),
        };
        let path = element.child("app-path").map(Element::text)?;
        let configuration = match element.child("configuration") {
            Some(configuration) => self.configuration(configuration),
            None => Some(Properties::new()),
        };
        Some(BundleCoordinator {
            name: self.value(&element.attribute("name")?.value)?,
            enabled: enabled?,
            app_path: self.value(&path.value)?,
            place: self.document.locate(path.span),
            configuration: configuration?,
        })
    }

    fn configuration(&mut self, element: &Element) -> Option<Properties> {
        match read_configuration(element, &self.document.source) {
            Ok(parsed) => {
                self.problems.extend(parsed.repetitions());
                let evaluated = parsed.values.iter().map(|(name, value)| Some((self.value(name)?, self.value(value)?)));
                evaluated.collect()
            }
            Err(error) => {
                self.refuse(error);
                None
            }
        }
    }

    /// Returns the time at which the coordinators are to be submitted.
    ///
    /// E1301 for an invalid time; an empty one means at once.
    fn kick_off(&mut self, root: &Element, processing: ProcessingZone) -> KickOff {
        let Some(element) = root.child("controls").and_then(|controls| controls.child("kick-off-time")) else {
            return KickOff::AtOnce;
        };
        let text = element.text();
        let Some(value) = self.value(&text.value) else { return KickOff::Unknown };
        if value.is_empty() {
            return KickOff::AtOnce;
        }
        match processing.parse_datetime(&value) {
            Ok(at) => KickOff::At(at),
            Err(error) => {
                let refused = wrapped(Error::new(ErrorCode::E1301, format!("kick-off-time [{value}]: {error}")));
                self.refuse(refused.at(self.document.locate(text.span)).help(error.help_in_definition()));
                KickOff::Unknown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    const START: &str = "<bundle-app name='${n}'>";
    const PATH: &str = "<app-path>/c</app-path>";

    /// The problems of a bundle as `column CODE`, or what it would start, without properties and with them.
    fn check(content: &str, without: &str, with: &str) {
        let source = SourceText::new("b.xml", format!("{START}{content}</bundle-app>"));
        let document = read(&source).unwrap();
        let given = [("n", "b"), ("yes", " TRUE "), ("no", "0"), ("expression", "${gone}"), ("path", "/p")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let none = Properties::new();
        for (knowledge, expect) in [((Knowledge::Partial, &none), without), ((Knowledge::Complete, &given), with)] {
            let (bundle, problems) = parse(&document, knowledge, ProcessingZone::UTC);
            let described = |problem: &Error| {
                let (_, column) = problem.location().unwrap().line_column();
                // Counted from the content on; the root's own name is before it.
                format!("{} {}", column.saturating_sub(START.len()), problem.code())
            };
            let mut described: Vec<String> = problems.iter().map(described).collect();
            let kick_off = bundle.as_ref().and_then(|bundle| bundle.kick_off);
            described.extend(kick_off.map(|at| format!("at {}", ProcessingZone::UTC.format(at))));
            let started = bundle.iter().flat_map(|bundle| &bundle.coordinators).filter(|found| found.enabled);
            described
                .extend(started.map(|found| format!("{}={}{:?}", found.name, found.app_path, found.configuration)));
            assert_eq!(described.join("; "), expect, "{content} {knowledge:?}");
        }
    }

    #[test]
    fn configurations_override_the_bundles() {
        let value = "<configuration><property><name>a</name><value>${n}1</value></property></configuration>";
        check(
            &format!("<coordinator name='${{n}}-1'><app-path> ${{path}} </app-path>{value}</coordinator>"),
            "",
            "b-1=/p{\"a\": \"b1\"}",
        );
        let job = Properties::from([("a", "0"), ("b", "2")].map(|(name, value)| (name.to_owned(), value.to_owned())));
        let source =
            SourceText::new("b.xml", format!("<b name='b'><coordinator name='c'>{PATH}{value}</coordinator></b>"));
        let document = read(&source).unwrap();
        let with_name = Properties::from([("n".to_owned(), "x".to_owned())]);
        let (bundle, _) = parse(&document, (Knowledge::Complete, &with_name), ProcessingZone::UTC);
        let properties = bundle.unwrap().coordinators[0].properties(&job);
        let expect = [("a", "x1"), ("b", "2"), ("oozie.coord.application.path", "/c")];
        assert_eq!(properties, expect.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }

    #[test]
    fn names_are_unique_once_they_are_evaluated() {
        let two = |first: &str, second: &str| {
            format!("<coordinator name='{first}'>{PATH}</coordinator><coordinator name='{second}'>{PATH}</coordinator>")
        };
        check(&two("a", "c"), "", "a=/c{}; c=/c{}");
        check(&two("a", "a"), "79 E1304", "79 E1304");
        check(&two("${n}", "b"), "", "82 E1304");
        check(&two("${no}", "${no}"), "83 E1304", "83 E1304");
        check(&two("", "b"), "20 E1305", "20 E1305");
        check(&two("${expression}", "b"), "", "20 E1321");
    }

    #[test]
    fn expressions_have_properties_and_one_function() {
        let path = |text: &str| format!("<coordinator name='c'><app-path>{text}</app-path></coordinator>");
        check(&path("${bundle:conf('path')}${bundle:conf('none')}"), "", "c=/p{}");
        check(&path("${wf:id()}"), "35 E1004", "35 E1004");
        check(&path("${bundle:conf()}"), "35 E1004", "35 E1004");
        check(&path("${paht}"), "", "35 E1004");
        check(&path("${1 +}"), "38 E1004", "38 E1004");
        check(&path("/${'p'}/${1 + 1}"), "", "c=/p/2{}");
        check(&path("${gone}${'a' * 2}"), "42 E1004", "35 E1004; 42 E1004");
        // Everything that is wrong with one text.
        check(&path("${a}-${bundle:conf('path')}-${b}"), "", "35 E1004; 63 E1004");
        // As in Oozie, unused texts are evaluated too.
        check(
            &format!(
                "<parameters><property><description>${{gone}}</description></property></parameters>{}",
                path("/c")
            ),
            "",
            "38 E1004",
        );
    }

    #[test]
    fn many_mistakes_are_reported_up_to_a_limit() {
        let mistake =
            |n: usize| format!("<coordinator name='c{n}'><app-path>${{propertie{n}}}</app-path></coordinator>");
        let content: String = (0..3 * MOST_REFUSALS).map(mistake).collect();
        let source = SourceText::new("b.xml", format!("<bundle-app name='b'>{content}</bundle-app>"));
        let given: Properties = (0..3 * MOST_REFUSALS).map(|n| (format!("property{n}"), "x".to_owned())).collect();
        let (bundle, problems) = parse(&read(&source).unwrap(), (Knowledge::Complete, &given), ProcessingZone::UTC);
        assert_eq!((bundle.is_none(), problems.len()), (true, MOST_REFUSALS));
        let advised = |words: &str| {
            problems.iter().filter(|problem| problem.help_text().is_some_and(|help| help.contains(words))).count()
        };
        assert_eq!((advised("did you mean [property"), advised("only the first 100 problems")), (20, 1));
        let names = format!("<coordinator name='c'>{PATH}</coordinator>").repeat(3 * MOST_REFUSALS);
        let source = SourceText::new("b.xml", format!("<bundle-app name='b'>{names}</bundle-app>"));
        let (_, problems) =
            parse(&read(&source).unwrap(), (Knowledge::Partial, &Properties::new()), ProcessingZone::UTC);
        assert_eq!(problems.len(), MOST_REFUSALS);
    }

    #[test]
    fn a_bundle_must_start_something_at_a_time_that_exists() {
        let enabled = |value: &str| format!("<coordinator name='c' enabled='{value}'>{PATH}</coordinator>");
        check(&enabled("${yes}"), "", "c=/c{}");
        check(&enabled("${no}"), "", "0 E1318");
        check(&enabled("yes"), "0 E1318", "0 E1318");
        let controls =
            |time: &str| format!("<controls><kick-off-time>{time}</kick-off-time></controls>{}", enabled("true"));
        check(&controls(" 2026-03-01T00:00Z "), "", "at 2026-03-01T00:00Z; c=/c{}");
        check(&controls(""), "", "c=/c{}");
        check(&controls("2026-03-01"), "26 E1301", "26 E1301");
        check(&controls("${no}"), "", "26 E1301");
    }
}
