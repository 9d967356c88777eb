//! Scores every edition whose data is still available from its raw results, and compares the scores cell by cell with
//! the published ones. The table of all comparisons is in docs/conformance.md; `AGON_BLESS=1` updates it.

use agon_domain::Track;
use agon_rulebook::{Logarithm, OverallRules, Rulebook};
use agon_testkit::{World, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The comparison of one edition and track.
struct Comparison {
    name: &'static str,
    compared: usize,
    equal: usize,
    /// The number of differing cells of each kind.
    different: BTreeMap<String, usize>,
    /// The first differing cell of each kind, for debugging.
    examples: BTreeMap<String, String>,
}

impl Comparison {
    fn new(name: &'static str) -> Self {
        Self { name, compared: 0, equal: 0, different: BTreeMap::new(), examples: BTreeMap::new() }
    }

    fn cell(&mut self, kind: &str, is_equal: bool, example: impl FnOnce() -> String) {
        self.compared += 1;
        if is_equal {
            self.equal += 1;
        } else {
            *self.different.entry(kind.to_owned()).or_default() += 1;
            self.examples.entry(kind.to_owned()).or_insert_with(example);
        }
    }

    /// Asserts that exactly the known differences occur.
    fn expect(self, known: &[(&str, usize)]) -> Self {
        let known: BTreeMap<String, usize> = known.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
        assert_eq!(self.different, known, "{}: {:#?}", self.name, self.examples);
        self
    }
}

fn load(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Whether two numbers are equal up to rounding. Published times are rounded, and a sum of binary fractions may fall on
/// either side of a half.
fn is_near(one: f64, other: f64, digits: i32) -> bool {
    (one - other).abs() <= 1.1 * 10_f64.powi(-digits)
}

struct Data {
    world: World,
    root: PathBuf,
}

impl Data {
    fn published(&self, year: u16, track: &str) -> Value {
        load(&self.root.join(format!("{year}/published/{track}.json")))
    }

    /// The scores of these files, computed with `--as-published`.
    fn scores(&self, rules: &str, track: &str, files: &[&str], options: &[&str]) -> Value {
        let files: Vec<String> = files.iter().map(|file| self.root.join(file).to_str().unwrap().to_owned()).collect();
        let mut words = vec!["score", "--rules", rules, "--track", track, "--as-published", "--format", "json"];
        words.extend(options);
        words.extend(files.iter().map(String::as_str));
        self.world.json(&words)
    }
}

fn find<'a>(groups: &'a Value, name: &str) -> Option<&'a Value> {
    list(groups).iter().find(|group| text(&group["name"]) == name)
}

/// The published columns of 2019 to 2023, and ours.
const COLUMNS: [(&str, &str); 11] = [
    ("error_score", "error"),
    ("correct_score", "correct"),
    ("cpu_time_score", "cpu"),
    ("wall_time_score", "wall"),
    ("solved", "solved"),
    ("solved_sat", "solved_sat"),
    ("solved_unsat", "solved_unsat"),
    ("unsolved", "unsolved"),
    ("abstained", "abstained"),
    ("timeout", "timeout"),
    ("memout", "memout"),
];

