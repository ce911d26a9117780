//! What there is in each language, and which of them a row is in.

use super::{arabic, english, french, german, hindi, japanese, spanish};
use crate::service::samples::chance::Chance;

/// One language.
#[derive(Debug)]
pub(in crate::service::samples) struct Tongue {
    /// ISO 639-1
    pub(in crate::service::samples) code: &'static str,
    pub(in crate::service::samples) people: &'static [&'static str],
    pub(in crate::service::samples) venues: &'static [&'static str],
    pub(in crate::service::samples) streets: &'static [&'static str],
    pub(in crate::service::samples) event_names: &'static [&'static str],
    pub(in crate::service::samples) event_descriptions: &'static [&'static str],
    pub(in crate::service::samples) video_titles: &'static [&'static str],
    pub(in crate::service::samples) comments: &'static [&'static str],
    /// Title and text of reviews, from the worst to the best.
    pub(in crate::service::samples) reviews: [(&'static str, &'static str); 5],
}

pub(in crate::service::samples) const ALL: [&Tongue; 7] = [
    &english::ENGLISH,
    &german::GERMAN,
    &japanese::JAPANESE,
    &spanish::SPANISH,
    &hindi::HINDI,
    &arabic::ARABIC,
    &french::FRENCH,
];

/// The language of a code; English for one that is not spoken here.
pub(in crate::service::samples) fn tongue(code: &str) -> &'static Tongue {
    ALL.into_iter().find(|tongue| tongue.code == code).unwrap_or(ALL[0])
}

/// Some language, English in four of ten cases.
pub(in crate::service::samples) fn any(chance: &mut Chance) -> &'static Tongue {
    if chance.percent(40) { ALL[0] } else { chance.pick(&ALL) }
}

/// Some person's name, in a language.
pub(in crate::service::samples) fn person(tongue: &Tongue, chance: &mut Chance) -> String {
    chance.pick(tongue.people).to_owned()
}
