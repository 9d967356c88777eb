//! `agon trace`: sessions with scripted solvers.

use agon_testkit::World;
use std::fs;
use std::path::Path;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// A solver that prints the answers of a file, one for each command that it reads. `\n` in an answer is a line break,
/// the answer `EXIT` makes it exit, `\c` at the end suppresses the final line break, and `@X` at the end also makes it
/// exit. After the last answer it reads the remaining commands without answering.
const SCRIPTED: &str = r#"
import sys
answers = open(sys.argv[1]).read().split("\n")
sent = open("sent", "w")
def command():
    text, depth, state = "", 0, ""
    while True:
        c = sys.stdin.read(1)
        if c == "": sys.exit(0)
        text += c
        if state == "": 
            if c == '"' or c == "|": state = c
            elif c == "(": depth += 1
            elif c == ")":
                depth -= 1
                if depth == 0: return text.strip()
        elif c == state: state = ""
for answer in answers:
    if answer == "": continue
    print(command(), file=sent, flush=True)
    if answer == "EXIT": sys.exit(1)
    end, dies = "\n", False
    if answer.endswith("@X"): answer, end, dies = answer[:-2], "", True
    elif answer.endswith("\\c"): answer, end = answer[:-2], ""
    sys.stdout.write(answer.replace("\\n", "\n").replace("\\r", "\r") + end)
    sys.stdout.flush()
    if dies: sys.exit(1)
while True: command()
"#;

struct Played {
    code: i32,
    stdout: String,
    stderr: String,
}

fn play(world: &World, trace: &Path, answers: &Path, options: &[&str]) -> Played {
    let solver = world.write("scripted.py", SCRIPTED);
    let words = [
        &["trace", trace.to_str().unwrap(), "--wall", "3"],
        options,
        &["--", "python3", solver.to_str().unwrap(), answers.to_str().unwrap()],
    ]
    .concat();
    let output = world.run(&words);
    Played { code: output.code, stdout: output.stdout, stderr: output.stderr }
}

fn scripted(world: &World, trace: &str, answers: &str, options: &[&str]) -> Played {
    let (trace, answers) = (world.write("trace.smt2", trace), world.write("answers", answers));
    play(world, &trace, &answers, options)
}

const TRACE: &str = "sat\nunknown\nunsat\n--- BENCHMARK BEGINS HERE ---\n(set-logic QF_S)\n; (a comment\n\
    (assert (= \"(\" \"|\"))\n(check-sat)\n(push 1)(check-sat)(pop 1)\n(check-sat)\n(exit)\n";
const RIGHT: &str = "success\nsuccess\nsuccess\nsat\nsuccess\nunknown\nsuccess\nunsat\n";

