//! `agon library table`

use crate::cli::Format;
use crate::failure::NO;
use crate::print::print_rows;
use agon_competition::difficulty_table;
use agon_library::write_table_2014;
use agon_store::Competition;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub fn run(
    competition: &Competition,
    base: Option<&PathBuf>,
    results: &[PathBuf],
    format: Format,
) -> anyhow::Result<ExitCode> {
    let table = difficulty_table(competition, base, results)?;
    for error in &table.left_out {
        say!("left out: {error}");
    }
    for row in table.rows.iter().filter(|row| !row.is_consistent()) {
        say!("{}: the status is {} and {} was expected (D14-11)", row.path, row.status, row.expected);
    }
    if format == Format::Text {
        std::io::stdout().write_all(write_table_2014(&table.rows).as_bytes())?;
    } else {
        let row = |row: &agon_library::Row2014| {
            json!({"id": row.id, "difficulty": row.difficulty.to_string(), "expected": row.expected,
                   "status": row.status, "category": row.category, "logic": row.logic, "path": row.path})
        };
        print_rows(table.rows.iter().map(row).collect(), &[], format)?;
    }
    say!(
        "version {} of the table in {}: {}; {} difficulties have changed",
        table.version,
        table.file.display(),
        table.done,
        table.difficulties
    );
    Ok(ExitCode::from(if table.left_out.is_empty() { 0 } else { NO }))
}
