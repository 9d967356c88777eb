//! The options of `agon scramble`: those of the official tool, in our spelling and in its own.

use super::DialectName;
use agon_scramble::Recipe;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args)]
pub struct ScrambleOptions {
    /// The file, or - for stdin
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Random seed; 0 disables scrambling. Default: the time
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Vec<String>,
    /// Prepare the file for this track, as the organizers' wrappers do: single-query, incremental, unsat-core,
    /// model-validation, proof, …; or non-smtcomp, z3, asrt-count
    #[arg(long, value_name = "TRACK")]
    pub track: Option<Recipe>,
    /// Produce the bytes of another scrambler, including its defects
    #[arg(long, value_enum)]
    pub compat: Option<Compat>,
    /// The language of the file
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectName,
    /// The annotations to keep; in SMT-LIB 1.2, false removes the patterns
    #[arg(long, alias = "term_annot", value_enum, value_name = "WHICH")]
    pub term_annot: Option<TermAnnot>,
    /// Keep only the assertions that this core names, and those without a name
    #[arg(long, value_name = "FILE")]
    pub core: Option<PathBuf>,
    /// Omit the option that suppresses 'success'
    #[arg(long, value_name = "BOOL")]
    pub incremental: Option<bool>,
    /// Name every assertion and ask for an unsat core
    #[arg(long, value_name = "BOOL")]
    pub gen_unsat_core: Option<bool>,
    /// Ask for a model
    #[arg(long, value_name = "BOOL")]
    pub gen_model_val: Option<bool>,
    /// Ask for a proof
    #[arg(long, value_name = "BOOL")]
    pub gen_proof: Option<bool>,
    /// Keep set-option, reset and the commands that query the solver
    #[arg(long, value_name = "BOOL")]
    pub support_non_smtcomp: Option<bool>,
    /// Accept z3's attributes (without --compat they are always accepted)
    #[arg(long, value_name = "BOOL")]
    pub support_z3: Option<bool>,
    /// Only count the assertions
    #[arg(long, value_name = "BOOL")]
    pub count_asserts: Option<bool>,
    /// Write a map of the new names to this file
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Do the reverse: print FILE, a solver's output, with the original names from this map (--names)
    #[arg(long, value_name = "MAP", conflicts_with_all = ["seed", "track", "compat", "names", "core"])]
    pub restore: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// SMT-COMP's official scrambler, as of 2023
    Smtcomp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TermAnnot {
    /// All annotations
    True,
    /// Annotations whose only attribute is :pattern
    Pattern,
    /// No annotations
    False,
}

/// The official tool writes its options with one dash.
const OFFICIAL: [&str; 10] = [
    "-seed",
    "-term_annot",
    "-core",
    "-incremental",
    "-gen-unsat-core",
    "-gen-model-val",
    "-gen-proof",
    "-support-non-smtcomp",
    "-support-z3",
    "-count-asserts",
];

/// The command line, with the official tool's options in our spelling.
pub fn in_our_spelling(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_scramble = false;
    let ours = words.map(|word| {
        is_scramble |= word == "scramble";
        match word.to_str() {
            Some(text) if is_scramble && OFFICIAL.contains(&text) => format!("-{text}").into(),
            _ => word,
        }
    });
    ours.collect()
}
