//! Columns known before the first row: the shapes a table starts from.

use std::sync::Arc;

use arrow_schema::DataType;

use crate::catalogue::{Agent, ColumnKind};

use super::columns::{Facts, MemberShapes, Shape};
use super::options::Declared;

impl Declared {
    /// The columns a table starts with, in order.
    pub(super) fn shapes(&self) -> MemberShapes {
        match self {
            Self::Nothing => Vec::new(),
            Self::Agent(agent) => of_agent(agent),
            Self::Schema(schema) => schema
                .fields()
                .iter()
                .map(|field| (Arc::from(field.name().as_str()), of_type(field.data_type())))
                .collect(),
        }
    }
}

fn of_agent(agent: &Agent) -> MemberShapes {
    let shape = |kind| match kind {
        ColumnKind::Text => Shape::of_facts(Facts::TEXT),
        // The contract says no more than "number", and a count in one run may be a fraction in the next.
        ColumnKind::Number => Shape::of_facts(Facts::FLOAT),
        ColumnKind::Boolean => Shape::of_facts(Facts::BOOLEAN),
        ColumnKind::Array => Shape::list_of(Shape::default()),
        ColumnKind::Object => Shape::of_facts(Facts::OBJECT),
        ColumnKind::ObjectArray => Shape::list_of(Shape::of_facts(Facts::OBJECT)),
    };
    agent.columns.iter().map(|column| (Arc::from(column.name.as_str()), shape(column.kind))).collect()
}

/// The shape that holds what an Arrow type holds. Types JSON has no value for start from nothing and are cast at the
/// end.
pub(super) fn of_type(data_type: &DataType) -> Shape {
    match data_type {
        DataType::Boolean => Shape::of_facts(Facts::BOOLEAN),
        _ if data_type.is_integer() => Shape::of_facts(Facts::INTEGER),
        _ if data_type.is_floating() => Shape::of_facts(Facts::FLOAT),
        // Bytes are those of text.
        _ if data_type.is_string() || data_type.is_binary() => Shape::of_facts(Facts::TEXT),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => Shape::list_of(of_type(item.data_type())),
        DataType::Struct(fields) => Shape {
            members: fields
                .iter()
                .map(|field| (Arc::from(field.name().as_str()), of_type(field.data_type())))
                .collect(),
            declared: fields.len(),
            ..Shape::of_facts(Facts::OBJECT)
        },
        DataType::Dictionary(_, values) => of_type(values),
        DataType::RunEndEncoded(_, values) => of_type(values.data_type()),
        _ => Shape::default(),
    }
}
