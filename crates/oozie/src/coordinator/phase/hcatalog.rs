//! Functions that read parts of HCatalog partition URIs (coordinator specification 6.8).
//!
//! They use only the texts and never query a metastore.

use super::signature::{Call, Function};
use crate::coordinator::phase::event::{EventNames, EventTexts};
use crate::coordinator::phase::result::{CallResult, failed, text};
use howdah_el::{CallError, FunctionName};
use howdah_words::error::{Error, ErrorCode, did_you_mean};
use howdah_words::model::partition::Partition;

/// Which events a function reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

/// Returns the side of a function of this module; `None` for any other function.
fn side(function: Function) -> Option<Side> {
    use Function as F;
    match function {
        F::DatabaseIn
        | F::TableIn
        | F::DataInPartitions
        | F::DataInPartitionFilter
        | F::DataInPartitionMin
        | F::DataInPartitionMax => Some(Side::Input),
        F::DatabaseOut | F::TableOut | F::DataOutPartitions | F::DataOutPartitionValue => Some(Side::Output),
        _ => None,
    }
}

/// Returns whether the function reads output events.
pub(super) fn is_output(function: Function) -> bool {
    side(function) == Some(Side::Output)
}

/// Returns whether the first argument of a function names an event.
pub(super) fn names_event(function: FunctionName<'_>) -> bool {
    let known = Function::find(function.prefix, function.name);
    known.is_some_and(|function| matches!(function, Function::DataIn | Function::DataOut) || side(function).is_some())
}

/// Returns whether a call needs the URIs of an output event, or parts of them.
pub(crate) fn asks_for_output(function: FunctionName<'_>) -> bool {
    let known = Function::find(function.prefix, function.name);
    known.is_some_and(|function| function == Function::DataOut || is_output(function))
}

/// Checks at submission that the event is declared, as input or output; `None` for any other function.
pub(super) fn check(call: &Call, events: &EventNames) -> Option<CallResult> {
    side(call.function)?;
    let name = call.arguments.text(0);
    Some(if events.contains(name) {
        text(call.function.name())
    } else {
        let error = Error::new(ErrorCode::E1004, format!("data set name {name} is not valid"));
        let names = events.inputs.iter().chain(&events.outputs).map(String::as_str);
        Err(CallError::Coded(match did_you_mean(name, names) {
            Some(near) => error.help(format!("did you mean [{near}]?")),
            None => error.help("name a data-in or data-out, not its dataset"),
        }))
    })
}

/// Returns the value when all inputs exist; `None` for any other function.
pub(super) fn call(call: &Call, inputs: &EventTexts, outputs: &EventTexts) -> Option<CallResult> {
    let events = match side(call.function)? {
        Side::Input => inputs,
        Side::Output => outputs,
    };
    Some(match events.get(call.arguments.text(0)) {
        Some(None) => failed(format!("the instances of {} are not known yet", call.arguments.text(0))),
        Some(Some(uris)) => partitions(uris).and_then(|partitions| value(call, &partitions)),
        None => text(""),
    })
}

/// Splits a list of URIs into partitions. A comma inside a URI separates its servers, not two URIs.
fn partitions(uris: &str) -> Result<Vec<Partition<'_>>, CallError> {
    let mut starts: Vec<usize> = uris.match_indices("://").filter_map(|(at, _)| uris[..at].rfind(',')).collect();
    starts.push(uris.len());
    let mut found = Vec::new();
    let mut from = 0;
    for end in starts {
        let uri = &uris[from..end];
        if !uri.is_empty() {
            found.push(Partition::parse(uri).map_err(|error| CallError::Failed(error.message().to_owned()))?);
        }
        from = end + 1;
    }
    Ok(found)
}

