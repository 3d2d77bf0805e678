use super::*;

fn parse(text: &str) -> TensorArgument {
    text.parse().unwrap()
}

#[test]
fn names_types_and_values() {
    let a = parse("x=2x3xf32=1,2");
    assert_eq!((a.name.as_deref(), a.ty.unwrap().to_string()), (Some("x"), "2x3xf32".into()));
    assert_eq!(a.value, Value::Numbers("1,2".into()));
    assert_eq!(parse("@a=b.npy").value, Value::File("a=b.npy".into()));
    assert_eq!(parse("dir/a=b.npy").value, Value::File("dir/a=b.npy".into()));
    assert_eq!(
        parse("x=@f.npz"),
        TensorArgument {
            name: Some("x".into()),
            text: "x=@f.npz".into(),
            ty: None,
            value: Value::File("f.npz".into())
        }
    );
    assert_eq!(parse("in.npy").value, Value::File("in.npy".into()));
    let slashed = |text: &str| {
        let a = parse(text);
        (a.name.unwrap(), a.ty.map(|ty| ty.to_string()), a.value)
    };
    assert_eq!(slashed("dir/a=@b/c=d.npy"), ("dir/a".into(), None, Value::File("b/c=d.npy".into())));
    assert_eq!(slashed("dir/a:0=iota"), ("dir/a:0".into(), None, Value::Iota));
    assert_eq!(slashed("dir/a=2xf32=1,2"), ("dir/a".into(), Some("2xf32".into()), Value::Numbers("1,2".into())));
    assert_eq!(parse("@dir/a=b/c=@d.npy").value, Value::File("dir/a=b/c=@d.npy".into()));
    assert_eq!(parse("-").value, Value::File("-".into()));
    assert_eq!(parse("0=random:3").value, Value::Random { seed: 3, range: None });
    assert_eq!(parse("f32=iota").value, Value::Iota);
    assert_eq!(parse("1.5").value, Value::Numbers("1.5".into()));
}

#[test]
fn mistakes() {
    let message = |text: &str| text.parse::<TensorArgument>().unwrap_err();
    assert_eq!(message("2x3xf32"), "a type needs a value, as in `2x3xf32=0` or `2x3xf32=random:1`");
    assert_eq!(message("x=2x3=1"), "`2x3` is not a tensor type such as `2x3xf32`");
    assert_eq!(message("random"), "`random` needs a seed, as in `random:1`; a file of that name is `./random`");
    assert_eq!(message("f32=random:x"), "`random:x` is not `random:SEED` or `random:SEED:LOW:HIGH`");
    assert!(message("f32=random:1:5:5").contains("empty"));
    assert_eq!(message("@"), "there is no file name after `@`");
}