#[test]
fn a11_2_and_a11_4_answers_are_in_order_and_every_command_has_its_times() {
    let world = World::new(AGON);
    let Played { code, stdout, .. } = scripted(&world, TRACE, RIGHT, &["--log", "log.tsv"]);
    assert_eq!((code, stdout.as_str()), (0, "sat\nunknown\nunsat\n"));
    let log = fs::read_to_string(world.path().join("log.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = log.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!((rows[0][1], rows[3][1], rows[3][4]), ("option", "query", "sat"));
    let times: Vec<f64> = rows.iter().flat_map(|row| [row[2].parse().unwrap(), row[3].parse().unwrap()]).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn answers_are_checked_against_statuses_which_are_not_sent() {
    let world = World::new(AGON);
    let script = "(set-logic QF_UF)(check-sat)(set-info :status unsat)(check-sat)(exit)";
    let played = scripted(&world, script, "success\nsuccess\nsat\nsat\n", &[]);
    assert_eq!((played.code, &*played.stdout), (2, "sat\nWRONG solver response: got sat, expected unsat\n"));
    let facts: serde_json::Value = {
        let (solver, answers) = (world.path().join("scripted.py"), world.path().join("answers"));
        let command = ["--", "python3", solver.to_str().unwrap(), answers.to_str().unwrap()];
        let words = [&["trace", "trace.smt2", "--format", "json"], &command[..]].concat();
        serde_json::from_str(&world.run(&words).stdout).unwrap()
    };
    assert_eq!((&facts["ended"], &facts["correct"]), (&"wrong".into(), &0.into()), "{facts}");
}

#[test]
fn each_policy_stops_as_the_rules_of_its_year_require() {
    let world = World::new(AGON);
    let lines = |policy: &str| {
        let Played { code, stdout, .. } = scripted(&world, TRACE, RIGHT, &["--policy", policy]);
        (code, stdout.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (code, said) = lines("2011");
    assert_eq!((code, &said[..2]), (1, &["sat".to_owned(), "BAD output from solver: unknown".into()][..]));
    assert!(said[2].starts_with("SOLVED 1 PROBLEMS IN 0."), "{said:?}");
    let (code, said) = lines("2014");
    assert_eq!((code, &*said[0]), (0, "sat"));
    assert!(said[1].starts_with("SOLVED 1 PROBLEMS IN 0."), "{said:?}");
    assert_eq!(lines("2016"), (0, vec!["sat".into()]));
    assert_eq!(lines("2019").1.len(), 3);
    world.fails(&["trace", "trace.smt2", "--policy", "1999", "--", "true"], 2, &["1999"]);
}

#[test]
fn a11_6_and_a11_13_a_misbehaving_solver_ends_only_its_session() {
    let world = World::new(AGON);
    let plain = "sat\n--- BENCHMARK BEGINS HERE ---\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n";
    let go = |answers: &str| {
        let Played { code, stdout, .. } = scripted(&world, plain, answers, &[]);
        (code, stdout)
    };
    let expected = |code: i32, text: &str| (code, text.to_owned());
    assert_eq!(go("success\nsuccess\n  sat \\r\n"), expected(0, "sat\n"), "spaces and carriage returns");
    assert_eq!(go("success\nEXIT\n"), expected(1, "BAD response: unexpected EOF\n"), "dies");
    let early = "BAD response to set-option command: unexpected EOF\n";
    assert_eq!(go("EXIT\n"), expected(1, early), "dies at once");
    assert_eq!(
        go("success\n(error \"a\\\"b (((\n"),
        expected(1, "BAD response to status command: '(error \"a\\\"b (((\n'\n"),
        "does not wait for an unclosed list"
    );
    assert_eq!(go("success\nsuccess\nsa@X\n"), expected(1, "BAD response: unexpected EOF\n"), "dies in its answer");
    assert_eq!(go("success\nsuccess\nsat\\c\n"), expected(124, ""), "an answer without a line break");
    assert_eq!(
        go("success\nsuccess\\nsuccess\n"),
        expected(1, "BAD response: more than was asked for: 'success\n'\n"),
        "answers twice"
    );
    assert_eq!(
        go("success\n(error \"two\\nlines\")\n"),
        expected(1, "BAD response to status command: '(error \"two\n'\n"),
        "an answer of two lines"
    );
    let flood = world.run(&["trace", "trace.smt2", "--wall", "20", "--", "yes"]);
    assert_eq!(flood.code, 1, "{flood:?}");
    assert!(flood.stdout.starts_with("BAD response to set-option command: 'y"), "{flood:?}");
    // Never reads: the command does not fit into the pipe.
    let long = format!("sat\n--- BENCHMARK BEGINS HERE ---\n(echo \"{}\")\n(check-sat)\n(exit)\n", "x".repeat(1 << 20));
    world.write("long.smt2", &long);
    let deaf = world.run(&["trace", "long.smt2", "--wall", "1", "--", "sh", "-c", "echo success; sleep 60"]);
    assert_eq!((deaf.code, &*deaf.stdout), (124, ""), "{deaf:?}");
    // Closes its stdout and keeps running.
    let closed = world.run(&["trace", "trace.smt2", "--wall", "30", "--", "sh", "-c", "read -r l; exec >&-; sleep 60"]);
    assert_eq!(
        (closed.code, &*closed.stdout),
        (1, "BAD response to set-option command: unexpected EOF\n"),
        "{closed:?}"
    );
    // Closes its stdin and answers anyway.
    let deaf = "exec <&-; for a in success success sat sat; do echo $a; sleep 0.2; done";
    let deaf = world.run(&["trace", "trace.smt2", "--wall", "30", "--", "sh", "-c", deaf]);
    assert_eq!(deaf.code, 1, "{deaf:?}");
    assert!(!deaf.stdout.contains("sat\n"), "{deaf:?}");
    // Tries to read the script, which is not visible to it.
    let script = world.path().join("trace.smt2");
    let peeker = format!("cat {} >&2; cat", script.display());
    let peek = world.run(&["trace", "trace.smt2", "--wall", "30", "--", "sh", "-c", &peeker]);
    assert!(peek.code == 1 && !peek.stderr.contains("check-sat"), "{peek:?}");
    // Answers a second time with a delay: answers are left at the end, so none of them count.
    let late = "read -r l; echo success; read -r l; echo success; read -r l; echo sat; sleep 0.3; echo sat; echo success; sleep 0.3";
    world.write("two.smt2", "(set-logic QF_UF)\n(set-info :status sat)(check-sat)(exit)\n");
    let late = world.run(&["trace", "two.smt2", "--format", "json", "--wall", "30", "--", "sh", "-c", late]);
    let facts: serde_json::Value = serde_json::from_str(&late.stdout).unwrap();
    assert_eq!((&facts["ended"], &facts["correct"]), (&"unasked".into(), &0.into()), "{late:?}");
    let missing = world.run(&["trace", "trace.smt2", "--", "/no/such/solver"]);
    assert_eq!(missing.code, 3, "{missing:?}");
}

/// Cases in which the official executor has a bug, with Agon's exit code and output (docs/judging.md).
const DEFECTS: &[(&str, i32, &str)] = &[
    ("crlf-answer", 0, "sat\n"),
    ("status-padded", 0, "sat\nunsat\n"),
    ("split-check-sat", 1, "BAD response to status command: 'sat\n'\n"),
    ("string-with-paren", 0, "sat\n"),
];

#[test]
fn results_agree_with_the_official_trace_executor() {
    let Some(directory) = agon_testkit::shared("data/trace") else { return };
    let world = World::new(AGON);
    let table = fs::read_to_string(directory.join("cases.tsv")).unwrap();
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (case, options, trace, answers) = (cells[0], cells[1], cells[2], cells[3]);
        let policy = if options.is_empty() { "2018" } else { "2019" };
        let played = play(&world, &directory.join(trace), &directory.join(answers), &["--policy", policy]);
        let official = (cells[5].parse().unwrap(), fs::read_to_string(directory.join(cells[4])).unwrap());
        let defect = DEFECTS.iter().find(|(name, ..)| *name == case);
        let expected = defect.map_or(official, |(_, code, text)| (*code, (*text).to_owned()));
        assert_eq!((played.code, played.stdout), expected, "{case}: {}", played.stderr);
        compared += 1;
    }
    assert!(compared >= 20, "{compared} cases");
    for (file, solver) in [
        (
            "test_mixed.smt2",
            "while read -r l; do case $l in '(check-sat)') echo unknown;; '(exit)') exit;; *) echo success;; esac; echo; done",
        ),
        ("test_all_unknown.smt2", "while read -r l; do echo success; done"),
        ("crashing/simple.smt2", "read -r l; echo success; read -r l; exit 1"),
    ] {
        let trace = directory.join("official").join(file);
        let output = world.run(&[
            "trace",
            trace.to_str().unwrap(),
            "--policy",
            "2018",
            "--wall",
            "60",
            "--",
            "sh",
            "-c",
            solver,
        ]);
        let expected = fs::read_to_string(format!("{}.expect", trace.display())).unwrap();
        assert_eq!(output.stdout.trim_end(), expected.trim_end(), "{file}");
    }
}
