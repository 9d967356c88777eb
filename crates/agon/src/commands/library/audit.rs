//! `agon library audit`

use super::filter::filtered;
use crate::cli::{AuditOptions, Format};
use crate::failure::NO;
use crate::machine::machine;
use crate::print::print_rows;
use crate::progress::observer;
use agon_competition::{Panel, Reply};
use agon_domain::Answer;
use agon_library::Audit;
use agon_store::Competition;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

pub fn run(competition: &Competition, options: &AuditOptions) -> anyhow::Result<ExitCode> {
    let library = competition.library()?;
    let entries = filtered(&library, competition.rulebook().family, &options.over.filter)?;
    let panel = Panel::open(&options.panel)?;
    let replies = panel.ask_all(machine()?, &entries, options.wall, options.over.slots, &mut observer())?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows = vec![];
    let mut contradictions = 0;
    for (entry, replies) in entries.iter().zip(&replies) {
        let status = entry.benchmark.status();
        let answers: Vec<(String, Answer)> =
            replies.iter().map(|reply| (reply.solver.clone(), reply.answer.unwrap_or(Answer::Unknown))).collect();
        let finding = Audit::of(status, &answers, options.confirm);
        *counts.entry(kind(&finding)).or_default() += 1;
        contradictions += usize::from(finding.is_contradiction());
        if finding.is_contradiction() || options.over.format != Format::Text {
            rows.push(json!({
                "benchmark": entry.benchmark.path, "logic": entry.benchmark.logic, "status": status,
                "finding": finding.to_string(), "contradiction": finding.is_contradiction(),
                "answers": replies.iter().map(Reply::to_string).collect::<Vec<_>>().join("; "),
                "source": entry.benchmark.source, "sha256": entry.benchmark.digest, "file": entry.file(),
            }));
        }
    }
    report(rows, options.over.format)?;
    for (kind, count) in &counts {
        say!("{count:>8} {kind}");
    }
    Ok(ExitCode::from(if contradictions > 0 { NO } else { 0 }))
}

fn report(rows: Vec<Value>, format: Format) -> anyhow::Result<()> {
    if format == Format::Text && rows.is_empty() {
        return Ok(());
    }
    print_rows(rows, &["benchmark", "status", "finding", "answers", "file"], format)
}

fn kind(finding: &Audit) -> &'static str {
    match finding {
        Audit::Confirmed(_) => "confirmed",
        Audit::Unconfirmed(_) => "not confirmed by enough solvers",
        Audit::Contradicted(_) => "contradicted",
        Audit::Settled(..) => "of unknown status, answered",
        Audit::Open => "of unknown status, not answered",
        Audit::Disputed => "of unknown status, with contradicting answers",
    }
}
