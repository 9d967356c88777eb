//! Every help text, table and message, as snapshots, so that wording is reviewed as a whole: help texts in
//! `docs/commands.md`, the others in `tests/snapshots`.
//!
//! After an intended change, run the tests with `INSTA_UPDATE=always` and read the diff.

use agon_testkit::{Output, World, fake_solver, trivial_library};
use std::fs;
use std::path::Path;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Compares a text with `tests/snapshots/NAME.snap`.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    let (directory, name) = name.rsplit_once('/').unwrap_or((".", name));
    settings.set_snapshot_path(Path::new("snapshots").join(directory));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The names of the commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default().lines();
    let rows = listed.take_while(|line| !line.trim().is_empty());
    let rows = rows.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    rows.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Calls `see` with the path and the help text of every command, the program itself first.
fn every_command(world: &World, path: &[&str], see: &mut dyn FnMut(&[&str], &str)) {
    let help = world.ok(&[path, &["--help"]].concat());
    see(path, &help);
    for name in commands(&help) {
        every_command(world, &[path, &[name.as_str()]].concat(), see);
    }
}

const COMMANDS: &str = "# Commands

What `agon COMMAND --help` prints, for every command. `agon man DIR` writes the same as manual pages, `agon completions
SHELL` as a completion script. Two options belong to every command and are shown only here:

```text
GLOBAL
```

Results go to stdout, everything else to stderr; progress is shown on a terminal. [Files](files.md#exit-codes) explains
the exit codes.
";

#[test]
fn help_texts_are_those_of_the_commands_page() {
    let world = World::new(AGON);
    let mut global = None;
    let mut sections = String::new();
    every_command(&world, &[], &mut |path, help| {
        let is_group = !commands(help).is_empty() && path != ["judge"];
        assert!(is_group || help.contains("Example:\n  agon "), "agon {} --help has no example", path.join(" "));
        // The global options are the same everywhere, up to the layout.
        let (before, rest) = help.split_once("Global options:\n").expect("every command has the global options");
        let (options, after) = rest.split_once("\n\nExample").map_or((rest, ""), |(options, after)| (options, after));
        let example = if after.is_empty() { String::new() } else { format!("\n\nExample{after}") };
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let trimmed = options.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        let first = global.get_or_insert(trimmed);
        assert_eq!(words(options), words(first), "agon {}", path.join(" "));
        let lines = format!("{}{}", before.trim_end(), example.trim_end());
        let lines: Vec<&str> = lines.lines().map(str::trim_end).collect();
        sections += &format!("\n## agon {}\n\n```text\n{}\n```\n", path.join(" "), lines.join("\n"));
    });
    let page = COMMANDS.replace("GLOBAL", &global.unwrap()) + &sections.replace("## agon \n", "## agon\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&file, &page).unwrap();
    }
    let current = fs::read_to_string(&file).unwrap_or_default();
    let differing = current.lines().zip(page.lines()).enumerate().find(|(_, (old, new))| old != new);
    assert!(
        current == page,
        "docs/commands.md is out of date; run this test with INSTA_UPDATE=always and read the diff. It differs in \
         (line, (page, help)): {differing:?}"
    );
}

#[test]
fn every_command_has_a_manual_page_from_its_help() {
    let world = World::new(AGON);
    world.ok(&["man", "pages/man1"]);
    every_command(&world, &[], &mut |path, help| {
        let file = format!("pages/man1/{}.1", [&["agon"], path].concat().join("-"));
        let page = fs::read_to_string(world.path().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let page = page.replace("\\-", "-").replace("\\*(Aq", "'");
        let summary = help.lines().next().unwrap().trim_end_matches('.');
        assert!(page.contains(summary), "{file} lacks '{summary}'");
    });
}

/// The message templates of a source file: the string literals of error attributes and of the macros that print.
fn templates(source: &str) -> Vec<String> {
    const MARKERS: [&str; 8] =
        ["#[error(", "bail!(", "anyhow!(", "ensure!(", "say!(", ".context(", "with_context(|| format!(", "Usage("];
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
    let mut starts: Vec<usize> =
        MARKERS.iter().flat_map(|marker| code.match_indices(marker).map(|(at, found)| at + found.len())).collect();
    starts.sort_unstable();
    starts.into_iter().filter_map(|at| literal(&code[at..])).collect()
}

/// The first string literal of a call, unless the call ends before it.
fn literal(call: &str) -> Option<String> {
    let open = call.find('"').filter(|open| !call[..*open].contains([';', '}']))?;
    let mut text = String::new();
    let mut characters = call[open + 1..].chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => return Some(text),
            '\\' => match characters.next()? {
                // A continued line: its indentation does not belong to the text.
                '\n' => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                escaped => text.extend(['\\', escaped]),
            },
            other => text.push(other),
        }
    }
    None
}

