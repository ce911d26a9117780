//! Bodies out of the fuzzer's bytes that are mostly valid: keys that come again, values of every class of the decoder.

use arbitrary::{Arbitrary, Result, Unstructured};
use rowhaul::rows::Form;

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "7",
    "-0.0",
    "5.0",
    "1e3",
    "2.5",
    "1E-7",
    "1e21",
    "1e-400",
    "5e-324",
    "1e400",
    "-1E+400",
    "9007199254740992",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "0.1000000000000000055511151231257827",
];
const PIECES: &[&str] = &[
    "a",
    "B",
    " ",
    "007",
    "é",
    "żółć",
    "東京",
    "🎷",
    "\u{7f}",
    "\u{2028}",
    "\\n",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u0000",
    "\\u00e9",
    "\\uD83C\\uDFB7",
    "\\ud800",
    "\\udc00",
    "\\ud800\\u0041",
    "null",
    "a text of more bytes than are copied in one go, which are sixty-four, or so says the decoder",
];
const KEYS: &[&str] = &["a", "b", "c", "d", "data", "é", "\\u0061", "\\ud800", "", "\u{e000}", "🎷", "a\\nb"];
const SPACES: &[&str] = &["", "", "", "", " ", "\n", "\t \r"];

/// A body and how it is read.
#[derive(Debug)]
pub struct MadeUp {
    pub body: Vec<u8>,
    pub form: Form,
    pub piece: usize,
    pub batch_rows: usize,
}

impl<'a> Arbitrary<'a> for MadeUp {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let records = Form::Records(["data".to_owned()].into());
        let form = u.choose(&[Form::Any, Form::Answer, Form::Results, Form::Lines, records])?.clone();
        let (piece, batch_rows) = (u.int_in_range(1..=60)?, u.int_in_range(1..=9)?);
        let is_broken = u.ratio(1, 16)?;
        let mut writer = Writer { u, out: String::new() };
        writer.body(&form)?;
        let mut body = writer.out.into_bytes();
        if is_broken && !body.is_empty() {
            let at = u.choose_index(body.len())?;
            body[at] = u.arbitrary()?;
        }
        Ok(Self { body, form, piece, batch_rows })
    }
}

struct Writer<'a, 'u> {
    u: &'a mut Unstructured<'u>,
    out: String,
}

impl Writer<'_, '_> {
    fn body(&mut self, form: &Form) -> Result<()> {
        match form {
            Form::Lines => self.rows("\n"),
            Form::Any => self.between('[', ']', |writer| writer.rows(",")),
            Form::Answer | Form::Results | Form::Records(_) => {
                self.out.push_str("{\"status\":\"completed\",\"data\":");
                self.between('[', ']', |writer| writer.rows(","))?;
                self.between(',', '}', |writer| {
                    writer.out.push_str("\"other\":");
                    writer.value(0)
                })
            }
        }
    }

    fn rows(&mut self, separator: &str) -> Result<()> {
        let mut is_first = true;
        while !self.u.is_empty() && self.u.ratio(19, 20)? {
            if !std::mem::take(&mut is_first) {
                self.out.push_str(separator);
            }
            self.object(1)?;
        }
        Ok(())
    }

    fn value(&mut self, level: usize) -> Result<()> {
        let is_deep = level > 5;
        match self.u.int_in_range(0..=15)? {
            0..=1 => self.out.push_str("null"),
            2 => self.out.push_str("true"),
            3 => self.out.push_str("false"),
            4..=5 => self.pick(NUMBERS)?,
            6 => self.out.push_str(&self.u.arbitrary::<i64>()?.to_string()),
            7 => self.digits()?,
            8..=10 => self.string()?,
            11 if !is_deep => self.nested()?,
            12 if !is_deep && self.u.ratio(1, 16)? => self.wide()?,
            13 if !is_deep => self.object(level + 1)?,
            14..=15 if !is_deep => self.array(level + 1)?,
            _ => self.out.push('1'),
        }
        Ok(())
    }

    fn object(&mut self, level: usize) -> Result<()> {
        let count = self.u.int_in_range(0..=5)?;
        self.between('{', '}', |writer| {
            for at in 0..count {
                if at > 0 {
                    writer.out.push(',');
                }
                writer.out.push('"');
                writer.pick(KEYS)?;
                writer.out.push_str("\":");
                writer.value(level)?;
            }
            Ok(())
        })
    }

    fn array(&mut self, level: usize) -> Result<()> {
        let count = self.u.int_in_range(0..=4)?;
        self.between('[', ']', |writer| {
            for at in 0..count {
                if at > 0 {
                    writer.out.push(',');
                }
                writer.value(level)?;
            }
            Ok(())
        })
    }

    /// Many levels around nothing.
    fn nested(&mut self) -> Result<()> {
        let levels = self.u.int_in_range(0..=140)?;
        let is_array = self.u.arbitrary()?;
        self.out.push_str(&if is_array { "[".repeat(levels) } else { "{\"n\":".repeat(levels) });
        self.pick(NUMBERS)?;
        self.out.push_str(&if is_array { "]" } else { "}" }.repeat(levels));
        Ok(())
    }

    /// An object of about as many keys as a struct may have. Rare: one is longer than all else in most bodies.
    fn wide(&mut self) -> Result<()> {
        let first = self.u.int_in_range(0..=5)?;
        let members: Vec<String> = (first..first + 254).map(|key| format!("\"{key}\":{key}")).collect();
        self.out.push_str(&format!("{{{}}}", members.join(",")));
        Ok(())
    }

    fn string(&mut self) -> Result<()> {
        let count = self.u.int_in_range(0..=4)?;
        self.out.push('"');
        for _ in 0..count {
            self.pick(PIECES)?;
        }
        self.out.push('"');
        Ok(())
    }

    /// A number of any digits.
    fn digits(&mut self) -> Result<()> {
        let (whole, exponent) = (self.u.arbitrary::<u128>()?, self.u.int_in_range(-340..=330)?);
        self.out.push_str(&format!("{whole}.{}e{exponent}", self.u.arbitrary::<u64>()?));
        Ok(())
    }

    fn pick(&mut self, from: &[&str]) -> Result<()> {
        self.out.push_str(self.u.choose(from)?);
        Ok(())
    }

    /// Something in its brackets, with white space here and there.
    fn between(&mut self, open: char, close: char, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.out.push(open);
        self.pick(SPACES)?;
        write(self)?;
        self.pick(SPACES)?;
        self.out.push(close);
        Ok(())
    }
}