/// Compares an edition of 2019 to 2023: every division and logic, every ranking, the recognitions. If only some
/// divisions have raw data, `only` lists them.
fn modern(name: &'static str, published: &Value, own: &Value, only: Option<&[&str]>) -> Comparison {
    let mut all = Comparison::new(name);
    for (division, theirs) in entries(&published["divisions"]) {
        if only.is_some_and(|only| !only.contains(&division.as_str())) {
            continue;
        }
        let is_logic = text(&theirs["level"]) == "logic";
        let ours =
            if is_logic { find(&own["logics"], division) } else { None }.or_else(|| find(&own["divisions"], division));
        let Some(ours) = ours else {
            all.cell("division", false, || division.clone());
            continue;
        };
        all.cell("benchmarks", theirs["n_benchmarks"] == ours["benchmarks"], || division.clone());
        for (kind, rows) in entries(&theirs["scores"]) {
            let lines = &ours["rankings"][kind];
            let mut ranks = vec![];
            for row in list(rows) {
                let solver = text(&row["name"]);
                let Some(line) = list(lines).iter().find(|line| text(&line["solver"]) == solver) else {
                    all.cell("row", false, || format!("{division} {kind} {solver}"));
                    continue;
                };
                for (column, our) in COLUMNS.iter().filter(|(column, _)| row.get(column).is_some_and(Value::is_number))
                {
                    let (theirs, ours) = (number(&row[column]), number(&line[our]));
                    let is_equal = if column.contains("time_") { is_near(theirs, ours, 3) } else { theirs == ours };
                    all.cell(&format!("{kind} {our}"), is_equal, || format!("{division} {solver}: {theirs}, {ours}"));
                }
                all.cell("competing", row["competing"] == line["competing"], || format!("{division} {solver}"));
                ranks.push(line["rank"].as_u64());
            }
            // Solvers with equal scores share a rank, and their order is arbitrary.
            let is_ordered = ranks.is_sorted() && ranks.len() == list(lines).len();
            all.cell(&format!("{kind} order"), is_ordered, || format!("{division}: {ranks:?}"));
            let winner = text(&theirs["winners"][kind]);
            let same = winner == ours["winners"][kind].as_str().unwrap_or(if winner.is_empty() { "" } else { "-" });
            all.cell(&format!("{kind} winner"), same, || format!("{division}: {winner}"));
        }
    }
    if only.is_none() {
        for (theirs, ours) in [("biggest_lead", "biggest-lead"), ("largest_contribution", "largest-contribution")] {
            recognition(&mut all, ours, &published[theirs], &own["recognitions"][ours]);
        }
    }
    all
}

fn recognition(all: &mut Comparison, name: &str, published: &Value, own: &Value) {
    for (kind, rows) in entries(&published["rows"]) {
        let places = list(&own[kind]);
        all.cell(&format!("{kind} {name}"), places.len() == list(rows).len(), || places.len().to_string());
        for row in list(rows) {
            let place = places.iter().find(|place| place["division"] == row["division"]).cloned().unwrap_or_default();
            let same = |theirs: &str, ours: &str| {
                let (theirs, ours) = (number(&row[theirs]), number(&place[ours]));
                (theirs - ours).abs() <= 2e-8 * theirs.abs().max(1.0)
            };
            let is_equal =
                [place["solver"] == row["name"], same("correct_score", "correctness"), same("time_score", "time")];
            for is_equal in is_equal {
                all.cell(&format!("{kind} {name}"), is_equal, || format!("{row}, {place}"));
            }
        }
        let first =
            places.iter().find(|place| place["experimental"] == false).map_or("", |place| text(&place["solver"]));
        all.cell(&format!("{kind} {name}"), text(&published["winners"][kind]) == first, || first.to_owned());
    }
}

fn r2019(data: &Data) -> Vec<Comparison> {
    let solvers = "registry/solvers_2019.csv";
    let queries = "2019/raw/incremental-num-check-sat.csv.xz";
    let one = |name: &'static str, published: &str, track: &str, files: &[&str], only: Option<&[&str]>| {
        let own = data.scores("smtcomp-2019", track, files, &[]);
        modern(name, &data.published(2019, published), &own, only).expect(&[])
    };
    vec![
        one(
            "2019 single query, strings",
            "single-query",
            "single-query",
            &["2019/raw/single-query-strings.csv.xz", solvers],
            Some(&["QF_S", "QF_SLIA"]),
        ),
        one("2019 incremental", "incremental", "incremental", &["2019/raw/incremental.csv.xz", queries, solvers], None),
        one("2019 unsat core", "unsat-core", "unsat-core", &["2019/raw/unsat-core.csv.xz", solvers], None),
        one(
            "2019 model validation",
            "model-validation",
            "model-validation",
            &["2019/raw/model-validation.csv.xz", solvers],
            None,
        ),
        one(
            "2019 challenge, non-incremental",
            "challenge-non-incremental",
            "industry-challenge",
            &["2019/raw/challenge-non-incremental.csv.xz", solvers],
            None,
        ),
        one(
            "2019 challenge, incremental",
            "challenge-incremental",
            "industry-challenge",
            &["2019/raw/challenge-incremental.csv.xz", queries, solvers],
            None,
        ),
    ]
}

fn r2020(data: &Data) -> Vec<Comparison> {
    let solvers = "registry/solvers_2020.csv";
    let one = |name: &'static str, track: &str, files: &[&str]| {
        let own = data.scores("smtcomp-2020", track, files, &[]);
        modern(name, &data.published(2020, track), &own, None).expect(&[])
    };
    let queries = "2020/raw/incremental-num-check-sat.csv.xz";
    vec![
        one("2020 incremental", "incremental", &["2020/raw/incremental.csv.xz", queries, solvers]),
        one("2020 unsat core", "unsat-core", &["2020/raw/unsat-core.csv.xz", solvers]),
        one("2020 model validation", "model-validation", &["2020/raw/model-validation.csv.xz", solvers]),
    ]
}

