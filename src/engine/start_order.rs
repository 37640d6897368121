//! Which READY action of a job starts first.

use crate::model::status::Execution;
use crate::store::ActionOrder;

/// Returns the order in which an execution starts READY actions.
pub(crate) const fn order(execution: Execution) -> ActionOrder {
    match execution {
        Execution::Fifo => ActionOrder::OldestFirst,
        Execution::Lifo | Execution::LastOnly | Execution::None => ActionOrder::NewestFirst,
    }
}
