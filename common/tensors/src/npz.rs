//! numpy's `.npz`: a zip file of `.npy` files.
use crate::{Named, npy};
use halyard_diag::{Error, Result};
use npyz::{
    npz::{NpzArchive, array_name_from_file_name, file_name_from_array_name},
    zip::{CompressionMethod, DateTime, ZipWriter, write::FileOptions},
};
use std::io::{Cursor, Read, Write};

/// The start of a file; an empty archive starts with its end record.
pub(crate) const MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Reads all arrays, in the order of the archive.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Vec<Named>> {
    let bad = |what: String| Error::input(format!("not a valid .npz file: {what}")).in_file(name).code("bad-npz");
    let mut archive = NpzArchive::new(Cursor::new(bytes)).map_err(|e| bad(e.to_string()))?;
    let zip = archive.zip_archive();
    let mut arrays = Vec::new();
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).map_err(|e| bad(e.to_string()))?;
        let Some(array) = array_name_from_file_name(file.name()).map(str::to_owned) else {
            return Err(bad(format!("its member `{}` is not an array", file.name())));
        };
        let mut member = Vec::new();
        file.read_to_end(&mut member).map_err(|e| bad(format!("member `{array}`: {e}")))?;
        let read = npy::read(&member, &format!("{name}:{array}"))?;
        arrays.push(Named { name: Some(array), ..read });
    }
    Ok(arrays)
}

/// The bytes of an archive of arrays that are the bytes of `.npy` files. Not compressed, as by `numpy.savez`, and dated 1980-01-01: the same tensors are the same
/// bytes.
pub(crate) fn write(arrays: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let failed = |e: String| Error::environment(format!("cannot make the .npz archive: {e}"));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        let large = array.len() >= u32::MAX as usize / 2;
        let options = FileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(large);
        zip.start_file(file_name_from_array_name(name), options).map_err(|e| failed(e.to_string()))?;
        zip.write_all(array).map_err(|e| failed(e.to_string()))?;
    }
    Ok(zip.finish().map_err(|e| failed(e.to_string()))?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_runtime::Tensor;

    #[test]
    fn round_trip() {
        let a = Tensor::from_slice(&[2], &[1.0f32, 2.0]);
        let b = Tensor::from_slice(&[], &[7i64]);
        let arrays = [("a".into(), npy::write(&a)), ("b".into(), npy::write(&b))];
        let bytes = write(&arrays).unwrap();
        assert_eq!(bytes, write(&arrays).unwrap());
        let back = read(&bytes, "x").unwrap();
        assert_eq!(back.iter().map(|n| n.name.as_deref().unwrap()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((&back[0].tensor, &back[1].tensor), (&a, &b));
        assert!(read(&bytes[..bytes.len() / 2], "x").is_err());
    }
}
