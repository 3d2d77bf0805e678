//! Tensors of strings. A program represents one by two tensors: where each string ends (`i64`, in the shape of the
//! strings), and the bytes of all strings, one after another (`u8`), with a name that ends in `.bytes`.
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Tensor, TensorSpec};

/// The element type in a signature of the tensor with the ends of strings.
pub(crate) const ELEMENT: &str = "string";
/// The suffix of the name of the tensor with their bytes.
const BYTES: &str = ".bytes";

/// The tensor that has the bytes of the strings whose ends a tensor has.
pub fn bytes_of(specs: &[TensorSpec], index: usize) -> Option<usize> {
    let spec = specs.get(index).filter(|s| s.element.as_deref() == Some(ELEMENT))?;
    let next = specs.get(index + 1)?;
    let is_next = next.name.as_deref()?.strip_suffix(BYTES) == spec.name.as_deref();
    (is_next && next.dtype == DType::U8 && next.shape.len() == 1).then_some(index + 1)
}

/// Whether a tensor holds the bytes of the strings before it, and is hidden from users.
pub(crate) fn is_bytes(specs: &[TensorSpec], index: usize) -> bool {
    index.checked_sub(1).is_some_and(|before| bytes_of(specs, before).is_some())
}

/// The tensors of strings: their ends and their bytes.
pub(crate) fn tensors(shape: &[usize], texts: &[String]) -> Result<(Tensor, Tensor)> {
    let mut ends = Vec::with_capacity(texts.len() * 8);
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        ends.extend_from_slice(&(bytes.len() as i64).to_le_bytes());
    }
    Ok((Tensor::from_bytes(DType::I64, shape, &ends)?, Tensor::from_bytes(DType::U8, &[bytes.len()], &bytes)?))
}

/// The strings of two tensors. Errors: they hold none.
pub fn texts(ends: &Tensor, bytes: &Tensor) -> Result<Vec<String>> {
    let wrong = |what: &str| Error::input(format!("a tensor of strings is damaged: {what}")).code("bad-strings");
    let (mut start, mut texts) = (0, Vec::new());
    for end in ends.bytes().as_chunks::<8>().0 {
        let end = usize::try_from(i64::from_le_bytes(*end)).map_err(|_| wrong("a string ends before it starts"))?;
        let piece =
            bytes.bytes().get(start..end).ok_or_else(|| wrong("a string ends before it starts or beyond the bytes"))?;
        texts.push(std::str::from_utf8(piece).map_err(|_| wrong("a string is not UTF-8"))?.to_owned());
        start = end;
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, dtype: DType, element: Option<&str>) -> TensorSpec {
        TensorSpec {
            name: Some(name.into()),
            dtype,
            shape: vec![None],
            dim_names: vec![],
            element: element.map(Into::into),
        }
    }

    #[test]
    fn bytes_follow_ends() {
        let specs =
            [spec("a", DType::I64, Some("string")), spec("a.bytes", DType::U8, None), spec("b.bytes", DType::U8, None)];
        assert_eq!((bytes_of(&specs, 0), bytes_of(&specs, 1)), (Some(1), None));
        assert!(is_bytes(&specs, 1) && !is_bytes(&specs, 0) && !is_bytes(&specs, 2));
    }

    #[test]
    fn strings_survive() {
        let list = ["é".to_owned(), String::new(), "b".to_owned()];
        let (ends, bytes) = tensors(&[3], &list).unwrap();
        assert_eq!(texts(&ends, &bytes).unwrap(), list);
        let broken = Tensor::from_slice(&[2], &[1i64, 4]);
        assert!(texts(&broken, &bytes).unwrap_err().to_string().contains("not UTF-8"));
        assert!(
            texts(&Tensor::from_slice(&[1], &[9i64]), &bytes).unwrap_err().to_string().contains("beyond the bytes")
        );
        assert!(texts(&Tensor::from_slice(&[2], &[2i64, 1]), &bytes).is_err());
    }
}
