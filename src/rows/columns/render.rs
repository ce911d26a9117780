//! Writing a held value as JSON text: RFC 8785, with all digits of integers and without members that are null.
//! `json::canonical` writes the same of a value of the body.

use crate::rows::json::number::{Number, write_display};
use crate::rows::json::text::write_string;

use super::{Column, Member, Members, Store};

impl Store {
    /// Appends the JSON text of the value at `at`, which is not null.
    pub(super) fn render(&self, at: usize, out: &mut Vec<u8>) {
        write_value(self, at, Style::Canonical, out);
    }
}

/// How members and floats are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// What a reader of the table sees.
    Canonical,
    /// For reading in again: members in their order and with their nulls, floats still floats.
    Faithful,
}

impl Column {
    /// Appends the JSON text of a value; `null` where there is none.
    pub(in crate::rows) fn render(&self, at: usize, out: &mut Vec<u8>) {
        write_column(self, at, Style::Canonical, out);
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

fn write_column(column: &Column, at: usize, style: Style, out: &mut Vec<u8>) {
    if column.is_null(at) {
        out.extend_from_slice(b"null");
    } else {
        write_value(&column.store, at, style, out);
    }
}

fn write_value(store: &Store, at: usize, style: Style, out: &mut Vec<u8>) {
    match store {
        Store::Null(_) => out.extend_from_slice(b"null"),
        Store::Boolean(values) => out.extend_from_slice(if values.get(at) { b"true" } else { b"false" }),
        Store::Int64(values) => Number::Int(values.get(at)).write(out),
        Store::UInt64(values) => Number::UInt(values.get(at)).write(out),
        Store::Float64(values) => match style {
            Style::Canonical => Number::Float(values.get(at)).write(out),
            Style::Faithful => write_display(format_args!("{:?}", values.get(at)), out),
        },
        Store::Utf8(values) if values.is_raw(at) => out.extend_from_slice(values.get(at)),
        Store::Utf8(values) => write_string(values.get(at), out),
        Store::List(list) => {
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
            write_members(members, place, style, out);
        }
    }
}

fn write_members(members: &Members, at: usize, style: Style, out: &mut Vec<u8>) {
    out.push(b'{');
    let mut is_first = true;
    let mut write = |member: &Member| {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        write_string(member.name.as_bytes(), out);
        out.push(b':');
        write_column(&member.column, at, style, out);
    };
    match style {
        Style::Canonical => members.sorted().filter(|member| !member.column.is_null(at)).for_each(&mut write),
        Style::Faithful => members.iter().for_each(&mut write),
    }
    out.push(b'}');
}
