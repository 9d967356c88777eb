//! Results on files: scored, explained, compared, imported, exported; and what is done with files that make no sense.

use agon_testkit::World;
use serde_json::Value;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const HEADINGS: &str = "pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,\
    wallclock time,memory usage,result,expected\n";

/// A table of StarExec's with rows of benchmark, solver, status, CPU time, wall time, result, expected.
fn starexec(rows: &[[&str; 7]]) -> String {
    let line = |(number, row): (usize, &[&str; 7])| {
        let [benchmark, solver, status, cpu, wall, result, expected] = row;
        format!(
            "{number},Space - One/{benchmark},7,{solver},9,default,11,{status},{cpu},{wall},0.0,{result},{expected}\n"
        )
    };
    std::iter::once(HEADINGS.to_owned()).chain(rows.iter().enumerate().map(line)).collect()
}

fn two_solvers() -> String {
    starexec(&[
        ["QF_BV/f/a.smt2", "One", "complete", "1.5", "1.25", "sat", "sat"],
        ["QF_BV/f/a.smt2", "Two", "complete", "3", "3", "unsat", "sat"],
        ["QF_BV/f/b.smt2", "One", "timeout (wallclock)", "2400", "2400.01", "starexec-unknown", "starexec-unknown"],
        ["QF_BV/f/b.smt2", "Two", "complete", "2500", "700", "unsat", "starexec-unknown"],
        ["QF_LIA/f/a.smt2", "One", "memout", "10", "9", "starexec-unknown", "unsat"],
        ["QF_LIA/f/a.smt2", "Two", "complete", "0.5", "0.5", "unsat", "unsat"],
    ])
}

fn line<'a>(scores: &'a Value, division: &str, ranking: &str, solver: &str) -> &'a Value {
    let divisions = scores["divisions"].as_array().unwrap();
    let division = divisions.iter().find(|found| found["name"] == division).unwrap();
    division["rankings"][ranking].as_array().unwrap().iter().find(|line| line["solver"] == solver).unwrap()
}

#[test]
fn a_table_of_starexec_is_scored_under_any_rulebook_that_fits_it() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let scores = world.json(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "json"]);
    assert_eq!(scores["track"], "single-query");
    let one = line(&scores, "QF_BV", "parallel", "One");
    assert_eq!((&one["correct"], &one["error"], &one["rank"]), (&1.into(), &0.into(), &1.into()));
    assert_eq!((&one["timeout"], &one["wall"]), (&1.into(), &2401.25.into()));
    // A correct answer after more CPU seconds than the limit is none in the sequential ranking.
    assert_eq!(line(&scores, "QF_BV", "parallel", "Two")["correct"], 1);
    assert_eq!(line(&scores, "QF_BV", "sequential", "Two")["correct"], 0);
    let points = world.json(&["score", "--rules", "smtcomp-2008", "results.csv", "--format", "json"]);
    assert_eq!(line(&points, "QF_BV", "sequential", "Two")["points"], -8);
    // Two research groups are not three.
    assert!(points["divisions"][0]["winners"]["sequential"].is_null());
    let text = world.ok(&["score", "--rules", "smtcomp-2019", "results.csv"]);
    assert!(text.contains("QF_LIA, parallel: winner Two"), "{text}");
    let csv = world.ok(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "csv"]);
    assert!(csv.lines().any(|line| line.starts_with("single-query,QF_BV,parallel,1,One,true,0,1,")), "{csv}");
    world.fails(&["score", "results.csv"], 2, &["--rules"]);
    world.fails(&["score", "--rules", "smtcomp-2019", "--track", "cloud", "results.csv"], 2, &["no cloud track"]);
    world.fails(&["score", "--rules", "smtcomp-1066", "results.csv"], 2, &["smtcomp-2019"]);
}

