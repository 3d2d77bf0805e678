use super::*;
use crate::CompileArgs;
use clap::Parser;
use halyard_ir::form::Phase;

fn pipe(words: &str, phase: Option<Phase>) -> String {
    let args = CompileArgs::try_parse_from(std::iter::once("hal-compile").chain(words.split(' '))).unwrap();

    Plan::new(&args, phase, !words.contains(".onnx")).unwrap().pipe()
}

#[test]
fn pipes() {
    insta::assert_snapshot!(pipe("m.onnx -o m.so", None), @r"
    hal-import m.onnx --emit=bytecode |
      hal-translate --emit=bytecode |
      hal-link -o m.so
    ");
    insta::assert_snapshot!(pipe("m.onnx -o m.so --stage=input:cse --stage=objects:symbol-dce --stage=input:func.func(canonicalize)", None), @r"
    hal-import m.onnx --to=input --emit=bytecode |
      hal-opt --stage=cse '--stage=func.func(canonicalize)' --emit=bytecode |
      hal-import --emit=bytecode |
      hal-translate --emit=bytecode |
      hal-opt --stage=symbol-dce --emit=bytecode |
      hal-link -o m.so
    ");
    insta::assert_snapshot!(pipe("dir/m.mlir -o out/m.so --save-temps=t -O1 --fast-math -j2 --target=cpu:generic,cpu --function=f", None), @r"
    mkdir -p t
    hal-import dir/m.mlir --to=input --function=f |
      tee t/m.input.mlir |
      hal-import |
      tee t/m.executables.mlir |
      hal-translate --target=cpu:generic,cpu -O1 --fast-math -j2 |
      tee t/m.objects.mlir |
      hal-link --weights-path=dir -o out/m.so
    ");
    insta::assert_snapshot!(pipe("p.mlir -o m.so --stage=executables:cse", Some(Phase::Executables)), @r"
    hal-opt p.mlir --stage=cse --emit=bytecode |
      hal-translate --emit=bytecode |
      hal-link -o m.so
    ");
    insta::assert_snapshot!(pipe("p.mlir -o m.so", Some(Phase::Objects)), @"hal-link p.mlir -o m.so");
    insta::assert_snapshot!(pipe("m.mlir -o m.so --load-pass-plugin=p.so --load-dialect-plugin=d.so --stage=input:p", None), @r"
    hal-import m.mlir --load-pass-plugin=p.so --load-dialect-plugin=d.so --to=input --emit=bytecode |
      hal-opt --load-pass-plugin=p.so --load-dialect-plugin=d.so --stage=p --emit=bytecode |
      hal-import --load-pass-plugin=p.so --load-dialect-plugin=d.so --emit=bytecode |
      hal-translate --load-pass-plugin=p.so --load-dialect-plugin=d.so --emit=bytecode |
      hal-link --load-dialect-plugin=d.so -o m.so
    ");
    insta::assert_snapshot!(pipe("m.onnx --to=input", None), @"hal-import m.onnx --to=input");
    insta::assert_snapshot!(pipe("m.onnx --to=executables -o m.mlirbc --weights-to=w.safetensors", None), @"hal-import m.onnx --weights-to=w.safetensors -o m.mlirbc");
    insta::assert_snapshot!(pipe("m.mlir -o m.so --preprocess-input-with=a --function=f --preprocess-executables-with=cmd:b --preprocess-timeout=5s --target=cpu:x86-64-v3 --stage=input:cse", None), @r"
    hal-opt m.mlir --preprocess-input-with=a --preprocess-target=cpu:x86-64-v3 --preprocess-timeout=5 --emit=bytecode |
      hal-import --to=input --function=f --emit=bytecode |
      hal-opt --stage=cse --emit=bytecode |
      hal-import --emit=bytecode |
      hal-opt --preprocess-executables-with=cmd:b --preprocess-target=cpu:x86-64-v3 --preprocess-timeout=5 --emit=bytecode |
      hal-translate --target=cpu:x86-64-v3 --emit=bytecode |
      hal-link -o m.so
    ");
    insta::assert_snapshot!(pipe("m.onnx -o m.so --preprocess-input-with=a --preprocess-global-with=b --preprocess-objects-with=c -j2", None), @r"
    hal-import m.onnx --to=input --emit=bytecode |
      hal-opt --preprocess-input-with=a --preprocess-target=cpu -j2 --emit=bytecode |
      hal-opt --preprocess-global-with=b --preprocess-target=cpu -j2 --emit=bytecode |
      hal-import --emit=bytecode |
      hal-translate -j2 --emit=bytecode |
      hal-opt --preprocess-objects-with=c -j2 --emit=bytecode |
      hal-link -o m.so
    ");
    insta::assert_snapshot!(pipe("m.onnx --to=objects --emit=text -o m.mlir --stage=objects:cse", None), @r"
    hal-import m.onnx --emit=bytecode |
      hal-translate --emit=bytecode |
      hal-opt --stage=cse --emit=text -o m.mlir
    ");
}
