//! Measures the overhead of a run: the same 200 runs of `/bin/true` by Agon and by BenchExec (from PyPI), in turn.
//!
//! `cargo bench --bench null_pairs` prints runs per second, CPU milliseconds per run, and the ratios. The CPU time is
//! that of the whole tool and all children that it waited for, from `/proc/self/stat`.

use agon_testkit::{Cost, World, from_pypi, trivial_library};
use std::fs;
use std::path::Path;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const TASKS: usize = 200;
const ROUNDS: usize = 3;

/// A competition with 200 benchmarks and one solver that does nothing.
fn agon_world() -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), TASKS);
    world.write(
        "solver/entrant.toml",
        "name = 'null'\nversion = '1'\nteam = 'T'\n[commands]\nsingle-query = ['/bin/true', '{benchmark}']\n",
    );
    world
}

fn agon(world: &World) -> Cost {
    let _ = fs::remove_dir_all(world.path().join("c"));
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let rules = "\n[rules]\nrun_non_competitive = true\n[rules.tracks.single-query.limits]\nwall_s = 10\ncores = 1\nmemory_bytes = 1_000_000_000\n";
    world.write("c/agon.toml", &(settings + rules));
    for words in [
        &["library", "add", "-C", "c", "library"][..],
        &["entrant", "add", "-C", "c", "./solver"],
        &["seed", "-C", "c", "--index", "1"],
        &["select", "-C", "c"],
        &["prepare", "-C", "c"],
    ] {
        world.ok(words);
    }
    Cost::of(&mut world.command(&["run", "-C", "c"]))
}

/// BenchExec's tool-info module for the same solver.
const TOOL: &str = "import benchexec.tools.template

class Tool(benchexec.tools.template.BaseTool2):
    def name(self):
        return 'null'

    def executable(self, tool_locator):
        return '/bin/true'

    def cmdline(self, executable, options, task, rlimits):
        return [executable, task.single_input_file]

    def determine_result(self, run):
        return 'done'
";

fn peer(world: &World, program: &Path, options: &[&str]) -> Cost {
    let files: String = (0..TASKS).map(|at| format!("library/non-incremental/QF_UF/trivial/b{at:04}.smt2\n")).collect();
    world.write("tasks.set", &files);
    world.write("null/tool.py", TOOL);
    world.write("null/__init__.py", "");
    world.write(
        "bench.xml",
        "<?xml version=\"1.0\"?>\n<benchmark tool=\"null.tool\" timelimit=\"10s\" walltimelimit=\"10s\" memlimit=\"1 GB\">\n\
         <rundefinition name=\"null\"><tasks name=\"t\"><includesfile>tasks.set</includesfile></tasks></rundefinition>\n</benchmark>\n",
    );
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string();
    let mut command = Command::new(program);
    command
        .args(["--no-compress-results", "--output", "results/", "--numOfThreads", &cores])
        .args(options)
        .arg("bench.xml");
    Cost::of(command.env("PYTHONPATH", world.path()).current_dir(world.path()))
}

fn main() {
    let world = agon_world();
    let benchexec = agon_testkit::peer(from_pypi(AGON, "benchexec", "benchexec"));
    let contained = ["--read-only-dir", "/", "--hidden-dir", "/home", "--full-access-dir", "."];
    let mut costs: Vec<Vec<Cost>> = vec![vec![]; if benchexec.is_some() { 3 } else { 1 }];
    for _ in 0..ROUNDS {
        costs[0].push(agon(&world));
        if let Some(benchexec) = &benchexec {
            costs[1].push(peer(&world, benchexec, &["--no-container"]));
            costs[2].push(peer(&world, benchexec, &contained));
        }
    }
    let costs: Vec<Cost> = costs.iter().map(|costs| Cost::best(costs)).collect();
    println!(
        "{TASKS} runs of /bin/true, best of {ROUNDS} rounds in turn, {} slots",
        std::thread::available_parallelism().unwrap()
    );
    for (name, cost) in ["agon run", "benchexec --no-container", "benchexec in containers"].iter().zip(&costs) {
        println!(
            "{name:26} {:7.1} runs/s  {:6.2} ms CPU/run  {:5.1} x the CPU of agon",
            TASKS as f64 / cost.wall_s,
            cost.cpu_ms / TASKS as f64,
            cost.cpu_ms / costs[0].cpu_ms
        );
    }
}
