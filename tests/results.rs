//! Scoring, explaining, comparing, importing and exporting results files, including malformed ones.

use agon_testkit::World;
use serde_json::Value;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const HEADINGS: &str = "pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,\
    wallclock time,memory usage,result,expected\n";

/// A StarExec table with rows of benchmark, solver, status, CPU time, wall time, result, expected.
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
fn a_starexec_table_is_scored_under_different_rulebooks() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let scores = world.json(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "json"]);
    assert_eq!(scores["track"], "single-query");
    let one = line(&scores, "QF_BV", "parallel", "One");
    assert_eq!((&one["correct"], &one["error"], &one["rank"]), (&1.into(), &0.into(), &1.into()));
    assert_eq!((&one["timeout"], &one["wall"]), (&1.into(), &2401.25.into()));
    // A correct answer that exceeds the CPU limit does not count in the sequential ranking.
    assert_eq!(line(&scores, "QF_BV", "parallel", "Two")["correct"], 1);
    assert_eq!(line(&scores, "QF_BV", "sequential", "Two")["correct"], 0);
    let points = world.json(&["score", "--rules", "smtcomp-2008", "results.csv", "--format", "json"]);
    assert_eq!(line(&points, "QF_BV", "sequential", "Two")["points"], -8);
    // In 2008 a winner needs three research groups; here are two.
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
fn scores_are_explained_and_rulebooks_are_compared() {
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
    // The listed parts add up to the row of the ranking.
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
fn malformed_lines_are_reported_and_not_guessed() {
    let world = World::new(AGON);
    let good = ["QF_BV/f/a.smt2", "One", "complete", "1", "1", "sat", "sat"];
    let with = |at: usize, cell: &'static str| {
        let mut row = good;
        row[at] = cell;
        row
    };
    for (row, message) in [
        (good, "duplicate run of One on QF_BV/f/a.smt2"),
        (with(0, "a.smt2"), "names a logic"),
        (with(2, "exploded"), "unknown status 'exploded'"),
        (with(3, "-3"), "the CPU time '-3' is negative"),
        (with(4, ""), "the wall-clock time '' is not a time"),
        (with(5, "maybe"), "unknown result 'maybe'"),
        (with(6, "perhaps"), "unknown status 'perhaps'"),
        (["QF_BV/f/a.smt2", "Two", "complete", "1", "1", "sat", "unsat"], "expected to be unsat here"),
        (["QF_BV/f/a.smt2", "", "complete", "1", "1", "sat", "sat"], "the name of the solver is empty"),
    ] {
        world.write("results.csv", &starexec(&[good, row]));
        let words = ["score", "--rules", "smtcomp-2019", "results.csv"];
        world.fails(&words, 1, &["results.csv:3: ", message, "1 malformed line (1 run read)", "--set-aside"]);
        let kept = world.run(&[&words[..], &["--set-aside", "--format", "json"]].concat());
        assert_eq!(kept.code, 0, "{kept:?}");
        assert!(kept.stderr.contains("1 malformed line set aside; 1 run read"), "{kept:?}");
    }
    // A truncated line, a truncated compressed file, another track, an empty file, another kind of table.
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
    // A registry without one of the solvers.
    world.write("solvers.csv", "Solver ID,Solver Name,Competing,Variant Of\n8,Other,yes,\n");
    let words = ["score", "--rules", "smtcomp-2019", "results.csv", "solvers.csv"];
    world.fails(&words, 1, &["the solver 'One' (id 9, configuration 11) is not in any registry"]);
}

#[test]
fn imported_and_exported_results_have_the_same_scores() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let told = world.ok(&["import", "starexec", "results.csv", "--to", "own.csv"]);
    assert!(told.contains("Two"), "{told}");
    let scores = |file: &str| world.json(&["score", "--rules", "smtcomp-2019", file, "--format", "json"]);
    assert_eq!(scores("results.csv"), scores("own.csv"));
    world.fails(&["import", "benchexec", "results.csv"], 2, &[".xml"]);
    // The same results in BenchExec's format.
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

