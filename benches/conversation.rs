//! What a conversation with a contained solver costs, beside a bare ping-pong over two pipes in the same run.
//!
//! `cargo bench --bench conversation` talks to a small C program that answers every line: first with `benches/peers/ping_pong.c`,
//! which writes a line and reads the answer and does nothing else, then with `agon trace`, which takes a script apart, shuts
//! the solver in, notes every answer with its time and compares it. It prints processor time for each command, of both
//! sides together, and the ratio. The least of five rounds counts.

use agon_testkit::{Cost, compiled, peer};
use std::fs;
use std::path::Path;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const COMMANDS: usize = 200_000;

fn main() {
    let directory = std::env::temp_dir().join(format!("agon-conversation-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers");
    let compile = |name: &str| {
        let program = directory.join(name);
        let source = peers.join(format!("{name}.c"));
        peer(compiled(name, &source, &program))
    };
    // The solver is needed to measure anything; both come from one compiler.
    let (Some(ping_pong), Some(solver)) = (compile("ping_pong"), compile("answering")) else { return };
    let mut script = String::from("(set-logic QF_UF)\n");
    for _ in 0..COMMANDS / 4 {
        script.push_str("(push 1)\n(assert true)\n(check-sat)\n(pop 1)\n");
    }
    script.push_str("(exit)\n");
    let file = directory.join("script.smt2");
    fs::write(&file, script).expect("room");
    let (file, solver) = (file.to_str().unwrap(), solver.to_str().unwrap());
    let (mut bare, mut own) = (vec![], vec![]);
    for _ in 0..5 {
        // Both sides on one core: on virtual machines, waking another that sleeps costs more than everything else.
        let pinned = |program: &Path| {
            let mut command = Command::new("taskset");
            // The answers go to a file, as those of a competition do; a pipe would wake us for each.
            let answers = fs::File::create(directory.join("answers")).expect("room");
            command.args(["-c", "0"]).arg(program).stdout(answers);
            command
        };
        bare.push(Cost::of(pinned(&ping_pong).args([solver, &COMMANDS.to_string()])));
        own.push(Cost::of(pinned(Path::new(AGON)).args(["trace", file, "--", solver])));
    }
    let micros = |cost: Cost| cost.cpu_ms * 1000.0 / COMMANDS as f64;
    let (bare, own) = (Cost::best(&bare), Cost::best(&own));
    println!("{COMMANDS} commands, both sides together:");
    println!(
        "  ping-pong over two pipes {:6.2} us CPU a command, {:6.2} us by the clock",
        micros(bare),
        bare.wall_s * 1e6 / COMMANDS as f64
    );
    println!(
        "  agon trace, contained    {:6.2} us CPU a command, {:6.2} us by the clock",
        micros(own),
        own.wall_s * 1e6 / COMMANDS as f64
    );
    println!("  ratio                    {:6.2}", micros(own) / micros(bare));
    let _ = fs::remove_dir_all(directory);
}
