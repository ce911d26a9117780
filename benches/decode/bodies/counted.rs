//! Rows of more shapes, which no peer reads: only the instructions that reading them takes are counted.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::pieces::{digits, moment, price, url, words};

/// An object whose keys are data, some of them without a value.
pub(super) fn maps(random: &mut Rng, _: f64) -> Value {
    let count = |random: &mut Rng| if random.u8(..) < 25 { Value::Null } else { random.u32(..999).into() };
    let counts: Map<String, Value> = (0..random.usize(2..12))
        .map(|_| (format!("{} {}", words(random, 1), digits(random, 3)), count(random)))
        .collect();
    json!({"id": digits(random, 12), "counts": counts, "title": words(random, 3)})
}

/// A page of markup: quotes and line ends in every sentence.
pub(super) fn html(random: &mut Rng, _: f64) -> Value {
    let paragraph = |random: &mut Rng| {
        let count = random.usize(4..20);
        format!("<p class=\"x\">{}</p>\n", words(random, count))
    };
    let paragraphs: String = (0..30).map(|_| paragraph(random)).collect();
    json!({"url": url(random), "html": format!("<div class=\"{}\">\n\t{paragraphs}</div>", words(random, 1))})
}

/// Where something lies: a list of pairs of numbers.
pub(super) fn outlines(random: &mut Rng, _: f64) -> Value {
    let angle = |random: &mut Rng, most: f64| ((random.f64() * 2.0 - 1.0) * most * 1e6).round() / 1e6;
    let corners: Vec<[f64; 2]> = (0..40).map(|_| [angle(random, 180.0), angle(random, 90.0)]).collect();
    json!({"id": digits(random, 12), "corners": corners, "floors": (0..20).map(|_| random.u32(..300)).collect::<Vec<_>>()})
}

/// What shops offer, each in its own words: about one member in five is left out, and half the rows begin with another
/// one.
pub(super) fn reordered(random: &mut Rng, _: f64) -> Value {
    let offer = json!({
        "title": words(random, 4),
        "url": url(random),
        "price": price(random),
        "currency": "EUR",
        "rating": random.u32(1..6),
        "reviewCount": random.u32(..5_000),
        "inStock": random.bool(),
        "brand": words(random, 1),
        "shippingAddressCity": words(random, 1),
        "shippingAddressCountry": words(random, 1),
        "updatedAt": moment(random),
    });
    let Value::Object(offer) = offer else { unreachable!("an object was written") };
    let mut members: Vec<(String, Value)> = offer.into_iter().filter(|_| random.u8(..5) > 0).collect();
    if random.bool() && !members.is_empty() {
        let first = random.usize(..members.len());
        members.rotate_left(first);
    }
    members.into_iter().collect::<Map<_, _>>().into()
}

/// What is counted and measured of something.
pub(super) fn numbers(random: &mut Rng, _: f64) -> Value {
    let count = |random: &mut Rng| {
        let length = random.u32(1..9);
        random.u64(..10_u64.pow(length))
    };
    json!({
        "id": random.u64(10_u64.pow(16)..10_u64.pow(17)),
        "views": count(random),
        "likes": count(random),
        "change": random.i32(-5_000..5_000),
        "price": f64::from(random.u32(..100_000)) / 100.0,
        "latitude": random.f64() * 180.0 - 90.0,
        "longitude": random.f64() * 360.0 - 180.0,
    })
}
