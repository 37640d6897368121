//! One declaration per table: the row struct, reading it by column name, binding it by parameter name.
//!
//! Knows no table and no statement.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, ToSql};

/// A row of one table.
pub(super) trait TableRow: Sized {
    /// Reads the columns by their names; the statement may yield more columns than the struct has.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;

    /// The value of a column; `None` when the table has no such column.
    fn value(&self, column: &str) -> Option<&dyn ToSql>;
}

/// Declares a struct whose fields are the columns of a table, under the same names.
macro_rules! table_row {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        // The key of a table bears the name of the table: `attempt.attempt` joins as `USING (attempt)`.
        #[allow(clippy::struct_field_names)]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl $crate::store::row::TableRow for $name {
            fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut next = 0;
                Ok(Self { $($field: $crate::store::row::get(row, stringify!($field), &mut next)?,)* })
            }

            fn value(&self, column: &str) -> Option<&dyn rusqlite::ToSql> {
                match column {
                    $(stringify!($field) => Some(&self.$field),)*
                    _ => None,
                }
            }
        }
    };
}
pub(super) use table_row;

/// The value of a named column, looked for from `next` on, which is set behind it.
///
/// Fields stand in the order of the columns, or nearly: each is found at the first look, and not by comparing its name
/// with those of all columns before it.
pub(super) fn get<T: FromSql>(row: &Row<'_>, name: &str, next: &mut usize) -> rusqlite::Result<T> {
    let statement = row.as_ref();
    let columns = statement.column_count();
    let mut places = (*next..columns).chain(0..*next);
    let place = places.find(|place| statement.column_name(*place).is_ok_and(|column| column == name));
    let place = place.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.to_owned()))?;
    *next = place + 1;
    row.get(place)
}

/// Runs a statement whose parameters are columns of `row` (`:name`) or named in `extra`; returns how many rows changed.
/// A parameter that neither knows is an error, so a misspelt one cannot silently become NULL.
pub(super) fn execute_row(
    connection: &Connection,
    sql: &str,
    row: &impl TableRow,
    extra: &[(&str, &dyn ToSql)],
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(sql)?;
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or_default().to_owned();
        let column = name.trim_start_matches(':');
        let value = extra.iter().find(|(given, _)| *given == column).map(|(_, value)| *value);
        let value = value.or_else(|| row.value(column)).ok_or(rusqlite::Error::InvalidParameterName(name))?;
        statement.raw_bind_parameter(index, value)?;
    }
    statement.raw_execute()
}

/// All rows of a query.
pub(super) fn query_rows<T: TableRow>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(parameters, |row| T::from_row(row))?.collect()
}

/// The first row of a query; `None` when there is none.
pub(super) fn query_one<T: TableRow>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Option<T>> {
    use rusqlite::OptionalExtension as _;
    connection.prepare_cached(sql)?.query_row(parameters, |row| T::from_row(row)).optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    table_row! {
        /// Two columns.
        Pair {
            left: i64,
            right: Option<String>,
        }
    }

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
