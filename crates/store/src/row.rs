//! What the files of tables share: reading a row by column name, binding it by parameter name.
//!
//! Must not depend on a table or a statement.

use crate::column::{Parameter, ToColumn};
use rusqlite::{Connection, Row, Statement};

/// A row of one table.
pub(super) trait TableRow: Sized {
    /// The positions of the columns, found by their names; the statement may return more columns than the struct has.
    /// Once for all rows: the search costs more than reading the values.
    fn places(statement: &Statement<'_>) -> rusqlite::Result<Vec<usize>>;

    /// Reads the columns at the positions that [`TableRow::places`] has found.
    fn from_row(row: &Row<'_>, places: &[usize]) -> rusqlite::Result<Self>;

    /// The value of a column; `None` when the table has no such column.
    fn value(&self, column: &str) -> Option<&dyn ToColumn>;
}

/// Implements reading and writing for a struct whose fields are the columns of a table, under the same names. A field
/// that is not named, or a name that is not a field, does not compile.
macro_rules! table_row {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::row::TableRow for $name {
            fn places(statement: &rusqlite::Statement<'_>) -> rusqlite::Result<Vec<usize>> {
                // Nearly every table has its columns in the order of the fields.
                let mut likely = 0..;
                Ok(vec![$($crate::row::place(statement, stringify!($field), likely.next())?,)*])
            }

            fn from_row(row: &rusqlite::Row<'_>, places: &[usize]) -> rusqlite::Result<Self> {
                let mut places = places.iter().copied();
                let mut next = || places.next().ok_or(rusqlite::Error::InvalidQuery);
                Ok(Self { $($field: $crate::column::Columns::column(row, next()?)?,)* })
            }

            fn value(&self, column: &str) -> Option<&dyn $crate::column::ToColumn> {
                match column {
                    $(stringify!($field) => Some(&self.$field),)*
                    _ => None,
                }
            }
        }
    };
}
pub(super) use table_row;

/// The position of a column; tries the likely one first.
pub(super) fn place(statement: &Statement<'_>, name: &str, likely: Option<usize>) -> rusqlite::Result<usize> {
    let found = likely.filter(|place| statement.column_name(*place).is_ok_and(|column| column == name));
    found.map_or_else(|| statement.column_index(name), Ok)
}

/// Runs a statement whose parameters are columns of `row` (`:name`) or named in `extra`; returns how many rows changed.
/// An unknown parameter is an error, so a misspelt one cannot silently become NULL.
pub(super) fn execute_row(
    connection: &Connection,
    sql: &str,
    row: &impl TableRow,
    extra: &[(&str, &dyn ToColumn)],
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(sql)?;
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or_default().to_owned();
        let column = name.trim_start_matches(':');
        let value = extra.iter().find(|(given, _)| *given == column).map(|(_, value)| *value);
        let value = value.or_else(|| row.value(column)).ok_or(rusqlite::Error::InvalidParameterName(name))?;
        statement.raw_bind_parameter(index, Parameter { value })?;
    }
    statement.raw_execute()
}

/// All rows of a query.
pub(super) fn query_rows<T: TableRow>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let places = T::places(&statement)?;
    statement.query_map(parameters, |row| T::from_row(row, &places))?.collect()
}

/// The first row of a query; `None` when there is none.
pub(super) fn query_one<T: TableRow>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Option<T>> {
    use rusqlite::OptionalExtension as _;
    let mut statement = connection.prepare_cached(sql)?;
    let places = T::places(&statement)?;
    statement.query_row(parameters, |row| T::from_row(row, &places)).optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Pair {
        left: i64,
        right: Option<String>,
    }

    table_row! { Pair { left, right } }

    #[test]
    fn parameters_are_bound_by_name_and_a_misspelt_one_is_an_error() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE pair (right TEXT, left INTEGER)").unwrap();
        let pair = Pair { left: 1, right: Some("r".to_owned()) };
        let insert = |sql: &str| execute_row(&connection, sql, &pair, &[("more", &5)]);
        assert_eq!(insert("INSERT INTO pair (left, right) VALUES (:left, :right)"), Ok(1));
        assert_eq!(insert("INSERT INTO pair (left) VALUES (:more)"), Ok(1));
        assert!(insert("INSERT INTO pair (left) VALUES (:lefd)").is_err());
        let rows: Vec<Pair> = query_rows(&connection, "SELECT * FROM pair ORDER BY left", []).unwrap();
        assert_eq!(rows, [pair.clone(), Pair { left: 5, right: None }]);
        assert_eq!(query_one(&connection, "SELECT * FROM pair WHERE left = 1", []), Ok(Some(pair)));
        assert_eq!(query_one::<Pair>(&connection, "SELECT * FROM pair WHERE left = 9", []), Ok(None));
    }
}
