//! What rows are made of: words and names, digits, addresses, moments.

use fastrand::Rng;

const WORDS: &[&str] = &[
    "the", "jazz", "night", "river", "old", "market", "open", "stage", "free", "entry", "doors", "late", "band",
    "coffee", "piano", "garden", "walk", "festival", "summer", "workshop", "and", "of", "with", "for", "every",
];
const SCRIPTS: &[&str] = &["Привет мир", "東京の夜", "שלום", "日本語テキスト", "🎷🎹🎺", "Καλημέρα", "مرحبا", "żółć"];

/// Names as they are written where they are.
pub(super) const NAMES: &[&str] = &[
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

pub(super) fn words(random: &mut Rng, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
    words.join(" ")
}

pub(super) fn script(random: &mut Rng) -> &'static str {
    SCRIPTS[random.usize(..SCRIPTS.len())]
}

pub(super) fn digits(random: &mut Rng, count: usize) -> String {
    (0..count).map(|_| random.digit(10)).collect()
}

pub(super) fn url(random: &mut Rng) -> String {
    format!("https://www.events.example/page/{}", digits(random, 15))
}

pub(super) fn moment(random: &mut Rng) -> String {
    format!("2028-0{}-{}T{}:30:00Z", random.u8(1..10), random.u8(10..29), random.u8(10..24))
}

pub(super) fn price(random: &mut Rng) -> f64 {
    f64::from(random.u32(500..9_000)) / 100.0
}

pub(super) fn degrees(random: &mut Rng) -> f64 {
    f64::from(random.u32(10_000_000..60_000_000)) / 1e6
}