#[test]
fn every_figure_explains_itself_and_rulebooks_are_compared() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let explain = |solver: &str, ranking: &str| {
        world.json(&[
            "score",
            "--rules",
            "smtcomp-2019",
            "results.csv",
            "--explain",
            "QF_BV",
            solver,
            "--ranking",
            ranking,
            "--format",
            "json",
        ])
    };
    let parts = explain("Two", "sequential");
    let why: Vec<&str> = parts.as_array().unwrap().iter().map(|part| part["why"].as_str().unwrap()).collect();
    assert!(why[0].starts_with("wrong (R19-7.1)") && why[1].contains("over the limit"), "{why:?}");
    // What is listed adds up to the line.
    let scores = world.json(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "json"]);
    for (solver, ranking) in [("One", "parallel"), ("Two", "parallel"), ("Two", "sat"), ("One", "24s")] {
        let parts = explain(solver, ranking);
        for column in ["error", "correct", "wall", "cpu"] {
            let sum: f64 = parts.as_array().unwrap().iter().map(|part| part[column].as_f64().unwrap()).sum();
            let shown = line(&scores, "QF_BV", ranking, solver)[column].as_f64().unwrap();
            assert!((sum - shown).abs() < 1e-6, "{solver} {ranking} {column}: {sum} {shown}");
        }
    }
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv", "--explain", "QF_BV", "Three"], 2, &["'Three'"]);
    // Errors count first in 2019; in 2008 they cost eight points, so One is first under both, and nobody wins in 2008.
    let both = ["score", "--rules", "smtcomp-2019", "--rules", "smtcomp-2008", "results.csv", "--diff"];
    let diff = world.run(&both);
    assert_eq!(diff.code, 1, "{diff:?}");
    assert!(diff.stdout.contains("no longer"), "{diff:?}");
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv", "--diff"], 2, &["two rulebooks"]);
}

#[test]
fn malformed_lines_are_named_and_never_guessed() {
    let world = World::new(AGON);
    let good = ["QF_BV/f/a.smt2", "One", "complete", "1", "1", "sat", "sat"];
    let with = |at: usize, cell: &'static str| {
        let mut row = good;
        row[at] = cell;
        row
    };
    for (row, message) in [
        (good, "One has another run on QF_BV/f/a.smt2"),
        (with(0, "a.smt2"), "names a logic"),
        (with(2, "exploded"), "unknown status 'exploded'"),
        (with(3, "-3"), "the CPU time '-3' is negative"),
        (with(4, ""), "the wall-clock time '' is not a time"),
        (with(5, "maybe"), "unknown result 'maybe'"),
        (with(6, "perhaps"), "unknown status 'perhaps'"),
        (["QF_BV/f/a.smt2", "Two", "complete", "1", "1", "sat", "unsat"], "expected to be unsat here"),
        (["QF_BV/f/a.smt2", "", "complete", "1", "1", "sat", "sat"], "the solver has no name"),
    ] {
        world.write("results.csv", &starexec(&[good, row]));
        let words = ["score", "--rules", "smtcomp-2019", "results.csv"];
        world.fails(&words, 1, &["results.csv:3: ", message, "1 malformed line (1 run read)", "--set-aside"]);
        let kept = world.run(&[&words[..], &["--set-aside", "--format", "json"]].concat());
        assert_eq!(kept.code, 0, "{kept:?}");
        assert!(kept.stderr.contains("1 malformed line set aside; 1 run read"), "{kept:?}");
    }
    // Half a line, half a compressed file, another track, nothing, something else.
    let text = two_solvers();
    world.write("half.csv", &text[..text.len() - 30]);
    world.fails(&["score", "--rules", "smtcomp-2019", "half.csv"], 1, &["half.csv:7: the line has"]);
    world.write("results.csv", &text);
    let packed = std::process::Command::new("gzip").arg("-k").arg(world.path().join("results.csv")).status().unwrap();
    assert!(packed.success());
    let bytes = std::fs::read(world.path().join("results.csv.gz")).unwrap();
    std::fs::write(world.path().join("cut.csv.gz"), &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(world.run(&["score", "--rules", "smtcomp-2019", "results.csv.gz"]).code, 0);
    world.fails(&["score", "--rules", "smtcomp-2019", "cut.csv.gz"], 1, &["the file is incomplete from here on"]);
    world.write("incremental.csv", &text.replace("result,expected", "wrong-answers,correct-answers"));
    let mixed = ["score", "--rules", "smtcomp-2019", "results.csv", "incremental.csv"];
    world.fails(&mixed, 1, &["incremental.csv"]);
    world.write("empty.csv", "");
    world.fails(&["score", "--rules", "smtcomp-2019", "empty.csv"], 1, &["empty.csv", "it is empty"]);
    world.write("other.csv", "a,b,c\n1,2,3\n");
    world.fails(&["score", "--rules", "smtcomp-2019", "other.csv"], 1, &["its first line is 'a,b,c'"]);
    world.fails(&["score", "--rules", "smtcomp-2019", "absent.csv"], 2, &["absent.csv"]);
    world.write("broken.json", "{\"results\": [{\"track\": \"SingleQuery\", \"solver\": \"X\"");
    world.fails(
        &["score", "--rules", "smtcomp-2024", "broken.json"],
        1,
        &["broken.json:1", "cannot be read from here on"],
    );
    world.write("broken.xml", "<result tool=\"X\"><run name=\"QF_BV/a.smt2\"><column title=\"status\"");
    world.fails(&["score", "--rules", "smtcomp-2024", "broken.xml"], 1, &["broken.xml:1"]);
    // A registry that does not know a solver.
    world.write("solvers.csv", "Solver ID,Solver Name,Competing,Variant Of\n8,Other,yes,\n");
    let words = ["score", "--rules", "smtcomp-2019", "results.csv", "solvers.csv"];
    world.fails(&words, 1, &["the solver 'One' (id 9, configuration 11) is in no registry"]);
}

