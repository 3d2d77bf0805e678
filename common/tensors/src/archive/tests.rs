use super::*;

fn tensor<'a>(key: &str, dtype: Dtype, shape: &[u64], bytes: &'a [u8]) -> ArchiveTensor<'a> {
    let data = Data::Held(bytes.into());
    ArchiveTensor { key: key.into(), dtype, shape: shape.into(), data, hash: blake3::hash(bytes).into() }
}

#[test]
fn a_file_with_the_same_contents_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.safetensors");
    let words = vec![5u8; 3 << 20];
    let archive = NewArchive::new(path.clone(), vec![tensor("w", Dtype::U8, &[3 << 20], &words)]);
    assert!(!archive.is_at(&path));
    let mut bytes = archive.pieces().collect::<Vec<_>>().concat();
    std::fs::write(&path, &bytes).unwrap();
    assert!(archive.is_at(&path) && archive.size() == bytes.len() as u64);
    *bytes.last_mut().unwrap() = 6;
    std::fs::write(&path, &bytes).unwrap();
    assert!(!archive.is_at(&path));
    std::fs::write(&path, &bytes[1..]).unwrap();
    assert!(!archive.is_at(&path));
}

#[test]
fn the_archive_is_valid_and_aligned() {
    let (odd, even) = ([1u8, 2, 3], [7u8; 128]);
    let tensors = vec![tensor("a\"b", Dtype::I8, &[3], &odd), tensor("w", Dtype::F32, &[4, 8], &even)];
    let bytes = NewArchive::new("w.safetensors".into(), tensors).pieces().collect::<Vec<_>>().concat();
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(read.tensor("a\"b").unwrap().data(), odd);
    let w = read.tensor("w").unwrap();
    assert_eq!((w.shape(), w.data()), (&[4usize, 8][..], &even[..]));
    assert_eq!((w.data().as_ptr() as usize - bytes.as_ptr() as usize) % 64, 0);
}
