//! Families of coordinators and configurations: many elements of each kind, with and without mistakes.

use super::{Grown, numbered};

pub(super) const GROWN: [Grown; 23] = [
    ("xml", "unknown elements", |bytes| {
        parts(bytes, |all| Parts { datasets: all, ..Parts::default() }, |_| "<x/>".into())
    }),
    ("xml", "datasets", |bytes| datasets(bytes, |n| dataset(&format!("d{n}"), "5"))),
    ("xml", "datasets of one name", |bytes| datasets(bytes, |_| dataset("same", "5"))),
    ("xml", "datasets with mistakes", |bytes| datasets(bytes, |n| dataset(&format!("d{n}"), "${x}"))),
    ("xml", "datasets inside each other", |bytes| datasets(bytes, |_| "<datasets>".to_owned())),
    ("xml", "events", |bytes| events(bytes, |n| event(&format!("e{n}"), "d", "${coord:current(0)}"))),
    ("xml", "events of no dataset", |bytes| events(bytes, |n| event(&format!("e{n}"), &format!("nope{n}"), "x"))),
    ("xml", "events with a misspelt function", |bytes| {
        events(bytes, |n| event(&format!("e{n}"), "d", "${coord:currant(0)}"))
    }),
    ("xml", "values", |bytes| values(bytes, |n| value(n, "${coord:dataIn('in')}"))),
    ("xml", "values with an unknown event", |bytes| {
        values(bytes, |n| value(n, &format!("${{coord:dataIn('inn{n}')}}")))
    }),
    ("xml", "values with an unknown variable", |bytes| values(bytes, |n| value(n, &format!("${{nope{n}}}")))),
    ("xml", "logic inside each other", |bytes| logic(bytes, |_| "<and>".to_owned())),
    ("xml", "logic in a row", |bytes| logic(bytes, |_| "<data-in dataset='in'/>".to_owned())),
    ("xml", "logic of no event", |bytes| logic(bytes, |n| format!("<data-in dataset='inn{n}'/>"))),
    ("xml", "datasets and events that name others", unknown_datasets),
    ("xml", "events and values that name others", unknown_events),
    ("xml", "parameters and values that name others", unknown_parameters),
    ("xml", "one value with many unknown names beside many parameters", unknown_names_of_one_value),
    ("xml", "datasets of no zone", |bytes| {
        datasets(bytes, |n| dataset(&format!("d{n}"), "5").replace("UTC", &format!("America/Los_Angelos_{n}")))
    }),
    ("xml", "an SLA element that names other outputs", unknown_outputs),
    ("xml", "properties", |bytes| {
        configuration(bytes, |n| format!("<property><name>a{n}</name><value>b</value></property>"))
    }),
    ("xml", "properties of one name", |bytes| {
        configuration(bytes, |_| "<property><name>a</name><value>b</value></property>".to_owned())
    }),
    ("xml", "what are no properties", |bytes| configuration(bytes, |_| "<prop/>".to_owned())),
];

/// The content of a coordinator.
#[derive(Default)]
struct Parts {
    parameters: String,
    datasets: String,
    events: String,
    logic: String,
    values: String,
    /// Elements after the workflow and before the action.
    sla: String,
    outputs: String,
}

impl Parts {
    fn coordinator(self) -> String {
        let Self { parameters, datasets, events, logic, values, sla, outputs } = self;
        let logic = if logic.is_empty() { logic } else { format!("<input-logic>{logic}</input-logic>") };
        format!(
            "<coordinator-app xmlns='uri:oozie:coordinator:0.5' name='c' frequency='${{coord:days(1)}}' \
             start='2009-01-01T00:00Z' end='2010-01-01T00:00Z' timezone='UTC'><parameters>{parameters}</parameters>\
             <datasets>{}{datasets}</datasets><input-events>{}{events}</input-events>{outputs}{logic}<action><workflow>\
             <app-path>/w</app-path><configuration>{values}</configuration></workflow>{sla}</action></coordinator-app>",
            dataset("d", "5"),
            event("in", "d", "${coord:current(0)}"),
        )
    }
}