fn r2022(data: &Data) -> Vec<Comparison> {
    let solvers = "registry/solvers_2022.csv";
    let own = |track: &str, files: &[&str]| data.scores("smtcomp-2022", track, files, &["--count-duplicates"]);
    let single = own(
        "single-query",
        &["2022/raw/single-query-pairs.csv.xz", "2022/raw/single-query-benchmarks.csv.xz", solvers],
    );
    let cloud = own("cloud", &["2022/raw/cloud.csv.xz", solvers]);
    let parallel = own("parallel", &["2022/raw/parallel.csv.xz", solvers]);
    let published = |track: &str| data.published(2022, track);
    vec![
        // The available data has only the clamped times of the parallel ranking, and no run status.
        modern("2022 single query", &published("single-query"), &single, None).expect(&[
            ("24s memout", 64),
            ("24s timeout", 70),
            ("parallel memout", 64),
            ("parallel timeout", 88),
            ("sat memout", 64),
            ("sat timeout", 88),
            ("sequential biggest-lead", 20),
            ("sequential correct", 6),
            ("sequential cpu", 403),
            ("sequential largest-contribution", 1),
            ("sequential memout", 64),
            ("sequential order", 4),
            ("sequential solved", 6),
            ("sequential solved_sat", 4),
            ("sequential solved_unsat", 2),
            ("sequential timeout", 70),
            ("sequential unsolved", 6),
            ("sequential wall", 403),
            ("unsat memout", 64),
            ("unsat timeout", 88),
        ]),
        modern("2022 cloud", &published("cloud"), &cloud, None).expect(&[]),
        modern("2022 parallel", &published("parallel"), &parallel, None).expect(&[]),
    ]
}

/// Compares an edition since 2024, which has other columns, and `_` for `+` in the names of divisions.
fn since_2024(name: &'static str, published: &Value, own: &Value) -> Comparison {
    let mut all = Comparison::new(name);
    let kind_of = |kind: &str| if kind == "twentyfour" { "24s".to_owned() } else { kind.to_owned() };
    for level in ["divisions", "logics"] {
        for (division, theirs) in entries(&published[level]) {
            let ours = list(&own[level]).iter().find(|group| text(&group["name"]).replace('+', "_") == *division);
            let Some(ours) = ours else {
                all.cell("division", false, || division.clone());
                continue;
            };
            all.cell("benchmarks", theirs["n_benchmarks"] == ours["benchmarks"], || division.clone());
            for (kind, rows) in entries(&theirs["rankings"]) {
                let kind = kind_of(kind);
                let lines = list(&ours["rankings"][&kind]);
                let mut ranks = vec![];
                for row in list(rows) {
                    let line = lines.iter().find(|line| line["solver"] == row["solver"]).cloned().unwrap_or_default();
                    for (column, theirs) in entries(row).filter(|(column, _)| *column != "solver") {
                        let is_equal = match column.as_str() {
                            "cpu" | "wall" => is_near(number(theirs), number(&line[column]), 6),
                            "competing" => *theirs == line[column],
                            _ => number(theirs) == number(&line[column]),
                        };
                        all.cell(&format!("{kind} {column}"), is_equal, || format!("{division} {row}, {line}"));
                    }
                    ranks.push(line["rank"].as_u64());
                }
                let is_ordered = ranks.is_sorted() && ranks.len() == lines.len();
                all.cell(&format!("{kind} order"), is_ordered, || format!("{division}: {ranks:?}"));
            }
        }
    }
    for name in ["biggest-lead", "largest-contribution"] {
        for (kind, rows) in entries(&published["recognitions"][name]["rankings"]) {
            let kind = kind_of(kind);
            for row in list(rows) {
                let is_it = |place: &&Value| {
                    text(&place["division"]).replace('+', "_") == text(&row["division"])
                        && place["solver"] == row["solver"]
                };
                let places = list(&own["recognitions"][name][&kind]);
                let place = places.iter().find(is_it).cloned().unwrap_or_default();
                for (theirs, ours) in [("correct", "correctness"), ("time_score", "time")] {
                    let is_equal = is_near(number(&row[theirs]), number(&place[ours]), 6);
                    all.cell(&format!("{kind} {name}"), is_equal, || format!("{row}, {place}"));
                }
            }
        }
    }
    all
}