fn value(call: &Call, partitions: &[Partition<'_>]) -> CallResult {
    use Function as F;
    let Some(first) = partitions.first() else { return text("") };
    let argument = call.arguments.text(1);
    match call.function {
        F::DatabaseIn | F::DatabaseOut => text(first.database),
        F::TableIn | F::TableOut => text(first.table),
        F::DataInPartitionFilter => text(filter(partitions, argument)),
        F::DataInPartitionMin => extreme(partitions, argument).map(|(least, _)| least.into()),
        F::DataInPartitionMax => extreme(partitions, argument).map(|(_, most)| most.into()),
        F::DataInPartitions => export(call.arguments.text(0), argument, partitions),
        F::DataOutPartitions => text(format!("'{}'", pairs(first, ",", |key, value| format!("{key}={value}")))),
        F::DataOutPartitionValue => text(first.value(argument).unwrap_or_default()),
        _ => Err(CallError::UnknownFunction),
    }
}

/// Joins the keys and values of a partition, each pair written by `write`.
fn pairs(partition: &Partition<'_>, between: &str, write: impl Fn(&str, &str) -> String) -> String {
    partition.keys.iter().map(|(key, value)| write(key, value)).collect::<Vec<_>>().join(between)
}

/// Writes a condition that selects the partitions, in the syntax of Pig or of all other tools.
fn filter(partitions: &[Partition<'_>], kind: &str) -> String {
    let equals = if kind.eq_ignore_ascii_case("pig") { "==" } else { "=" };
    let one = |partition| format!("({})", pairs(partition, " AND ", |key, value| format!("{key}{equals}'{value}'")));
    partitions.iter().map(one).collect::<Vec<_>>().join(" OR ")
}

/// Returns the least or the greatest value of a key, compared as texts.
fn extreme(partitions: &[Partition<'_>], key: &str) -> Result<(String, String), CallError> {
    let mut values = partitions.iter().map(|partition| partition.value(key));
    let Some(Some(first)) = values.next() else {
        return failed(format!("No value in data-in uri for partition key: {key}"));
    };
    let (least, most) =
        values.flatten().fold((first, first), |(least, most), value| (least.min(value), most.max(value)));
    Ok((least.to_owned(), most.to_owned()))
}

/// Writes the single partition in the form of Hive's export.
fn export(name: &str, kind: &str, partitions: &[Partition<'_>]) -> CallResult {
    match partitions {
        _ if kind != "hive-export" => failed(format!("Unsupported type: {kind} dataset name: {name}")),
        [partition] => text(pairs(partition, ",", |key, value| format!("{key}='{value}'"))),
        _ => failed(format!("Multiple partitions not supported for hive-export type. Dataset name: {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_el::{FunctionName, Value};

    const ONE: &str = "hcat://h:1,g:2/db/t/dt=12;region=us";
    const TWO: &str = "hcat://h:1/db/t/dt=9,hcat://h:1/db/t/dt=12";

    fn check(name: &str, uris: &str, arguments: &[&str], expect: Result<&str, &str>) {
        let texts = EventTexts::from([("e".to_owned(), Some(uris.to_owned()))]);
        let values: Vec<Value> =
            std::iter::once(&"e").chain(arguments).map(|text| Value::from((*text).to_owned())).collect();
        let bound = Call::bind(FunctionName { prefix: "coord", name }, &values).unwrap();
        let got = call(&bound, &texts, &texts).unwrap();
        let got = got.map(|value| value.to_text().to_string()).map_err(|error| match error {
            CallError::Failed(message) => message,
            other => format!("{other:?}"),
        });
        assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{name} {uris}");
    }

    #[test]
    fn takes_uris_apart() {
        check("databaseIn", ONE, &[], Ok("db"));
        check("tableOut", ONE, &[], Ok("t"));
        check("databaseIn", "", &[], Ok(""));
        check("databaseIn", "hdfs://nn:8020/h/2009", &[], Ok("h"));
        check("dataOutPartitions", ONE, &[], Ok("'dt=12,region=us'"));
        check("dataOutPartitionValue", ONE, &["region"], Ok("us"));
        check("dataOutPartitionValue", ONE, &["x"], Ok(""));
    }

    #[test]
    fn writes_conditions() {
        check("dataInPartitionFilter", ONE, &["PIG"], Ok("(dt=='12' AND region=='us')"));
        check("dataInPartitionFilter", TWO, &["hive"], Ok("(dt='9') OR (dt='12')"));
        check("dataInPartitions", ONE, &["hive-export"], Ok("dt='12',region='us'"));
        let several = "Multiple partitions not supported for hive-export type. Dataset name: e";
        check("dataInPartitions", TWO, &["hive-export"], Err(several));
        check("dataInPartitions", ONE, &["hive"], Err("Unsupported type: hive dataset name: e"));
    }

    #[test]
    fn compares_values_as_texts() {
        check("dataInPartitionMin", TWO, &["dt"], Ok("12"));
        check("dataInPartitionMax", TWO, &["dt"], Ok("9"));
        check("dataInPartitionMax", TWO, &["x"], Err("No value in data-in uri for partition key: x"));
    }
}
