//! Writing a held value as JSON text: RFC 8785, with all digits of integers and without members that are null.
//! `json::canonical` writes the same of a value of the body.

use crate::rows::json::number::Number;
use crate::rows::json::number_text::{write_display, write_number};
use crate::rows::json::text::write_string;

use super::outline::{Objects, Outline};
use super::{Column, Member, Members, Store};

/// How members and floats are written.
#[derive(Clone, Copy)]
enum Style<'o> {
    /// What a reader of the table sees.
    Canonical(&'o Outline),
    /// For reading in again: members in their order and with their nulls, floats still floats.
    Faithful,
}

impl Store {
    /// Appends the JSON text of the value at `at`, which is not null; the outline is that of all values.
    pub(super) fn render(&self, at: usize, outline: &Outline, out: &mut Vec<u8>) {
        write_value(self, at, Style::Canonical(outline), out);
    }
}

impl Column {
    pub(in crate::rows) fn outline(&self) -> Outline {
        Outline::of(&self.store)
    }

    /// Appends the JSON text of a value; `null` where there is none. The outline is that of the column.
    pub(in crate::rows) fn render(&self, at: usize, outline: &Outline, out: &mut Vec<u8>) {
        write_column(self, at, Style::Canonical(outline), out);
    }

    /// Appends a string as it is; `false` where the value is none.
    pub(in crate::rows) fn copy_text(&self, at: usize, out: &mut Vec<u8>) -> bool {
        match &self.store {
            Store::Utf8(values) => out.extend_from_slice(values.get(at)),
            _ => return false,
        }
        true
    }

    /// As [`Column::render`], but so that reading it again gives the same column.
    pub(in crate::rows) fn render_faithfully(&self, at: usize, out: &mut Vec<u8>) {
        write_column(self, at, Style::Faithful, out);
    }
}

fn write_column(column: &Column, at: usize, style: Style<'_>, out: &mut Vec<u8>) {
    if column.is_null(at) {
        out.extend_from_slice(b"null");
    } else {
        write_value(&column.store, at, style, out);
    }
}

fn write_value(store: &Store, at: usize, style: Style<'_>, out: &mut Vec<u8>) {
    match store {
        Store::Null(_) => out.extend_from_slice(b"null"),
        Store::Boolean(values) => out.extend_from_slice(if values.get(at) { b"true" } else { b"false" }),
        Store::Int64(values) => write_number(Number::Int(values.get(at)), out),
        Store::UInt64(values) => write_number(Number::UInt(values.get(at)), out),
        Store::Float64(values) => match style {
            Style::Canonical(_) => write_number(Number::Float(values.get(at)), out),
            Style::Faithful => write_display(format_args!("{:?}", values.get(at)), out),
        },
        Store::Utf8(values) if values.is_raw(at) => out.extend_from_slice(values.get(at)),
        Store::Utf8(values) => write_string(values.get(at), out),
        Store::List(list) => {
            let style = match style {
                Style::Canonical(Outline::Elements(outline)) => Style::Canonical(outline),
                Style::Canonical(_) => unreachable!("the outline is that of the values"),
                Style::Faithful => Style::Faithful,
            };
            out.push(b'[');
            for (position, element) in list.range(at).enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_column(&list.elements, element, style, out);
            }
            out.push(b']');
        }
        Store::Struct(members) => {
            let place = members.place(at).expect("an object that is there is in no gap");
            out.push(b'{');
            match style {
                Style::Canonical(Outline::Objects(objects)) => write_members(members, objects, place, out),
                Style::Canonical(_) => unreachable!("the outline is that of the values"),
                Style::Faithful => write_all_members(members, place, out),
            }
            out.push(b'}');
        }
    }
}

/// The members that are there.
fn write_members(members: &Members, objects: &Objects, place: usize, out: &mut Vec<u8>) {
    for (position, named) in objects.at(place).enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&named.key);
        write_value(&members.column(named.at).store, place, Style::Canonical(&named.outline), out);
    }
}

fn write_all_members(members: &Members, place: usize, out: &mut Vec<u8>) {
    for (position, Member { name, column, .. }) in members.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_string(name.as_bytes(), out);
        out.push(b':');
        write_column(column, place, Style::Faithful, out);
    }
}
