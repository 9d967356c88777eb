//! Measures the cost of an interactive session with a contained solver, compared with a bare ping-pong over two pipes.
//!
//! `cargo bench --bench conversation` talks to a small C program that answers every line: first with
//! `benches/peers/ping_pong.c`, which only writes lines and reads answers, then with `agon trace`, which parses the
//! script, confines the solver, logs every answer with its time and checks it. It prints the CPU time per command, of
//! both sides together, and the ratio. The best of five rounds counts.

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
    // Nothing can be measured without the solver, and if one does not compile, the other does not either.
    let (Some(ping_pong), Some(solver)) = (compile("ping_pong"), compile("answering")) else { return };
    let mut script = String::from("(set-logic QF_UF)\n");
    for _ in 0..COMMANDS / 4 {
        script.push_str("(push 1)\n(assert true)\n(check-sat)\n(pop 1)\n");
    }
    script.push_str("(exit)\n");
    let file = directory.join("script.smt2");
    fs::write(&file, script).expect("enough disk space");
    let (file, solver) = (file.to_str().unwrap(), solver.to_str().unwrap());
    let (mut bare, mut own) = (vec![], vec![]);
    for _ in 0..5 {
        // Both sides on one core: on virtual machines, waking another, sleeping core costs more than everything else.
        let pinned = |program: &Path| {
            let mut command = Command::new("taskset");
            // The answers go to a file, as in a competition; a pipe would wake this process for each answer.
            let answers = fs::File::create(directory.join("answers")).expect("enough disk space");
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
        "  ping-pong over two pipes {:6.2} us CPU per command, {:6.2} us wall",
        micros(bare),
        bare.wall_s * 1e6 / COMMANDS as f64
    );
    println!(
        "  agon trace, contained    {:6.2} us CPU per command, {:6.2} us wall",
        micros(own),
        own.wall_s * 1e6 / COMMANDS as f64
    );
    println!("  ratio                    {:6.2}", micros(own) / micros(bare));
    let _ = fs::remove_dir_all(directory);
}
