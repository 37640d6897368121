//! Outputs that an SLA element names and that are not declared: Oozie checks them only when it creates an action.

use crate::coordinator::definition::ConfigurationValue;
use crate::coordinator::outline::Outline;
use crate::coordinator::phase::asks_for_output;
use howdah_words::error::{Error, ErrorCode, Location, Suggestions};

/// Returns W0111 for each output that an SLA element names and that does not exist.
pub(super) fn warnings(outline: &Outline) -> Vec<Error> {
    let names: Vec<&str> = outline.outputs.iter().map(|output| output.name.as_str()).collect();
    let mut suggestions = Suggestions::default();
    outline.sla.iter().flat_map(|text| undeclared(text, &names, &mut suggestions)).collect()
}

fn undeclared(text: &ConfigurationValue, names: &[&str], suggestions: &mut Suggestions) -> Vec<Error> {
    let expression = &text.value;
    let outputs = expression.template.calls().filter(|call| asks_for_output(call.function()));
    let names_nothing = outputs.filter_map(|call| {
        let argument = call.arguments.first()?;
        let name = argument.as_constant()?.to_text();
        (!names.contains(&name.as_ref())).then_some((name, argument.span))
    });
    names_nothing
        .map(|(name, span)| {
            let refusal = Error::new(ErrorCode::E1004, format!("data_out_name {name} is not valid"));
            let help = match suggestions.near(&name, names.iter().copied()) {
                Some(near) => format!("did you mean [{near}]?"),
                None => "name a data-out of <output-events>".to_owned(),
            };
            let place = Location::new(&expression.source, expression.text.locate(span));
            Error::new(ErrorCode::W0111, refusal).at(place).help(help)
        })
        .collect()
}