#[test]
fn what_is_exported_is_imported_again() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let told = world.ok(&["import", "starexec", "results.csv", "--to", "own.csv"]);
    assert!(told.contains("Two"), "{told}");
    let scores = |file: &str| world.json(&["score", "--rules", "smtcomp-2019", file, "--format", "json"]);
    assert_eq!(scores("results.csv"), scores("own.csv"));
    world.fails(&["import", "benchexec", "results.csv"], 2, &[".xml"]);
    // The same results as BenchExec would write them.
    let run = |name: &str, status: &str, cpu: &str, wall: &str, expected: &str| {
        format!(
            "<run name=\"{name}\" expectedVerdict=\"{expected}\">\n<column title=\"status\" value=\"{status}\"/>\n\
             <column title=\"cputime\" value=\"{cpu}s\"/><column title=\"walltime\" value=\"{wall}s\"/></run>\n"
        )
    };
    let xml = [
        "<?xml version=\"1.0\"?>\n<result tool=\"Two\" version=\"\">\n",
        &run("../bench/QF_BV/f/a.smt2", "false", "3", "3", "true"),
        &run("../bench/QF_BV/f/b.smt2", "false", "2500", "700", ""),
        &run("../bench/QF_LIA/f/a.smt2", "TIMEOUT", "0.5", "0.5", "false"),
        "</result>\n",
    ];
    world.write("two.xml", &xml.concat());
    let benchexec = scores("two.xml");
    assert_eq!(line(&benchexec, "QF_BV", "parallel", "Two"), line(&scores_of_two(&world), "QF_BV", "parallel", "Two"));
    assert_eq!(line(&benchexec, "QF_LIA", "parallel", "Two")["timeout"], 1);
}

/// Of the solver Two alone.
fn scores_of_two(world: &World) -> Value {
    let rows: String =
        two_solvers().lines().filter(|line| !line.contains(",One,")).map(|line| format!("{line}\n")).collect();
    world.write("two.csv", &rows);
    world.json(&["score", "--rules", "smtcomp-2019", "two.csv", "--format", "json"])
}

#[test]
fn the_json_of_the_competition_since_2024_is_read() {
    let world = World::new(AGON);
    let result = |solver: &str, name: &str, result: &str, wall: f64, answers: u64| {
        format!(
            "{{\"track\":\"Incremental\",\"solver\":\"{solver}\",\"file\":{{\"incremental\":true,\"logic\":\"QF_UF\",\
             \"family\":[\"f\",\"g\"],\"name\":\"{name}\"}},\"result\":\"{result}\",\"cpu_time\":{wall},\
             \"wallclock_time\":{wall},\"memory_usage\":0.0,\"nb_answers\":{answers}}}"
        )
    };
    let results = [
        result("One", "a.smt2", "incremental", 3.5, 7),
        result("Two", "a.smt2", "Timeout", 1200.5, 5),
        result("Two", "b.smt2", "OutOfMemory", 30.0, 0),
    ];
    world.write("results.json", &format!("{{\"results\":[{}]}}", results.join(",")));
    world.write(
        "benchmarks.json",
        "{\"incremental\":[{\"file\":{\"incremental\":true,\"logic\":\"QF_UF\",\"family\":[\"f\",\"g\"],\
         \"name\":\"a.smt2\"},\"check_sats\":9}],\"non_incremental\":[]}",
    );
    world.write("one.json", "{\"name\":\"One\",\"competitive\":false,\"contributors\":[\"X\"]}");
    world.write("two.json", "{\"name\":\"Two\",\"seed\":\"17\"}");
    let words = ["score", "--rules", "smtcomp-2024", "--track", "incremental", "--format", "json"];
    let files = ["results.json", "benchmarks.json", "one.json", "two.json"];
    let scores = world.json(&[&words[..], &files[..]].concat());
    let (one, two) = (line(&scores, "QF_Equality", "parallel", "One"), line(&scores, "QF_Equality", "parallel", "Two"));
    assert_eq!((&one["correct"], &one["unsolved"], &one["competing"]), (&7.into(), &2.into(), &false.into()));
    assert_eq!((&two["correct"], &two["timeout"], &two["memout"]), (&5.into(), &1.into(), &1.into()));
}

