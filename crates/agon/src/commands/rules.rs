//! `agon rules`

use crate::cli::{Format, RulesCommand};
use crate::failure::{NO, Usage};
use crate::print::{print_json, print_rows};
use agon_rulebook::Rulebook;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use toml::{Table, Value};

pub fn run(command: &RulesCommand) -> anyhow::Result<ExitCode> {
    match command {
        RulesCommand::List { format } => {
            let rows = Rulebook::names().map(|name| {
                let rules = Rulebook::named(name)?;
                let tracks: Vec<&str> = rules.tracks.keys().map(|track| track.name()).collect();
                Ok(json!({ "name": name, "title": rules.title, "tracks": tracks.join(", ") }))
            });
            print_rows(rows.collect::<anyhow::Result<_>>()?, &["name", "title", "tracks"], *format)?;
        }
        RulesCommand::Show { rulebook, format } => {
            let table = table(rulebook)?;
            match format {
                Format::Text => write!(std::io::stdout(), "{}", toml::to_string(&table)?)?,
                Format::Json => print_json(&serde_json::to_value(&table)?)?,
                Format::Csv => {
                    let rows = flat(&table).into_iter().map(|(field, value)| json!({ "field": field, "value": value }));
                    print_rows(rows.collect(), &["field", "value"], *format)?;
                }
            }
        }
        RulesCommand::Diff { one, other, format } => {
            let (before, after) = (flat(&table(one)?), flat(&table(other)?));
            let fields = before.keys().chain(after.keys()).filter(|field| before.get(*field) != after.get(*field));
            let fields: std::collections::BTreeSet<&String> = fields.collect();
            let shown = |value: Option<&String>| value.cloned().unwrap_or_else(|| "–".into());
            let rows: Vec<_> = fields
                .iter()
                .map(|field| json!({ "field": field, one: shown(before.get(*field)), other: shown(after.get(*field)) }))
                .collect();
            let differ = !rows.is_empty();
            print_rows(rows, &["field", one, other], *format)?;
            return Ok(ExitCode::from(if differ { NO } else { 0 }));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All settings in force, including defaults.
fn table(name: &str) -> anyhow::Result<Table> {
    let rules = Rulebook::named(name).map_err(|error| Usage(error.to_string()))?;
    Ok(Table::try_from(&rules)?)
}

/// Every field with its whole path.
fn flat(table: &Table) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let mut left: Vec<(String, &Value)> = table.iter().map(|(name, value)| (name.clone(), value)).collect();
    while let Some((name, value)) = left.pop() {
        match value {
            Value::Table(inner) => left.extend(inner.iter().map(|(key, value)| (format!("{name}.{key}"), value))),
            other => {
                fields.insert(name, other.to_string());
            }
        }
    }
    fields
}
