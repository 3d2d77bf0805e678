use super::*;
use halyard_runtime::{DType, TensorSpec};

fn function() -> FunctionInfo {
    let spec = |name: &str| TensorSpec {
        name: Some(name.into()),
        dtype: DType::F32,
        shape: vec![],
        dim_names: vec![],
        element: None,
    };
    FunctionInfo { name: "main".into(), inputs: vec![], outputs: vec![spec("a"), spec("b")] }
}

fn plan(texts: &[&str]) -> Result<(Vec<Vec<usize>>, Vec<usize>)> {
    let destinations: Vec<Destination> = texts.iter().map(|t| t.parse().unwrap()).collect();
    let (files, printed) = Destination::plan("output", "--output", &destinations, &function())?;
    Ok((files.into_iter().map(|(_, i)| i).collect(), printed))
}

#[test]
fn plans() {
    assert_eq!(plan(&[]).unwrap(), (vec![], vec![0, 1]));
    assert_eq!(plan(&["x.npy"]).unwrap(), (vec![vec![0]], vec![]));
    assert_eq!(plan(&["b=@x.npy", "-"]).unwrap(), (vec![vec![1]], vec![0, 1]));
    assert_eq!(plan(&["x.npz", "1=-"]).unwrap(), (vec![vec![0, 1]], vec![1]));
    assert_eq!(plan(&["x.npy", "x.npy"]).unwrap_err().to_string(), "`x.npy` is given twice as `--output`");
    assert_eq!(
        plan(&["x.npy", "y.npy", "z.npy"]).unwrap_err().to_string(),
        "too many `--output`s: `main` has 2 outputs"
    );
    assert_eq!(plan(&["c=x.npy"]).unwrap_err().to_string(), "`main` has no output `c`");
    let named = |text: &str| text.parse::<Destination>().unwrap().name;
    assert_eq!(
        [named("dir/a=b.npy"), named("dir/a=@b.npy"), named("dir/a=-")],
        [None, Some("dir/a".into()), Some("dir/a".into())]
    );
    assert!("x.txt".parse::<Destination>().is_err());
}
