//! Converts `TensorProto` to [`Tensor`], including external data.
use super::{
    Elem, Problem, Tensor,
    packed::{pack, packed_bytes, unpack},
    proto::{Entry, SparseTensor, TensorProto},
    tensor::Num,
};
use bytes::Bytes;
use halyard_tensors::{WantedWeight, WeightFiles};
use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// The most elements of a sparse tensor, which becomes a dense one.
const LARGEST_SPARSE: usize = 1 << 26;

/// Reads tensors; keeps external files mapped.
pub(crate) struct Loader<'a> {
    folder: &'a Path,
    files: BTreeMap<PathBuf, Bytes>,
    /// The files that replace missing external data.
    weights: Option<Arc<WeightFiles>>,
}

impl<'a> Loader<'a> {
    /// External data are looked up in `folder`, where the model lies.
    pub(crate) fn new(folder: &'a Path, weights: Option<Arc<WeightFiles>>) -> Self {
        Self { folder, files: BTreeMap::new(), weights }
    }

    /// The tensor of a message. Errors: an element type or location that is not supported, data that do not fit the
    /// shape, a missing external file.
    pub(crate) fn tensor(&mut self, proto: &TensorProto) -> Result<Tensor, Problem> {
        let name = proto.name.clone().unwrap_or_default();
        let say = |what: &str| Problem::Invalid(format!("tensor `{name}` {what}"));
        let elem = Elem::from_onnx(proto.data_type.unwrap_or(0))
            .map_err(|t| Problem::Unsupported(format!("tensor `{name}` has element type {t}")))?;
        let shape: Vec<usize> = proto
            .dims
            .iter()
            .map(|&d| usize::try_from(d).map_err(|_| say(&format!("has size {d}"))))
            .collect::<Result<_, _>>()?;
        let Some(count) = shape.iter().try_fold(1usize, |a, &b| a.checked_mul(b)) else {
            return Err(say("is too large"));
        };
        let packed = packed_bytes(elem, count);
        let bytes = if proto.data_location == Some(1) {
            match self.external(&name, &proto.external_data, packed) {
                Err(Problem::Missing(_)) if self.weights.is_some() => self.by_name(&name, elem, &shape)?,
                found => found?,
            }
        } else if let Some(raw) = &proto.raw_data {
            raw.clone()
        } else {
            fields(proto, elem)
        };
        let held = bytes.len();
        let bytes = if elem.is_narrow() && held == packed { unpack(elem, count, &bytes) } else { bytes };
        let mut tensor = Tensor::from_bytes(elem, shape, bytes)
            .ok_or_else(|| say(&format!("holds {held} bytes, but its shape {:?} needs {packed}", proto.dims,)))?;
        tensor.name = Some(name).filter(|n| !n.is_empty());
        Ok(tensor)
    }

