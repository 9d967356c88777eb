//! What happens around the runs of a competition: its calendar, and the log of the organizers' decisions.
//!
//! Everything here is plain data without I/O: the caller reads and writes the files, and states the time.

mod calendar;
mod decision;
mod description;
mod entry;
mod ical;
mod log;
mod moment;
mod standing;

pub use calendar::{Action, Calendar, CalendarError, Closed};
pub use decision::{Decision, Person, Publication};
pub use description::{Description, page_count};
pub use entry::{Need, Shortfall, check_entries, check_entry, check_preprocessors};
pub use ical::icalendar;
pub use log::{Damage, Entry, Log, Proposal, Refused};
pub use moment::{MalformedMoment, Moment, Zone};
pub use standing::{Cut, EntryState, Standing};
