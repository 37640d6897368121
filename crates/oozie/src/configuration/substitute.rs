//! Replaces `${name}` inside the values of properties: the substitution of job properties, which is not the expression
//! language.
//! Follows `XConfiguration.substituteVars`: the innermost, left-most reference is replaced first, always by the raw
//! value; the first unknown name ends the replacement of that value; system properties are not used.

use super::parameters::parameters;
use super::properties::ParsedProperties;
use super::reserved;
use howdah_words::error::{Error, ErrorCode, Location, Result, Span, Suggestions};
use howdah_words::model::Properties;
use howdah_xml::{Document, DocumentKind};

/// A value needing this many replacements is an error (`oozie.configuration.substitute.depth`).
const MAX_REPLACEMENTS: usize = 20;

/// The most bytes that all replacements together may insert, so that many short values cannot each insert a long one.
const MOST_INSERTED: usize = 1 << 20;

/// Returns the properties with the references in their values replaced.
///
/// # Errors
///
/// E0303 naming the first property, in the order of names, whose value needs too many replacements, or at which the
/// insertions of all values together exceed their limit.
pub fn resolve(properties: &Properties) -> Result<Properties> {
    let mut substitution = Substitution::over(properties);
    properties.iter().map(|(name, value)| Ok((name.clone(), substitution.value(name, value)?))).collect()
}

/// Like [`resolve`], with the place of the property in an error.
pub fn resolve_parsed(parsed: &ParsedProperties) -> Result<Properties> {
    let mut substitution = Substitution::over(&parsed.values);
    let mut resolved = Properties::new();
    for (name, value) in &parsed.values {
        let value = substitution.value(name, value).map_err(|error| parsed.place(name, error))?;
        resolved.insert(name.clone(), value);
    }
    Ok(resolved)
}

/// Returns a warning (W0140), at the property, for each property that still refers to one which the finished
/// configuration of a job of this kind does not have. Checks only what a user wrote: the properties `given`, and the
/// defaults of a workflow's parameters.
///
/// In a workflow's properties nothing evaluates an expression, so one is warned about too. In others it is skipped, and
/// so are the names that expressions give a meaning (`${YEAR}`): a definition may use them.
pub fn unresolved(
    kind: DocumentKind,
    document: Option<&Document>,
    given: &ParsedProperties,
    finished: &Properties,
) -> Vec<Error> {
    let written = given.values.keys().filter_map(|name| Some((name.trim().to_owned(), given.locate(name)?)));
    // The parameters of other definitions are evaluated with them.
    let defaults = document.filter(|_| kind == DocumentKind::Workflow).into_iter().flat_map(|document| {
        let parameters = parameters(document).ok().flatten().unwrap_or_default();
        let defaults = parameters.into_iter().filter(|parameter| given.locate(&parameter.name).is_none());
        defaults.map(|parameter| (parameter.name.clone(), parameter.place(document)))
    });
    let mut check = Unresolved { kind, finished, suggestions: Suggestions::default() };
    written.chain(defaults).filter_map(|(name, place)| check.warning(&name, place)).collect()
}

/// The search for references that stay text.
struct Unresolved<'a> {
    kind: DocumentKind,
    finished: &'a Properties,
    suggestions: Suggestions,
}

impl Unresolved<'_> {
    fn warning(&mut self, name: &str, place: Location) -> Option<Error> {
        let value = self.finished.get(name)?;
        let is_workflow = self.kind == DocumentKind::Workflow;
        let reference = if is_workflow { find_expression(value) } else { find_reference(value) }?;
        let referred = &value[reference.start + 2..reference.end - 1];
        let is_name = referred.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-'));
        if self.finished.contains_key(referred) || (!is_workflow && (!is_name || reserved::has_meaning(referred))) {
            return None;
        }
        let warning = Error::with(ErrorCode::W0140, &[&name, &referred]).at(place);
        if !is_name {
            return Some(warning.help(
                "nothing evaluates expressions in the properties of a workflow: write the value here, or the \
                 expression into workflow.xml",
            ));
        }
        Some(match self.suggestions.near(referred, self.finished.keys().map(String::as_str)) {
            Some(near) => warning.help(format!("did you mean ${{{near}}}?")),
            None => warning.help(format!("define the property, in the file or with -D {referred}=value")),
        })
    }
}

/// Returns the left-most `${...}`.
fn find_expression(text: &str) -> Option<Span> {
    let start = text.find("${")?;
    let length = text[start..].find('}')?;
    (length > 2).then(|| Span::new(start, start + length + 1))
}

/// The substitution in all values of a map.
struct Substitution<'a> {
    properties: &'a Properties,
    /// Bytes that may still be inserted.
    room: usize,
}

impl<'a> Substitution<'a> {
    fn over(properties: &'a Properties) -> Self {
        Self { properties, room: MOST_INSERTED }
    }

    fn value(&mut self, name: &str, value: &str) -> Result<String> {
        let mut result = value.to_owned();
        for _ in 0..MAX_REPLACEMENTS {
            let Some(found) = find_reference(&result) else { return Ok(result) };
            let referred = result[found.start + 2..found.end - 1].trim_matches(|character| character <= ' ');
            let Some(replacement) = self.properties.get(referred) else { return Ok(result) };
            self.room = self.room.checked_sub(replacement.len()).ok_or_else(|| {
                let help = format!(
                    "with `{name}`, references insert more than {MOST_INSERTED} bytes; use fewer or shorter ones"
                );
                bad_value(name, value, help)
            })?;
            result.replace_range(found.start..found.end, replacement);
        }
        let help = format!(
            "the value of `{name}` needs {MAX_REPLACEMENTS} or more replacements; does it refer back to itself?"
        );
        Err(bad_value(name, value, help))
    }
}