fn parts(bytes: usize, place: impl Fn(String) -> Parts, part: impl Fn(usize) -> String) -> String {
    place(numbered(bytes, part).0).coordinator()
}

fn datasets(bytes: usize, part: impl Fn(usize) -> String) -> String {
    parts(bytes, |datasets| Parts { datasets, ..Parts::default() }, part)
}

fn events(bytes: usize, part: impl Fn(usize) -> String) -> String {
    parts(bytes, |events| Parts { events, ..Parts::default() }, part)
}

fn values(bytes: usize, part: impl Fn(usize) -> String) -> String {
    parts(bytes, |values| Parts { values, ..Parts::default() }, part)
}

fn logic(bytes: usize, part: impl Fn(usize) -> String) -> String {
    parts(bytes, |logic| Parts { logic, ..Parts::default() }, part)
}

fn configuration(bytes: usize, part: impl Fn(usize) -> String) -> String {
    format!("<configuration>{}</configuration>", numbered(bytes, part).0)
}

fn dataset(name: &str, frequency: &str) -> String {
    format!(
        "<dataset name='{name}' frequency='{frequency}' initial-instance='2009-01-01T00:00Z' timezone='UTC'>\
         <uri-template>/${{YEAR}}</uri-template></dataset>"
    )
}

fn event(name: &str, dataset: &str, instance: &str) -> String {
    format!("<data-in name='{name}' dataset='{dataset}'><instance>{instance}</instance></data-in>")
}

fn value(number: usize, value: &str) -> String {
    format!("<property><name>p{number}</name><value>{value}</value></property>")
}

fn unknown_datasets(bytes: usize) -> String {
    let (datasets, _) = numbered(bytes / 2, |n| dataset(&format!("a rather long name {n}"), "5"));
    let (events, _) = numbered(bytes / 2, |n| event(&format!("e{n}"), &format!("another long name {n}"), "x"));
    Parts { datasets, events, ..Parts::default() }.coordinator()
}

fn unknown_events(bytes: usize) -> String {
    let (events, _) = numbered(bytes / 2, |n| event(&format!("a rather long name {n}"), "d", "${coord:current(0)}"));
    let (values, _) = numbered(bytes / 2, |n| value(n, &format!("${{coord:dataIn('another long name {n}')}}")));
    Parts { events, values, ..Parts::default() }.coordinator()
}

fn unknown_parameters(bytes: usize) -> String {
    let parameter = |n| format!("<property><name>a_rather_long_name_{n}</name><value>1</value></property>");
    let (parameters, _) = numbered(bytes / 2, parameter);
    let (values, _) = numbered(bytes / 2, |n| value(n, &format!("${{another_long_name_{n}}}")));
    Parts { parameters, values, ..Parts::default() }.coordinator()
}

fn unknown_names_of_one_value(bytes: usize) -> String {
    let parameter = |n| format!("<property><name>a_rather_long_name_{n}</name><value>1</value></property>");
    let (parameters, _) = numbered(bytes / 2, parameter);
    let (names, _) = numbered(bytes / 2, |n| format!("${{another_long_name_{n}}}${{another_{n}()}}"));
    Parts { parameters, values: value(0, &names), ..Parts::default() }.coordinator()
}

fn unknown_outputs(bytes: usize) -> String {
    let output =
        |n| event(&format!("a rather long name {n}"), "d", "${coord:current(0)}").replace("data-in", "data-out");
    let outputs = format!("<output-events>{}</output-events>", numbered(bytes / 2, output).0);
    let (names, _) = numbered(bytes / 2, |n| format!("${{coord:dataOut('another long name {n}')}}"));
    let sla = format!("<s:info xmlns:s='uri:oozie:sla:0.2'><s:notification-msg>{names}</s:notification-msg></s:info>");
    Parts { sla, outputs, ..Parts::default() }.coordinator()
}
