//! Operators on maps, which programs do not support.
use super::super::Entry;
use crate::onnx::problem::unsupported;

pub(super) const OPS: &[Entry] = &[
    // The scores of a classifier as a list of maps from labels to scores: the tensor of scores says the same.
    ("ZipMap", |_, n| {
        n.has("classlabels_int64s");
        n.has("classlabels_strings");
        Ok(vec![n.input(0)?.clone()])
    }),
    ("CastMap", |_, _| unsupported("its input is a map; give the model its tensor of values instead")),
    ("DictVectorizer", |_, _| unsupported("its input is a map; give the model the tensor that it makes instead")),
];
