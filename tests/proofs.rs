//! The proof track: solvers that print proofs, and a checker for each proof format.

use agon_testkit::World;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn program(world: &World, path: &str, script: &str) -> PathBuf {
    let file = world.write(path, script);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

/// Writes an entrant that prints 'proof by NAME' after its answer.
fn entrant(world: &World, name: &str, format: &str, magic: u32) {
    let script = format!("#!/bin/sh\ngrep -q get-proof \"$1\" || exit 1\necho unsat\necho 'proof by {name}'\n");
    program(world, &format!("{name}/run"), &script);
    let text = format!(
        "name = '{name}'\nversion = '1'\nteam = '{name}'\nmagic = {magic}\nproof_format = '{format}'\n\
         [commands]\nproof = ['run', '{{benchmark}}']\n"
    );
    world.write(&format!("{name}/entrant.toml"), &text);
}

#[test]
fn proofs_are_checked_by_the_checker_of_their_format_and_verdicts_are_kept() {
    let world = World::new(AGON);
    for number in 0..3 {
        let text = format!(
            "(set-info :smt-lib-version 2.6)\n(set-logic QF_UF)\n(set-info :status unsat)\n(declare-const p{number} Bool)\n\
             (assert p{number})\n(assert (not p{number}))\n(check-sat)\n(exit)\n"
        );
        world.write(&format!("library/non-incremental/QF_UF/family/b{number}.smt2"), &text);
    }
    entrant(&world, "honest", "one", 1);
    entrant(&world, "liar", "two", 2);
    world.ok(&["init", "c", "--rules", "smtcomp-2022"]);
    world.steps(&[
        "library add library",
        "entrant add honest",
        "entrant add liar",
        "seed --index 1",
        "select --track proof",
        "prepare --track proof",
        "run --track proof",
    ]);
    // Without a checker, no proof counts, and a message names the missing option.
    let judged = world.run(&["judge", "-C", "c", "--track", "proof"]);
    assert!(judged.code == 0 && judged.stderr.contains("--checker"), "{judged:?}");
    let one = "one=test -s {benchmark} && grep -q 'proof by honest' {proof} && echo valid";
    let two = "two=grep -q 'proof by honest' {proof} && echo valid || echo invalid";
    let judged = world.run(&["judge", "-C", "c", "--track", "proof", "--checker", one, "--checker", two]);
    assert!(judged.stderr.contains("6 outcomes judged"), "{judged:?}");
    // Judging again has nothing to do.
    let again = world.run(&["judge", "-C", "c", "--track", "proof", "--checker", one, "--checker", two]);
    assert!(again.stderr.contains("0 outcomes judged"), "{again:?}");
    // Judging without a checker keeps the verdicts of earlier checkers.
    let without = world.run(&["judge", "-C", "c", "--track", "proof"]);
    assert!(without.stderr.contains("0 outcomes judged"), "{without:?}");
    let scores = world.ok(&["score", "-C", "c", "--track", "proof", "--format", "json"]);
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    let lines = scores["divisions"][0]["rankings"]["parallel"].as_array().unwrap().clone();
    let line = |name: &str| lines.iter().find(|line| line["solver"] == name).unwrap().clone();
    assert_eq!((&line("honest")["correct"], &line("honest")["error"]), (&3.into(), &0.into()), "{lines:?}");
    assert_eq!((&line("liar")["correct"], &line("liar")["error"]), (&0.into(), &3.into()), "{lines:?}");
    world.ok(&["report", "-C", "c"]);
    let site = world.path().join("c/site");
    let pages: Vec<String> = walk(&site).into_iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    assert!(pages.iter().any(|page| page.contains("invalid after")), "the verdict is not on the site");
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_proof_is_judged_by_its_checker() {
    let world = World::new(AGON);
    let script = "#!/bin/sh\n# Reads the benchmark and the proof.\ntest -r \"$1\" && grep -q step \"$2\" && echo valid || echo invalid\n";
    let checker = program(&world, "checker", script);
    world.write("b.smt2", "(assert false)(check-sat)");
    let check = |proof: &str| {
        world.write("proof", proof);
        let command = format!("{} {{benchmark}} {{proof}}", checker.display());
        let ran = world.run(&["judge", "proof", "--benchmark", "b.smt2", "--output", "proof", "--checker", &command]);
        (ran.code, ran.stdout)
    };
    let (code, said) = check("(step t1)");
    assert!(code == 0 && said.starts_with("starexec-result=unsat\nreason=valid\n"), "{said}");
    let silent = ["judge", "proof", "--benchmark", "b.smt2", "--output", "proof", "--checker", "true"];
    assert!(world.run(&silent).stdout.contains("reason=error\n"));
    let quoted = ["judge", "proof", "--benchmark", "b.smt2", "--output", "proof", "--checker", "sh -c 'echo holey'"];
    assert!(world.run(&quoted).stdout.contains("reason=holey\n"));
    let late = [&quoted[..7], &["sleep 30", "--wall", "0.5"]].concat();
    assert!(world.run(&late).stdout.contains("reason=timeout\n"));
    let (code, said) = check("nothing");
    assert!(code == 1 && said.starts_with("starexec-result=starexec-unknown\nreason=invalid\n"), "{said}");
}
