//! The public solvers that can be fetched by name.

use agon_domain::Track;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The list of known solvers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    #[serde(rename = "solver")]
    recipes: Vec<Recipe>,
}

/// How to fetch and run one solver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The name under which the solver is fetched.
    pub name: String,
    /// The pinned version.
    pub version: String,
    /// The solver's authors.
    pub team: String,
    /// The solver's license.
    pub license: String,
    /// The solver's web site.
    pub website: String,
    pub(crate) magic: u32,
    /// The command, unless a Python script runs the solver.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    pub(crate) python: Option<String>,
    /// The arguments for tracks in which they differ from the single-query track. A solver enters the incremental track
    /// only if arguments for it are listed, and the unsat-core and model-validation tracks unless the list is
    /// empty.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<Track, Vec<String>>,
    /// The files to keep from the wheel, and their new paths. Empty if a Python script runs the solver; then all files
    /// are kept.
    #[serde(default)]
    pub(crate) programs: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) divisions: Vec<String>,
    pub(crate) wheel: Option<Wheel>,
    #[serde(default)]
    pub(crate) debian: Vec<DebianPackage>,
}

/// A package from the Python package index.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wheel {
    pub(crate) package: String,
    pub(crate) version: String,
    /// The digest of the wheel per Python tag, or for the tag `any`.
    pub(crate) sha256: BTreeMap<String, String>,
}

/// A package from Debian's archive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DebianPackage {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) sha256: String,
}

impl Catalogue {
    /// The catalogue of this version of Agon.
    pub fn built_in() -> Self {
        toml::from_str(include_str!("../catalogue.toml")).expect("a test parses the catalogue")
    }

    /// The solver with this name.
    pub fn get(&self, name: &str) -> Option<&Recipe> {
        self.recipes.iter().find(|recipe| recipe.name == name)
    }

    /// All solvers, current ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Recipe> {
        self.recipes.iter()
    }
}

impl Recipe {
    /// Whether the solver is current. The others are old versions kept for comparison.
    pub fn is_current(&self) -> bool {
        self.wheel.is_some()
    }

    /// The archive that the solver is downloaded from.
    pub fn origin(&self) -> &'static str {
        if self.wheel.is_some() { "PyPI" } else { "Debian 12" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{Digest, EntrantName};

    #[test]
    fn every_recipe_has_pinned_digests_and_a_command() {
        for recipe in Catalogue::built_in().iter() {
            assert!(recipe.name.parse::<EntrantName>().is_ok());
            assert!(recipe.python.is_some() == recipe.command.is_empty(), "{}", recipe.name);
            assert!(recipe.wheel.is_some() == recipe.debian.is_empty(), "{}", recipe.name);
            let wheels = recipe.wheel.iter().flat_map(|wheel| wheel.sha256.values());
            for digest in wheels.chain(recipe.debian.iter().map(|package| &package.sha256)) {
                assert!(digest.parse::<Digest>().is_ok(), "{}", recipe.name);
            }
        }
    }
}
