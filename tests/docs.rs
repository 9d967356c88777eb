//! The book and the README: their commands run, their links resolve, their reference pages are complete.
//!
//! A page is followed as a reader would: every `sh` block runs, in order, in one home directory. Each section (`##`)
//! starts a new session in that directory. Two kinds of comments before a block direct the test: `<!-- file: PATH -->`
//! writes the block to a file, and `<!-- not run: REASON -->` skips the block.

use agon_domain::Track;
use agon_testkit::{World, real_solvers};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const REFERENCE: &str = env!("CARGO_BIN_EXE_agon-ref");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The files in docs/ without the error pages, and the other pages of the project.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs")).unwrap().map(|item| item.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    pages.extend(
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"].map(|n| root().join(n)),
    );
    pages.sort();
    pages
}

/// A fenced block of a page.
struct Block<'a> {
    language: &'a str,
    text: String,
    /// The line of the opening fence.
    line: usize,
    /// The comment before the block, without its delimiters.
    comment: Option<&'a str>,
    /// The number of `##` headings before it.
    section: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = vec![];
    let (mut is_open, mut section, mut before) = (false, 0, "");
    for (at, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(language) => {
                is_open = true;
                let comment = before.strip_prefix("<!-- ").and_then(|text| text.strip_suffix(" -->"));
                blocks.push(Block { language, text: String::new(), line: at + 1, comment, section });
            }
            None if is_open => {
                let block = blocks.last_mut().expect("a block is open");
                block.text += line;
                block.text += "\n";
            }
            None => section += usize::from(line.starts_with("## ")),
        }
        before = line;
    }
    assert!(!is_open, "a fence is not closed");
    blocks
}

/// A home directory with what the pages refer to: benchmarks, two builds of a solver, outputs and results.
fn home() -> World {
    let world = World::new(AGON);
    let generate = |directory: &str, families: &[&str]| {
        let families = families.iter().flat_map(|family| ["--family", *family]);
        let words: Vec<&str> = ["library", "generate", directory, "--size", "4"].into_iter().chain(families).collect();
        world.ok(&words);
    };
    generate("smt-lib", &["pigeons", "multiplier", "links"]);
    generate("benchmarks", &["pigeons", "multiplier"]);
    for program in ["builds/mysolver", "builds/old/mysolver", "builds/new/mysolver", "mysolver/bin/mysolver"] {
        let file = world.path().join(program);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(REFERENCE, file).unwrap();
    }
    let script = |formula: &str| {
        format!(
            "(set-option :print-success true)\n(set-logic QF_UF)\n(declare-fun p () Bool)\n(declare-fun q () Bool)\n\
             (assert (! (or p q) :named a))\n(assert (! {formula} :named b))\n"
        )
    };
    let plain = |status: &str, formula: &str| {
        format!(
            "(set-logic QF_UF)\n(set-info :status {status})\n(declare-fun p () Bool)\n(assert p)\n\
             (assert {formula})\n(check-sat)\n(exit)\n"
        )
    };
    world.write("file.smt2", &plain("sat", "(or p (not p))"));
    world.write("unsat.smt2", &(script("(and (not p) (not q))") + "(check-sat)\n(get-unsat-core)\n(exit)\n"));
    world.write(
        "script.smt2",
        "(set-logic QF_UF)\n(declare-fun p () Bool)\n(assert p)\n(set-info :status sat)\n(check-sat)\n(push 1)\n\
         (assert (not p))\n(set-info :status unsat)\n(check-sat)\n(pop 1)\n(exit)\n",
    );
    world.write("old.smt", "(benchmark b :logic QF_UF :status sat :extrapreds ((p)) :formula p)\n");
    world.write("model.txt", "sat\n((define-fun p () Bool true))\n");
    world.write("core.txt", "unsat\n(a b)\n");
    let heading = "benchmark,solver,configuration,status,cpu time,wallclock time,result,expected\n";
    let row = |benchmark: &str, solver: &str, time: &str| {
        format!("{benchmark},{solver},default,complete,{time},{time},sat,sat\n")
    };
    let results = |time: &str| {
        let rows = [
            ("QF_BV/f/a.smt2", "One"),
            ("QF_BV/f/a.smt2", "Two"),
            ("QF_BV/f/b.smt2", "One"),
            ("QF_BV/f/b.smt2", "Two"),
        ];
        heading.to_owned() + &rows.map(|(benchmark, solver)| row(benchmark, solver, time)).concat()
    };
    world.write("results.csv", &results("2.5"));
    world.write("yesterday.csv", &results("2.5"));
    world.write("today.csv", &results("1.5"));
    world.write("solvers.csv", "Solver Name,Competing\nOne,yes\nTwo,yes\n");
    world.write("numbers.tsv", "One\t4711\tcompeting\nTwo\t815\tcompeting\nOurs\t1\torganizer\n");
    world.write("all.txt", "QF_BV/f/a.smt2\nQF_BV/f/b.smt2\n");
    world.write("new.txt", "QF_BV/f/b.smt2\n");
    world.write("difficulty.txt", "1 2.5 sat sat industrial QF_BV QF_BV/f/a.smt2\n");
    let compressed = Command::new("xz").arg("--keep").arg("results.csv").current_dir(world.path()).status();
    assert!(compressed.is_ok_and(|status| status.success()), "xz is needed for this test");
    world
}

/// A finished competition in `my-comp`, for pages that start with one.
const COMPETITION: &str = "agon init my-comp --rules smtcomp-2019\ncd my-comp\nagon library add ~/smt-lib\n\
    agon entrant add z3\nagon entrant add ~/builds/mysolver --magic 4711\n\
    agon go --track single-query --index 12888.51\n";

