//! Every action that a verb changed.

use howdah_engine::Engine;
use howdah_engine::apply::outcome::{ActionChange, Outcome};
use howdah_engine::apply::selection::named_actions;
use howdah_engine::format::time;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;

/// Returns every action that a command changed; an outcome lists only the first ones.
pub(crate) fn all(engine: &Engine, (id, scope): (&JobId, &Scope), outcome: &Outcome) -> Result<Vec<ActionChange>> {
    if outcome.action_counts.total() <= outcome.actions.len() as u64 {
        return Ok(outcome.actions.clone());
    }
    let to = outcome.actions.first().and_then(|action| action.status.clone());
    engine.store.read(|snapshot| {
        let Some(job) = snapshot.coordinator_job(id)? else { return Ok(outcome.actions.clone()) };
        let named = named_actions(snapshot, &job, scope)?;
        let changed = named.into_iter().filter(|action| to.as_deref() == Some(action.status.as_str()));
        let change = changed.map(|action| ActionChange {
            id: format!("{id}@{}", action.number),
            action_number: action.number,
            nominal_time: time(action.nominal_at),
            former_status: String::new(),
            status: Some(action.status.to_string()),
        });
        Ok(change.collect())
    })
}
