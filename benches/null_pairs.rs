//! What a run costs beside the solver: the same 200 runs of `/bin/true` by Agon and by BenchExec (from PyPI), in turn.
//!
//! `cargo bench --bench null_pairs` prints runs a second, CPU milliseconds a run, and the ratios. The CPU time is that of
//! the whole tool with everything it started and waited for, from `/proc/self/stat`.

use agon_testkit::{World, trivial_library};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const TASKS: usize = 200;
const ROUNDS: usize = 3;

struct Cost {
    wall_s: f64,
    cpu_ms: f64,
}

/// CPU milliseconds of all children that were waited for so far.
fn children_cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    let ticks: u64 = fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap();
    // Every Linux that this runs on counts 100 ticks a second.
    ticks as f64 * 10.0
}

fn measure(command: &mut Command) -> Cost {
    let (cpu, started) = (children_cpu(), Instant::now());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let cost = Cost { wall_s: started.elapsed().as_secs_f64(), cpu_ms: children_cpu() - cpu };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    cost
}

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
    measure(&mut world.command(&["run", "-C", "c"]))
}

/// Installs BenchExec beside the build.
fn benchexec() -> PathBuf {
    let venv = Path::new(AGON).parent().unwrap().join("bench-venv");
    let program = venv.join("bin/benchexec");
    if !program.exists() {
        assert!(Command::new("python3").args(["-m", "venv"]).arg(&venv).status().unwrap().success());
        let pip = venv.join("bin/pip");
        assert!(Command::new(pip).args(["install", "--quiet", "benchexec"]).status().unwrap().success());
    }
    program
}

/// BenchExec's description of the same solver.
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
    measure(command.env("PYTHONPATH", world.path()).current_dir(world.path()))
}

fn main() {
    let world = agon_world();
    let benchexec = benchexec();
    let contained = ["--read-only-dir", "/", "--hidden-dir", "/home", "--full-access-dir", "."];
    let mut costs: [Vec<Cost>; 3] = Default::default();
    for _ in 0..ROUNDS {
        costs[0].push(agon(&world));
        costs[1].push(peer(&world, &benchexec, &["--no-container"]));
        costs[2].push(peer(&world, &benchexec, &contained));
    }
    let best = |costs: &[Cost], value: fn(&Cost) -> f64| costs.iter().map(value).fold(f64::INFINITY, f64::min);
    let [ours, ..] = &costs;
    println!(
        "{TASKS} runs of /bin/true, best of {ROUNDS} rounds in turn, {} slots",
        std::thread::available_parallelism().unwrap()
    );
    for (name, costs) in ["agon run", "benchexec --no-container", "benchexec in containers"].iter().zip(&costs) {
        let (wall, cpu) = (best(costs, |c| c.wall_s), best(costs, |c| c.cpu_ms));
        println!(
            "{name:26} {:7.1} runs/s  {:6.2} ms CPU/run  {:5.1} x the CPU of agon",
            TASKS as f64 / wall,
            cpu / TASKS as f64,
            cpu / best(ours, |c| c.cpu_ms)
        );
    }
}
