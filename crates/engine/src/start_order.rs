//! Which READY action of a job starts first.

use howdah_store::ActionOrder;
use howdah_words::model::status::Execution;

/// Returns the order in which an execution starts READY actions.
pub const fn order(execution: Execution) -> ActionOrder {
    match execution {
        Execution::Fifo => ActionOrder::OldestFirst,
        Execution::Lifo | Execution::LastOnly | Execution::None => ActionOrder::NewestFirst,
    }
}
