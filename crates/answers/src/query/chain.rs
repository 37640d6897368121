//! What the producer of a missing instance waits for in its turn, and who writes that, and so on.
//!
//! Follows the first missing input of each action, to a bounded depth; an action that comes twice closes a cycle, which
//! is named and not followed. Looks through the same eyes as `explain` of that action.

use crate::query::context::Query;
use crate::query::inputs::missing;
use crate::query::instance::{ChainLink, InstanceView, ProducerText, ProducerView};
use crate::query::producer::Producer;
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorKey;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// Producers that are followed behind the first.
const DEEPEST: usize = 8;

/// An action in a chain.
type ChainedAction = (CoordinatorKey, Timestamp);

impl Query<'_> {
    /// Who writes an instance that the action at `reader` waits for, with what it waits for itself.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn producer_chain(
        &mut self,
        instance: &InstanceView,
        reader: Option<ChainedAction>,
    ) -> Result<Option<ProducerView>> {
        let Some(first) = self.producer(instance)? else { return Ok(None) };
        let mut visited: Vec<ChainedAction> = reader.into_iter().collect();
        let mut chain = Vec::new();
        let mut closes_cycle = false;
        let mut current = Some(first.clone());
        while let Some(producer) = current.take() {
            let Some(place) = place(&producer) else { break };
            closes_cycle = visited.contains(&place);
            if closes_cycle {
                break;
            }
            visited.push(place);
            if chain.len() == DEEPEST {
                break;
            }
            let Some((link, next)) = self.link(&producer)? else { break };
            chain.push(link);
            current = next;
        }
        let mut view = self.producer_view(&first, chain);
        if closes_cycle {
            let last = view.chain.last_mut().map_or(&mut view.text, |link| &mut link.text);
            last.closes_cycle = true;
        }
        Ok(Some(view))
    }

    /// What a producer waits for and who writes that; `None` when it waits for no input.
    fn link(&mut self, producer: &Producer) -> Result<Option<(ChainLink, Option<Producer>)>> {
        let Some(candidate) = &producer.candidate else { return Ok(None) };
        if candidate.action.as_ref().is_some_and(|action| action.status != ActionStatus::Waiting) {
            return Ok(None);
        }
        let inputs = match &candidate.action {
            Some(action) => self.inputs_of(&producer.application, action),
            None => self.inputs(&producer.application, candidate.nominal, None),
        };
        let Ok(inputs) = inputs else { return Ok(None) };
        let Some(instance) = missing(&inputs.views).next() else { return Ok(None) };
        let next = self.producer(instance)?;
        let found = next.as_ref().and_then(|next| Some((&next.job, next.candidate.as_ref()?)));
        let link = ChainLink {
            waits_for: instance.uri.clone(),
            action_id: found.and_then(|(job, found)| Some(format!("{}@{}", job.id, found.number?))),
            status: found.and_then(|(_, found)| found.action.as_ref()).map(|action| action.status),
            text: ProducerText {
                waits_for: Some(instance.uri.clone()),
                writer: found.map(|(job, found)| self.writer_of(job, Some(found))),
                closes_cycle: false,
            },
        };
        Ok(Some((link, next)))
    }
}

fn place(producer: &Producer) -> Option<ChainedAction> {
    Some((producer.job.job, producer.candidate.as_ref()?.nominal))
}
