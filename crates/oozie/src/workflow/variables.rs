//! Variables that a workflow uses and that have no value.
//!
//! In Oozie they are errors of the nodes that use them, found when a node starts, if ever; here they are warnings
//! before the workflow runs. Must not depend on where the properties come from.

use std::collections::BTreeSet;

use super::expressions::{Expressions, Variable};
use howdah_words::error::{Error, ErrorCode, Suggestions, did_you_mean};
use howdah_words::model::Properties;

/// How many variables are compared with the declared parameters.
const SEARCHES: usize = 100;

/// Returns W0118 for each variable that no property of the job gives a value, at its first use; not for those that
/// refuse the job when they are missing. Returns W0141 for each property that `wf:conf` names and the job does not have
/// (decision C46).
pub fn without_value(expressions: &Expressions<'_>, properties: &Properties) -> Vec<Error> {
    let mut suggestions = Suggestions::default();
    let warning = |variable: Variable| {
        let warning = Error::new(ErrorCode::W0118, &variable.name).at(variable.place);
        if let Some(word) = variable.word.filter(|word| properties.contains_key(word)) {
            return warning.help(format!(
                "a dot asks for a member and a hyphen subtracts; only a function can read the property: \
                 ${{wf:conf('{word}')}}"
            ));
        }
        match suggestions.near(&variable.name, properties.keys().map(String::as_str)) {
            Some(near) => warning.help(format!("did you mean [{near}]?")),
            None => warning,
        }
    };
    let unknown = expressions.unknown_variables(|name| properties.contains_key(name)).into_iter();
    let mut warnings: Vec<Error> = unknown.filter(|variable| !variable.at_submission).map(warning).collect();
    let missing = expressions.first_arguments("conf").into_iter().filter(|(name, _)| !properties.contains_key(name));
    warnings.extend(missing.map(|(name, place)| {
        let what = format!("wf:conf('{name}')");
        let warning = Error::with(ErrorCode::W0141, &[&name, &what]).at(place);
        match suggestions.near(&name, properties.keys().map(String::as_str)) {
            Some(near) => warning.help(format!("did you mean [{near}]?")),
            None => warning,
        }
    }));
    warnings
}

/// Returns W0109 for each variable that is not one of the `declared` parameters but looks like one of them, at its
/// first use.
///
/// Other undeclared variables are no mistakes: workflows take what is the same for all of them, such as a cluster's
/// addresses, from properties that no parameter declares.
pub fn misspelt_parameters(expressions: &Expressions<'_>, declared: &BTreeSet<&str>) -> Vec<Error> {
    let unknown = expressions.unknown_variables(|name| declared.contains(name)).into_iter();
    let warning = |variable: Variable| {
        let near = did_you_mean(&variable.name, declared.iter().copied())?;
        let warning = Error::new(ErrorCode::W0109, &variable.name).at(variable.place);
        Some(warning.help(format!("did you mean [{near}]?")))
    };
    unknown.take(SEARCHES).filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    const WORKFLOW: &str = "<workflow-app name='${n}'><action retry-max='${KB}'><shell>${outpt} ${2 * MB} ${outpt}\
        ${wf:conf('unset')} ${in}</shell><info>${MINUTES} ${MB}</info></action></workflow-app>";

    /// The code and word of each warning, and its advice where it names another word.
    fn reported(warnings: &[Error]) -> String {
        let reported = |warning: &Error| {
            let place = warning.location().expect("a place");
            let near = warning.help_text().filter(|help| help.contains("did you mean")).unwrap_or_default();
            format!("{} {} {near}", warning.code(), &place.source.text[place.span.start..place.span.end])
        };
        warnings.iter().map(|warning| reported(warning).trim_end().to_owned()).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn variables_without_value_are_reported_at_their_first_use() {
        let document = read(&SourceText::new("w.xml", WORKFLOW)).unwrap();
        let properties = ["n", "in", "output"].map(|name| (name.to_owned(), String::new())).into();
        let expect = "W0118 outpt did you mean [output]?, W0141 wf:conf('unset')";
        assert_eq!(reported(&without_value(&Expressions::of(&document), &properties)), expect);
    }

    #[test]
    fn a_property_with_dots_or_hyphens_needs_a_function() {
        for (text, expect) in [
            ("${tables.dir}/x", Some("tables.dir")),
            ("${out-dir}", Some("out-dir")),
            ("${1 + a.b.c}", Some("a.b.c")),
            ("${other.dir}", None),
        ] {
            let xml = format!("<workflow-app><action><shell>{text}</shell></action></workflow-app>");
            let document = read(&SourceText::new("w.xml", xml)).unwrap();
            let properties = ["tables.dir", "out-dir", "a.b.c"].map(|name| (name.to_owned(), String::new())).into();
            let warnings = without_value(&Expressions::of(&document), &properties);
            assert!(!warnings.is_empty(), "{text}");
            let help = expect.map(|name| format!("${{wf:conf('{name}')}}"));
            let said = warnings[0].help_text().unwrap_or_default();
            assert_eq!(help.is_some_and(|help| said.ends_with(&help)), expect.is_some(), "{text}: {said}");
        }
    }

    #[test]
    fn parameters_are_misspelt_when_they_look_like_one() {
        let document = read(&SourceText::new("w.xml", WORKFLOW)).unwrap();
        let declared = BTreeSet::from(["name", "output"]);
        assert_eq!(
            reported(&misspelt_parameters(&Expressions::of(&document), &declared)),
            "W0109 outpt did you mean [output]?"
        );
    }
}