#[test]
fn message_templates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
    let mut directories = vec![root.clone()];
    let mut files = vec![];
    while let Some(directory) = directories.pop() {
        for item in fs::read_dir(directory).unwrap().map(|item| item.unwrap().path()) {
            if item.is_dir() {
                directories.push(item);
            } else if item.extension().is_some_and(|end| end == "rs")
                && item.components().any(|part| part.as_os_str() == "src")
            {
                files.push(item);
            }
        }
    }
    files.sort();
    let mut list = String::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let found = templates(&fs::read_to_string(&file).unwrap());
        // A template without a word only passes on another message.
        let found = found.iter().filter(|text| text.contains(' '));
        let found: Vec<String> = found.map(|text| format!("  {text}\n")).collect();
        if !found.is_empty() && !name.starts_with("testkit") {
            list += &format!("{name}\n{}", found.concat());
        }
    }
    snapshot("message-templates", &list);
}

/// A command with its output, its messages and its exit code, as a terminal would show them.
fn shown(world: &World, words: &[&str]) -> String {
    let Output { code, stdout, stderr } = world.run(words);
    let quoted = words.iter().map(|word| if word.contains([' ', '*']) { format!("'{word}'") } else { (*word).into() });
    let path = world.path().display().to_string();
    let text = format!("$ agon {}\n{stdout}{stderr}", quoted.collect::<Vec<_>>().join(" "));
    let exit = if code == 0 { String::new() } else { format!("[exit code {code}]\n") };
    let text = text.replace(&path, "/world");
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{exit}\n")
}

/// The commands one after another, as a terminal would show them.
fn all_shown(world: &World, commands: &[&str]) -> String {
    commands.iter().map(|command| shown(world, &command.split_whitespace().collect::<Vec<_>>())).collect()
}

/// The text without what depends on the machine: times, sizes and dates, and the width of the columns that hold them.
fn without_measurements(text: &str) -> String {
    let is_unit = |word: &str| ["s", "ms", "MB", "GB", "kB"].contains(&word.trim_end_matches(['.', ')', ';', ',']));
    let masked = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let masked = words.iter().enumerate().map(|(at, word)| {
            let number = word.trim_start_matches('(').trim_end_matches([',', ')', '%']);
            let is_number = number.starts_with(|first: char| first.is_ascii_digit()) && number.parse::<f64>().is_ok();
            let is_measured =
                is_number && (number.contains('.') || words.get(at + 1).is_some_and(|next| is_unit(next)));
            let is_date = number.len() == 20 && number.ends_with('Z');
            match () {
                () if is_measured || is_date => word.replace(number, "#"),
                () if word.starts_with('─') => "───".to_owned(),
                () => (*word).to_owned(),
            }
        });
        let start = line.len() - line.trim_start_matches(' ').len();
        format!("{}{}", " ".repeat(start.min(2)), masked.collect::<Vec<_>>().join(" "))
    };
    // The isolation depends on the machine and on the user.
    let masked =
        |line: &str| if line.starts_with("agon: confined") { "agon: confined …".into() } else { masked(line) };
    // On a busy machine, runs report progress, and status reports disturbed runs.
    let is_stable = |line: &&str| !line.contains("disturbed; 'agon rerun") && !line.contains(": running: ");
    text.split('\n').filter(is_stable).map(masked).collect::<Vec<_>>().join("\n")
}

/// Solvers that are right, know half of the answers, are wrong, and crash. Those that could tie with the first are
/// slower.
const SOLVERS: [(&str, &str); 4] = [
    ("good", "grep -q 'assert false' $1 && echo unsat || echo sat"),
    (
        "half",
        "n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done; grep -q 'assert false' $1 && echo unsat || echo unknown",
    ),
    ("liar", "n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done; echo sat"),
    ("broken", "echo 'cannot find libfoo.so' >&2; echo 'Segmentation fault'; exit 139"),
];

