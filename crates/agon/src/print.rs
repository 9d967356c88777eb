//! Prints results to stdout: tables for people, JSON and CSV for programs.

use crate::cli::Format;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde_json::Value;
use std::io::Write;

/// A table with these headings.
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

/// Prints rows of facts in any format. As text, only `columns` are printed, in that order.
pub fn print_rows(rows: Vec<Value>, columns: &[&str], format: Format) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match format {
        Format::Json => print_json(&Value::Array(rows)),
        Format::Csv => {
            let mut writer = csv::Writer::from_writer(out);
            if let Some(Value::Object(first)) = rows.first() {
                writer.write_record(first.keys())?;
            }
            for row in rows.iter().filter_map(Value::as_object) {
                writer.write_record(row.values().map(plain))?;
            }
            Ok(writer.flush()?)
        }
        Format::Text if rows.is_empty() => {
            say!("nothing to list");
            Ok(())
        }
        Format::Text => {
            let mut table = table(columns.iter().copied());
            for row in &rows {
                table.add_row(columns.iter().map(|column| plain(&row[*column])));
            }
            let is_number = |column: &&&str| rows.first().is_some_and(|row| row[**column].is_number());
            let at = |column: &&str| columns.iter().position(|other| other == column).unwrap_or_default();
            numbers(&mut table, columns.iter().filter(is_number).map(at).collect::<Vec<_>>());
            Ok(writeln!(out, "{table}")?)
        }
    }
}

pub fn print_json(value: &Value) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(value)?)?)
}

/// A value without quotes.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