/// Runs a script in the home directory. Stops at the first command that fails, and returns what was printed.
fn session(world: &World, script: &str) -> Result<(), String> {
    let programs = Path::new(AGON).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-eux", "-c", script])
        .current_dir(world.path())
        .env("HOME", world.path())
        .env("AGON_HOME", real_solvers(AGON))
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(()) } else { Err(text(&output.stdout) + &text(&output.stderr)) }
}

/// The commands of a block, where a line with the comment `exit code 1` has to end with that code.
fn expecting(block: &str) -> String {
    let line = |line: &str| match line.split_once(" # ") {
        Some((command, comment)) if comment.contains("exit code 1") => {
            format!("code=0; {command} || code=$?; [ $code = 1 ]\n")
        }
        _ => format!("{line}\n"),
    };
    block.lines().map(line).collect()
}

/// Follows a page from top to bottom. Returns how many blocks were run.
fn follow(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap();
    let mut sections: Vec<(usize, String)> = vec![];
    let (mut files, mut run) = (vec![], 0);
    for block in blocks(&text) {
        let place = format!("{}:{}", page.display(), block.line);
        match block.comment.and_then(|comment| comment.split_once(": ")) {
            Some(("file", path)) => files.push((path.to_owned(), block.text)),
            Some(("not run", _)) => assert_eq!(block.language, "sh", "{place}: only sh blocks are run"),
            Some((word, _)) => panic!("{place}: unknown directive '{word}'"),
            None if block.language == "sh" => {
                run += 1;
                let text = expecting(&block.text);
                match sections.last_mut().filter(|(section, _)| *section == block.section) {
                    Some((_, script)) => *script += &text,
                    None => sections.push((block.section, text)),
                }
            }
            None => assert!(!block.language.is_empty(), "{place}: the block has no language"),
        }
    }
    if run == 0 && files.is_empty() {
        return 0;
    }
    let world = home();
    let all: String = sections.iter().map(|(_, script)| script.as_str()).collect();
    if all.contains("my-comp") && !all.contains("init my-comp") {
        session(&world, COMPETITION)
            .unwrap_or_else(|printed| panic!("the competition of {}: {printed}", page.display()));
    }
    for (path, text) in &files {
        world.write(path, text);
    }
    if files.iter().any(|(path, _)| path == "my-comp/agon.toml") {
        session(&world, "agon status -C my-comp").unwrap_or_else(|printed| panic!("{}: {printed}", page.display()));
    }
    for (_, script) in &sections {
        if let Err(printed) = session(&world, script) {
            panic!("{}: a command of this section fails:\n{script}\n{printed}", page.display());
        }
    }
    run
}

#[test]
fn commands_in_the_docs_run() {
    let pages = pages();
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(|| follow(page))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    assert!(counts.iter().sum::<usize>() >= 25, "most blocks are skipped: {counts:?}");
}

/// The anchor that code hosts and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() }).collect()
}

#[test]
fn links_in_the_docs_resolve() {
    let mut all = pages();
    let errors = fs::read_dir(root().join("docs/errors")).unwrap().map(|item| item.unwrap().path());
    all.extend(errors);
    for page in all {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link} does not exist", page.display());
            let has_heading = || {
                let target = fs::read_to_string(&target).unwrap();
                let mut headings = target.lines().filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line.trim_start_matches('#')) == heading)
            };
            assert!(heading.is_empty() || has_heading(), "{}: {link} has no such heading", page.display());
        }
    }
}

#[test]
fn the_book_has_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let listed: BTreeSet<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let mut found = BTreeSet::new();
    for directory in ["docs", "docs/errors"] {
        for item in fs::read_dir(root().join(directory)).unwrap() {
            let path = item.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                found.insert(path.strip_prefix(root().join("docs")).unwrap().display().to_string());
            }
        }
    }
    found.remove("SUMMARY.md");
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_rulebook_field_and_value_is_documented() {
    /// Adds the keys of tables and the words among their values.
    fn gather(value: &serde_json::Value, words: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    words.insert(key.clone());
                    gather(value, words);
                }
            }
            serde_json::Value::String(word) => {
                words.insert(word.clone());
            }
            _ => {}
        }
    }
    let world = World::new(AGON);
    let page = fs::read_to_string(root().join("docs/rulebooks.md")).unwrap();
    let rulebooks = world.json(&["rules", "list", "--format", "json"]);
    let mut words = BTreeSet::new();
    for rulebook in rulebooks.as_array().unwrap() {
        let mut rules = world.json(&["rules", "show", rulebook["name"].as_str().unwrap(), "--format", "json"]);
        // Names of divisions and editions are data; deviations are documented with scoring.
        for field in ["divisions", "experimental", "published", "name", "title"] {
            rules.as_object_mut().unwrap().remove(field);
        }
        gather(&rules, &mut words);
    }
    let tracks = Track::ALL.map(Track::name);
    let documented = |word: &str| page.contains(word) || tracks.contains(&word) || word.starts_with("QF_");
    let missing: Vec<&String> = words.iter().filter(|word| !documented(word)).collect();
    assert!(missing.is_empty(), "docs/rulebooks.md does not have {missing:?}");
    let scoring = fs::read_to_string(root().join("docs/scoring.md")).unwrap();
    for rulebook in rulebooks.as_array().unwrap() {
        let rules = world.json(&["rules", "show", rulebook["name"].as_str().unwrap(), "--format", "json"]);
        for deviation in rules["published"].as_array().into_iter().flatten() {
            let name = format!("`{}`", deviation.as_str().unwrap());
            assert!(scoring.contains(&name), "docs/scoring.md does not have {name}");
        }
    }
}
