//! Cities in which events take place.

use super::chance::Chance;

#[derive(Debug, PartialEq)]
pub(super) struct City {
    pub(super) name: &'static str,
    /// Other names a search may use.
    pub(super) also: &'static [&'static str],
    pub(super) country: &'static str,
    /// The language its events are announced in.
    pub(super) tongue: &'static str,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    /// Minutes from UTC, summer time left aside.
    pub(super) offset: i32,
    pub(super) currency: &'static str,
}

#[rustfmt::skip]
const CITIES: [City; 18] = [
    City { name: "Berlin", also: &[], country: "Germany", tongue: "de", latitude: 52.5200, longitude: 13.4050, offset: 60, currency: "EUR" },
    City { name: "München", also: &["munich", "muenchen"], country: "Germany", tongue: "de", latitude: 48.1374, longitude: 11.5755, offset: 60, currency: "EUR" },
    City { name: "Hamburg", also: &[], country: "Germany", tongue: "de", latitude: 53.5511, longitude: 9.9937, offset: 60, currency: "EUR" },
    City { name: "Zürich", also: &["zurich"], country: "Switzerland", tongue: "de", latitude: 47.3769, longitude: 8.5417, offset: 60, currency: "CHF" },
    City { name: "東京", also: &["tokyo"], country: "Japan", tongue: "ja", latitude: 35.6762, longitude: 139.6503, offset: 540, currency: "JPY" },
    City { name: "大阪", also: &["osaka"], country: "Japan", tongue: "ja", latitude: 34.6937, longitude: 135.5023, offset: 540, currency: "JPY" },
    City { name: "Madrid", also: &[], country: "Spain", tongue: "es", latitude: 40.4168, longitude: -3.7038, offset: 60, currency: "EUR" },
    City { name: "Ciudad de México", also: &["mexico city", "cdmx"], country: "Mexico", tongue: "es", latitude: 19.4326, longitude: -99.1332, offset: -360, currency: "MXN" },
    City { name: "Buenos Aires", also: &[], country: "Argentina", tongue: "es", latitude: -34.6037, longitude: -58.3816, offset: -180, currency: "ARS" },
    City { name: "मुंबई", also: &["mumbai", "bombay"], country: "India", tongue: "hi", latitude: 19.0760, longitude: 72.8777, offset: 330, currency: "INR" },
    City { name: "दिल्ली", also: &["new delhi", "delhi"], country: "India", tongue: "hi", latitude: 28.6139, longitude: 77.2090, offset: 330, currency: "INR" },
    City { name: "القاهرة", also: &["cairo"], country: "Egypt", tongue: "ar", latitude: 30.0444, longitude: 31.2357, offset: 120, currency: "EGP" },
    City { name: "دبي", also: &["dubai"], country: "United Arab Emirates", tongue: "ar", latitude: 25.2048, longitude: 55.2708, offset: 240, currency: "AED" },
    City { name: "Paris", also: &[], country: "France", tongue: "fr", latitude: 48.8566, longitude: 2.3522, offset: 60, currency: "EUR" },
    City { name: "London", also: &[], country: "United Kingdom", tongue: "en", latitude: 51.5072, longitude: -0.1276, offset: 0, currency: "GBP" },
    City { name: "New York", also: &["nyc", "new york city", "brooklyn"], country: "United States", tongue: "en", latitude: 40.7128, longitude: -74.0060, offset: -300, currency: "USD" },
    City { name: "San Francisco", also: &["sf"], country: "United States", tongue: "en", latitude: 37.7749, longitude: -122.4194, offset: -480, currency: "USD" },
    City { name: "Sydney", also: &[], country: "Australia", tongue: "en", latitude: -33.8688, longitude: 151.2093, offset: 600, currency: "AUD" },
];

/// Some city.
pub(super) fn any(chance: &mut Chance) -> &'static City {
    &CITIES[chance.whole(0, CITIES.len() as u64 - 1) as usize]
}

/// The city that a search names, and the search without it.
pub(super) fn named_in(search: &str) -> (Option<&'static City>, String) {
    let words: Vec<&str> = search.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.trim_matches(',').to_lowercase()).collect();
    for city in &CITIES {
        let own = city.name.to_lowercase();
        for name in city.also.iter().copied().chain([own.as_str()]) {
            let name: Vec<&str> = name.split(' ').collect();
            if let Some(at) = lower.windows(name.len()).position(|window| window == name) {
                let rest = [&words[..at], &words[at + name.len()..]].concat();
                return (Some(city), rest.join(" "));
            }
        }
    }
    (None, words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_is_found_by_any_of_its_names_and_only_as_a_word() {
        let found = |search| {
            let (city, rest) = named_in(search);
            (city.map(|city| city.name), rest)
        };
        assert_eq!(found("Jazz  BERLIN"), (Some("Berlin"), "Jazz".to_owned()));
        assert_eq!(found("new york city food"), (Some("New York"), "food".to_owned()));
        assert_eq!(found("東京 ramen"), (Some("東京"), "ramen".to_owned()));
        assert_eq!(found("comparison"), (None, "comparison".to_owned()));
        assert_eq!(found(""), (None, String::new()));
    }
}
