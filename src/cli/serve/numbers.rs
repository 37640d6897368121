//! `admin/metrics` and `admin/instrumentation`: the numbers of `howdah metrics` in Oozie's two forms.

use serde_json::{Map, Value, json};

use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::session;
use howdah_answers::query::metrics::{Metric, Sample, metrics as read};

/// Returns the numbers as gauges.
pub(super) fn metrics(site: &Site) -> Result<Value, Refusal> {
    let gauge = |(name, value): (String, f64)| (name, json!({ "value": value }));
    let gauges: Map<String, Value> = named(&metrics_of(site)?).map(gauge).collect();
    Ok(json!({ "gauges": gauges, "timers": {}, "histograms": {}, "counters": {} }))
}

/// Returns the numbers as variables of one group.
pub(super) fn instrumentation(site: &Site) -> Result<Value, Refusal> {
    let variable = |(name, value): (String, f64)| json!({ "name": name, "value": value });
    let data: Vec<Value> = named(&metrics_of(site)?).map(variable).collect();
    let groups = [json!({ "group": "howdah", "data": data })];
    Ok(json!({ "variables": groups, "samplers": [], "counters": [], "timers": [] }))
}

fn metrics_of(site: &Site) -> Result<Vec<Metric>, Refusal> {
    site.check_sees_all()?;
    let now = session::clock(&site.global)?.now();
    Ok(read(&mut session::query_engine(&site.global)?, now)?)
}

/// Returns each number with its name and its labels.
fn named(metrics: &[Metric]) -> impl Iterator<Item = (String, f64)> {
    let name = |metric: &Metric, sample: &Sample| {
        let labels = sample.labels.iter().map(|(_, value)| value.as_str());
        std::iter::once(metric.name).chain(labels).collect::<Vec<&str>>().join(".")
    };
    metrics.iter().flat_map(move |metric| metric.samples.iter().map(move |sample| (name(metric, sample), sample.value)))
}
