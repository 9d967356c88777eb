//! Tables for people.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// A table with these headings and a line below them.
pub fn table<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Table {
    let mut table = Table::new();
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(rule).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.into_iter().map(Into::into));
    table
}

/// Aligns these columns to the right.
pub fn numbers(table: &mut Table, columns: impl IntoIterator<Item = usize>) {
    for at in columns {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
