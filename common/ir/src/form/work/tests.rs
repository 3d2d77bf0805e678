//! Work of small exports.
use super::*;
use crate::Session;

/// `operations (kind; products), bytes` of the only export of an executable.
fn work(body: &str) -> String {
    let session = Session::new();
    let module =
        session.parse(format!("module @e attributes {{hal.executable}} {{ {body} }}").as_bytes(), "e.mlir").unwrap();
    let executable = Executable { op: Op::from(&module).body().unwrap().ops()[0] };
    let executable =
        if Executable::view(Op::from(&module)).is_some() { Executable { op: Op::from(&module) } } else { executable };
    show(&ExportWork::of(executable, executable.exports()[0]))
}

fn show(work: &ExportWork) -> String {
    let sum = |s: &Option<SizeSum>| s.as_ref().map_or("?".to_owned(), SizeSum::to_string);
    let kind = work.kind.as_deref().unwrap_or("?");
    format!("{} ({kind}; {}), {} bytes", sum(&work.operations), sum(&work.products), sum(&work.bytes))
}

const DYNAMIC: &str = "func.func @k(%x: tensor<?x64xf32>, %y: tensor<64x?xf32>, %m: index, %n: index)
        -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.export} {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.matmul ins(%x, %y : tensor<?x64xf32>, tensor<64x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
}";

#[test]
fn products_of_unknown_sizes() {
    // Constants: the sizes of x and y, of the result, then m and n.
    assert_eq!(work(DYNAMIC), "128 * c0 * c1 (f32; 128 * c0 * c1), 256 * c0 + 256 * c1 + 4 * c2 * c3 bytes");
}

#[test]
fn a_strided_window_reads_what_it_meets() {
    let conv = "func.func @k(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x1x1xf32>, %o: tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
            attributes {hal.export} {
        %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x8x9x9xf32>, tensor<4x8x1x1xf32>)
            outs(%o : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
        return %r : tensor<1x4x5x5xf32> }";
    // 1·4·5·5·8 products; 8·5·5 elements of x, 32 of w, 100 of o, 100 of the result.
    assert_eq!(work(conv), "1600 (f32; 1600), 1728 bytes");
}

#[test]
fn products_of_integers_that_bytes_were_made_are_of_bytes() {
    let product = |zero: &str, from: &str| {
        let text = format!(
            "func.func @k(%x: tensor<8x16x{from}>, %w: tensor<16x4xi8>, %z: tensor<8x4xi32>) -> tensor<8x4xi32> attributes {{hal.export}} {{
            %c = arith.constant {zero} : i32
            %e = tensor.empty() : tensor<8x16xi32>
            %a = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                iterator_types = [\"parallel\", \"parallel\"]}} ins(%x : tensor<8x16x{from}>) outs(%e : tensor<8x16xi32>) {{
            ^bb0(%v: {from}, %old: i32):
                %i = arith.extui %v : {from} to i32
                %d = arith.subi %i, %c : i32
                linalg.yield %d : i32
            }} -> tensor<8x16xi32>
            %f = tensor.empty() : tensor<16x4xi32>
            %b = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                iterator_types = [\"parallel\", \"parallel\"]}} ins(%w : tensor<16x4xi8>) outs(%f : tensor<16x4xi32>) {{
            ^bb0(%v: i8, %old: i32):
                %i = arith.extsi %v : i8 to i32
                linalg.yield %i : i32
            }} -> tensor<16x4xi32>
            %r = linalg.matmul ins(%a, %b : tensor<8x16xi32>, tensor<16x4xi32>) outs(%z : tensor<8x4xi32>) -> tensor<8x4xi32>
            return %r : tensor<8x4xi32> }}"
        );
        work(&text)
    };
    // Zero points are taken off 128 numbers.
    assert_eq!(product("100", "i8"), "1152 (i8; 1024), 448 bytes");
    assert_eq!(product("100", "i16"), "1152 (?; 1024), 576 bytes");
}

#[test]
fn functions_from_a_byte_to_a_byte_are_not_counted() {
    let text = |last: &str| {
        format!(
            "func.func @k(%x: tensor<100xi8>) -> tensor<100x{last}> attributes {{hal.export}} {{
            %e = tensor.empty() : tensor<100xf32>
            %f = linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = [\"parallel\"]}}
                ins(%x : tensor<100xi8>) outs(%e : tensor<100xf32>) {{
            ^bb0(%v: i8, %old: f32):
                %i = arith.sitofp %v : i8 to f32
                %d = math.exp %i : f32
                linalg.yield %d : f32
            }} -> tensor<100xf32>
            %g = tensor.empty() : tensor<100x{last}>
            %b = linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = [\"parallel\"]}}
                ins(%f : tensor<100xf32>) outs(%g : tensor<100x{last}>) {{
            ^bb0(%v: f32, %old: {last}):
                %m = arith.mulf %v, %v : f32
                %i = arith.fptosi %m : f32 to {last}
                linalg.yield %i : {last}
            }} -> tensor<100x{last}>
            return %b : tensor<100x{last}> }}"
        )
    };
    assert_eq!(work(&text("i8")), "? (?; ?), 200 bytes");
    assert_eq!(work(&text("i16")), "200 (f32; 0), 300 bytes");
}

#[test]
fn what_is_looked_up_is_not_counted() {
    let gather = "func.func @k(%t: tensor<1000x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> attributes {hal.export} {
        %e = tensor.empty() : tensor<3x8xf32>
        %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
            iterator_types = [\"parallel\", \"parallel\"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x8xf32>) {
        ^bb0(%row: i64, %old: f32):
            %at = arith.index_cast %row : i64 to index
            %j = linalg.index 1 : index
            %v = tensor.extract %t[%at, %j] : tensor<1000x8xf32>
            linalg.yield %v : f32
        } -> tensor<3x8xf32>
        return %r : tensor<3x8xf32> }";
    assert_eq!(work(gather), "? (?; ?), 96 bytes");
}

#[test]
fn dropped_sources_leave_it() {
    let session = Session::new();
    let text = format!(
        "module {{ module @e attributes {{hal.executable}} {{ {DYNAMIC}
            module @cpu attributes {{hal.variant, hal.target = #llvm.target<triple = \"x86_64-unknown-linux-gnu\", chip = \"x86-64\">}} {{
                func.func private @k(tensor<?x64xf32>, tensor<64x?xf32>, index, index)
                    -> (tensor<?x?xf32> {{hal.dims = array<i64: 2, 3>}}) attributes {{hal.export}} }} }} }}"
    );
    let module = session.parse(text.as_bytes(), "e.mlir").unwrap();
    let executable = Executable { op: Op::from(&module).body().unwrap().ops()[0] };
    let before = ExportWork::of(executable, executable.interface_exports()[0]);
    super::super::drop_source(executable);
    assert!(executable.exports().is_empty());
    assert_eq!(ExportWork::of(executable, executable.interface_exports()[0]), before);
    assert!(before.operations.is_some());
}
