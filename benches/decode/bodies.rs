//! Rows made up from a seed: of the eight shapes in `benches/bodies.py`, and of those that only instructions are
//! counted of.

use std::fmt::Write as _;

use bytes::Bytes;
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Makes a row, from a source of randomness and how far into the body it stands (0 to 1).
type MakeRow = fn(&mut Rng, f64) -> Value;

/// What a body may hold, by name.
pub(crate) const KINDS: [(&str, MakeRow); 8] = [
    ("events", events),
    ("comments", comments),
    ("places", places),
    ("feed", feed),
    ("sparse", sparse),
    ("drifting", drifting),
    ("escaped", escaped),
    ("long-text", long_text),
];

/// More of them, which no peer reads: each member on a line of its own, objects with too many keys for a struct, text
/// with short escapes, lists of numbers, numbers of now this and now that length, and members that are left out or stand
/// in another order.
pub(crate) const MORE_KINDS: [(&str, MakeRow); 6] = [
    ("indented", events),
    ("maps", maps),
    ("html", html),
    ("outlines", outlines),
    ("numbers", numbers),
    ("reordered", reordered),
];

const WORDS: &[&str] = &[
    "the", "jazz", "night", "river", "old", "market", "open", "stage", "free", "entry", "doors", "late", "band",
    "coffee", "piano", "garden", "walk", "festival", "summer", "workshop", "and", "of", "with", "for", "every",
];
const SCRIPTS: &[&str] = &["Привет мир", "東京の夜", "שלום", "日本語テキスト", "🎷🎹🎺", "Καλημέρα", "مرحبا", "żółć"];

/// Names as they are written where they are.
const NAMES: &[&str] = &[
    "Kraków",
    "Malmö",
    "São Paulo",
    "Łódź",
    "Besançon",
    "Århus",
    "Oslo",
    "Lyon",
    "Düsseldorf",
    "東京",
    "北京市",
    "서울",
    "Москва",
    "Αθήνα",
    "القاهرة",
    "नई दिल्ली",
    "Тбилиси",
    "ירושלים",
];

/// A body in the forms that peers read.
pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) rows: usize,
    /// As the service sends it.
    pub(crate) envelope: Bytes,
    /// A row a line.
    pub(crate) lines: Vec<u8>,
}

/// A body of at least so many bytes.
pub(crate) fn body(name: &str, bytes: usize) -> Body {
    let (name, row) = *KINDS.iter().chain(&MORE_KINDS).find(|(kind, _)| *kind == name).expect("a kind there is");
    let mut random = Rng::with_seed(name.len() as u64);
    let (mut lines, mut data, mut rows) = (Vec::with_capacity(bytes + (16 << 10)), Vec::new(), 0);
    while data.len() < bytes {
        let value = row(&mut random, data.len() as f64 / bytes as f64);
        let text = match name {
            "escaped" => in_ascii(&value.to_string()),
            "indented" => format!("{value:#}"),
            _ => value.to_string(),
        };
        lines.extend_from_slice(text.as_bytes());
        lines.push(b'\n');
        data.extend_from_slice(if rows == 0 { b"" } else { b"," });
        data.extend_from_slice(text.as_bytes());
        rows += 1;
    }
    let mut envelope = format!("{{\"status\":\"completed\",\"row_count\":{rows},\"data\":[").into_bytes();
    envelope.append(&mut data);
    envelope.extend_from_slice(b"]}");
    Body { name, rows, envelope: envelope.into(), lines }
}

/// The events agent's 29 columns, about 1.8 KB.
fn events(random: &mut Rng, _: f64) -> Value {
    let host =
        json!({"name": words(random, 2), "url": url(random), "id": digits(random, 14), "followers": Value::Null});
    let occurrences: Vec<Value> = (0..random.usize(0..4))
        .map(|_| json!({"eventId": digits(random, 15), "startDate": moment(random), "isPast": false}))
        .collect();
    let tickets = json!({
        "url": url(random), "provider": "Box Office", "isFree": false, "minPrice": price(random),
        "maxPrice": price(random), "currency": "EUR",
    });
    json!({
        "eventName": words(random, 5),
        "eventUrl": url(random),
        "eventId": digits(random, 15),
        "description": format!("{}\n\"{}\"", words(random, 70), words(random, 9)),
        "startDate": moment(random),
        "dateTime": "Thu, 2 Mar 2028, 19:00 UTC+1",
        "duration": if random.bool() { json!("2 hr 30 min") } else { Value::Null },
        "frequency": "SINGLE",
        "isPast": random.bool(),
        "isCanceled": random.u8(..) < 10,
        "isOnline": false,
        "going": random.u32(..4_000),
        "interested": random.u32(..20_000),
        "host": words(random, 2),
        "hosts": [host],
        "venueName": words(random, 3),
        "venueUrl": url(random),
        "address": words(random, 6),
        "street": words(random, 2),
        "city": "Kraków",
        "country": "Poland",
        "latitude": degrees(random),
        "longitude": degrees(random),
        "category": "Food & Drink",
        "tickets": if random.u8(..) < 160 { tickets } else { Value::Null },
        "externalLinks": [url(random)],
        "coverImageUrl": url(random),
        "imageCaption": if random.bool() { json!(words(random, 6)) } else { Value::Null },
        "occurrences": occurrences,
    })
}

