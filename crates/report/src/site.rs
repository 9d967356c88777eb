//! Writes all files of a site.

use crate::pages::{BenchmarkPage, DifficultyPage, DisagreementsPage, DivisionPage, IndexPage, SolverPage};
use crate::{Results, address, download};
use askama::Template;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const STYLE: &str = include_str!("../../../web/site.css");
const SCRIPT: &str = include_str!("../../../web/site.js");

/// The file that lists a site's files, so that the next site can remove those that it does not replace.
const LIST: &str = ".agon-site";

/// The reason why a site could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file could not be written.
    #[error("the site could not be written: {1} ({0})")]
    Io(PathBuf, io::Error),
    /// An output could not be read.
    #[error("the output of a solver could not be read: {0}")]
    Output(io::Error),
    /// A template failed.
    #[error("the page {0} could not be rendered: {1}")]
    Template(String, askama::Error),
}

/// The function that writes a file and creates its directories. It should not modify a file that already has
/// this content.
pub type Write<'a> = dyn Fn(&Path, &[u8]) -> io::Result<()> + 'a;

/// Writes the site into a directory. Files of an earlier site that this one does not have are removed; other files are
/// not touched.
pub fn write_site(results: &Results<'_>, directory: &Path, write: &Write<'_>) -> Result<(), SiteError> {
    let mut site = Site { directory, write, files: BTreeSet::new() };
    site.page("index.html", &IndexPage::new(results))?;
    site.page("disagreements.html", &DisagreementsPage::new(results))?;
    if let Some(table) = results.difficulty {
        site.page("difficulty.html", &DifficultyPage::new(results, table))?;
        site.file("data/difficulty.txt", table.text.as_bytes())?;
        site.file("data/difficulty.csv", &table.csv)?;
    }
    for division in results.divisions_and_logics() {
        site.page(&address::division(&division.name.0), &DivisionPage::new(results, division))?;
    }
    for solver in results.solvers {
        site.page(&address::solver(&solver.name), &SolverPage::new(results, solver))?;
    }
    for benchmark in results.benchmarks {
        let (page, long_outputs) = BenchmarkPage::new(results, benchmark).map_err(SiteError::Output)?;
        site.page(&benchmark.page(), &page)?;
        for output in long_outputs {
            site.file(&output.file, &output.bytes)?;
        }
    }
    site.file("data/runs.csv", &download::runs_csv(results))?;
    site.file("data/scores.csv", &agon_score::scores_csv(results.scores))?;
    site.file("data/scores.json", &download::scores_json(results))?;
    site.file("site.css", STYLE.as_bytes())?;
    site.file("site.js", SCRIPT.as_bytes())?;
    site.remove_old()
}

struct Site<'a> {
    directory: &'a Path,
    write: &'a Write<'a>,
    files: BTreeSet<String>,
}

impl Site<'_> {
    fn page(&mut self, address: &str, page: &impl Template) -> Result<(), SiteError> {
        let html = page.render().map_err(|error| SiteError::Template(address.to_owned(), error))?;
        self.file(address, html.as_bytes())
    }

    fn file(&mut self, address: &str, bytes: &[u8]) -> Result<(), SiteError> {
        let file = self.directory.join(address);
        self.files.insert(address.to_owned());
        (self.write)(&file, bytes).map_err(|error| SiteError::Io(file.clone(), error))
    }

    /// Removes files of the previous site that are not in this one, and writes the list for the next one.
    fn remove_old(&self) -> Result<(), SiteError> {
        let list = self.directory.join(LIST);
        for old in fs::read_to_string(&list).unwrap_or_default().lines().filter(|old| !self.files.contains(*old)) {
            let is_below = Path::new(old).components().all(|part| matches!(part, Component::Normal(_)));
            if is_below {
                let _ = fs::remove_file(self.directory.join(old));
            }
        }
        let text: String = self.files.iter().map(|file| format!("{file}\n")).collect();
        (self.write)(&list, text.as_bytes()).map_err(|error| SiteError::Io(list.clone(), error))
    }
}
