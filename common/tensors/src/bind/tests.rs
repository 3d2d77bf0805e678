use super::*;

fn function() -> FunctionInfo {
    let spec = |name: Option<&str>, dtype, shape: &[Option<usize>]| TensorSpec {
        name: name.map(Into::into),
        dtype,
        shape: shape.to_vec(),
        dim_names: vec![],
        element: None,
    };
    FunctionInfo {
        name: "main".into(),
        inputs: vec![
            spec(Some("x"), DType::F32, &[Some(2)]),
            spec(None, DType::I32, &[None]),
            spec(Some("h"), DType::Bf16, &[]),
        ],
        outputs: vec![],
    }
}

fn inputs(arguments: &[&str]) -> Result<Vec<Option<Tensor>>> {
    let function = function();
    let arguments: Vec<TensorArgument> = arguments.iter().map(|a| a.parse().unwrap()).collect();
    bind("input", "--input", &arguments, &function, &function.inputs)
}

#[test]
fn in_order_and_by_name() {
    let t = inputs(&["1=2xi32=5,6", "1,2", "h=u16=0x3f80"]).unwrap();
    assert_eq!(t[0].as_ref().unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(t[1].as_ref().unwrap().as_slice::<i32>().unwrap(), [5, 6]);
    assert_eq!(t[2].as_ref().unwrap().as_slice::<halyard_runtime::bf16>().unwrap()[0].to_f32(), 1.0);
    assert_eq!(inputs(&["x=0"]).unwrap().iter().filter(|t| t.is_some()).count(), 1);
    assert_eq!(inputs(&["0", "1xu32=7"]).unwrap()[1].as_ref().unwrap().dtype(), DType::I32);
}

#[test]
fn mistakes() {
    let message = |arguments: &[&str]| inputs(arguments).unwrap_err().to_string();
    assert_eq!(message(&["3xf32=0"]), "input 0 `x` is `2xf32`, this is `3xf32`");
    assert_eq!(message(&["2xi32=0"]), "input 0 `x` is `2xf32`, this is `2xi32`");
    assert_eq!(message(&["z=0"]), "`main` has no input `z`");
    assert_eq!(message(&["x=0", "0=0"]), "input 0 `x` is given twice");
    assert_eq!(message(&["0", "1xi32=0", "bf16=0", "0"]), "too many inputs: `main` has 3 inputs");
    assert_eq!(message(&["2x64=1"]), "`2x64` has no element type: write `2x64xf32` or another one");
    assert!(
        message(&["2x64xfloat32=1"]).starts_with("`float32` of `2x64xfloat32` is not an element type; there are f32 ")
    );
    assert_eq!(message(&["0", "1xi32=0", "bf16=0", "f32=0"]), "too many inputs: `main` has 3 inputs");
    assert_eq!(message(&["0", "0"]), "`0` needs a type before its value");
}