/// A competition in `c` that is ready to be run, in a world of its own.
fn competition() -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 4);
    world.ok(&["init", "c", "--rules", "smtcomp-2019", "--title", "A small competition"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let limits = "\n[rules.tracks.single-query.limits]\nwall_s = 20\nmemory_bytes = 200_000_000\ncores = 1\noutput_bytes = 100_000\n";
    world.write("c/agon.toml", &(settings + limits));
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, script) in SOLVERS {
        let directory = fake_solver(&world.path().join("solvers"), name, &format!("Team {name}"), script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world
}

#[test]
fn a_competition_step_by_step() {
    let world = competition();
    let mut text = String::new();
    for step in [
        "status",
        "library list",
        "library list --format csv",
        "library show non-incremental/QF_UF/trivial/b0001.smt2",
        "library duplicates",
        "library freeze 2026-01-01",
        "library changes",
        "entrant list",
        "entrant check",
        "seed --index 12888.51",
        "select",
        "prepare",
        "status",
        "run --slots 1",
        "status",
        "status --pairs",
        "judge",
        "score",
        "score --explain QF_UF good",
        "score --rules smtcomp-2019 --rules smtcomp-2008 --diff",
        "report",
        "status",
        "rerun 1 --show",
        "go",
    ] {
        let words: Vec<&str> = step.split(' ').chain(["-C", "c"]).collect();
        text += &shown(&world, &words);
    }
    snapshot("competition", &without_measurements(&text));
}

const HEADINGS: &str = "benchmark,logic,solver,team,competing,status,cpu time,wallclock time,result,expected\n";

const OLD: &str = "QF_BV/f/a.smt2,QF_BV,One,A,yes,complete,1.25,1.5,sat,sat\n\
    QF_BV/f/a.smt2,QF_BV,Two,B,yes,complete,3,3,unsat,sat\n\
    QF_BV/f/b.smt2,QF_BV,One,A,yes,complete,10,10,starexec-unknown,starexec-unknown\n\
    QF_BV/f/b.smt2,QF_BV,Two,B,yes,complete,7,7,unsat,starexec-unknown\n\
    QF_LIA/g/c.smt2,QF_LIA,One,A,yes,complete,2,2,unsat,unsat\n\
    QF_LIA/g/c.smt2,QF_LIA,Two,B,yes,complete,0.5,0.5,unsat,unsat\n";

const NEW: &str = "QF_BV/f/a.smt2,QF_BV,One,A,yes,complete,9.25,9.5,sat,sat\n\
    QF_BV/f/a.smt2,QF_BV,Two,B,yes,complete,3,3,sat,sat\n\
    QF_BV/f/b.smt2,QF_BV,One,A,yes,complete,10,10,unsat,starexec-unknown\n\
    QF_BV/f/b.smt2,QF_BV,Two,B,yes,timeout (wallclock),2400,2400,starexec-unknown,starexec-unknown\n\
    QF_LIA/g/c.smt2,QF_LIA,One,A,yes,complete,2,2,sat,unsat\n\
    QF_LIA/g/c.smt2,QF_LIA,Two,B,yes,complete,0.1,0.1,unsat,unsat\n";

#[test]
fn results() {
    let world = World::new(AGON);
    world.write("old.csv", &format!("{HEADINGS}{OLD}"));
    world.write("new.csv", &format!("{HEADINGS}{NEW}"));
    world.write("numbers.tsv", "One\t4711\tcompeting\nTwo\t815\tcompeting\nOurs\t1\torganizer\n");
    let text = all_shown(
        &world,
        &[
            "score --rules smtcomp-2019 old.csv",
            "score --rules smtcomp-2008 old.csv",
            "score --rules smtcomp-2019 old.csv --explain QF_BV Two",
            "score --rules smtcomp-2019 --rules smtcomp-2023 old.csv --diff",
            "compare old.csv new.csv",
            "compare old.csv new.csv --from One --to Two",
            "import auto old.csv",
            "rules list",
            "rules diff smtcomp-2019 smtcomp-2020",
            "seed --numbers numbers.tsv --index 12888.51",
            "random --seed 42 --count 3",
            "library families",
            "entrant list --available",
        ],
    );
    // Solvers that happen to be installed on this machine are not part of the list.
    let text: Vec<&str> = text.lines().filter(|line| !line.contains("on this machine")).collect();
    snapshot("results", &text.join("\n"));
}

#[test]
fn files() {
    let world = World::new(AGON);
    world.write("good.smt2", "(set-logic QF_UF)\n(set-info :status unsat)\n(declare-fun p () Bool)\n(assert p)\n(assert (not p))\n(check-sat)\n");
    world.write("bad.smt2", "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (and x true))\n(assert (> y 1)\n");
    world.write("old.smt", "(benchmark b :logic QF_UF :status sat :extrapreds ((p)) :formula p)");
    world.write("answer.txt", "unsat\n");
    world.write("wrong.txt", "sat\n((define-fun p () Bool true))\n");
    world.write("core.txt", "unsat\n(a b)\n");
    let text = all_shown(
        &world,
        &[
            "check good.smt2",
            "check bad.smt2",
            "check --track unsat-core good.smt2",
            "check . --quiet",
            "check --format json good.smt2",
            "translate old.smt --to v2",
            "translate good.smt2 --to v1",
            "translate bad.smt2 --to v1",
            "scramble good.smt2 --seed 42",
            "scramble bad.smt2 --seed 42",
            "judge single --benchmark good.smt2 --output answer.txt",
            "judge single --benchmark good.smt2 --output wrong.txt",
            "judge model --benchmark good.smt2 --output wrong.txt",
            "judge core --benchmark good.smt2 --output core.txt",
            "exec --wall 5 --cpu 5 -- /bin/echo sat",
            "exec --wall 0.2 -- /bin/sleep 9",
            "exec -- /nowhere/solver",
            "trace good.smt2 --wall 5 -- /bin/cat",
        ],
    );
    snapshot("files", &without_measurements(&text));
}

#[test]
fn errors() {
    let world = competition();
    world.write("not-results.csv", "a,b\n1,2\n");
    world.write(
        "bad-results.csv",
        &format!("{HEADINGS}QF_BV/a.smt2,QF_BV,One,A,yes,complete,1,1,perhaps,sat\nQF_BV/b.smt2,QF_BV,One,A,yes,complete,soon,1,sat,sat\n"),
    );
    world.write("old.csv", &format!("{HEADINGS}{OLD}"));
    world.write("file.smt2", "(check-sat)");
    world.write(
        "unpacked/entrant.toml",
        "name = 'a b'\nversion = '1'\nteam = 'T'\n[commands]\nsingle-query = ['bin/x', '{benchmark}']\n",
    );
    world.write(
        "missing/entrant.toml",
        "name = 'm'\nversion = '1'\nteam = 'T'\n[commands]\nsingle-query = ['bin/x', '{benchmark}']\n",
    );
    world.write("empty/readme.txt", "nothing");
    world.write("plain.txt", "text");
    world.write("damaged/agon.toml", "rulebook = 'smtcomp-2019'\ntitle = 'x'\nlimits = 3\n");
    world.write("typo/agon.toml", "rulebook = 'smtcomp-2091'\ntitle = 'x'\n");
    world.write("broken/agon.toml", "rulebook = [\n");
    world.write(
        "rules/agon.toml",
        "rulebook = 'smtcomp-2019'\ntitle = 'x'\n[rules.tracks.single-query.limits]\nwall = 3\n",
    );
    let text = all_shown(
        &world,
        &[
            "",
            "fly",
            "statsu",
            "check",
            "check absent.smt2",
            "check --track single file.smt2",
            "init c --rules smtcomp-2019",
            "init d",
            "init d --rules smtcomp-2091",
            "status",
            "status -C damaged",
            "status -C typo",
            "status -C broken",
            "status -C rules",
            "go",
            "run",
            "run -C c",
            "select -C c",
            "prepare -C c",
            "score -C c",
            "report -C c",
            "judge -C c",
            "seed -C c",
            "seed -C c --index soon",
            "go -C c --until lunch",
            "go -C c",
            "run -C c --track incremental",
            "run -C c --slots 0",
            "run -C c --cores 0-x",
            "status -C c --track incremetal",
            "library add -C c absent",
            "library add -C c empty",
            "library show -C c nothing.smt2",
            "library remove -C c nothing.smt2 --reason x",
            "library generate p --family unicorns",
            "library generate p --size 1",
            "library list -C c --where logic",
            "library difficulty -C c --formula 2019",
            "entrant add -C c absent",
            "entrant add -C c empty",
            "entrant add -C c unpacked",
            "entrant add -C c missing",
            "entrant add -C c plain.txt",
            "entrant remove -C c godo",
            "entrant fetch z4",
            "entrant add -C c solvers/good --kind royal",
            "entrant add -C c solvers/good --magic -1",
            "rerun -C c 99",
            "rerun -C c",
            "export -C c",
            "score old.csv",
            "score --rules smtcomp-2019 absent.csv",
            "score --rules smtcomp-2019 not-results.csv",
            "score --rules smtcomp-2019 bad-results.csv",
            "score --rules smtcomp-2019 --track cloud old.csv",
            "score --rules smtcomp-2019 old.csv --explain QF_VB One",
            "score --rules smtcomp-2019 old.csv --explain QF_BV Oen",
            "score --rules smtcomp-2019 old.csv --diff",
            "compare old.csv",
            "compare old.csv absent.csv",
            "compare old.csv old.csv --from Oen --to One",
            "import xml old.csv",
            "report --from old.csv",
            "rules show smtcomp-2091",
            "rules diff smtcomp-2019",
            "translate file.smt2",
            "translate absent.smt2 --to v1",
            "scramble file.smt2 --track singel-query",
            "scramble absent.smt2 --seed 1",
            "exec",
            "exec --wall soon -- true",
            "exec --memory 4X -- true",
            "exec -- absent-program",
            "trace absent.smt2 -- true",
            "trace file.smt2",
            "judge model --benchmark file.smt2",
            "judge model --benchmark absent.smt2 --output plain.txt",
            "random",
            "random --seed x",
            "completions tcsh",
            "worker nowhere 1",
            "man plain.txt/pages",
        ],
    );
    snapshot("errors", &without_measurements(&text));
}
