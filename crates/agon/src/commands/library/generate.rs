//! `agon library generate` and `families`

use crate::cli::Format;
use crate::failure::Usage;
use crate::print::print_rows;
use agon_library::pack::{self, Family, Member, Wanted};
use anyhow::Context;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Writes the pack, or the requested part of it. Returns the number of files.
pub fn generate(directory: &Path, names: &[String], sizes: &[u32]) -> anyhow::Result<usize> {
    let known = |name: &String| pack::families().iter().any(|family| family.name == *name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all = pack::families().iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
        return Err(Usage(format!("unknown family '{name}'; the families are {all}")).into());
    }
    let chosen =
        || pack::families().iter().filter(|family| names.is_empty() || names.iter().any(|name| name == family.name));
    for family in chosen() {
        if let Some(size) = sizes.iter().find(|size| !(2..=family.largest).contains(size)) {
            let message = format!("{} has sizes from 2 to {}, not {size}", family.name, family.largest);
            return Err(Usage(message).into());
        }
    }
    let members = chosen().flat_map(|family: &'static Family| -> Vec<Member> {
        if sizes.is_empty() {
            return family.standard().collect();
        }
        sizes
            .iter()
            .flat_map(|&size| [Wanted::Sat, Wanted::Unsat].map(|wanted| Member { family, size, wanted }))
            .collect()
    });
    let files = pack::write(directory, members).with_context(|| format!("cannot write to {}", directory.display()))?;
    Ok(files.len())
}

pub fn families(format: Format) -> anyhow::Result<ExitCode> {
    let rows = pack::families().iter().map(|family| {
        json!({"family": family.name, "logic": family.logic, "largest": family.largest, "about": family.about,
               "sat_sizes": family.sat_sizes, "unsat_sizes": family.unsat_sizes})
    });
    print_rows(rows.collect(), &["family", "logic", "largest", "about"], format)?;
    Ok(ExitCode::SUCCESS)
}
