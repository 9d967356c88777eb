//! What belongs to results: registries of solvers, numbers of queries, statuses that were decided.

use crate::ImportError;
use crate::registry::Entry;
use crate::table::Table;
use crate::tables::{Columns, Lines, from_logic};
use crate::words;
use agon_domain::Status;

/// The solvers of an edition, with their ids of that year.
pub(crate) fn registry(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let with = |word: &str| -> Vec<usize> {
        let found = columns.0.iter().enumerate().filter(|(_, name)| name.contains(word));
        found.map(|(at, _)| at).collect()
    };
    let (mut solver_ids, configuration_ids) = (with("solver id"), with("config id"));
    // The id of a preliminary version counts least.
    solver_ids.sort_by_key(|at| columns.0[*at].contains("preliminary"));
    let at = |name: &str| columns.at(name);
    let (name, competing) = (at("solver name"), at("competing"));
    let (variant, wrapper, derived) = (at("variant of"), at("wrapper tool"), at("derived tool"));
    lines.each(table, |table, _, record| {
        let cell =
            |at: Option<usize>| String::from_utf8_lossy(at.and_then(|at| record.get(at)).unwrap_or(b"")).into_owned();
        let competing = match cell(competing).as_str() {
            "yes" => true,
            "no" | "" => false,
            other => return Err(format!("'{other}' under Competing is neither yes nor no")),
        };
        let entry = Entry {
            name: cell(name),
            competing,
            variant_of: cell(variant),
            wraps: cell(wrapper),
            derived_from: cell(derived),
        };
        let ids = |columns: &[usize]| -> Vec<String> { columns.iter().map(|at| cell(Some(*at))).collect() };
        if entry.name.is_empty() {
            return Err("a solver has no name".to_owned());
        }
        table.registry.add(entry, &ids(&solver_ids), &ids(&configuration_ids));
        Ok(())
    })
}

/// How many queries benchmarks have.
pub(crate) fn queries(table: &mut Table, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(table, |table, _, record| {
        let count = record.get(1).and_then(words::number).ok_or("there is no number of queries")?;
        table.queries.insert(from_logic(&record[0]), count);
        Ok(())
    })
}

/// Statuses that the organizers decided on.
pub(crate) fn decided(table: &mut Table, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(table, |table, _, record| {
        let status: Option<Status> = record.get(1).and_then(words::status);
        let status = status.ok_or("there is no status")?;
        match table.decided.insert(from_logic(&record[0]), status) {
            Some(other) if other != status => Err("another status was decided before".to_owned()),
            _ => Ok(()),
        }
    })
}
