use super::*;

#[test]
fn every_type_and_shape_survives() {
    for dtype in DType::ALL {
        for shape in [&[][..], &[0, 3], &[2, 3], &[7]] {
            let n = Tensor::byte_count(dtype, shape).unwrap();
            let bytes: Vec<u8> = (0..n).map(|i| if dtype == DType::I1 { (i % 2) as u8 } else { i as u8 }).collect();
            let tensor = Tensor::from_bytes(dtype, shape, &bytes).unwrap();
            assert_eq!(read(&write(&tensor), "x").unwrap().tensor, tensor);
        }
    }
}

fn file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

#[test]
fn headers_of_nested_brackets_are_refused_at_once() {
    let header = format!("{}\n", "{".repeat(40));
    let file = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    assert!(read(&file, "x").unwrap_err().to_string().contains("nested too deeply"));
}

#[test]
fn column_major_and_big_endian() {
    let t = read(&file("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]), "x").unwrap().tensor;
    assert_eq!(t.bytes(), [1, 2, 3, 4, 5, 6]);
    let t = read(&file(">i2", false, "(2,)", &[0, 1, 255, 254]), "x").unwrap().tensor;
    assert_eq!(t.as_slice::<i16>().unwrap(), [1, -2]);
}

#[test]
fn complex_numbers_are_pairs() {
    let numbers: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    let t = read(&file(">c8", true, "(2, 2)", &numbers), "x").unwrap().tensor;
    assert_eq!(t.shape(), [2, 2, 2]);
    assert_eq!(t.as_slice::<f32>().unwrap(), [1.0, 2.0, 5.0, 6.0, 3.0, 4.0, 7.0, 8.0]);
}

#[test]
fn strings_survive() {
    let texts = ["é".to_owned(), String::new(), "abc".to_owned(), "😀".to_owned()];
    let read = |bytes: &[u8]| {
        let named = read(bytes, "x").unwrap();
        (named.tensor.shape().to_vec(), crate::strings::texts(&named.tensor, &named.bytes.unwrap()).unwrap())
    };
    assert_eq!(read(&write_strings(&[2, 2], &texts)), (vec![2, 2], texts.to_vec()));
    assert_eq!(read(&write_strings(&[0], &[])), (vec![0], vec![]));
    assert_eq!(read(&file("|S2", true, "(2, 2)", b"a\0b\0cc\0\0")).1, ["a", "cc", "b", ""]);
    assert_eq!(read(&file(">U1", false, "(1,)", &[0, 0, 0, 65])).1, ["A"]);
}

#[test]
fn damaged_files() {
    let good = file("<f4", false, "(2,)", &[0; 8]);
    for end in 0..good.len() {
        assert!(read(&good[..end], "x").is_err(), "{end}");
    }
    assert!(read(&file("|O", false, "(1,)", &[0; 8]), "x").is_err());
    assert!(read(&file("<U2", false, "(1,)", &[0xFF; 8]), "x").unwrap_err().to_string().contains("no text"));
    assert!(read(&file("<U2", false, "(2,)", &[0; 8]), "x").unwrap_err().to_string().contains("cut off"));
    assert!(read(&file("<f4", false, "(99999999999, 99999999999)", &[]), "x").is_err());
}
