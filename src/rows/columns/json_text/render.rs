//! Writing a held value as JSON text: RFC 8785, with all digits of integers and without members that are null.
//! `json::canonical` writes the same of a value of the body.

use std::io::Write as _;

use crate::rows::json::number::Number;
use crate::rows::json::number_text::write_number;
use crate::rows::json::text::write_string;

use super::Outline;
use crate::rows::columns::{Column, List, Member, Store};

impl Store {
    /// Appends the JSON text of one of the [values](Store::physical_index); the outline is that of all of them.
    pub(in crate::rows::columns) fn render(&self, value: usize, outline: &Outline, out: &mut Vec<u8>) {
        match (self, outline) {
            (Self::Float64(values), _) => write_number(Number::Float(values.values()[value]), out),
            (Self::List(list), Outline::Elements(outline)) => {
                write_elements(list, value, out, |element, out| list.elements.render(element, outline, out));
            }
            (Self::Struct(members), Outline::Objects(objects)) => {
                write_members(objects.at(value), out, |(named, value), out| {
                    out.extend_from_slice(&named.key);
                    members.column(named.at).store.render(value, &named.outline, out);
                });
            }
            (Self::List(_) | Self::Struct(_), _) => unreachable!("the outline is that of the values"),
            (scalar, _) => write_scalar(scalar, value, out),
        }
    }
}

impl Column {
    pub(in crate::rows) fn outline(&self) -> Outline {
        Outline::of(&self.store)
    }

    /// Appends the JSON text of what is at a place, `null` where nothing is. The outline is that of the column.
    pub(in crate::rows) fn render(&self, at: usize, outline: &Outline, out: &mut Vec<u8>) {
        match self.store.physical_index(at) {
            None => out.extend_from_slice(b"null"),
            Some(value) => self.store.render(value, outline, out),
        }
    }

    /// Appends the string at a place as it is; `false` where there is none.
    pub(in crate::rows) fn copy_text(&self, at: usize, out: &mut Vec<u8>) -> bool {
        let Store::Utf8(texts) = &self.store else { return false };
        let text = texts.physical_index(at).map(|value| texts.get(value));
        text.inspect(|text| out.extend_from_slice(text)).is_some()
    }

    /// As [`Column::render`], but so that reading it again gives the same column: members in their order and with their
    /// nulls, floats still floats.
    pub(in crate::rows) fn render_faithfully(&self, at: usize, out: &mut Vec<u8>) {
        let Some(value) = self.store.physical_index(at) else {
            out.extend_from_slice(b"null");
            return;
        };
        match &self.store {
            Store::Float64(values) => {
                write!(out, "{:?}", values.values()[value]).expect("writing to memory does not fail");
            }
            Store::List(list) => {
                write_elements(list, value, out, |element, out| list.elements.render_faithfully(element, out));
            }
            Store::Struct(members) => {
                write_members(members.iter(), out, |Member { name, column, .. }, out| {
                    write_string(name.as_bytes(), out);
                    out.push(b':');
                    column.render_faithfully(value, out);
                });
            }
            scalar => write_scalar(scalar, value, out),
        }
    }
}

/// What both write alike.
fn write_scalar(store: &Store, value: usize, out: &mut Vec<u8>) {
    match store {
        Store::Boolean(values) => out.extend_from_slice(if values.values()[value] { b"true" } else { b"false" }),
        Store::Int64(values) => write_number(Number::Int(values.values()[value]), out),
        Store::UInt64(values) => write_number(Number::UInt(values.values()[value]), out),
        Store::Utf8(values) if values.is_json(value) => out.extend_from_slice(values.get(value)),
        Store::Utf8(values) => write_string(values.get(value), out),
        Store::Null(_) => out.extend_from_slice(b"null"),
        Store::Float64(_) | Store::List(_) | Store::Struct(_) => unreachable!("written by who calls this"),
    }
}

fn write_elements(list: &List, value: usize, out: &mut Vec<u8>, mut write: impl FnMut(usize, &mut Vec<u8>)) {
    out.push(b'[');
    for (position, element) in list.range(value).enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

fn write_members<M>(members: impl Iterator<Item = M>, out: &mut Vec<u8>, mut write: impl FnMut(M, &mut Vec<u8>)) {
    out.push(b'{');
    for (position, member) in members.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(member, out);
    }
    out.push(b'}');
}
