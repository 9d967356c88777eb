//! Measures how fast results are scored, compared with polars.
//!
//! `cargo bench --bench scoring` scores a table of 740,591 pairs, as many as in the single-query track of 2023, and
//! prints the CPU time and peak memory of `agon score`, from the compressed file to all rankings and recognitions. For
//! comparison, polars from PyPI reads the same table and sums the times by solver and logic, one of the many sums that
//! a ranking needs. A number after `--` is the number of pairs; `-- 2023` uses the real data of 2023, if it is
//! available.

use agon_testkit::{contained_cost, from_pypi, peer, random_numbers, shared};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const GROUP_BY: &str = r#"
import io, lzma, sys
import polars as pl
table = pl.read_csv(io.BytesIO(lzma.open(sys.argv[1]).read()), infer_schema_length=10000)
solver = "solver" if "solver" in table.columns else "configuration_id"
cpu, wall = [name for name in table.columns if "time" in name]
keys = [solver]
if "benchmark" in table.columns:
    table = table.with_columns(logic=pl.col("benchmark").str.split("/").list.first())
    keys.append("logic")
solved = pl.col("result").is_in(["sat", "unsat"])
print(table.filter(solved).group_by(keys).agg(pl.len(), pl.col(cpu).sum(), pl.col(wall).sum()).height)
"#;

fn main() {
    let word = std::env::args().skip(1).find(|word| word.parse::<usize>().is_ok()).unwrap_or("740591".into());
    let directory = tempfile::tempdir().expect("a directory");
    let (name, files, rules) = if word == "2023" {
        let Some(data) = shared("data/smtcomp") else { return };
        let file = |name: &str| data.join(name);
        let files = [
            "2023/raw/single-query-pairs.csv.xz",
            "2023/raw/single-query-benchmarks.csv.xz",
            "registry/solvers_2023.csv",
        ];
        ("the single-query track of 2023".to_owned(), files.map(file).to_vec(), "smtcomp-2023")
    } else {
        let pairs: usize = word.parse().expect("a number");
        (format!("{pairs} pairs"), vec![generate(directory.path(), pairs)], "smtcomp-2019")
    };
    let paths: Vec<&str> = files.iter().map(|file| file.to_str().expect("a path")).collect();
    let mut words = vec!["score", "--rules", rules, "--as-published", "--format", "json"];
    words.extend(&paths);
    let best = |program: &Path, words: &[&str]| {
        let runs = [(); 3].map(|()| contained_cost(AGON, program, words));
        runs.into_iter().map(|run| (run.0, run.1)).reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
    };
    let (own_s, own_mb) = best(Path::new(AGON), &words).expect("three runs");
    println!("{name}, best of three:");
    println!("  agon score, everything    {own_s:7.2} s CPU {own_mb:7.0} MB");
    let script = directory.path().join("group_by.py");
    fs::write(&script, GROUP_BY).expect("enough disk space");
    let Some(python) = peer(from_pypi(AGON, "polars", "python")) else { return };
    let (peer_s, peer_mb) = best(&python, &[script.to_str().expect("a path"), paths[0]]).expect("three runs");
    println!("  polars, read and group by {peer_s:7.2} s CPU {peer_mb:7.0} MB");
    println!("  ratio                     {:7.2}       {:7.2}", own_s / peer_s, own_mb / peer_mb);
}

/// Writes a compressed StarExec table with this many pairs: forty solvers, fifty logics, some errors and disagreements.
fn generate(directory: &Path, pairs: usize) -> PathBuf {
    let mut random = random_numbers();
    let file = directory.join("results.csv");
    let mut out = BufWriter::new(File::create(&file).expect("a new file"));
    writeln!(
        out,
        "benchmark,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,result,expected"
    )
    .expect("enough disk space");
    for pair in 0..pairs {
        let (benchmark, solver) = (pair / 40, pair % 40);
        let truth = if benchmark % 3 == 0 { "sat" } else { "unsat" };
        let expected = if benchmark % 4 == 0 { "starexec-unknown" } else { truth };
        let other = if truth == "sat" { "unsat" } else { "sat" };
        let (result, nanos) = match random(100_000) {
            0 => (other, random(1_000_000_000_000)),
            1..=20_000 => ("starexec-unknown", 2_400_000_000_000),
            _ => (truth, random(3_000_000_000_000)),
        };
        let status = if nanos > 2_400_000_000_000 { "timeout (wallclock)" } else { "complete" };
        let wall = nanos.min(2_400_000_000_000) as f64 / 1e9;
        writeln!(
            out,
            "LOGIC{}/family-{}/benchmark-{benchmark}.smt2,solver-{solver},{solver},default,{solver},{status},{:.6},{wall:.6},{result},{expected}",
            benchmark % 50,
            benchmark % 977,
            nanos as f64 / 1e9,
        )
        .expect("enough disk space");
    }
    drop(out);
    assert!(Command::new("xz").args(["-1", "-T0"]).arg(&file).status().expect("xz").success());
    directory.join("results.csv.xz")
}