fn bad_value(name: &str, value: &str, help: String) -> Error {
    Error::with(ErrorCode::E0303, &[&name, &value]).reported_by_oozie_as(ErrorCode::E0803).help(help)
}

/// Returns the left-most `${name}` whose name has no `$`, `}` or blank.
fn find_reference(text: &str) -> Option<Span> {
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        let name = &text[start + 2..];
        let end = name.find(['}', '$', ' '])?;
        if end > 0 && name[end..].starts_with('}') {
            return Some(Span::new(start, start + 2 + end + 1));
        }
        from = start + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;

    fn check(properties: &[(&str, &str)], expect: &str) {
        let map: Properties = properties.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let got = resolve(&map).map(|resolved| resolved[properties[0].0].clone());
        assert_eq!(got.unwrap_or_else(|error| error.to_string()), expect, "{properties:?}");
    }

    #[test]
    fn replaces_innermost_and_left_most_first() {
        check(&[("a", "${b}-${c}"), ("b", "1"), ("c", "2")], "1-2");
        check(&[("a", "${x${b}}"), ("b", "1"), ("x1", "y")], "y");
        check(&[("a", "${b\n}"), ("b", "1")], "1");
        check(&[("a", "$${b}$"), ("b", "{c}"), ("c", "1")], "1$");
        check(&[("a", "${b} ${ b} ${} ${")], "${b} ${ b} ${} ${");
    }

    #[test]
    fn the_first_unknown_name_ends_the_replacement() {
        check(&[("a", "${b}${nope}${b}"), ("b", "1")], "1${nope}${b}");
        check(&[("a", "${nope}${b}"), ("b", "1")], "${nope}${b}");
    }

    #[test]
    fn a_workflow_keeps_expressions_as_text() {
        let defaults = "<property><name>out</name><value>${root}/${day}</value></property>\
                        <property><name>who</name><value>${wf:user()}</value></property>\
                        <property><name>given</name><value>${none}</value></property>";
        let xml = format!("<app xmlns='uri:oozie:workflow:0.5'><parameters>{defaults}</parameters></app>");
        let document = howdah_xml::read(&SourceText::new("workflow.xml", xml)).unwrap();
        let text = "root=/x\na=${wf:user()}\nb=${YEAR}\nc=${firstNotNull(a, 'b')}\ngiven=1\nlate=${out2}\n";
        let given = super::super::parse_properties(&SourceText::new("f", text)).unwrap();
        let mut finished = resolve(&given.values).unwrap();
        super::super::complete(DocumentKind::Workflow, &document, &mut finished).unwrap();
        assert_eq!(finished["out"], "/x/${day}");
        let warnings = unresolved(DocumentKind::Workflow, Some(&document), &given, &finished);
        let shown: Vec<String> = warnings.iter().map(|warning| warning.message().to_owned()).collect();
        let names = ["[a]", "[b]", "[c]", "[late]", "[out]", "[who]"];
        assert_eq!(shown.len(), names.len(), "{shown:?}");
        for (message, name) in shown.iter().zip(names) {
            assert!(message.starts_with(&format!("The property {name} ")), "{message}");
        }
        assert_eq!(warnings[3].help_text(), Some("did you mean ${out}?"));
    }

    #[test]
    fn reports_references_to_missing_properties() {
        for (text, expect) in [
            ("a=${b}\nb=1\n", ""),
            ("input=${day}\n", "W0140@1:1 define the property, in the file or with -D day=value"),
            ("root=/x\na = ${b}\nb=${rooot}/y\n", "W0140@2:1 did you mean ${root}?; W0140@3:1 did you mean ${root}?"),
            ("a=/logs/${YEAR}\nb=${wf:id()}\nc=${1 + n}\nd=${}\n", ""),
        ] {
            let given = super::super::parse_properties(&SourceText::new("f", text)).unwrap();
            let finished = resolve(&given.values).unwrap();
            let warnings = unresolved(DocumentKind::Coordinator, None, &given, &finished).into_iter().map(|warning| {
                let (line, column) = warning.location().unwrap().line_column();
                format!("{}@{line}:{column} {}", warning.code(), warning.help_text().unwrap())
            });
            assert_eq!(warnings.collect::<Vec<_>>().join("; "), expect, "{text}");
        }
        let many: String = (0..50).map(|n| format!("a{n}=${{rooot}}\n")).chain(["root=/x".to_owned()]).collect();
        let given = super::super::parse_properties(&SourceText::new("f", many)).unwrap();
        let warnings = unresolved(DocumentKind::Coordinator, None, &given, &given.values);
        let near = warnings.iter().filter(|warning| warning.help_text() == Some("did you mean ${root}?"));
        assert_eq!((warnings.len(), near.count()), (50, 20));
        let none = ParsedProperties::default();
        assert!(unresolved(DocumentKind::Workflow, None, &none, &Properties::new()).is_empty());
    }

    #[test]
    fn bounds_the_replacements() {
        check(&[("a", &"${b}".repeat(19)), ("b", "1")], &"1".repeat(19));
        let twenty = "${b}".repeat(20);
        check(&[("a", &twenty), ("b", "1")], &format!("E0303: Invalid parameter value, [a] = [{twenty}]"));
        let long = "x".repeat(MOST_INSERTED - 1);
        check(&[("a", "${b}${b}"), ("b", &long)], "E0303: Invalid parameter value, [a] = [${b}${b}]");
        check(&[("c", "${b}"), ("a", "${b}"), ("b", &long)], "E0303: Invalid parameter value, [c] = [${b}]");
        check(&[("a", "x${a}")], "E0303: Invalid parameter value, [a] = [x${a}]");
    }
}
