//! Money on the wire: a JSON number, read and written digit by digit, never through a float.

use rust_decimal::Decimal;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// An amount in USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Usd(pub Decimal);

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let amount = if text.contains(['e', 'E']) { Decimal::from_scientific(text) } else { text.parse() };
        match amount {
            Ok(amount) if !amount.is_sign_negative() || amount.is_zero() => Ok(Self(amount)),
            _ => Err(D::Error::custom("an amount of money must be a number that is not negative")),
        }
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.normalize().to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_every_digit_and_bad_ones_are_refused() {
        let amount: Usd = serde_json::from_str("99.99999999999999999").unwrap();
        assert_eq!(serde_json::to_string(&amount).unwrap(), "99.99999999999999999");
        for bad in ["-1", "\"5\"", "null", "NaN", "true"] {
            assert!(serde_json::from_str::<Usd>(bad).is_err(), "{bad}");
        }
    }
}
