//! What a caller gives as input: a search, or an address to be read.

use crate::catalogue::asin_in;

/// What an input is about, in words: a search as it is, an address by the last name in it.
pub(super) fn subject(input: &str) -> String {
    let Some((_, rest)) = input.split_once("://") else { return input.trim().trim_start_matches('@').to_owned() };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let searched = query.split('&').find_map(|pair| pair.strip_prefix("q=").or(pair.strip_prefix("search_query=")));
    let named = path.split('#').next().unwrap_or_default().split('/').skip(1).filter(|part| is_name(part)).last();
    let words = searched.or(named).unwrap_or_default().trim_start_matches('@');
    words.split(['-', '_', '+', '.']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Parts of a path that name nothing: ids, and the words all addresses have.
fn is_name(part: &str) -> bool {
    const GENERAL: [&str; 12] = [
        "",
        "events",
        "explore",
        "search",
        "places",
        "videos",
        "shorts",
        "streams",
        "watch",
        "zgbs",
        "bestsellers",
        "dp",
    ];
    !GENERAL.contains(&part) && !part.bytes().all(|byte| byte.is_ascii_digit()) && !part.contains('%')
}

/// The scheme and host of an address, or a made-up one for an input that is none.
pub(super) fn site<'a>(input: &'a str, otherwise: &'a str) -> &'a str {
    let Some(start) = input.find("://").map(|at| at + 3) else { return otherwise };
    let end = input[start..].find(['/', '?', '#']).map_or(input.len(), |at| start + at);
    &input[..end]
}

/// Whether an agent finds no more than one row at this input: the page of one event, one video or one product.
pub(super) fn shows_one(slug: &str, input: &str) -> bool {
    match slug {
        "events" => event_id(input).is_some(),
        "video-scraper" => video_id(input).is_some(),
        "product-scraper" => asin_in(input).is_some(),
        _ => false,
    }
}

/// Whether an input finds nothing at all: the search `nothing`, or an address that ends in it.
pub(super) fn finds_nothing(input: &str) -> bool {
    let last = input.trim_end_matches('/').rsplit(['/', '@']).next().unwrap_or_default();
    last.trim().eq_ignore_ascii_case("nothing")
}

/// The number in the address of one event, `…/events/<digits>`.
pub(super) fn event_id(input: &str) -> Option<&str> {
    let (_, after) = input.split_once("/events/")?;
    let id = after.split(['/', '?', '#']).next()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then_some(id)
}

/// The id in the address of one video: `…/watch?v=<id>` or `…/shorts/<id>`.
pub(super) fn video_id(input: &str) -> Option<&str> {
    let (_, after) = input.split_once("watch?v=").or_else(|| input.split_once("/shorts/"))?;
    let id = after.split(['&', '/', '?', '#']).next()?;
    (!id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_the_search_or_the_last_name_of_an_address() {
        assert_eq!(subject(" jazz berlin "), "jazz berlin");
        assert_eq!(subject("@some.one"), "some.one");
        assert_eq!(subject("https://v.example/@some_one/videos"), "some one");
        assert_eq!(subject("https://e.example/explore/berlin/live-music/?x=1"), "live music");
        assert_eq!(subject("https://e.example/search?q=wine+tasting&x=1"), "wine tasting");
        assert_eq!(subject("https://e.example/events/123"), "");
        assert_eq!(subject("https://e.example"), "");
    }

    #[test]
    fn pages_of_one_thing_are_told_from_lists() {
        assert!(shows_one("events", "https://e.example/events/123/?x"));
        assert!(!shows_one("events", "https://e.example/events/jazz"));
        assert!(shows_one("video-scraper", "https://v.example/watch?v=abc&t=1"));
        assert!(!shows_one("channel-scraper", "https://v.example/watch?v=abc"));
        assert!(finds_nothing("Nothing") && finds_nothing("https://e.example/search/nothing/"));
        assert!(!finds_nothing("nothing compares"));
        assert_eq!(site("https://e.example:1/x?y", "z"), "https://e.example:1");
        assert_eq!(site("B0ABCDEFGH", "z"), "z");
    }
}