fn r2024(data: &Data) -> Vec<Comparison> {
    let submissions = fs::read_dir(data.root.join("2024/raw/submissions")).unwrap();
    let mut submissions: Vec<String> = submissions
        .map(|entry| format!("2024/raw/submissions/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    submissions.sort();
    let one = |name: &'static str, track: &str, results: &str| {
        let mut files = vec![results, "2024/raw/benchmarks-2024.json.gz"];
        files.extend(submissions.iter().map(String::as_str));
        since_2024(name, &data.published(2024, track), &data.scores("smtcomp-2024", track, &files, &[]))
    };
    vec![
        one("2024 incremental", "incremental", "2024/raw/results-inc-2024.json.gz").expect(&[]),
        one("2024 unsat core", "unsat-core", "2024/raw/results-uc-2024.json.gz").expect(&[
            ("24s correct", 8),
            ("24s unsolved", 6),
            ("benchmarks", 2),
            ("parallel correct", 8),
            ("parallel unsolved", 6),
            ("sequential correct", 8),
            ("sequential order", 1),
            ("sequential unsolved", 6),
            ("unsat correct", 8),
            ("unsat unsolved", 6),
        ]),
    ]
}

/// A published column, how to compute ours, and the number of published digits.
type Column = (&'static str, fn(&Value) -> f64, i32);

/// Compares an edition of 2014 to 2018. Rows are matched by their values, since the pages use other solver names.
fn tables(
    name: &'static str,
    published: &Value,
    own: &Value,
    table: &str,
    kind: &str,
    columns: &[Column],
) -> Comparison {
    let mut all = Comparison::new(name);
    for (division, theirs) in entries(published) {
        let Some(rows) = theirs["tables"].get(table) else { continue };
        let Some(ours) = find(&own["divisions"], division) else {
            all.cell("division", false, || division.clone());
            continue;
        };
        let mut left: Vec<&Value> = list(&ours["rankings"][kind]).iter().collect();
        for row in list(&rows["rows"]) {
            let fits = |line: &&Value| {
                columns.iter().all(|(column, own, digits)| {
                    (number(&row[column]) - own(line)).abs() <= 0.51 * 10_f64.powi(-digits) + 1e-9
                })
            };
            let place = left.iter().position(fits);
            for _ in columns {
                all.cell("row", place.is_some(), || format!("{division}: {row}"));
            }
            if let Some(place) = place {
                left.remove(place);
            }
        }
    }
    all
}

fn until_2018(data: &Data) -> Vec<Comparison> {
    fn weighted(line: &Value, at: usize) -> f64 {
        number(&line["weighted"][at])
    }
    let plain: [Column; 4] = [
        ("Errors", |line| number(&line["error"]), 0),
        ("Corrects", |line| number(&line["correct"]), 0),
        ("CPU", |line| number(&line["cpu"]), 2),
        ("WALL", |line| number(&line["wall"]), 2),
    ];
    let solved: [Column; 3] = [
        ("Errors", |line| number(&line["error"]), 0),
        ("Solved", |line| number(&line["correct"]), 0),
        ("CPU Time (on solved instances)", |line| number(&line["cpu"]), 2),
    ];
    let weighed: [Column; 4] = [
        ("Error Score", |line| weighted(line, 0), 3),
        ("Reduction Score", |line| weighted(line, 1), 3),
        ("avg. CPU time", |line| weighted(line, 3), 3),
        ("avg. WALL time", |line| weighted(line, 2), 3),
    ];
    let summed: [Column; 4] = [
        ("Error Score", |line| number(&line["error"]), 0),
        ("Correct Score", |line| number(&line["correct"]), 0),
        ("avg. CPU time", |line| number(&line["cpu"]), 2),
        ("avg. WALL time", |line| number(&line["wall"]), 2),
    ];
    let own = |rules: &str, track: &str, file: &str| data.scores(rules, track, &[file], &[]);
    let main_2014 = own("smtcomp-2014", "single-query", "2014/raw/main.csv.xz");
    let application_2015 = own("smtcomp-2015", "incremental", "2015/raw/application.csv.xz");
    let core_2016 = own("smtcomp-2016", "unsat-core", "2016/raw/unsat-core.csv.xz");
    let application_2017 = own("smtcomp-2017", "incremental", "2017/raw/application.csv.xz");
    let published = |year: u16, track: &str| data.published(year, track);
    let (sequential, parallel) = ("Sequential Performance", "Parallel Performance");
    vec![
        tables("2014 main", &published(2014, "main"), &main_2014, sequential, "sequential", &solved).expect(&[]),
        tables("2015 application", &published(2015, "application"), &application_2015, parallel, "parallel", &plain)
            .expect(&[]),
        tables("2016 unsat core", &published(2016, "unsat-core"), &core_2016, sequential, "sequential", &weighed)
            .expect(&[]),
        // The 16 rows of z3 come from a later run.
        tables("2017 application", &published(2017, "application"), &application_2017, parallel, "parallel", &summed)
            .expect(&[("row", 64)]),
    ]
}

/// Compares SL-COMP: scores each division from its job files.
fn sl_comp(world: &World, directory: &Path) -> Vec<Comparison> {
    let mut all = vec![];
    for (name, rules, year) in [("SL-COMP 2014", "slcomp-2014", 2014), ("SL-COMP 2019", "slcomp-2019", 2019)] {
        let published = load(&directory.join(format!("slcomp{year}.json")));
        let mut comparison = Comparison::new(name);
        for (division, runs) in entries(&published["divisions"]) {
            let runs: Vec<&Value> =
                if runs.is_array() { vec![runs] } else { entries(runs).map(|(_, run)| run).collect() };
            for rows in runs {
                let files: Vec<String> = list(rows)
                    .iter()
                    .map(|row| {
                        directory.join(format!("jobs{year}")).join(text(&row["job_csv"])).to_str().unwrap().to_owned()
                    })
                    .collect();
                let mut words = vec!["score", "--rules", rules, "--format", "json"];
                words.extend(files.iter().map(String::as_str));
                let lines = world.json(&words)["divisions"][0]["rankings"]["parallel"].clone();
                words.push("--as-published");
                let podium = world.json(&words)["divisions"][0]["rankings"]["parallel"].clone();
                for row in list(rows) {
                    let of = |lines: &Value| {
                        let is_it = |line: &&Value| text(&line["solver"]).starts_with(text(&row["solver"]));
                        list(lines).iter().find(is_it).cloned().unwrap_or_default()
                    };
                    let line = of(&lines);
                    let example = || format!("{division}: {row}, {line}");
                    comparison.cell("solved", row["solved"] == line["correct"], example);
                    comparison.cell("incorrect", row["incorrect"] == line["error"], example);
                    let recomputed = if row["recomputed"].is_object() { &row["recomputed"] } else { row };
                    let time = is_near(number(&recomputed["wall_solved"]), number(&line["wall"]), 2);
                    comparison.cell("time", time, example);
                    if row["rank_seed_rule"].is_number() {
                        comparison.cell("place", row["rank_seed_rule"] == line["rank"], example);
                    }
                    if recomputed["score_1"].is_number() && year == 2019 {
                        comparison.cell("points", recomputed["score_1"] == of(&podium)["points"], example);
                    }
                }
            }
        }
        // Two solvers that solve nothing share a rank.
        all.push(comparison.expect(if year == 2019 { &[("place", 1)] } else { &[] }));
    }
    all
}

/// Compares the competition-wide scores of 2014, computed from the published tables of the divisions.
fn over_all_divisions(data: &Data) -> Comparison {
    let mut all = Comparison::new("2014 medals");
    let rules = Rulebook::named("smtcomp-2014").unwrap().tracks[&Track::SingleQuery].scoring.overall.unwrap();
    // The published scores use logarithmic weights, unlike the text of the rules.
    let rules = OverallRules { logarithm: Logarithm::Ten, ..rules };
    let published = data.published(2014, "main");
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (_, division) in entries(&published) {
        let rows = &division["tables"]["Sequential Performance"];
        // Only divisions with two teams count; their tables have a column of weights.
        let counts = list(&rows["columns"]).iter().any(|column| text(column).starts_with("Weighted"));
        for row in list(&rows["rows"]).iter().filter(|_| counts) {
            let size = number(&division["benchmarks"]);
            let (errors, score) = agon_score::of_division(rules, number(&row["Errors"]), number(&row["Solved"]), size);
            let sum = sums.entry(text(&row["solver"])).or_default();
            *sum = (sum.0 + errors, sum.1 + score);
        }
    }
    let gold = data.published(2014, "gold");
    for row in list(&gold["gold"]["tables"][0]["rows"]) {
        let cells = list(&row["cells"]);
        let sum = sums.get(text(&cells[0])).copied().unwrap_or((f64::NAN, f64::NAN));
        for (theirs, ours) in [(&cells[2], sum.0), (&cells[3], sum.1)] {
            all.cell("medal", is_near(number(theirs), ours, 3), || format!("{row}: {ours}"));
        }
    }
    all.expect(&[])
}

/// Compares the competition-wide scores of 2015 to 2018, one score for each ranking.
fn competition_wide(data: &Data, name: &'static str, year: u16, correct: &str, known: &[(&str, usize)]) -> Comparison {
    let mut all = Comparison::new(name);
    let rules =
        Rulebook::named(&format!("smtcomp-{year}")).unwrap().tracks[&Track::SingleQuery].scoring.overall.unwrap();
    let (divisions, wide) = (data.published(year, "main"), data.published(year, "competition-main"));
    let tables = list(&wide["competition-main"]["tables"]);
    let names = ["Sequential Performance", "Parallel Performance"];
    let industrial = names.map(|name| format!("{name} (industrial)"));
    for (table, name) in tables.iter().zip(names.iter().copied().chain(industrial.iter().map(String::as_str))) {
        let size = if name.contains("industrial") { "industrial_benchmarks" } else { "benchmarks" };
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for (_, division) in entries(&divisions).filter(|(_, division)| division["competitive"] == true) {
            for row in list(&division["tables"][name]["rows"]) {
                let errors = if year == 2015 { "Errors" } else { "Error Score" };
                let (errors, correct) = (number(&row[errors]), number(&row[correct]));
                *sums.entry(text(&row["solver"]).to_lowercase()).or_default() +=
                    agon_score::of_division(rules, errors, correct, number(&division[size])).1;
            }
        }
        for row in list(&table["rows"]) {
            let cells = list(&row["cells"]);
            let sum = sums.get(&text(&cells[1]).to_lowercase()).copied().unwrap_or(f64::NAN);
            all.cell(name, is_near(number(&cells[2]), sum, 2), || format!("{row}: {sum}"));
        }
    }
    all.expect(known)
}

#[test]
fn past_editions_are_reproduced() {
    let (Some(root), Some(sl)) = (shared("data/smtcomp"), shared("data/slcomp/goldens")) else {
        return;
    };
    let data = Data { world: World::new(AGON), root };
    let mut all = until_2018(&data);
    all.insert(1, over_all_divisions(&data));
    let wide = [
        // On the page of QF_UFBV, the columns of the sequential table have the wrong headings.
        competition_wide(&data, "2015 main, all divisions", 2015, "Corrects", &[("Sequential Performance", 5)]),
        competition_wide(&data, "2016 main, all divisions", 2016, "Correct Score", &[]),
        competition_wide(&data, "2017 main, all divisions", 2017, "Correct Score", &[]),
        competition_wide(&data, "2018 main, all divisions", 2018, "Correctly Solved Score", &[]),
    ];
    all.extend(wide);
    all.extend(r2019(&data));
    all.extend(r2020(&data));
    all.extend(r2022(&data));
    all.extend(r2024(&data));
    all.extend(sl_comp(&data.world, &sl));
    let mut table =
        String::from("| edition and track | cells compared | equal | explained |\n| --- | ---: | ---: | ---: |\n");
    for one in &all {
        table += &format!("| {} | {} | {} | {} |\n", one.name, one.compared, one.equal, one.compared - one.equal);
    }
    let (compared, equal) = all.iter().fold((0, 0), |sum, one| (sum.0 + one.compared, sum.1 + one.equal));
    table += &format!("| all | {compared} | {equal} | {} |\n", compared - equal);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let page = fs::read_to_string(&file).unwrap();
    let (begin, end) = ("<!-- the table that the test writes -->\n", "<!-- its end -->");
    let from = page.find(begin).expect("the start marker of the table") + begin.len();
    let to = page.find(end).expect("the end marker of the table");
    if std::env::var_os("AGON_BLESS").is_some() {
        fs::write(&file, [&page[..from], &table, &page[to..]].concat()).unwrap();
    } else {
        assert_eq!(&page[from..to], table, "docs/conformance.md is not up to date: run this test with AGON_BLESS=1");
    }
}