#[test]
fn two_result_sets_are_compared_pair_by_pair() {
    let world = World::new(AGON);
    world.write("old.csv", &two_solvers());
    let new = starexec(&[
        ["QF_BV/f/a.smt2", "One", "complete", "1.5", "9.25", "sat", "sat"],
        ["QF_BV/f/a.smt2", "Two", "complete", "3", "3", "sat", "sat"],
        ["QF_BV/f/b.smt2", "One", "complete", "24", "24", "sat", "starexec-unknown"],
        ["QF_BV/f/b.smt2", "Two", "complete", "25", "7", "sat", "starexec-unknown"],
        ["QF_LIA/f/a.smt2", "One", "complete", "10", "9", "sat", "unsat"],
        ["QF_LIA/f/a.smt2", "Two", "memout", "0.5", "0.5", "starexec-unknown", "unsat"],
    ]);
    world.write("new.csv", &new);
    let ran = world.run(&["compare", "old.csv", "new.csv", "--format", "json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    let changes: Vec<String> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}", row["solver"], row["benchmark"], row["change"]).replace('"', ""))
        .collect();
    assert_eq!(
        changes,
        [
            "One QF_BV/f/a.smt2 slower",
            "One QF_BV/f/b.smt2 gained",
            "One QF_LIA/f/a.smt2 wrong",
            "Two QF_BV/f/a.smt2 mended",
            "Two QF_BV/f/b.smt2 disagreement",
            "Two QF_LIA/f/a.smt2 lost",
        ]
    );
    let same = world.run(&["compare", "old.csv", "old.csv"]);
    assert_eq!((same.code, same.stderr.contains("0 lost")), (0, true), "{same:?}");
    world.fails(&["compare", "old.csv", "new.csv", "--from", "One", "--to", "Nobody"], 2, &["'Nobody'", "One, Two"]);
}

