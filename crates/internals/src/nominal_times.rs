//! The set `nominal-times`: when the actions of a job are due.

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{processing, properties, text};
use super::submission::{Submission, application};
use howdah_calendar::CronZone;
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_words::error::Result;
use howdah_words::model::time::MINUTE;

pub(super) fn answer(input: &Value) -> Answer {
    times(input).into()
}

fn times(input: &Value) -> Result<Value> {
    let zone = processing(input)?;
    let coordinator = submit(input, CronZone::Processing)?;
    let schedule = &coordinator.schedule;
    let times: Vec<_> = schedule.times().take(wanted(input)).collect();
    let interval = times.get(1).map(|second| (*second - times[0]) / MINUTE);
    Ok(json!({
        "frequency": coordinator.frequency_text,
        "unit": schedule.frequency.unit_word(),
        "end_of_duration": schedule.frequency.end_of_word(),
        "times": times.iter().map(|at| zone.format(*at)).collect::<Vec<_>>(),
        "first": times.first().map(|at| zone.format(*at)),
        "interval_minutes": interval,
    }))
}

/// Returns whether the record has the times of cron that follows the job's zone as well.
pub(super) fn follows_job_zone(record: &Value) -> bool {
    let input = &record["input"];
    let (Ok(coordinator), Ok(zone)) = (submit(input, CronZone::Job), processing(input)) else { return false };
    let times = coordinator.schedule.times().take(wanted(input));
    record["expect"]["times"] == json!(times.map(|at| zone.format(at)).collect::<Vec<_>>())
}

fn submit(input: &Value, cron_zone: CronZone) -> Result<Coordinator> {
    let attributes = ["frequency", "start", "end", "timezone"].map(|name| (name, text(input, name)));
    let xml = application(&[[("name", "app")].as_slice(), &attributes].concat(), "");
    let mut submission = Submission::new(&xml, properties(&input["conf"]), processing(input)?);
    submission.settings.check_maximum_frequency = input["max_frequency_check"] == true;
    submission.settings.cron_zone = cron_zone;
    Ok(submission.submit()?.coordinator)
}

fn wanted(input: &Value) -> usize {
    usize::try_from(input["count"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX)
}
