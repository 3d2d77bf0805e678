//! Repeated calls of a linked program.
use hal_link::{Link, Linker, ProgramInput, link};
use halyard_ir::{Session, form::load_program};
use halyard_runtime::{Instance, InstanceOptions, LoadedProgram, Tensor};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    path::Path,
};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
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

fn linked(folder: &Path, text: &str) -> LoadedProgram {
    let session = Session::new();
    let (_module, program) = load_program(&session, text.as_bytes(), "test").expect("the program is valid");
    let output = folder.join("program.so");
    let input = ProgramInput { program, name: "test".into(), folder: folder.to_owned() };
    let what = Link {
        linker: Linker::start().unwrap(),
        programs: vec![input],
        objects: Vec::new(),
        output: &output,
        weights_path: &[],
        object_path: &[],
        weights_home: Default::default(),
    };
    let linked = link(&session, what).expect("the program links");
    std::fs::write(&output, &linked.file).expect("the folder is writable");
    LoadedProgram::load(&output).expect("the program loads")
}

const PROGRAM: &str = r#"
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @calls(dense<0> : tensor<i64>) : tensor<i64>
  // The prefix sums of a tensor.
  func.func @static(%x: tensor<8xi64>) -> tensor<8xi64> {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %8 = arith.constant 8 : index
    %zero = arith.constant 0 : i64
    %e = tensor.empty() : tensor<8xi64>
    %r:2 = scf.for %i = %0 to %8 step %1 iter_args(%sum = %zero, %t = %e) -> (i64, tensor<8xi64>) {
      %v = tensor.extract %x[%i] : tensor<8xi64>
      %next = arith.addi %sum, %v : i64
      %u = tensor.insert %next into %t[%i] : tensor<8xi64>
      scf.yield %next, %u : i64, tensor<8xi64>
    }
    return %r#1 : tensor<8xi64>
  }
  // The tensor without its first and last element.
  func.func @dynamic(%x: tensor<?xi64>) -> tensor<?xi64> {
    %0 = arith.constant 0 : index
    %2 = arith.constant 2 : index
    %d = tensor.dim %x, %0 : tensor<?xi64>
    %n = arith.subi %d, %2 : index
    %s = tensor.extract_slice %x[1] [%n] [1] : tensor<?xi64> to tensor<?xi64>
    return %s : tensor<?xi64>
  }
  func.func @count() -> i64 {
    %1 = arith.constant 1 : i64
    %old = ml_program.global_load @calls : tensor<i64>
    %v = tensor.extract %old[] : tensor<i64>
    %w = arith.addi %v, %1 : i64
    %new = tensor.from_elements %w : tensor<i64>
    ml_program.global_store @calls = %new : tensor<i64>
    return %w : i64
  }
}
"#;

#[test]
fn calls_in_steady_state_allocate_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = linked(folder.path(), PROGRAM);
    let mut instance = Instance::new(&program, InstanceOptions { threads: 1 }).unwrap();
    let mut outputs = Vec::new();
    let inputs = [Tensor::from_slice(&[8], &[1i64, 2, 3, 4, 5, 6, 7, 8])];
    for (function, expected) in [("static", vec![1i64, 3, 6, 10, 15, 21, 28, 36]), ("dynamic", (2..8).collect())] {
        for _ in 0..2 {
            instance.call_into(function, &inputs, &mut outputs).unwrap();
        }
        let before = ALLOCATIONS.get();
        instance.call_into(function, &inputs, &mut outputs).unwrap();
        assert_eq!(ALLOCATIONS.get() - before, 0, "{function}");
        assert_eq!(outputs[0].as_slice::<i64>().unwrap(), expected);
    }
    let mut outputs = Vec::new();
    for call in 1..5 {
        let before = ALLOCATIONS.get();
        instance.call_into("count", &[], &mut outputs).unwrap();
        assert!(call < 4 || ALLOCATIONS.get() == before, "a state is updated");
        assert_eq!(outputs[0].as_slice::<i64>().unwrap(), [call]);
    }
}

#[test]
fn globals_belong_to_instances() {
    let folder = tempfile::tempdir().unwrap();
    let program = linked(folder.path(), PROGRAM);
    let mut first = Instance::new(&program, InstanceOptions { threads: 1 }).unwrap();
    let mut second = Instance::new(&program, InstanceOptions { threads: 2 }).unwrap();
    let count = |instance: &mut Instance| instance.call("count", &[]).unwrap()[0].as_slice::<i64>().unwrap()[0];
    assert_eq!([count(&mut first), count(&mut first), count(&mut second), count(&mut first)], [1, 2, 1, 3]);
}

#[test]
fn wrong_inputs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = linked(folder.path(), PROGRAM);
    let mut instance = Instance::new(&program, InstanceOptions { threads: 1 }).unwrap();
    let mut message = |inputs: &[Tensor]| instance.call("static", inputs).unwrap_err().to_string();
    let short = Tensor::from_slice(&[7], &[0i64; 7]);
    assert_eq!(message(&[short]), "input 0 of function `static`: expected `8xi64`, got `7xi64`");
    assert_eq!(
        message(&[Tensor::from_slice(&[8], &[0f32; 8])]),
        "input 0 of function `static`: expected `8xi64`, got `8xf32`"
    );
    assert_eq!(message(&[]), "function `static` takes 1 input, got 0");
    assert!(instance.call("nothing", &[]).unwrap_err().to_string().contains("has no function `nothing`"));
}

#[test]
fn a_file_that_is_replaced_while_loaded_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let program = linked(folder.path(), PROGRAM);
    let path = folder.path().join("program.so");
    let changed = PROGRAM.replace("@count", "@counts");
    let session = Session::new();
    let (_module, other) = load_program(&session, changed.as_bytes(), "test").unwrap();
    let input = ProgramInput { program: other, name: "test".into(), folder: folder.path().to_owned() };
    let file = link(
        &session,
        Link {
            linker: Linker::start().unwrap(),
            programs: vec![input],
            objects: Vec::new(),
            output: &path,
            weights_path: &[],
            object_path: &[],
            weights_home: Default::default(),
        },
    )
    .unwrap()
    .file;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, file).unwrap();
    let error = LoadedProgram::load(&path).unwrap_err().to_string();
    assert!(error.contains("another version of this file is loaded"), "{error}");
    drop(program);
    assert!(LoadedProgram::load(&path).unwrap().function(Some("counts")).is_ok());
}
