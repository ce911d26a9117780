//! What a shop sells: one article for each ASIN and shop, the same in every agent that shows it.

use super::chance::Chance;

#[derive(Debug)]
pub(super) struct Article {
    pub(super) asin: String,
    /// Domain plus `/dp/<ASIN>`.
    pub(super) url: String,
    pub(super) title: String,
    pub(super) brand: &'static str,
    pub(super) category: &'static str,
    pub(super) thing: &'static str,
    pub(super) price: f64,
    pub(super) currency: &'static str,
    /// Mean of the ratings, from 1 to 5.
    pub(super) rating: f64,
    pub(super) review_count: u64,
}

const THINGS: [(&str, &str); 12] = [
    ("Wireless Headphones", "Electronics"),
    ("USB-C Charger, 65 W", "Electronics"),
    ("Espresso Machine", "Kitchen"),
    ("Cast-Iron Pan 28 cm", "Kitchen"),
    ("LED Desk Lamp", "Home"),
    ("Yoga Mat \"Pro\"", "Sports"),
    ("Trail Running Shoes", "Sports"),
    ("Wasserkocher, 1,7 l", "Kitchen"),
    ("抹茶茶碗セット", "Kitchen"),
    ("Kurta für Damen – कुर्ता", "Clothing"),
    ("Mochila de viaje 40 L", "Luggage"),
    ("Building Bricks 🧱 (1,000 pieces)", "Toys"),
];

const BRANDS: [&str; 7] = ["Nordlys", "Kaffka & Sons", "Solaire", "山海", "Tejas", "O'Malley", "Große Welt"];

impl Article {
    pub(super) fn of(seed: u64, site: &str, asin: &str) -> Self {
        let mut chance = Chance::of(seed, &["article", site, asin]);
        let (thing, category) = chance.pick(&THINGS);
        let brand = chance.pick(&BRANDS);
        let (currency, rate) = money(site);
        let colour = chance.pick(&["Black", "Weiß", "青", "Verde", "नीला"]);
        let price = (chance.price(6.0, 400.0) * rate * 100.0).round() / 100.0;
        Self {
            asin: asin.to_owned(),
            url: format!("{site}/dp/{asin}"),
            title: format!("{brand} {thing}, {colour}"),
            brand,
            category,
            thing,
            price: if currency == "JPY" { price.round() } else { price },
            currency,
            rating: (chance.between(2.8, 4.9) * 10.0).round() / 10.0,
            review_count: chance.skewed(3.0, 60_000.0) as u64,
        }
    }
}

/// The currency of a shop by the end of its host's name, and what a US dollar is in it, roughly.
fn money(site: &str) -> (&'static str, f64) {
    let host = site.rsplit("//").next().unwrap_or_default().split(':').next().unwrap_or_default();
    match host.rsplit('.').next().unwrap_or_default() {
        "in" => ("INR", 83.0),
        "de" | "fr" | "es" | "it" | "nl" => ("EUR", 0.92),
        "uk" => ("GBP", 0.79),
        "jp" => ("JPY", 150.0),
        _ => ("USD", 1.0),
    }
}
