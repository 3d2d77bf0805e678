//! Values that are constants.
use super::{Attr, Value};

impl Value {
    /// The number that it is, if it is a constant integer.
    pub fn constant(self) -> Option<i64> {
        self.constant_attr()?.as_int()
    }

    /// What it is as an attribute, if it is the result of an `arith.constant`.
    pub fn constant_attr(self) -> Option<Attr> {
        self.def().filter(|op| op.is("arith.constant"))?.attr("value")
    }
}