/// Short rows, much text in many scripts.
fn comments(random: &mut Rng, _: f64) -> Value {
    let replies: Vec<Value> = (0..random.usize(0..5).saturating_sub(2))
        .map(|_| {
            let (author, text) = (words(random, 2), words(random, 8));
            json!({"author": author, "text": text, "likeCount": random.u8(..99), "publishedAt": moment(random)})
        })
        .collect();
    json!({
        "commentId": digits(random, 18),
        "text": format!("{} {}", words(random, 12), script(random)),
        "author": words(random, 2),
        "authorUrl": url(random),
        "isAuthorChannelOwner": random.u8(..) < 13,
        "publishedAt": moment(random),
        "likeCount": random.u32(..90_000),
        "replyCount": replies.len(),
        "replies": replies,
        "isPinned": false,
        "isEdited": random.u8(..) < 25,
        "language": "ja",
        "videoId": digits(random, 11),
    })
}

/// A place with its names as they are written there: short texts, most of them not ASCII.
fn places(random: &mut Rng, _: f64) -> Value {
    let name = |random: &mut Rng| NAMES[random.usize(..NAMES.len())];
    let numbered = |random: &mut Rng| format!("{} {}", name(random), random.u16(1..999));
    let tags: Vec<&str> = (0..random.usize(0..5)).map(|_| name(random)).collect();
    json!({
        "id": random.u32(1..1_000_000_000),
        "name": format!("{} {}", name(random), numbered(random)),
        "street": numbered(random),
        "city": name(random),
        "region": name(random),
        "tags": tags,
        "rating": f64::from(random.u8(10..51)) / 10.0,
        "isOpen": random.u8(..) < 200,
    })
}

/// What an activity feed tells of.
const SUBJECTS: [&str; 16] = [
    "branch",
    "check",
    "comment",
    "commit",
    "deployment",
    "fork",
    "issue",
    "label",
    "member",
    "milestone",
    "page",
    "release",
    "review",
    "star",
    "tag",
    "team",
];

/// A few common columns, and one of 16 objects of 14 to 21 fields.
fn feed(random: &mut Rng, _: f64) -> Value {
    let kind = random.usize(..SUBJECTS.len());
    let name = SUBJECTS[kind];
    let labels: Vec<Value> =
        (0..random.usize(..3)).map(|_| json!({"name": words(random, 1), "color": digits(random, 6)})).collect();
    let mut subject = json!({
        "id": random.u32(100_000_000..1_000_000_000),
        "url": url(random),
        "title": words(random, 6),
        "body": if random.bool() { json!(words(random, 40)) } else { Value::Null },
        "state": if random.bool() { "open" } else { "closed" },
        "isLocked": false,
        "author": {"login": words(random, 1), "id": random.u32(1..99_999), "isAdmin": random.u8(..) < 25},
        "labels": labels,
        "createdAt": moment(random),
        "closedAt": if random.bool() { json!(moment(random)) } else { Value::Null },
    });
    for n in 0..4 + kind % 8 {
        subject[format!("{name}{n}")] = match n % 4 {
            0 => words(random, 2).into(),
            1 => random.u32(..999).into(),
            2 => random.f64().into(),
            _ => Value::Null,
        };
    }
    json!({
        "id": digits(random, 11),
        "type": name,
        "actor": {"id": random.u32(1..99_999), "login": words(random, 1), "url": url(random)},
        "payload": {"action": "opened", name: subject},
        "isPublic": true,
        "createdAt": moment(random),
    })
}

/// A few common columns, and one or two of 200 objects of different fields.
fn sparse(random: &mut Rng, _: f64) -> Value {
    let mut row = Map::new();
    row.insert("id".into(), digits(random, 12).into());
    row.insert("at".into(), moment(random).into());
    row.insert("public".into(), true.into());
    for _ in 0..random.usize(1..3) {
        let kind = random.u32(..200);
        let mut payload = Map::new();
        payload.insert("url".into(), url(random).into());
        payload.insert("number".into(), random.u32(..99_999).into());
        payload.insert("note".into(), words(random, 6).into());
        let detail = json!({"name": words(random, 2), "score": random.f64(), "tags": [words(random, 1)]});
        payload.insert(format!("detail{}", kind % 7), detail);
        if kind.is_multiple_of(3) {
            let items: Vec<Value> =
                (0..random.u32(..4)).map(|n| json!({"sku": digits(random, 6), "count": n})).collect();
            payload.insert("items".into(), items.into());
        }
        row.insert(format!("payload{kind:03}"), payload.into());
    }
    row.into()
}

