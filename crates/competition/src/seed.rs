//! Draws the seed of a competition.

use crate::StepError;
use crate::decide::taking_part;
use crate::error::At;
use crate::freeze::check_frozen;
use crate::gate::gate;
use agon_domain::Milestone;
use agon_edition::Action;
use agon_rulebook::IndexTerm;
use agon_select::{IndexQuote, IndexValue, SeedLedger};
use agon_store::{Competition, write_whole};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::fs;

/// The options of [`draw_seed`].
#[derive(Clone, Debug, Default)]
pub struct SeedOptions {
    /// The opening value of the stock index, if the rules use one.
    pub index: Option<IndexValue>,
    /// The trading day of the index value, as YYYY-MM-DD.
    pub index_date: Option<String>,
    /// Where the index value was published.
    pub index_source: Option<String>,
    /// Deviate from the rules in the same way as the organizers did for the published seed.
    pub as_published: bool,
    /// Replace an existing seed.
    pub replace: bool,
}

/// Whether the rules of a competition use a stock index.
pub(crate) fn uses_index(competition: &Competition) -> bool {
    competition.rulebook().seed.index != IndexTerm::None
}

/// Computes the seed from the entrants' magic numbers and writes its ledger (R08-4.21, R19-6.10). An existing seed is
/// replaced only on request, since everything prepared with it must then be run again.
pub fn draw_seed(competition: &Competition, options: &SeedOptions) -> Result<SeedLedger, StepError> {
    let rules = competition.rulebook().seed.clone();
    let rules = if options.as_published { rules.as_published() } else { rules };
    let index = match &options.index {
        Some(index) => index.clone(),
        None if rules.index == IndexTerm::None => IndexValue::default(),
        None => {
            let message = "the rules add the opening value of a stock index to the seed (R19-6.10); pass it with \
                           --index VALUE";
            return Err(StepError::Usage(message.into()));
        }
    };
    let quote = options.index_date.as_ref().map(|date| quote(competition, date, options.index_source.clone()));
    let entrants = taking_part(competition)?;
    check_frozen(competition, &entrants)?;
    let ledger = SeedLedger::of_entrants(&rules, &entrants, index).with_quote(quote.transpose()?);
    let known = read_seed(competition)?;
    // Without a new statement about the same value, the old one stays.
    let ledger = match &known {
        Some(known) if known.index == ledger.index && ledger.quote.is_none() => ledger.with_quote(known.quote.clone()),
        _ => ledger,
    };
    if let Some(known) = known.filter(|_| !options.replace) {
        if known.seed() != ledger.seed() {
            return Err(StepError::Usage(format!(
                "the seed is {} and would change to {}, so all benchmarks would have to be selected, prepared and run \
                 again; pass --replace to change it",
                known.seed(),
                ledger.seed()
            )));
        }
        if known.index != ledger.index {
            return Err(StepError::Usage(format!(
                "the ledger has the index value {}; pass --replace to change it to {}",
                known.index, ledger.index
            )));
        }
    }
    gate(competition, Action::DrawSeed, None)?;
    let file = competition.seed_file();
    write_whole(&file, ledger.to_toml().as_bytes()).at(&file)?;
    Ok(ledger)
}

/// The origin of the index value. Its day must be a trading day on or after the one in the calendar (R19-6.10).
fn quote(competition: &Competition, date: &str, source: Option<String>) -> Result<IndexQuote, StepError> {
    let malformed = || StepError::Usage(format!("'{date}' is not a date, such as 2019-06-03"));
    let day: Date = date.parse().map_err(|_| malformed())?;
    let wrong = |why: String| Err(StepError::Usage(format!("{why} (R19-6.10)")));
    if matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
        return wrong(format!("{date} is not a trading day; pass the first one on or after the day in the calendar"));
    }
    if day > Timestamp::now().to_zoned(TimeZone::UTC).date().saturating_add(1.day()) {
        return wrong(format!("{date} is in the future"));
    }
    if let Some(due) = competition.calendar().date(Milestone::Seed, None)
        && day < due.date()
    {
        return wrong(format!("{date} is before the day of the index in the calendar, {due}"));
    }
    let exchange = Some(competition.rulebook().seed.exchange.clone()).filter(|name| !name.is_empty());
    Ok(IndexQuote { date: day.to_string(), exchange: exchange.unwrap_or_else(|| "stock index".into()), source })
}

/// The ledger of the seed, if one was drawn.
pub(crate) fn read_seed(competition: &Competition) -> Result<Option<SeedLedger>, StepError> {
    let file = competition.seed_file();
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).at(&file)?;
    SeedLedger::from_toml(&text).map(Some).map_err(|error| {
        StepError::Missing(format!("{}: {error}; run 'agon seed --replace' to write it again", file.display()))
    })
}
