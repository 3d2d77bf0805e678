//! States of a linked program: memory, failures, saving and setting.
use hal_link::{Link, Linker, ProgramInput, link};
use halyard_ir::{Session, form::load_program};
use halyard_runtime::{Instance, InstanceOptions, LoadedProgram, Tensor};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    path::Path,
};

/// Counts the bytes that each thread allocates.
struct Counting;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.set(BYTES.get() + layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn instance(folder: &Path) -> Instance {
    let session = Session::new();
    let (_module, program) = load_program(&session, PROGRAM.as_bytes(), "test").expect("the program is valid");
    let output = folder.join("program.so");
    let input = ProgramInput { program, name: "test".into(), folder: folder.to_owned() };
    let what = Link {
        linker: Linker::start().unwrap(),
        programs: vec![input],
        objects: Vec::new(),
        output: &output,
        weights_home: Default::default(),
        weights_path: &[],
        object_path: &[],
    };
    let linked = link(&session, what).expect("the program links");
    std::fs::write(&output, &linked.file).expect("the folder is writable");
    Instance::new(&LoadedProgram::load(&output).expect("the program loads"), InstanceOptions { threads: 1 }).unwrap()
}

/// The size of `@cache` in bytes.
const CACHE: usize = 4096 * 64 * 4;

const PROGRAM: &str = r#"
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @cache : tensor<4096x64xf32>
  ml_program.global private mutable @grown(dense<> : tensor<0x256xf32>) : tensor<?x256xf32>
  ml_program.global private mutable @pair(dense<[1, 2]> : tensor<2xi64>) : tensor<2xi64> {hal.name = "a pair"}
  // A row of the cache is replaced.
  func.func @row(%x: tensor<1x64xf32>, %at: index, %fine: i1) {
    %old = ml_program.global_load @cache : tensor<4096x64xf32>
    %new = tensor.insert_slice %x into %old[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<4096x64xf32>
    cf.assert %fine, "not fine"
    ml_program.global_store @cache = %new : tensor<4096x64xf32>
    return
  }
  // The same, and the row that was there before.
  func.func @exchange(%x: tensor<1x64xf32>, %at: index) -> tensor<1x64xf32> {
    %old = ml_program.global_load @cache : tensor<4096x64xf32>
    %new = tensor.insert_slice %x into %old[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<4096x64xf32>
    %row = tensor.extract_slice %old[%at, 0] [1, 64] [1, 1] : tensor<4096x64xf32> to tensor<1x64xf32>
    ml_program.global_store @cache = %new : tensor<4096x64xf32>
    return %row : tensor<1x64xf32>
  }
  func.func @grow(%x: tensor<?x256xf32>) {
    ml_program.global_store @grown = %x : tensor<?x256xf32>
    return
  }
  func.func @set(%x: tensor<2xi64>, %fine: i1) -> tensor<2xi64> {
    %old = ml_program.global_load @pair : tensor<2xi64>
    ml_program.global_store @pair = %x : tensor<2xi64>
    cf.assert %fine, "not fine"
    return %old : tensor<2xi64>
  }
}
"#;

fn row(value: f32) -> Tensor {
    Tensor::from_slice(&[1, 64], &[value; 64])
}

fn at(index: i64) -> Tensor {
    Tensor::from_slice(&[], &[index])
}

fn flag(value: bool) -> Tensor {
    Tensor::from_bytes(halyard_runtime::DType::I1, &[], &[value.into()]).unwrap()
}

#[test]
fn a_cache_is_updated_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = instance(folder.path());
    let before = BYTES.get();
    for i in 0..100 {
        instance.call("row", &[row(i as f32 + 1.0), at(i), flag(true)]).unwrap();
    }
    assert!(BYTES.get() - before < CACHE / 4, "{} bytes for rows of a cache of {CACHE}", BYTES.get() - before);
    let cache = instance.state("cache").unwrap();
    let cache = cache.as_slice::<f32>().unwrap();
    assert!((0..4096).all(|i| cache[i * 64] == if i < 100 { i as f32 + 1.0 } else { 0.0 }));
}

#[test]
fn who_still_reads_the_old_value_has_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = instance(folder.path());
    let mut old = |value| instance.call("exchange", &[row(value), at(7)]).unwrap()[0].as_slice::<f32>().unwrap()[63];
    assert_eq!([old(3.0), old(4.0), old(5.0)], [0.0, 3.0, 4.0]);
}

#[test]
fn a_call_that_fails_leaves_states_or_loses_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = instance(folder.path());
    let pair = |a, b| Tensor::from_slice(&[2], &[a, b]);
    instance.call("set", &[pair(3i64, 4), flag(true)]).unwrap();
    instance.call("set", &[pair(5i64, 6), flag(false)]).unwrap_err();
    assert_eq!(instance.state("a pair").unwrap().as_slice::<i64>().unwrap(), [3, 4]);

    instance.call("row", &[row(1.0), at(0), flag(true)]).unwrap();
    let saved = instance.state("cache").unwrap();
    // The index is refused before anything is written.
    instance.call("row", &[row(2.0), at(4096), flag(true)]).unwrap_err();
    assert_eq!(instance.state("cache").unwrap(), saved);
    instance.call("row", &[row(2.0), at(1), flag(false)]).unwrap_err();
    let lost = |e: halyard_diag::Error| {
        assert!(e.to_string().contains("state `cache` was being updated in place by a call that failed"), "{e}")
    };
    lost(instance.state("cache").unwrap_err());
    lost(instance.call("row", &[row(2.0), at(1), flag(true)]).unwrap_err());
    instance.set_state("cache", &saved).unwrap();
    instance.call("row", &[row(2.0), at(1), flag(true)]).unwrap();
    assert_eq!(instance.state("cache").unwrap().as_slice::<f32>().unwrap()[..65], [&[1.0; 64][..], &[2.0]].concat());
    instance.call("row", &[row(2.0), at(1), flag(false)]).unwrap_err();
    instance.reset_states().unwrap();
    assert!(instance.state("cache").unwrap().as_slice::<f32>().unwrap().iter().all(|&v| v == 0.0));
    assert_eq!(instance.state("a pair").unwrap().as_slice::<i64>().unwrap(), [1, 2]);
}

#[test]
fn a_state_that_grows_is_rarely_given_new_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = instance(folder.path());
    let mut new = 0;
    for rows in 1..=400usize {
        let x = Tensor::from_slice(&[rows, 256], &vec![rows as f32; rows * 256]);
        let before = BYTES.get();
        instance.call("grow", &[x]).unwrap();
        new += usize::from(BYTES.get() - before > rows * 256 * 4);
        assert_eq!(instance.state("grown").unwrap().shape(), [rows, 256]);
    }
    assert!(new < 60, "{new} of 400 calls");
    instance.reset_state("grown").unwrap();
    assert_eq!(instance.state("grown").unwrap().shape(), [0, 256]);
}

#[test]
fn wrong_names_and_types_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = instance(folder.path());
    assert_eq!(instance.state("pair").unwrap_err().to_string(), "the program has no state `pair`");
    let wrong = instance.set_state("a pair", &Tensor::from_slice(&[3], &[1i64, 2, 3])).unwrap_err();
    assert_eq!(wrong.to_string(), "state `a pair`: expected `2xi64`, got `3xi64`");
    assert!(instance.set_state("grown", &Tensor::from_slice(&[2, 255], &[0f32; 510])).is_err());
    instance.set_state("grown", &Tensor::from_slice(&[2, 256], &[0f32; 512])).unwrap();
}
