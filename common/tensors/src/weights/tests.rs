use super::*;
use std::io::Write;

/// A GGUF file of version 3 with some metadata: names, dimensions (those that lie side by side first), ggml types and data.
fn gguf(tensors: &[(&str, &[u64], u32, &[u8])]) -> Vec<u8> {
    let text = |s: &str| [&(s.len() as u64).to_le_bytes(), s.as_bytes()].concat();
    let mut file =
        [&b"GGUF"[..], &3u32.to_le_bytes(), &(tensors.len() as u64).to_le_bytes(), &3u64.to_le_bytes()].concat();
    file.extend([text("general.alignment"), 4u32.to_le_bytes().into(), 64u32.to_le_bytes().into()].concat());
    file.extend([text("general.name"), 8u32.to_le_bytes().into(), text("test")].concat());
    // An array of two strings.
    file.extend(
        [
            text("words"),
            9u32.to_le_bytes().into(),
            8u32.to_le_bytes().into(),
            2u64.to_le_bytes().into(),
            text("a"),
            text("bc"),
        ]
        .concat(),
    );
    let mut offset = 0u64;
    for (name, dims, kind, data) in tensors {
        file.extend([text(name), (dims.len() as u32).to_le_bytes().into()].concat());
        dims.iter().for_each(|d| file.extend(d.to_le_bytes()));
        file.extend([&kind.to_le_bytes()[..], &offset.to_le_bytes()].concat());
        offset = (offset + data.len() as u64).next_multiple_of(64);
    }
    for (_, _, _, data) in tensors {
        file.resize(file.len().next_multiple_of(64), 0);
        file.extend(*data);
    }
    file
}

fn open(bytes: &[u8], maps: &[&str]) -> Result<WeightFiles> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let maps: Vec<NameMap> = maps.iter().map(|m| m.parse().unwrap()).collect();
    WeightFiles::open(&[file.path().to_owned()], &maps)
}

fn wanted(dtype: Dtype, shape: &[usize]) -> WantedWeight {
    WantedWeight { dtype, shape: shape.iter().map(|s| Some(*s)).collect() }
}

fn floats(taken: &Taken) -> Vec<f32> {
    taken.bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn gguf_is_read_with_reversed_dimensions() {
    let data: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let files = open(&gguf(&[("a", &[3, 2], 0, &data), ("b", &[2], 1, &[0, 0x3c, 0, 0xc0])]), &["x=a"]).unwrap();
    assert!(files.has("x") && files.has("b") && !files.has("c"));
    let taken = files.take("x", &wanted(Dtype::F32, &[2, 3])).unwrap();
    assert_eq!(floats(&taken), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    // Unchanged: a piece of the file.
    assert_eq!(halyard_cli::origin(&taken.bytes).unwrap().offset % 64, 0);
    assert_eq!(files.unused(), (1, "`b`".into(), 2));
    // Halves become floats where those are wanted.
    assert_eq!(floats(&files.take("b", &wanted(Dtype::F32, &[2])).unwrap()), [1.0, -2.0]);
    let any = WantedWeight { dtype: Dtype::F16, shape: vec![None] };
    assert_eq!(files.take("b", &any).unwrap().shape, [2]);
}

#[test]
fn what_does_not_fit_is_told_with_both_types() {
    let files = open(&gguf(&[("layer.weight", &[3, 2], 0, &[0; 24])]), &[]).unwrap();
    let said = |name: &str, wanted: &WantedWeight| files.take(name, wanted).unwrap_err().to_string();
    assert_eq!(
        said("layer.weight", &wanted(Dtype::F32, &[3, 2])),
        "weight `layer.weight` is `2x3xf32`, the model expects `3x2xf32` for `layer.weight`"
    );
    assert_eq!(
        said("layer.weight", &wanted(Dtype::F16, &[2, 3])),
        "weight `layer.weight` is `2x3xf32`, the model expects `2x3xf16` for `layer.weight`"
    );
    let missing = files.take("layer.weigth", &wanted(Dtype::F32, &[1])).unwrap_err();
    assert_eq!(missing.diagnostics[0].notes, ["the nearest names are `layer.weight`"]);
}

/// A block of each format, and its first, 17th, 33rd and last number by the formulas.
#[test]
fn blocks_are_what_their_formulas_say() {
    // Scale 1, minimum or offset 0.5, then bytes that differ.
    let one = [0u8, 0x3c];
    let half = [0u8, 0x38];
    let bytes = |n: usize| (0..n).map(|i| (i * 37 + 11) as u8).collect::<Vec<u8>>();
    let q = |b: &[u8], i: usize| if i < 16 { b[i] & 15 } else { b[i - 16] >> 4 };
    let fifth = |h: &[u8], i: usize| (h[i / 8] >> (i % 8) & 1) << 4;
    let (b16, b20) = (bytes(16), bytes(20));
    let cases: Vec<(u32, Vec<u8>, Box<dyn Fn(usize) -> f32>)> = vec![
        (2, [&one[..], &b16].concat(), Box::new(|i| f32::from(q(&b16, i)) - 8.0)),
        (3, [&one[..], &half, &b16].concat(), Box::new(|i| f32::from(q(&b16, i)) + 0.5)),
        (6, [&one[..], &b20].concat(), Box::new(|i| f32::from(q(&b20[4..], i) | fifth(&b20, i)) - 16.0)),
        (7, [&one[..], &half, &b20].concat(), Box::new(|i| f32::from(q(&b20[4..], i) | fifth(&b20, i)) + 0.5)),
        (8, [&half[..], &bytes(32)].concat(), Box::new(|i| f32::from(bytes(32)[i] as i8) * 0.5)),
    ];
    for (kind, block, formula) in &cases {
        let files = open(&gguf(&[("w", &[32], *kind, block)]), &[]).unwrap();
        let expected: Vec<f32> = (0..32).map(formula).collect();
        assert_eq!(floats(&files.take("w", &wanted(Dtype::F32, &[32])).unwrap()), expected, "format {kind}");
        // The bytes themselves.
        let raw = files.take("w", &wanted(Dtype::U8, &[block.len()])).unwrap();
        assert_eq!(raw.bytes[..], block[..]);
    }
}

#[test]
fn damage_is_told_with_its_place() {
    let whole = gguf(&[("a", &[32], 2, &[0; 18]), ("b", &[4], 0, &[0; 16])]);
    let error = open(&whole[..whole.len() - 1], &[]).unwrap_err().to_string();
    assert!(
        error.starts_with("the GGUF file is damaged at byte ") && error.contains("tensor `b` has its data at"),
        "{error}"
    );
    for end in 4..whole.len() {
        assert!(open(&whole[..end], &[]).is_err());
    }
    let error = open(b"\x10\0\0\0\0\0\0\0{\"w\": {}}", &[]).unwrap_err().to_string();
    assert_eq!(error, "the safetensors file is damaged at byte 0: a header of 16 bytes should follow, there are 9");
    let error = open(&gguf(&[("a", &[31], 2, &[0; 18])]), &[]).unwrap_err().to_string();
    assert!(error.contains("tensor `a` has rows of 31 elements, its blocks have 32"), "{error}");
}
