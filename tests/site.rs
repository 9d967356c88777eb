//! The published site in a real browser, from a file path and from a web server.

use agon_testkit::{Browser, World};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// A small competition with two real solvers, one that always answers sat, and one that prints markup.
fn site() -> World {
    let world = World::with_solvers(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019", "--title", "Cup <of> \"2026\" & more"]);
    world.ok(&["library", "generate", "pack", "--family", "pigeons", "--family", "factoring"]);
    world.ok(&["library", "add", "-C", "c", "pack"]);
    for solver in ["z3", "yices"] {
        world.ok(&["entrant", "add", "-C", "c", solver]);
    }
    let solvers = world.path().join("solvers");
    for (name, script) in [
        ("liar", "echo sat; echo '<script>alert(1)</script>'"),
        ("mumbler", "yes '<b>hm</b>' | head -c 40000; echo oops >&2"),
    ] {
        let directory = agon_testkit::fake_solver(&solvers, name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.steps(&["seed --index 1", "select", "prepare", "run"]);
    world.judge("c");
    world.steps(&["report"]);
    world
}

/// Visits the pages of the site and checks their content and controls.
fn walk(browser: &Browser, root: &str) {
    let text = |selector: &str| browser.script(&format!("return document.querySelector('{selector}').textContent"));
    let count = |selector: &str| {
        browser.script(&format!("return document.querySelectorAll('{selector}').length")).as_u64().unwrap()
    };

    browser.open(&format!("{root}/index.html"));
    assert_eq!(text("h1"), "Cup <of> \"2026\" & more");
    assert_eq!(count("#divisions tbody tr"), 2);
    assert!(count("#divisions a.winner") >= 10, "some ranking has no winner");
    let winner = text("#divisions tbody tr a.winner").as_str().unwrap().to_owned();
    assert!(["z3", "yices"].contains(&winner.as_str()), "{winner}");
    assert_eq!(count("#downloads + ul a"), 3);

    browser.click("#divisions tbody tr a");
    assert_eq!(text("h1"), "QF_BV");
    for kind in ["sequential", "parallel", "sat", "unsat", "24s"] {
        let rows = browser.script(&format!("return document.getElementById('ranking-{kind}').tBodies[0].rows.length"));
        assert_eq!(rows, 4, "{kind}");
    }
    // Both plots have points, all of them inside the axes.
    assert_eq!(count("svg.cactus polyline"), 4);
    assert!(count("svg.scatter circle[data-times]") >= 4);
    let inside = "const plot = document.querySelector('svg.scatter'); const box = plot.viewBox.baseVal; \
                  return Array.from(plot.querySelectorAll('circle')).every(c => c.cx.baseVal.value > 0 && c.cx.baseVal.value < box.width \
                  && c.cy.baseVal.value > 0 && c.cy.baseVal.value < box.height)";
    assert_eq!(browser.script(inside), true);

    // A click sorts a table, a second click reverses it; the choice is in the URL.
    let column = "return Array.from(document.querySelectorAll('#benchmark-list tbody tr'), row => Number(row.cells[2].dataset.value))";
    browser.click("#benchmark-list th:nth-child(3)");
    let ascending: Vec<f64> = serde_json::from_value(browser.script(column)).unwrap();
    assert!(ascending.is_sorted(), "{ascending:?}");
    browser.click("#benchmark-list th:nth-child(3)");
    let descending: Vec<f64> = serde_json::from_value(browser.script(column)).unwrap();
    assert!(descending.iter().rev().is_sorted(), "{descending:?}");
    assert!(browser.script("return location.hash").as_str().unwrap().contains("sort.benchmark-list=2.descending"));

    // The axes of the scatter plot can show other solvers.
    let places = "return Array.from(document.querySelectorAll('svg.scatter circle[data-times]'), c => c.getAttribute('cx')).join()";
    let before = browser.script(places);
    browser.script("const form = document.querySelector('form.axes'); form.x.value = '3'; form.x.dispatchEvent(new Event('change'))");
    assert_ne!(browser.script(places), before);
    let names = browser.script("return [document.querySelector('.x-name').textContent, document.querySelector('form.axes').x.selectedOptions[0].textContent]");
    assert_eq!(names[0], names[1]);

    // A filter hides the rows that do not match.
    let shown =
        "return Array.from(document.querySelectorAll('#benchmark-list tbody tr')).filter(row => !row.hidden).length";
    browser.script("const box = document.querySelector('input[name=filter]'); box.value = 'factoring-unsat'; box.dispatchEvent(new Event('input'))");
    assert_eq!(browser.script(shown), 2);

    // The output of a solver is shown as text, not as HTML.
    browser.script("document.querySelector('input[name=filter]').value = ''");
    browser.open(&format!("{root}/benchmarks/non-incremental/QF_UF/agon/pigeons/pigeons-unsat-007.smt2.html"));
    assert_eq!(count("#runs tbody tr"), 4);
    assert_eq!(count("main script"), 0);
    let outputs = text("main").as_str().unwrap().to_owned();
    assert!(outputs.contains("<script>alert(1)</script>") && outputs.contains("oops"), "{outputs}");
    assert!(outputs.contains("The solvers disagree") && outputs.contains("sat (wrong)"), "{outputs}");
    assert_eq!(count("a[href$=\"-stdout.txt\"]"), 1, "long output is a separate file");

    browser.click("#runs tbody tr a");
    assert_eq!(text("h1 small"), "1");
    assert!(count("#run-list tbody tr") > 0);
}

#[test]
fn r08_2_5_the_site_works_from_a_file_path_and_from_a_web_server() {
    let world = site();
    let directory = world.path().join("c/site");
    let browser = Browser::start();

    let root = format!("file://{}", directory.display());
    walk(&browser, &root);
    assert_eq!(browser.console(), Vec::<String>::new());
    let requests = browser.requests();
    assert!(!requests.is_empty());
    assert!(requests.iter().all(|request| request.starts_with(&root) || request.starts_with("data:")), "{requests:?}");

    let mut server = Command::new("python3")
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
        .current_dir(&directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.split("port ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let root = format!("http://127.0.0.1:{port}");
    walk(&browser, &root);
    assert_eq!(browser.console(), Vec::<String>::new());
    let requests = browser.requests();
    assert!(requests.iter().all(|request| request.starts_with(&root) || request.starts_with("data:")), "{requests:?}");
    server.kill().unwrap();
    server.wait().unwrap();
}