/// The scores of the solver Two alone.
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
            "Two QF_BV/f/a.smt2 fixed",
            "Two QF_BV/f/b.smt2 disagreement",
            "Two QF_LIA/f/a.smt2 lost",
        ]
    );
    let same = world.run(&["compare", "old.csv", "old.csv"]);
    assert_eq!((same.code, same.stderr.contains("0 lost")), (0, true), "{same:?}");
    world.fails(&["compare", "old.csv", "new.csv", "--from", "One", "--to", "Nobody"], 2, &["'Nobody'", "One, Two"]);
}

#[test]
fn former_bugs_in_scoring_files_stay_fixed() {
    let world = World::new(AGON);
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected\n";
    let score =
        |rules: &str, files: &[&str]| world.json(&[&["score", "--rules", rules, "--format", "json"], files].concat());
    // Equal weights have equal sums, whatever the order of the runs.
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
    // Excluded benchmarks have no weight.
    world.write(
        "excluded.csv",
        &(headings.to_owned()
            + "QF_BV/f/a.smt2,A,complete,1,1,sat,sat\nQF_BV/f/b.smt2,A,complete,1,1,sat,sat\nQF_BV/g/c.smt2,A,complete,1,1,sat,sat\n"),
    );
    world.write("list.txt", "non-incremental/QF_BV/f/b.smt2\n");
    let weighed = score("smtcomp-2018", &["excluded.csv", "list.txt"]);
    assert_eq!(line(&weighed, "QF_BV", "parallel", "A")["weighted"][1], 2.0);
    // A derived solver needs a margin over its base solver, for results files too.
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
    // Divisions with different names are compared by logic.
    world.write("two.csv", &two_solvers());
    let diff = world.run(&["score", "--rules", "smtcomp-2008", "--rules", "smtcomp-2023", "--diff", "two.csv"]);
    assert_eq!((diff.code, diff.stdout.contains("QF_LIA")), (1, true), "{diff:?}");
    // Several rulebooks make one JSON document.
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
        ("one.csv", "Solver Name,Competing\n,yes\n", "the name of the solver is empty"),
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

/// A table of these lines, with the StarExec columns that scoring needs.
fn plain_table(lines: &[&str]) -> String {
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected";
    [&[headings], lines].concat().join("\n") + "\n"
}

#[test]
fn messages_have_the_line_number_in_every_format() {
    let world = World::new(AGON);
    let good = "QF_BV/a.smt2,A,complete,1,1,sat,sat";
    let other = "QF_BV/b.smt2,A,complete,1,1,sat,sat";
    // Each bad line is the fifth of its file: after the headings, a good line, a blank line and another good line.
    for bad in [
        "QF_BV/c.smt2,A,exploded,1,1,sat,sat",
        "QF_BV/c.smt2,A,complete,x,1,sat,sat",
        "QF_BV/c.smt2,A,complete,1,x,sat,sat",
        "QF_BV/c.smt2,A,complete,1,1,maybe,sat",
        "QF_BV/c.smt2,A,complete,1,1,sat,perhaps",
        "QF_BV/c.smt2,,complete,1,1,sat,sat",
        "c.smt2,A,complete,1,1,sat,sat",
        "QF_BV/c.smt2,A,complete,1,1,sat",
        "QF_BV/a.smt2,A,complete,2,2,sat,sat",
        "QF_BV/a.smt2,B,complete,2,2,sat,unsat",
    ] {
        let text = plain_table(&[good, "", other, bad]);
        for (kind, end) in [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")] {
            let file = format!("{kind}.csv");
            world.write(&file, &text.replace('\n', end));
            world.fails(&["score", "--rules", "smtcomp-2019", &file], 1, &[&format!("{file}:5: ")]);
        }
    }
    // A solver that is in no registry, a benchmark that is in no table of benchmarks, lists with malformed lines.
    world.write(
        "results.csv",
        &plain_table(&[good, other, "QF_BV/c.smt2,B,complete,1,1,sat,sat"]).replace('\n', "\r\n"),
    );
    world.write("solvers.csv", "Solver ID,Solver Name,Competing,Variant Of\r\n8,A,yes,\r\n");
    let score = |files: &[&str], words: &[&str]| {
        world.fails(&[&["score", "--rules", "smtcomp-2019"], files].concat(), 1, words);
    };
    score(&["results.csv", "solvers.csv"], &["results.csv:4: the solver 'B'"]);
    world.write(
        "pairs.csv",
        "benchmark_id,configuration_id,cpu_time,wallclock_time,result\r\n1,7,1,1,sat\r\n\r\n2,7,1,1,sat\r\n",
    );
    world.write(
        "benchmarks.csv",
        "benchmark_id,benchmark,logic,division,expected\r\n1,QF_BV/a.smt2,QF_BV,QF_BV,sat\r\n",
    );
    score(&["pairs.csv", "benchmarks.csv"], &["pairs.csv:4: benchmark 2 is not in any table"]);
    world.write("ids.csv", "benchmark_id,benchmark,logic,division,expected\r\n\r\nx,QF_BV/a.smt2,QF_BV,QF_BV,sat\r\n");
    score(&["pairs.csv", "benchmarks.csv", "ids.csv"], &["ids.csv:3: "]);
    world.write("registry.csv", "Solver Name,Competing\r\n\r\nA,perhaps\r\n");
    score(&["results.csv", "registry.csv"], &["registry.csv:3: Competing must be yes or no, not 'perhaps'"]);
    world.write("queries.csv", "benchmark,num_check_sat\r\n\r\nQF_BV/a.smt2,many\r\n");
    score(&["results.csv", "queries.csv"], &["queries.csv:3: "]);
    world.write("decided.csv", "benchmark,status\r\n\r\nQF_BV/a.smt2,maybe\r\n");
    score(&["results.csv", "decided.csv"], &["decided.csv:3: "]);
    world.write(
        "quote.csv",
        &plain_table(&[good, "", "\"QF_BV/b.smt2,A,complete,1,1,sat,sat", other]).replace('\n', "\r\n"),
    );
    score(&["quote.csv"], &["quote.csv:4: a cell spans several lines"]);
    // JSON on several lines and on a single line, and XML.
    let entry = |solver: &str, result: &str| {
        format!(
            "{{\"track\":\"SingleQuery\",\"solver\":\"{solver}\",\"file\":{{\"logic\":\"QF_BV\",\"family\":[],\"name\":\"a.smt2\"}},\
             \"result\":\"{result}\",\"cpu_time\":1,\"wallclock_time\":1}}"
        )
    };
    let json = format!("{{\"results\":[\r\n\r\n{},\r\n{}\r\n]}}", entry("A", "sat"), entry("B", "odd"));
    world.write("lines.json", &json);
    let rules = ["score", "--rules", "smtcomp-2024"];
    world.fails(&[&rules[..], &["lines.json"]].concat(), 1, &["lines.json:4: entry 2: unknown result 'odd'"]);
    world.write("line.json", &json.replace("\r\n", ""));
    world.fails(&[&rules[..], &["line.json"]].concat(), 1, &["line.json:1: entry 2: unknown result 'odd'"]);
    let run = "<run name=\"QF_BV/a.smt2\">\r\n<column title=\"status\" value=\"odd\"/>\r\n\
        <column title=\"cputime\" value=\"1s\"/>\r\n<column title=\"walltime\" value=\"1s\"/>\r\n</run>\r\n";
    world.write("runs.xml", &format!("<?xml version=\"1.0\"?>\r\n\r\n<result tool=\"A\">\r\n{run}</result>\r\n"));
    world.fails(&[&rules[..], &["runs.xml"]].concat(), 1, &["runs.xml:4: ", "unknown status 'odd'"]);
    // The tables that `agon select` reads.
    world.write("list.txt", "QF_BV/f/a.smt2\n");
    world.write("facts.csv", "benchmark,status,number of asserts\r\n\r\nQF_BV/f/a.smt2,sat,many\r\n");
    let select = ["select", "--rules", "smtcomp-2019", "--seed", "1", "--benchmarks", "list.txt"];
    world.fails(&[&select[..], &["--facts", "facts.csv"]].concat(), 1, &["facts.csv:3: "]);
    world.write("difficulty.csv", "benchmark,difficulty\r\n\r\nQF_BV/f/a.smt2,hard\r\n");
    world.fails(&[&select[..], &["--difficulty", "difficulty.csv"]].concat(), 1, &["difficulty.csv:3: "]);
    world.fails(&[&select[..], &["--results", "lf.csv"]].concat(), 1, &["lf.csv:5: "]);
}

#[test]
fn directories_patterns_and_archives_are_expanded_to_their_files() {
    let world = World::new(AGON);
    let path = |name: &str| world.path().join(name);
    std::fs::create_dir_all(path("jobs/more")).unwrap();
    let line = |solver: &str, name: &str| format!("QF_BV/f/{name}.smt2,{solver},complete,0.1,0.1,sat,sat");
    world.write("jobs/a.csv", &plain_table(&[&line("A", "x"), &line("A", "y")]));
    world.write("jobs/more/b.csv", &plain_table(&[&line("B", "x"), &line("B", "y")]));
    let pack = |program: &str, words: &[&str]| {
        let status = std::process::Command::new(program).args(words).current_dir(world.path()).status().unwrap();
        assert!(status.success(), "{program} {words:?}");
    };
    pack("tar", &["-czf", "jobs.tar.gz", "jobs"]);
    pack("tar", &["-cf", "jobs.tar", "jobs"]);
    pack("python3", &["-c", "import shutil; shutil.make_archive('jobs', 'zip', '.', 'jobs')"]);
    pack("xz", &["-k", "jobs/a.csv"]);
    pack("mv", &["jobs/a.csv.xz", "."]);
    // In a directory, a file that is not a results file is skipped with a message.
    world.write("jobs/README.txt", "These are the jobs.\n");
    let score = |files: &[&str]| {
        let ran = world.run(&[&["score", "--rules", "smtcomp-2019", "--format", "json"], files].concat());
        assert_eq!(ran.code, 0, "{files:?} {ran:?}");
        ran.stdout
    };
    let expected = score(&["jobs/a.csv", "jobs/more/b.csv"]);
    for files in [&["jobs"][..], &["jobs/**/*.csv"], &["jobs.zip"], &["jobs.tar.gz"], &["jobs.tar"]] {
        assert_eq!(score(files), expected, "{files:?}");
    }
    let skipped = world.run(&["score", "--rules", "smtcomp-2019", "jobs"]);
    assert!(skipped.stderr.contains("jobs/README.txt: skipped, not a results file"), "{skipped:?}");
    // Named explicitly, it is an error, which --set-aside skips.
    let files = ["score", "--rules", "smtcomp-2019", "jobs/a.csv", "jobs/README.txt"];
    world.fails(&files, 1, &["jobs/README.txt:1: not a results file"]);
    assert_eq!(world.run(&[&files[..], &["--set-aside"]].concat()).code, 0);
    world.fails(&["score", "--rules", "smtcomp-2019", "none/*.csv"], 1, &["no file matches this pattern"]);
    // `agon select` and `agon library difficulty` read results in the same way.
    world.write("list.txt", "QF_BV/f/x.smt2\nQF_BV/f/y.smt2\nQF_BV/f/z.smt2\n");
    for results in ["jobs", "jobs/**/*.csv", "jobs.zip", "jobs.tar.gz"] {
        let words =
            ["select", "--rules", "smtcomp-2019", "--seed", "1", "--benchmarks", "list.txt", "--results", results];
        let selected = world.ok(&[&words[..], &["--format", "json"]].concat());
        assert!(selected.contains("\"QF_BV\""), "{selected}");
        let list = world.ok(&[&words[..], &["--list"]].concat());
        assert!(list.contains("z.smt2") && !list.contains("x.smt2"), "{results}: {list}");
        let rated = world.ok(&["library", "difficulty", results, "--format", "json"]);
        assert_eq!(serde_json::from_str::<Value>(&rated).unwrap()[0]["total"], 2, "{results}: {rated}");
    }
    let packed =
        ["select", "--rules", "smtcomp-2019", "--seed", "1", "--benchmarks", "list.txt", "--results", "a.csv.xz"];
    assert_eq!(world.run(&packed).code, 0);
    assert_eq!(world.run(&["compare", "jobs", "jobs.zip"]).code, 0);
}

#[test]
fn a_time_of_minus_one_means_not_measured() {
    let world = World::new(AGON);
    world.write(
        "results.csv",
        &plain_table(&["QF_BV/a.smt2,A,complete,-1,3,sat,sat", "QF_BV/b.smt2,A,complete,-1.0,4,sat,sat"]),
    );
    let ran = world.run(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("2 runs have no CPU time (-1)"), "{ran:?}");
    let scores: Value = serde_json::from_str(&ran.stdout).unwrap();
    let one = line(&scores, "QF_BV", "parallel", "A");
    assert_eq!((&one["correct"], &one["wall"], &one["cpu"]), (&2.into(), &7.0.into(), &0.0.into()));
    let json = "{\"results\":[{\"track\":\"SingleQuery\",\"solver\":\"A\",\"file\":{\"logic\":\"QF_BV\",\"name\":\"a.smt2\"},\
        \"result\":\"sat\",\"cpu_time\":-1,\"wallclock_time\":2}]}";
    world.write("results.json", json);
    let ran = world.run(&["score", "--rules", "smtcomp-2024", "results.json"]);
    assert!(ran.code == 0 && ran.stderr.contains("1 runs have no CPU time"), "{ran:?}");
    world.write("negative.csv", &plain_table(&["QF_BV/a.smt2,A,complete,-2,3,sat,sat"]));
    world.fails(&["score", "--rules", "smtcomp-2019", "negative.csv"], 1, &["negative.csv:2: ", "is negative"]);
}

#[test]
fn a_registered_solver_without_runs_keeps_its_row() {
    let world = World::new(AGON);
    world.write(
        "results.csv",
        &plain_table(&["QF_BV/a.smt2,A,complete,1,1,sat,sat", "LIA/a.smt2,A,complete,1,1,sat,sat"]),
    );
    let registry = "Solver Name,Competing,Single Query Track,Incremental Track\n\
        A,yes,QF_BV;LIA,\nB,yes,QF_BV;UF,\nC,yes,,QF_BV\n";
    world.write("solvers.csv", registry);
    let rows = |files: &[&str], rules: &str, division: &str, more: &[&str]| -> Vec<String> {
        let words = [&["score", "--rules", rules, "--format", "json"], more, files].concat();
        let scores = world.json(&words);
        let divisions = scores["divisions"].as_array().unwrap();
        let found = divisions.iter().find(|found| found["name"] == division).unwrap();
        found["rankings"]["parallel"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["solver"].as_str().unwrap().to_owned())
            .collect()
    };
    let files = ["results.csv", "solvers.csv"];
    assert_eq!(rows(&files, "smtcomp-2019", "QF_BV", &[]), ["A", "B"]);
    assert_eq!(rows(&files, "smtcomp-2019", "LIA", &[]), ["A"]);
    // The published tables have no such rows.
    assert_eq!(rows(&files, "smtcomp-2019", "QF_BV", &["--as-published"]), ["A"]);
    let scores = world.json(&["score", "--rules", "smtcomp-2019", "--format", "json", "results.csv", "solvers.csv"]);
    assert_eq!(line(&scores, "QF_BV", "parallel", "B")["abstained"], 1);
    // Two teams entered, so the division is competitive.
    assert_eq!(
        scores["divisions"].as_array().unwrap().iter().find(|d| d["name"] == "QF_BV").unwrap()["competitive"],
        true
    );
    // Submissions list logics, a pattern, or divisions.
    world.write("a.json", "{\"name\":\"A\"}");
    for logics in ["\"logics\":[\"QF_BV\"]", "\"logics\":\"QF_(BV|FP)\"", "\"divisions\":[\"QF_Bitvec\"]"] {
        world.write(
            "b.json",
            &format!("{{\"name\":\"B\",\"participations\":[{{\"tracks\":[\"SingleQuery\"],{logics}}}]}}"),
        );
        let files = ["results.csv", "a.json", "b.json"];
        assert_eq!(rows(&files, "smtcomp-2024", "QF_Bitvec", &[]), ["A", "B"], "{logics}");
        assert_eq!(rows(&files, "smtcomp-2024", "Arith", &[]), ["A"], "{logics}");
    }
    world.write("b.json", "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"SingleQuery\"],\"logics\":\"(\"}]}");
    world.fails(
        &["score", "--rules", "smtcomp-2024", "results.csv", "a.json", "b.json"],
        1,
        &["b.json", "invalid pattern"],
    );
}

#[test]
fn missing_lists_are_reported_and_not_scored_as_zero() {
    let world = World::new(AGON);
    let result = |solver: &str, size: u64| {
        format!(
            "{{\"track\":\"UnsatCore\",\"solver\":\"{solver}\",\"file\":{{\"logic\":\"QF_UF\",\"name\":\"a.smt2\"}},\
             \"result\":\"unsat\",\"cpu_time\":1,\"wallclock_time\":1,\"nb_answers\":{size}}}"
        )
    };
    world.write("cores.json", &format!("{{\"results\":[{},{}]}}", result("A", 3), result("B", 5)));
    let words = ["score", "--rules", "smtcomp-2024", "--track", "unsat-core", "--format", "json", "cores.json"];
    world.fails(&words, 2, &["the number of assertions of 1 benchmarks is not known", "benchmarks-YEAR.json"]);
    world.fails(&["compare", "cores.json", "cores.json", "--from", "A", "--to", "B"], 2, &["number of assertions"]);
    let list = "{\"non_incremental\":[{\"file\":{\"logic\":\"QF_UF\",\"name\":\"a.smt2\"},\"asserts\":10}],\"incremental\":[]}";
    world.write("benchmarks.json", list);
    let scores = world.json(&[&words[..], &["benchmarks.json"]].concat());
    assert_eq!(line(&scores, "QF_Equality", "parallel", "A")["correct"], 7);
    let compared =
        world.run(&["compare", "cores.json", "cores.json", "--with", "benchmarks.json", "--from", "A", "--to", "B"]);
    assert!(compared.code == 1 && compared.stderr.contains("1 lost"), "{compared:?}");
    // Incremental results without numbers of queries, StarExec's ids without a registry, pairs without their
    // benchmarks.
    let queries = "benchmark,solver,status,cpu time,wallclock time,result,wrong-answers,correct-answers\n\
        QF_UF/a.smt2,A,complete,1,1,--,0,7\n";
    world.write("incremental.csv", queries);
    let words = ["score", "--rules", "smtcomp-2019", "--track", "incremental", "incremental.csv"];
    let noted = world.run(&words);
    assert!(noted.code == 0 && noted.stderr.contains("num_check_sat"), "{noted:?}");
    world.write("queries.csv", "benchmark,num_check_sat\nQF_UF/a.smt2,9\n");
    let complete = world.run(&[&words[..], &["queries.csv"]].concat());
    assert!(complete.code == 0 && !complete.stderr.contains("num_check_sat"), "{complete:?}");
    world.write("starexec.csv", &two_solvers());
    let noted = world.run(&["score", "--rules", "smtcomp-2019", "starexec.csv"]);
    assert!(noted.code == 0 && noted.stderr.contains("no registry of solvers was given"), "{noted:?}");
    world
        .write("pairs.csv", "benchmark_id,configuration_id,cpu_time,wallclock_time,result\n1,7,1,1,sat\n2,7,1,1,sat\n");
    world.fails(&["score", "--rules", "smtcomp-2022", "pairs.csv"], 2, &["pairs.csv", "add the table of benchmarks"]);
    // The message on duplicates suggests its own option.
    world.write(
        "twice.csv",
        &plain_table(&["QF_BV/a.smt2,A,complete,1,1,sat,sat", "QF_BV/a.smt2,A,complete,2,2,sat,sat"]),
    );
    world.fails(&["score", "--rules", "smtcomp-2019", "twice.csv"], 1, &["--count-duplicates"]);
}

#[test]
fn explanations_fit_the_track_and_suggest_names() {
    let world = World::new(AGON);
    let cores = "benchmark,solver,status,cpu time,wallclock time,result,expected,reduction,result-is-erroneous\n\
        AUFLIA/a.smt2,CVC4-uc,complete,1,1,unsat,unsat,0,0\nAUFLIA/b.smt2,CVC4-uc,complete,1,1,unsat,unsat,4,0\n\
        AUFLIA/c.smt2,CVC4-uc,complete,1,1,unsat,unsat,0,1\n";
    world.write("cores.csv", cores);
    let words = ["score", "--rules", "smtcomp-2019", "--track", "unsat-core", "cores.csv", "--explain"];
    let text = world.ok(&[&words[..], &["AUFLIA", "CVC4-uc"]].concat());
    for part in
        ["the core contains all assertions (R19-7.5)", "unsat, reduction 4", "unsat, refuted core", "wrong (R19-7.1)"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    world.fails(
        &[&words[..], &["AUFLIA", "cvc4-uc"]].concat(),
        2,
        &["did you mean CVC4-uc?", "its solvers are CVC4-uc"],
    );
    world.fails(&[&words[..], &["auflia", "CVC4-uc"]].concat(), 2, &["did you mean AUFLIA?"]);
    let queries = "benchmark,solver,status,cpu time,wallclock time,result,wrong-answers,correct-answers,num_check_sat\n\
        QF_UF/a.smt2,A,complete,1,1,--,0,7,9\nQF_UF/b.smt2,A,complete,1,1,--,1,0,9\n";
    world.write("queries.csv", queries);
    let words =
        ["score", "--rules", "smtcomp-2019", "--track", "incremental", "queries.csv", "--explain", "QF_UF", "A"];
    let text = world.ok(&words);
    for part in ["9 queries", "7 correct", "correct answers to queries (R19-7.4)", "0 correct, 1 wrong"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The diff names the rulebooks, and lists rankings that only one of them has once.
    world.write("results.csv", &two_solvers());
    let diff = world.run(&["score", "--rules", "smtcomp-2014", "--rules", "smtcomp-2019", "--diff", "results.csv"]);
    assert!(diff.stderr.contains("only smtcomp-2019 has these rankings: ") && diff.stderr.contains("24s"), "{diff:?}");
    assert!(diff.stderr.contains("no place and no winner differs") && diff.stdout.is_empty(), "{diff:?}");
    // By the points of 2008, twenty correct answers outweigh one wrong answer; by the rules of 2019 they do not.
    let paths: Vec<String> = (0..21).map(|at| format!("QF_BV/f/{at}.smt2")).collect();
    let mut rows: Vec<[&str; 7]> =
        paths.iter().map(|path| [path.as_str(), "Bold", "complete", "1", "1", "sat", "sat"]).collect();
    rows[20][5] = "unsat";
    rows.push([&paths[0], "Careful", "complete", "1", "1", "sat", "sat"]);
    world.write("bold.csv", &starexec(&rows));
    let diff = world.run(&["score", "--rules", "smtcomp-2008", "--rules", "smtcomp-2019", "--diff", "bold.csv"]);
    assert!(diff.stdout.contains("place smtcomp-2008") && diff.stdout.contains("place smtcomp-2019"), "{diff:?}");
    assert!(!diff.stdout.contains("24s"), "{diff:?}");
}

#[test]
fn a_site_is_made_from_imported_results() {
    let world = World::new(AGON);
    world.write("results.csv", &two_solvers());
    let words = ["report", "--from", "results.csv", "--rules", "smtcomp-2019", "--to", "site"];
    world.ok(&words);
    let read = |page: &str| std::fs::read_to_string(world.path().join("site").join(page)).unwrap();
    assert!(read("index.html").contains("QF_LIA"));
    assert!(read("solvers/Two.html").contains("QF_BV/f/b.smt2"));
    assert!(read("divisions/QF_BV.html").contains("One"));
    assert!(read("benchmarks/QF_BV/f/a.smt2.html").contains("unsat (wrong)"));
    // Its scores equal those of `agon score`.
    let scores: Value = serde_json::from_str(&read("data/scores.json")).unwrap();
    assert_eq!(scores, world.json(&["score", "--rules", "smtcomp-2019", "results.csv", "--format", "json"]));
    world.fails(&["report", "--from", "results.csv"], 2, &["--rules"]);
    world.fails(&["report", "--from", "none.csv", "--rules", "smtcomp-2019", "--to", "site"], 2, &["none.csv"]);
}
