//! Draws the seed of a competition.

use crate::StepError;
use crate::decide::taking_part;
use crate::error::At;
use crate::freeze::check_frozen;
use crate::gate::gate;
use agon_edition::Action;
use agon_rulebook::IndexTerm;
use agon_select::{IndexValue, SeedLedger};
use agon_store::{Competition, write_whole};
use std::fs;

/// The options of [`draw_seed`].
#[derive(Clone, Debug, Default)]
pub struct SeedOptions {
    /// The opening value of the stock index, if the rules use one.
    pub index: Option<IndexValue>,
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
    let entrants = taking_part(competition)?;
    check_frozen(competition, &entrants)?;
    let ledger = SeedLedger::of_entrants(&rules, &entrants, index);
    if !options.replace
        && let Some(known) = read_seed(competition)?.map(|known| known.seed())
        && known != ledger.seed()
    {
        return Err(StepError::Usage(format!(
            "the seed is {known} and would change to {}, so all benchmarks would have to be selected, prepared and run \
             again; pass --replace to change it",
            ledger.seed()
        )));
    }
    gate(competition, Action::DrawSeed, None)?;
    let file = competition.seed_file();
    write_whole(&file, ledger.to_toml().as_bytes()).at(&file)?;
    Ok(ledger)
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