/// Types that depend on where a row stands, and a column that comes late.
fn drifting(random: &mut Rng, progress: f64) -> Value {
    let mut row = json!({
        "id": random.u64(1 << 53..1 << 62),
        "parent": if random.bool() { json!(random.u64(1 << 53..1 << 62)) } else { Value::Null },
        "score": if progress < 0.6 { json!(random.u32(..999)) } else { json!(price(random)) },
        "size": if progress < 0.97 { json!(random.u32(..999)) } else { json!("3 GB") },
        "owner": if progress < 0.9 { json!({"id": random.u32(..999)}) } else { json!(words(random, 1)) },
        "verified": if progress < 0.95 { json!(random.bool()) } else { json!("unknown") },
        "postcode": digits(random, 5),
        "title": words(random, 12),
    });
    if progress > 0.95 {
        row["late"] = json!({"reason": words(random, 3)});
    }
    row
}

/// Text in many scripts, which its body writes in `\u` escapes.
fn escaped(random: &mut Rng, _: f64) -> Value {
    let text: Vec<&str> = (0..8).map(|_| script(random)).collect();
    let path = format!("C:\\{}\n\t{}", words(random, 1), words(random, 3));
    json!({"id": digits(random, 12), "text": text.join(" "), "path": path, "n": random.f64()})
}

/// A page of text: a cell of some 6 KB.
fn long_text(random: &mut Rng, _: f64) -> Value {
    let text: Vec<String> = (0..40).map(|_| words(random, 25)).collect();
    json!({"url": url(random), "title": words(random, 6), "text": text.join("\n")})
}

/// An object whose keys are data, some of them without a value.
fn maps(random: &mut Rng, _: f64) -> Value {
    let count = |random: &mut Rng| if random.u8(..) < 25 { Value::Null } else { random.u32(..999).into() };
    let counts: Map<String, Value> = (0..random.usize(2..12))
        .map(|_| (format!("{} {}", words(random, 1), digits(random, 3)), count(random)))
        .collect();
    json!({"id": digits(random, 12), "counts": counts, "title": words(random, 3)})
}

/// A page of markup: quotes and line ends in every sentence.
fn html(random: &mut Rng, _: f64) -> Value {
    let paragraph = |random: &mut Rng| {
        let count = random.usize(4..20);
        format!("<p class=\"x\">{}</p>\n", words(random, count))
    };
    let paragraphs: String = (0..30).map(|_| paragraph(random)).collect();
    json!({"url": url(random), "html": format!("<div class=\"{}\">\n\t{paragraphs}</div>", words(random, 1))})
}

/// Where something lies: a list of pairs of numbers.
fn outlines(random: &mut Rng, _: f64) -> Value {
    let angle = |random: &mut Rng, most: f64| ((random.f64() * 2.0 - 1.0) * most * 1e6).round() / 1e6;
    let corners: Vec<[f64; 2]> = (0..40).map(|_| [angle(random, 180.0), angle(random, 90.0)]).collect();
    json!({"id": digits(random, 12), "corners": corners, "floors": (0..20).map(|_| random.u32(..300)).collect::<Vec<_>>()})
}

/// What shops offer, each in its own words: about one member in five is left out, and half the rows begin with another
/// one.
fn reordered(random: &mut Rng, _: f64) -> Value {
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
fn numbers(random: &mut Rng, _: f64) -> Value {
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

fn words(random: &mut Rng, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
    words.join(" ")
}

fn script(random: &mut Rng) -> &'static str {
    SCRIPTS[random.usize(..SCRIPTS.len())]
}

fn digits(random: &mut Rng, count: usize) -> String {
    (0..count).map(|_| random.digit(10)).collect()
}

fn url(random: &mut Rng) -> String {
    format!("https://www.events.example/page/{}", digits(random, 15))
}

fn moment(random: &mut Rng) -> String {
    format!("2028-0{}-{}T{}:30:00Z", random.u8(1..10), random.u8(10..29), random.u8(10..24))
}

fn price(random: &mut Rng) -> f64 {
    f64::from(random.u32(500..9_000)) / 100.0
}

fn degrees(random: &mut Rng) -> f64 {
    f64::from(random.u32(10_000_000..60_000_000)) / 1e6
}

/// JSON text with every character beyond ASCII as escapes.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}
