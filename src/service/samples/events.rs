//! Rows of the events agent: the 29 declared columns in their order, then `input`.

use std::time::Duration;

use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::chance::Chance;
use super::input::{event_id, site, subject};
use super::places::{self, City};
use super::section::Section;
use super::tongues::{self, Tongue};
use crate::service::clock::{EPOCH, after};

const SITE: &str = "https://www.events.example";
const DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "columns are named so")]
pub(in crate::service) struct Event {
    event_name: String,
    event_url: String,
    event_id: String,
    description: Option<String>,
    start_date: String,
    date_time: String,
    duration: Option<String>,
    frequency: &'static str,
    is_past: bool,
    is_canceled: bool,
    is_online: bool,
    going: u64,
    interested: u64,
    host: Option<String>,
    hosts: Vec<Host>,
    venue_name: Option<String>,
    venue_url: Option<String>,
    address: Option<String>,
    street: Option<String>,
    city: Option<&'static str>,
    country: Option<&'static str>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    category: &'static str,
    tickets: Option<Tickets>,
    external_links: Vec<String>,
    cover_image_url: Option<String>,
    image_caption: Option<String>,
    occurrences: Vec<Occurrence>,
    input: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Host {
    name: String,
    url: String,
    id: String,
    followers: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tickets {
    url: String,
    provider: &'static str,
    is_free: bool,
    min_price: Option<f64>,
    max_price: Option<f64>,
    currency: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Occurrence {
    event_id: String,
    start_date: String,
    is_past: bool,
}

/// The event at a place of what an input finds.
pub(super) fn event(section: &Section, place: u64) -> Event {
    let mut chance = section.chance.item(place);
    let (named, topic) = places::named_in(&subject(&section.input));
    let city = named.unwrap_or_else(|| places::any(&mut chance));
    let tongue = if chance.percent(75) { tongues::tongue(city.tongue) } else { tongues::ALL[0] };
    let (category, topic) = category(&topic, &mut chance);

    let site = site(&section.input, SITE);
    let given = event_id(&section.input).filter(|_| section.shows_one());
    let event_id = given.map_or_else(|| number(&mut chance, 15), str::to_owned);
    let event_url = if given.is_some() { section.input.clone() } else { format!("{site}/events/{event_id}/") };

    let starts = starts(&mut chance, city);
    let (frequency, occurrences) = occurrences(&mut chance, starts);
    let hosts = hosts(&mut chance, tongue, site);
    let venue = (!chance.percent(18)).then(|| Venue::draw(&mut chance, tongue, city));
    let venue_name = venue.as_ref().map_or("Online", |venue| venue.name);
    let fill = |template: &str| {
        let template = template.replace("{topic}", &topic).replace("{venue}", venue_name);
        template.replace("{city}", if venue.is_some() { city.name } else { "Online" })
    };
    let going = chance.skewed(1.0, 4000.0) as u64;
    let image = chance.maybe(88, |chance| format!("{site}/covers/{}.jpg", number(chance, 12)));
    Event {
        event_name: fill(chance.pick(tongue.event_names)),
        event_url,
        description: chance.maybe(90, |chance| fill(chance.pick(tongue.event_descriptions))),
        start_date: starts.to_string(),
        date_time: in_words(starts, city),
        duration: chance.maybe(70, |chance| chance.pick(&["1 hr", "2 hr", "2 hr 30 min", "4 hr", "2 days"]).to_owned()),
        frequency,
        is_past: starts < EPOCH,
        is_canceled: chance.percent(4),
        is_online: venue.is_none(),
        going,
        interested: going + chance.skewed(1.0, 20_000.0) as u64,
        host: hosts.first().map(|host| host.name.clone()),
        hosts,
        venue_name: venue.as_ref().map(|venue| venue.name.to_owned()),
        venue_url: venue
            .as_ref()
            .and_then(|_| chance.maybe(60, |chance| format!("{site}/places/{}", number(chance, 12)))),
        address: venue.as_ref().map(|venue| format!("{}, {}, {}", venue.street, city.name, city.country)),
        street: venue.as_ref().map(|venue| venue.street.clone()),
        city: venue.as_ref().map(|_| city.name),
        country: venue.as_ref().map(|_| city.country),
        latitude: venue.as_ref().map(|venue| venue.latitude),
        longitude: venue.as_ref().map(|venue| venue.longitude),
        category,
        tickets: chance.maybe(65, |chance| tickets(chance, city, &event_id)),
        external_links: (0..chance.pick(&[0, 0, 1, 1, 2, 3])).map(|_| link(&mut chance)).collect(),
        image_caption: image.as_ref().and_then(|_| chance.maybe(40, |_| fill("{topic}, {city} (\"{venue}\")"))),
        cover_image_url: image,
        occurrences,
        event_id,
        input: section.input.clone(),
    }
}

/// What an event is about: the search's own words if there are any, and the category they belong to.
fn category(topic: &str, chance: &mut Chance) -> (&'static str, String) {
    const CATEGORIES: [(&str, &[&str]); 8] = [
        ("Music", &["Jazz", "Techno", "Indie", "Opera", "concert", "music", "rock", "dj"]),
        ("Food & Drink", &["Wine Tasting", "Street Food", "Ramen", "food", "wine", "coffee", "beer"]),
        ("Tech", &["Rust", "Machine Learning", "Data Science", "python", "ai", "startup", "hackathon"]),
        ("Arts", &["Photography", "Theatre", "Ceramics", "art", "film", "gallery", "museum"]),
        ("Sports", &["Yoga", "Running", "Climbing", "football", "cycling", "marathon"]),
        ("Comedy", &["Stand-up", "Improv", "comedy"]),
        ("Family", &["Puppet Show", "Flea Market", "kids", "family", "christmas"]),
        ("Networking", &["Founders' Breakfast", "networking", "meetup"]),
    ];
    let words: Vec<String> = topic.split_whitespace().map(str::to_lowercase).collect();
    let belongs = |(_, names): &&(&str, &[&str])| names.iter().any(|name| words.contains(&name.to_lowercase()));
    let found = CATEGORIES.iter().find(belongs);
    let (category, names) = found.copied().unwrap_or_else(|| chance.pick(&CATEGORIES));
    // The first names of a category are titles; the others are only recognised.
    let titles: Vec<&str> = names.iter().copied().filter(|name| name.starts_with(char::is_uppercase)).collect();
    (category, if topic.is_empty() { chance.pick(&titles).to_owned() } else { title(topic) })
}

fn title(topic: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    topic.split_whitespace().map(capital).collect::<Vec<String>>().join(" ")
}

/// A start on a half hour: in the two years before the epoch in one of seven cases, else between 8 months and 2 years
/// after it, so that `isPast` stays true to the calendar while the service is young.
fn starts(chance: &mut Chance, city: &City) -> Timestamp {
    let days = if chance.percent(14) { -(chance.whole(2, 730) as i64) } else { chance.whole(240, 730) as i64 };
    let local_minutes = chance.whole(18, 42) as i64 * 30;
    let minutes = days * 24 * 60 + local_minutes - i64::from(city.offset);
    EPOCH.checked_add(SignedDuration::from_mins(minutes)).unwrap_or(EPOCH)
}

/// Such as `Sat, 17 Jul 2027, 19:30 UTC+1`.
fn in_words(starts: Timestamp, city: &City) -> String {
    let offset = Offset::from_seconds(city.offset * 60).unwrap_or(Offset::UTC);
    let (hours, minutes) = (city.offset / 60, city.offset.unsigned_abs() % 60);
    let zone = match (hours, minutes) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{hours:+}"),
        _ => format!("UTC{hours:+}:{minutes:02}"),
    };
    format!("{} {zone}", offset.to_datetime(starts).strftime("%a, %-d %b %Y, %H:%M"))
}

fn occurrences(chance: &mut Chance, starts: Timestamp) -> (&'static str, Vec<Occurrence>) {
    let (frequency, days) = chance.pick(&[("SINGLE", 0), ("SINGLE", 0), ("SINGLE", 0), ("DAILY", 1), ("WEEKLY", 7)]);
    let dates = if days == 0 { 0 } else { chance.whole(2, 6) };
    let occurrence = |at: u64| {
        let start = after(starts, Duration::from_secs(at * days * DAY));
        Occurrence { event_id: number(chance, 15), start_date: start.to_string(), is_past: start < EPOCH }
    };
    (frequency, (0..dates).map(occurrence).collect())
}

fn hosts(chance: &mut Chance, tongue: &Tongue, site: &str) -> Vec<Host> {
    let host = |chance: &mut Chance| {
        let id = number(chance, 14);
        let name = tongues::person(tongue, chance);
        let followers = chance.maybe(70, |chance| chance.skewed(10.0, 2e6) as u64);
        Host { name, url: format!("{site}/hosts/{id}"), id, followers }
    };
    (0..chance.pick(&[0, 1, 1, 1, 2, 3])).map(|_| host(chance)).collect()
}

struct Venue {
    name: &'static str,
    street: String,
    latitude: f64,
    longitude: f64,
}

impl Venue {
    /// Somewhere within some five kilometres of the middle of the city.
    fn draw(chance: &mut Chance, tongue: &Tongue, city: &City) -> Self {
        let mut near = |degrees: f64| ((degrees + chance.between(-0.05, 0.05)) * 1e6).round() / 1e6;
        let (latitude, longitude) = (near(city.latitude), near(city.longitude));
        let street = format!("{} {}", chance.pick(tongue.streets), chance.whole(1, 180));
        Self { name: chance.pick(tongue.venues), street, latitude, longitude }
    }
}

fn tickets(chance: &mut Chance, city: &City, event_id: &str) -> Tickets {
    let is_free = chance.percent(30);
    let price = (!is_free).then(|| chance.price(5.0, 120.0));
    let most = price.map(|price| if chance.percent(50) { price } else { (price * 200.0).round() / 100.0 });
    Tickets {
        url: format!("https://tickets.example/e/{event_id}"),
        provider: chance.pick(&["Ticketeer", "Door & Co.", "Entrada"]),
        is_free,
        min_price: price,
        max_price: most,
        currency: city.currency,
    }
}

fn link(chance: &mut Chance) -> String {
    let site = chance.pick(&["https://band.example/", "https://tickets.example/e/", "https://blog.example/?p="]);
    format!("{site}{}", number(chance, 6))
}

fn number(chance: &mut Chance, digits: usize) -> String {
    format!("{}{}", chance.whole(1, 9), chance.code("0123456789", digits - 1))
}
