//! Finds properties of a job that no definition mentions (W0126): often a misspelled name.
//!
//! Compares words, so it reports too little rather than too much: a name anywhere in a definition counts as used. Must
//! not report anything when a definition that could use the property was not read.

use std::collections::BTreeSet;

use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode};

/// W0126, at its place, for each property that the user gave and that neither the texts nor another property mentions.
///
/// Names with a dot are left out: Oozie, Hadoop and the programs of actions have their own.
pub(crate) fn unused_properties(properties: &ParsedProperties, texts: &[&str]) -> Vec<Error> {
    if texts.iter().any(|text| reads_more(text)) {
        return Vec::new();
    }
    let mut words: BTreeSet<&str> = texts.iter().copied().flat_map(words).collect();
    words.extend(properties.values.values().filter(|value| value.contains("${")).flat_map(|value| self::words(value)));
    let unused = |name: &&String| is_plain(name) && !words.contains(name.as_str());
    let warning = |name: &String| Some(Error::new(ErrorCode::W0126, name).at(properties.locate(name)?));
    properties.values.keys().filter(unused).filter_map(warning).collect()
}

/// Checks whether a definition refers to others that are not read here, or computes names of properties.
fn reads_more(text: &str) -> bool {
    let computed = text.split("conf(").skip(1).any(|rest| !rest.trim_start().starts_with(['\'', '"', '&']));
    text.contains("<sub-workflow") || text.contains("<job-xml") || computed
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_of_word)
}

const fn is_of_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !is_of_word(character)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    fn check(text: &str, expect: &[&str]) {
        let given = "used=1\nbase=/x\npath=${base}/y\nlost=1\nmapreduce.job.queuename=q\n";
        let properties = parse_properties(&SourceText::new("job.properties", given)).unwrap();
        let warnings = unused_properties(&properties, &[text, "<a b='${path}'/>"]);
        let names: Vec<&str> = warnings
            .iter()
            .map(|warning| {
                let place = warning.location().unwrap();
                &place.source.text[place.span.start..place.span.end]
            })
            .collect();
        assert_eq!(names, expect, "{text}");
    }

    #[test]
    fn what_no_text_mentions_is_unused() {
        check("${used}", &["lost"]);
        check("${wf:conf('used')} ${lostAndFound}", &["lost"]);
        check("${used}<!-- lost -->", &[]);
        check("${used}${wf:conf(concat('lo', 'st'))}", &[]);
        check("<sub-workflow>", &[]);
        check("<job-xml>", &[]);
    }
}