    /// Converts a sparse tensor to a dense one.
    pub(crate) fn sparse(&mut self, proto: &SparseTensor) -> Result<Tensor, Problem> {
        let bad = || Problem::Invalid("a sparse tensor has no values, or indices that do not fit".into());
        let values = self.tensor(proto.values.as_ref().ok_or_else(bad)?)?;
        let indices = self.tensor(proto.indices.as_ref().ok_or_else(bad)?)?;
        let shape: Vec<usize> =
            proto.dims.iter().map(|&d| usize::try_from(d).map_err(|_| bad())).collect::<Result<_, _>>()?;
        let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= LARGEST_SPARSE);
        let count = count.ok_or_else(|| {
            Problem::Unsupported(format!("a sparse tensor of shape {shape:?} is too large to be made dense"))
        })?;
        let strides = super::tensor::strides(&shape);
        let linear: Vec<usize> = match indices.shape.len() {
            1 => indices.ints().iter().map(|&i| i as usize).collect(),
            _ => indices
                .ints()
                .chunks(shape.len().max(1))
                .map(|at| {
                    at.iter()
                        .zip(&strides)
                        .fold(0usize, |sum, (&i, s)| sum.saturating_add((i as usize).saturating_mul(*s)))
                })
                .collect(),
        };
        if linear.len() != values.len() {
            return Err(bad());
        }
        let mut numbers = vec![Num::I(0); count];
        for (i, at) in linear.into_iter().enumerate() {
            *numbers.get_mut(at).ok_or_else(bad)? = values.get(i);
        }
        let mut tensor = Tensor::from_numbers(values.elem, shape, numbers);
        tensor.name = values.name;
        Ok(tensor)
    }

    /// The elements of a tensor that the model does not have.
    fn by_name(&self, name: &str, elem: Elem, shape: &[usize]) -> Result<Bytes, Problem> {
        let files = self.weights.as_ref().expect("there are files");
        let wanted = WantedWeight { dtype: elem.dtype(), shape: shape.iter().map(|s| Some(*s)).collect() };
        Ok(files.take(name, &wanted).map_err(Problem::Missing)?.bytes)
    }

    /// See "External data" of the specification: a file beside the model, by default all of it.
    fn external(&mut self, name: &str, entries: &[Entry], length: usize) -> Result<Bytes, Problem> {
        let get = |key: &str| entries.iter().find(|e| e.key.as_deref() == Some(key)).and_then(|e| e.value.as_deref());
        let number = |key: &str| {
            get(key)
                .map(|v| {
                    v.parse::<usize>().map_err(|_| {
                        Problem::Invalid(format!(
                            "the external data of tensor `{name}` have {key} `{v}`, which is not a number"
                        ))
                    })
                })
                .transpose()
        };
        let Some(location) = get("location") else {
            return Err(Problem::Invalid(format!("tensor `{name}` has external data without a location")));
        };
        // The specification forbids leaving the folder; a model must not read any file it likes.
        if Path::new(location).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
            return Err(Problem::Invalid(format!(
                "tensor `{name}` has its data in `{location}`, outside the folder of the model"
            )));
        }
        let path = self.folder.join(location);
        let missing = |e: &std::io::Error| {
            Problem::Missing(
                halyard_diag::Error::io("read", &path, e)
                    .note(format!("it holds the data of tensor `{name}`"))
                    .hint("`--weights=FILE` takes the data from another file, by the name of the tensor"),
            )
        };
        if !self.files.contains_key(&path) {
            let map = halyard_cli::map_weights(&path).map_err(|e| missing(&e))?;
            self.files.insert(path.clone(), map);
        }
        let all = &self.files[&path];
        let offset = number("offset")?.unwrap_or(0);
        let length = number("length")?.unwrap_or(length);
        let end = offset.checked_add(length).filter(|&end| end <= all.len());
        let end = end.ok_or_else(|| {
            Problem::Invalid(format!(
                "tensor `{name}` has its data at {offset}+{length} of `{location}`, which has {} bytes",
                all.len()
            ))
        })?;
        Ok(all.slice(offset..end))
    }
}

/// The bytes of data in typed fields; see the comments of `TensorProto` in the specification for which type is where.
fn fields(proto: &TensorProto, elem: Elem) -> Bytes {
    let bytes: Vec<u8> = match elem {
        Elem::F32 => proto.float_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Elem::F64 => proto.double_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Elem::I64 => proto.int64_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        // One to each number here, but several to a byte in every other place.
        Elem::F6E2M3 | Elem::F6E3M2 => {
            let codes: Vec<u8> = proto.int32_data.iter().map(|v| *v as u8 & 0x3F).collect();
            pack(&codes, 6)
        }
        Elem::U64 | Elem::U32 => {
            proto.uint64_data.iter().flat_map(|v| v.to_le_bytes()[..elem.size()].to_vec()).collect()
        }
        // Narrow floats are stored as their bits.
        _ => proto.int32_data.iter().flat_map(|v| v.to_le_bytes()[..elem.size()].to_vec()).collect(),
    };
    bytes.into()
}
