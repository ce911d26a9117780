//! Writing a held value as JSON text: RFC 8785, with all digits of integers and without members that are null.
//! `json::canonical` writes the same of a value of the body.

use std::io::Write as _;

use crate::rows::json::number::Number;
use crate::rows::json::number_text::write_number;
use crate::rows::json::text::write_string;

use super::Outline;
use crate::rows::columns::{Column, List, Member, Members, Store};

impl Store {
    /// Appends the JSON text of the value at `at`, which is not null; the outline is that of all values.
    pub(in crate::rows::columns) fn render(&self, at: usize, outline: &Outline, out: &mut Vec<u8>) {
        write_value(self, at, outline, out);
    }
}

impl Column {
    pub(in crate::rows) fn outline(&self) -> Outline {
        Outline::of(&self.store)
    }

    /// Appends the JSON text of a value; `null` where there is none. The outline is that of the column.
    pub(in crate::rows) fn render(&self, at: usize, outline: &Outline, out: &mut Vec<u8>) {
        write_column(self, at, outline, out);
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
        write_faithfully(self, at, out);
    }
}

fn write_column(column: &Column, at: usize, outline: &Outline, out: &mut Vec<u8>) {
    if column.is_null(at) {
        out.extend_from_slice(b"null");
    } else {
        write_value(&column.store, at, outline, out);
    }
}

fn write_value(store: &Store, at: usize, outline: &Outline, out: &mut Vec<u8>) {
    match (store, outline) {
        (Store::Float64(values), _) => write_number(Number::Float(values.get(at)), out),
        (Store::List(list), Outline::Elements(outline)) => {
            write_elements(list, at, out, |element, out| write_column(&list.elements, element, outline, out));
        }
        (Store::Struct(members), Outline::Objects(objects)) => {
            let place = place_of(members, at);
            write_members(objects.at(place), out, |named, out| {
                out.extend_from_slice(&named.key);
                write_value(&members.column(named.at).store, place, &named.outline, out);
            });
        }
        (Store::List(_) | Store::Struct(_), _) => unreachable!("the outline is that of the values"),
        (scalar, _) => write_scalar(scalar, at, out),
    }
}

/// For reading in again: members in their order and with their nulls, floats still floats.
fn write_faithfully(column: &Column, at: usize, out: &mut Vec<u8>) {
    match &column.store {
        _ if column.is_null(at) => out.extend_from_slice(b"null"),
        Store::Float64(values) => write!(out, "{:?}", values.get(at)).expect("writing to memory does not fail"),
        Store::List(list) => {
            write_elements(list, at, out, |element, out| write_faithfully(&list.elements, element, out));
        }
        Store::Struct(members) => {
            let place = place_of(members, at);
            write_members(members.iter(), out, |Member { name, column, .. }, out| {
                write_string(name.as_bytes(), out);
                out.push(b':');
                write_faithfully(column, place, out);
            });
        }
        scalar => write_scalar(scalar, at, out),
    }
}

/// What both write alike.
fn write_scalar(store: &Store, at: usize, out: &mut Vec<u8>) {
    match store {
        Store::Boolean(values) => out.extend_from_slice(if values.get(at) { b"true" } else { b"false" }),
        Store::Int64(values) => write_number(Number::Int(values.get(at)), out),
        Store::UInt64(values) => write_number(Number::UInt(values.get(at)), out),
        Store::Utf8(values) if values.is_json(at) => out.extend_from_slice(values.get(at)),
        Store::Utf8(values) => write_string(values.get(at), out),
        Store::Null(_) => out.extend_from_slice(b"null"),
        Store::Float64(_) | Store::List(_) | Store::Struct(_) => unreachable!("written by who calls this"),
    }
}

fn write_elements(list: &List, at: usize, out: &mut Vec<u8>, mut write: impl FnMut(usize, &mut Vec<u8>)) {
    out.push(b'[');
    for (position, element) in list.range(at).enumerate() {
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

fn place_of(members: &Members, at: usize) -> usize {
    members.place(at).expect("an object that is there is in no gap")
}
