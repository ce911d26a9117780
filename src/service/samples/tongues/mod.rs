//! What people write, in the languages they write in: one small collection a language.
//!
//! Quotes, commas, line breaks, emoji and right-to-left text are in it on purpose: rows are made to be read back.
//! `{topic}`, `{city}` and `{venue}` stand for what a row is about.

mod arabic;
mod english;
mod french;
mod german;
mod hindi;
mod japanese;
mod spanish;

use super::chance::Chance;

/// One language.
#[derive(Debug)]
pub(super) struct Tongue {
    /// ISO 639-1
    pub(super) code: &'static str,
    pub(super) people: &'static [&'static str],
    pub(super) venues: &'static [&'static str],
    pub(super) streets: &'static [&'static str],
    pub(super) event_names: &'static [&'static str],
    pub(super) event_descriptions: &'static [&'static str],
    pub(super) video_titles: &'static [&'static str],
    pub(super) comments: &'static [&'static str],
    /// Title and text of reviews, from the worst to the best.
    pub(super) reviews: [(&'static str, &'static str); 5],
}

pub(super) const ALL: [&Tongue; 7] = [
    &english::ENGLISH,
    &german::GERMAN,
    &japanese::JAPANESE,
    &spanish::SPANISH,
    &hindi::HINDI,
    &arabic::ARABIC,
    &french::FRENCH,
];

/// The language of a code; English for one that is not spoken here.
pub(super) fn tongue(code: &str) -> &'static Tongue {
    ALL.into_iter().find(|tongue| tongue.code == code).unwrap_or(ALL[0])
}

/// Some language, English in four of ten cases.
pub(super) fn any(chance: &mut Chance) -> &'static Tongue {
    if chance.percent(40) { ALL[0] } else { chance.pick(&ALL) }
}

/// Some person's name, in a language.
pub(super) fn person(tongue: &Tongue, chance: &mut Chance) -> String {
    chance.pick(tongue.people).to_owned()
}
