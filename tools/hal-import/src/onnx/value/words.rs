//! The representation of a tensor's strings.
use super::Value;
use std::rc::Rc;

/// The meaning of the integers of a tensor of strings.
#[derive(Debug, Clone)]
pub(crate) enum Words {
    /// Positions in a known list.
    Known(Rc<Vec<String>>),
    /// Spans of a list of bytes (`u8`), which is UTF-8 in each of them.
    Spans(Rc<Value>),
}

impl Words {
    /// Whether tensors with these words can replace each other: spans include their bytes.
    pub(crate) fn are_alike(a: Option<&Self>, b: Option<&Self>) -> bool {
        match (a, b) {
            (Some(Self::Known(a)), Some(Self::Known(b))) => a == b,
            (Some(Self::Spans(_)), Some(Self::Spans(_))) | (None, None) => true,
            _ => false,
        }
    }

    /// Whether equal integers surely represent the same string.
    pub(crate) fn are_one(a: Option<&Self>, b: Option<&Self>) -> bool {
        match (a, b) {
            (Some(Self::Spans(a)), Some(Self::Spans(b))) => Rc::ptr_eq(a, b) || a.is_same(b),
            _ => Self::are_alike(a, b),
        }
    }
}
