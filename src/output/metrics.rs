//! `metrics`: numbers in the text format of OpenMetrics.

use std::fmt::Write as _;

use howdah_answers::query::metrics::{Metric, Sample};

/// Returns the numbers in the text format of OpenMetrics 1.0; a name without numbers is left out.
pub(crate) fn text(metrics: &[Metric]) -> String {
    let mut text = String::new();
    for Metric { name, unit, help, samples } in metrics.iter().filter(|metric| !metric.samples.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# TYPE {name} gauge");
        if !unit.is_empty() {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(text, "# HELP {name} {help}.");
        for Sample { labels, value } in samples {
            let _ = writeln!(text, "{name}{} {value}", self::labels(labels));
        }
    }
    text + "# EOF\n"
}

fn labels(labels: &[(&'static str, String)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_form_of_openmetrics() {
        let sample = |job: &str, value: f64| Sample { labels: vec![("job", job.to_owned())], value };
        let metrics = [
            Metric { name: "a_seconds", unit: "seconds", help: "A time", samples: vec![sample("x\"y\\z\nw", 1.5)] },
            Metric { name: "b", unit: "", help: "Nothing", samples: Vec::new() },
            Metric { name: "c", unit: "", help: "A count", samples: vec![Sample { labels: Vec::new(), value: 3.0 }] },
        ];
        let expect = "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n# HELP a_seconds A time.\n\
                      a_seconds{job=\"x\\\"y\\\\z\\nw\"} 1.5\n\
                      # TYPE c gauge\n# HELP c A count.\nc 3\n# EOF\n";
        assert_eq!(text(&metrics), expect);
    }
}
