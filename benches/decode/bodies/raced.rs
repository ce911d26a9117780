//! Rows of the eight shapes in `benches/bodies.py`, which peers read, too.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::pieces::{NAMES, degrees, digits, moment, price, script, url, words};

/// The events agent's 29 columns, about 1.8 KB.
pub(super) fn events(random: &mut Rng, _: f64) -> Value {
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
pub(super) fn comments(random: &mut Rng, _: f64) -> Value {
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
pub(super) fn places(random: &mut Rng, _: f64) -> Value {
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
pub(super) const SUBJECTS: [&str; 16] = [
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
pub(super) fn feed(random: &mut Rng, _: f64) -> Value {
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
pub(super) fn sparse(random: &mut Rng, _: f64) -> Value {
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
pub(super) fn drifting(random: &mut Rng, progress: f64) -> Value {
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
pub(super) fn escaped(random: &mut Rng, _: f64) -> Value {
    let text: Vec<&str> = (0..8).map(|_| script(random)).collect();
    let path = format!("C:\\{}\n\t{}", words(random, 1), words(random, 3));
    json!({"id": digits(random, 12), "text": text.join(" "), "path": path, "n": random.f64()})
}

/// A page of text: a cell of some 6 KB.
pub(super) fn long_text(random: &mut Rng, _: f64) -> Value {
    let text: Vec<String> = (0..40).map(|_| words(random, 25)).collect();
    json!({"url": url(random), "title": words(random, 6), "text": text.join("\n")})
}