#[test]
fn regressions_in_scores_of_files() {
    let world = World::new(AGON);
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected\n";
    let score =
        |rules: &str, files: &[&str]| world.json(&[&["score", "--rules", rules, "--format", "json"], files].concat());
    // Equal weights are equal sums, in whatever order the runs come.
    let mut rows: Vec<String> = (0..17)
        .flat_map(|at| {
            let family = ["a", "b", "c"][at % 3];
            ["slow,complete,9,9", "fast,complete,1,1"].map(|run| format!("QF_BV/{family}/{at}.smt2,{run},sat,sat\n"))
        })
        .collect();
    for _ in 0..4 {
        world.write("families.csv", &(headings.to_owned() + &rows.concat()));
        assert_eq!(score("smtcomp-2018", &["families.csv"])["divisions"][0]["winners"]["parallel"], "fast");
        rows.rotate_left(5);
        rows.reverse();
    }
    // What is excluded weighs nothing.
    world.write(
        "excluded.csv",
        &(headings.to_owned()
            + "QF_BV/f/a.smt2,A,complete,1,1,sat,sat\nQF_BV/f/b.smt2,A,complete,1,1,sat,sat\nQF_BV/g/c.smt2,A,complete,1,1,sat,sat\n"),
    );
    world.write("list.txt", "non-incremental/QF_BV/f/b.smt2\n");
    let weighed = score("smtcomp-2018", &["excluded.csv", "list.txt"]);
    assert_eq!(line(&weighed, "QF_BV", "parallel", "A")["weighted"][1], 2.0);
    // A derived solver needs a margin, from files too.
    world.write(
        "derived.csv",
        &(headings.to_owned()
            + "QF_BV/a.smt2,D,complete,30,30,sat,sat\nQF_BV/a.smt2,Base,complete,31,31,sat,sat\nQF_BV/a.smt2,O,complete,60,60,sat,sat\n"),
    );
    world.write("d.json", "{\"name\":\"D\",\"base_solver\":\"Base\"}");
    world.write("base.json", "{\"name\":\"Base\",\"competitive\":false}");
    world.write("o.json", "{\"name\":\"O\"}");
    let derived = score("smtcomp-2026", &["derived.csv", "d.json", "base.json", "o.json"]);
    assert_eq!(derived["divisions"][0]["winners"]["parallel"], "O");
    // Divisions of other names are compared logic by logic.
    world.write("two.csv", &two_solvers());
    let diff = world.run(&["score", "--rules", "smtcomp-2008", "--rules", "smtcomp-2023", "--diff", "two.csv"]);
    assert_eq!((diff.code, diff.stdout.contains("QF_LIA")), (1, true), "{diff:?}");
    // Several rulebooks are one document.
    let both =
        world.json(&["score", "--rules", "smtcomp-2019", "--rules", "smtcomp-2020", "two.csv", "--format", "json"]);
    assert_eq!(both.as_array().unwrap().len(), 2);
    // Results of one track are not scored as those of another.
    world.fails(
        &["score", "--rules", "smtcomp-2019", "--track", "unsat-core", "two.csv"],
        2,
        &["results of the single-query track", "--track single-query"],
    );
    for (name, text, message) in [
        (
            "quote.csv",
            "QF_BV/a.smt2,\"A,complete,1,1,sat,sat\nQF_BV/b.smt2,A,complete,1,1,sat,sat\n",
            "a quotation mark is not closed",
        ),
        ("cells.csv", "QF_BV/a.smt2,A,complete,1,1,sat,sat,more\n", "has 8 cells"),
        ("long.csv", "QF_BV/a.smt2,A,complete,1,1e300,sat,sat\n", "is not a time"),
        ("name.csv", "QF_BV/a.smt2,A\u{1b}[2J,complete,1,1,sat,sat\n", "control characters"),
    ] {
        world.write(name, &(headings.to_owned() + text));
        world.fails(&["score", "--rules", "smtcomp-2019", name], 1, &[name, message]);
    }
    for (name, text, message) in [
        ("tail.json", "{\"name\":\"A\"} garbage", "trailing"),
        ("none.json", "{\"foo\":1}", "no results"),
        ("cut.xml", "<result tool=\"A\"><run name=\"QF_BV/a.smt2\"/>", "ends before </result>"),
        ("one.csv", "Solver Name,Competing\n,yes\n", "the solver has no name"),
        (
            "twice.csv",
            "benchmark,solver,status,cpu time,wallclock time,result,result\n",
            "two of its columns are called 'result'",
        ),
    ] {
        world.write(name, text);
        world.fails(&["score", "--rules", "smtcomp-2019", "two.csv", name], 1, &[name, message]);
    }
}

#[test]
fn rulebooks_are_listed_shown_and_compared() {
    let world = World::new(AGON);
    let list = world.ok(&["rules", "list"]);
    for name in ["smtcomp-2007", "smtcomp-2011-application", "smtcomp-2026", "slcomp-2018"] {
        assert!(list.contains(name), "{list}");
    }
    let shown = world.ok(&["rules", "show", "smtcomp-2023"]);
    assert!(shown.contains("[tracks.single-query.limits]") && shown.contains("time = \"solved\""), "{shown}");
    let diff = world.run(&["rules", "diff", "smtcomp-2019", "smtcomp-2020"]);
    assert_eq!(diff.code, 1);
    assert!(diff.stdout.contains("tracks.single-query.limits.wall_s"), "{diff:?}");
    assert_eq!(world.run(&["rules", "diff", "smtcomp-2019", "smtcomp-2019"]).code, 0);
    world.fails(&["rules", "show", "smtcomp-1066"], 2, &["smtcomp-2019"]);
}
