//! Host functions in Rust: closures that a program calls.
use hal_link::{Link, Linker, ProgramInput, link};
use halyard_ir::{Session, form::load_program};
use halyard_runtime::{Instance, InstanceOptions, LoadOptions, LoadedProgram, Modules, Tensor};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

fn linked(folder: &Path, text: &str) -> PathBuf {
    let session = Session::new();
    let (_module, program) = load_program(&session, text.as_bytes(), "test").expect("the program is valid");
    let output = folder.join("program.so");
    let input = ProgramInput { program, name: "test".into(), folder: folder.to_owned() };
    let (linker, programs, objects) = (Linker::start().unwrap(), vec![input], Vec::new());
    let what = Link {
        linker,
        programs,
        objects,
        output: &output,
        weights_path: &[],
        object_path: &[],
        weights_home: Default::default(),
    };
    let linked = link(&session, what).expect("the program links");
    std::fs::write(&output, &linked.file).expect("the folder is writable");
    output
}

/// Asks for numbers up to a limit, adds them up, and counts the calls in a global.
const PROGRAM: &str = r#"
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @calls(dense<0> : tensor<i64>) : tensor<i64>
  func.func private @upto(index) -> tensor<?xi64> attributes {hal.host_function = "numbers.upto"}
  func.func private @see(tensor<i64>) attributes {hal.host_function = "numbers.see"}
  func.func @main(%limit: index) -> i64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %t = call @upto(%limit) : (index) -> tensor<?xi64>
    %n = tensor.dim %t, %c0 : tensor<?xi64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i64 {
      %v = tensor.extract %t[%i] : tensor<?xi64>
      %next = arith.addi %s, %v : i64
      scf.yield %next : i64
    }
    %before = ml_program.global_load @calls : tensor<i64>
    %old = tensor.extract %before[] : tensor<i64>
    %more = arith.addi %old, %one : i64
    %after = tensor.from_elements %more : tensor<i64>
    call @see(%before) : (tensor<i64>) -> ()
    ml_program.global_store @calls = %after : tensor<i64>
    call @see(%after) : (tensor<i64>) -> ()
    return %sum : i64
  }
}"#;

fn numbers(seen: &Arc<Mutex<Vec<i64>>>) -> Modules {
    let seen = seen.clone();
    let mut modules = Modules::default();
    let upto = |call: &mut halyard_runtime::HostCall<'_>| {
        let limit = i64::from_le_bytes(call.input(0).bytes.try_into().map_err(|_| "no number")?);
        if limit > 1000 {
            return Err(format!("{limit} is too much"));
        }
        for (i, bytes) in call.result(0, &[limit])?.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&(i as i64 + 1).to_le_bytes());
        }
        Ok(())
    };
    modules.add("numbers.upto", "(index) -> tensor<?xi64>", upto).unwrap();
    let see = move |call: &mut halyard_runtime::HostCall<'_>| {
        let value = i64::from_le_bytes(call.input(0).bytes.try_into().map_err(|_| "no number")?);
        seen.lock().unwrap().push(value);
        Ok(())
    };
    modules.add("numbers.see", "(tensor<*xi64>) -> ()", see).unwrap();
    modules
}

#[test]
fn closures_are_called_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let options = LoadOptions { modules: numbers(&seen), ..LoadOptions::default() };
    let program = LoadedProgram::load_with(&linked(folder.path(), PROGRAM), &options).unwrap();
    drop(options);
    let mut instance = Instance::new(&program, InstanceOptions { threads: 1 }).unwrap();
    for (limit, sum) in [(10i64, 55i64), (0, 0), (100, 5050)] {
        let outputs = instance.call("main", &[Tensor::from_slice(&[], &[limit])]).unwrap();
        assert_eq!(outputs[0].as_slice::<i64>().unwrap(), [sum]);
    }
    // A value loaded before the store does not change.
    assert_eq!(*seen.lock().unwrap(), [0, 1, 1, 2, 2, 3]);
    // A call that fails leaves the instance usable, and its memory is used again.
    for _ in 0..100 {
        let error = instance.call("main", &[Tensor::from_slice(&[], &[1001i64])]).unwrap_err();
        assert_eq!(error.to_string(), "host function `numbers.upto` failed: 1001 is too much");
    }
    let outputs = instance.call("main", &[Tensor::from_slice(&[], &[4i64])]).unwrap();
    assert_eq!(outputs[0].as_slice::<i64>().unwrap(), [10]);
}

#[test]
fn names_and_signatures_are_checked() {
    let mut modules = Modules::default();
    let nothing = |_: &mut halyard_runtime::HostCall<'_>| Ok(());
    for (name, signature) in [("f", "() -> ()"), ("m.", "() -> ()"), ("m.f.g", "() -> ()"), ("m.f", "() ->")] {
        assert!(modules.add(name, signature, nothing).is_err(), "{name} {signature}");
    }
    modules.add("m.f", "() -> ()", nothing).unwrap();
    modules.add("m.g", "() -> ()", nothing).unwrap();
    assert!(modules.add("m.f", "() -> ()", nothing).is_err());
}

/// The device properties that the exchange form accepts are those of the runtime.
#[test]
fn properties_of_devices_are_those_of_the_runtime() {
    let runtime: Vec<&str> = halyard_runtime::property_names().collect();
    assert_eq!(halyard_ir::form::PROPERTIES.to_vec(), runtime);
}

/// A state that a host function makes anew from the old one.
const DOUBLED: &str = r#"
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @pair(dense<[1, 3]> : tensor<2xi64>) : tensor<2xi64>
  func.func private @twice(tensor<2xi64>) -> tensor<2xi64> attributes {hal.host_function = "numbers.twice"}
  func.func @main() {
    %old = ml_program.global_load @pair : tensor<2xi64>
    %new = call @twice(%old) : (tensor<2xi64>) -> tensor<2xi64>
    ml_program.global_store @pair = %new : tensor<2xi64>
    return
  }
}"#;

#[test]
fn closures_make_states() {
    let folder = tempfile::tempdir().unwrap();
    let mut modules = Modules::default();
    let twice = |call: &mut halyard_runtime::HostCall<'_>| {
        let doubled: Vec<u8> = call
            .input(0)
            .bytes
            .chunks_exact(8)
            .flat_map(|b| (i64::from_le_bytes(b.try_into().unwrap()) * 2).to_le_bytes())
            .collect();
        call.result(0, &[2])?.copy_from_slice(&doubled);
        Ok(())
    };
    modules.add("numbers.twice", "(tensor<2xi64>) -> tensor<2xi64>", twice).unwrap();
    let options = LoadOptions { modules, ..LoadOptions::default() };
    let program = LoadedProgram::load_with(&linked(folder.path(), DOUBLED), &options).unwrap();
    let mut instance = Instance::new(&program, InstanceOptions { threads: 1 }).unwrap();
    for factor in [2, 4, 8] {
        instance.call("main", &[]).unwrap();
        assert_eq!(instance.state("pair").unwrap().as_slice::<i64>().unwrap(), [factor, 3 * factor]);
    }
}
