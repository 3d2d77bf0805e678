// Tensor cores multiply bytes and, where `--fast-math=tf32` allows it, f32; also where operands lie the other way round, or their ends fit no strip.
// No GPU: the fake driver interprets the PTX (Inputs/fake/README.md).
// RUN: hal-import %s -o %t.mlirbc && hal-translate --target=cpu,cuda:sm_80 --fast-math=tf32 --explain %t.mlirbc -o %t.objects.mlirbc 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: hal-link %t.objects.mlirbc -o %t.so
// SAID-DAG: @bytes{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=bytes --input=40x96xi8=random:1 --input=96x72xi8=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=bytes --input=40x96xi8=random:1 --input=96x72xi8=random:2 --expect=@%t.npy
// SAID-DAG: @bytes_turned{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=bytes_turned --input=100x40xi8=random:1 --input=72x100xi8=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=bytes_turned --input=100x40xi8=random:1 --input=72x100xi8=random:2 --expect=@%t.npy
// SAID-DAG: @unsigned{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=unsigned --input=40x96xi8=random:1 --input=64x96xi8=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=unsigned --input=40x96xi8=random:1 --input=64x96xi8=random:2 --expect=@%t.npy
// SAID-DAG: @short_f32{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=short_f32 --input=40x100xf32=random:1:1:2 --input=100x72xf32=random:2:1:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=short_f32 --input=40x100xf32=random:1:1:2 --input=100x72xf32=random:2:1:2 --expect=@%t.npy --rtol=5e-4
// SAID-DAG: @short_turned{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=short_turned --input=96x48xf32=random:1:1:2 --input=72x96xf32=random:2:1:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=short_turned --input=96x48xf32=random:1:1:2 --input=72x96xf32=random:2:1:2 --expect=@%t.npy --rtol=5e-4
// SAID-DAG: @tail{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=tail --input=40x72xbf16=random:1 --input=64x72xbf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=tail --input=40x72xbf16=random:1 --input=64x72xbf16=random:2 --expect=@%t.npy --rtol=1e-4
// SAID-DAG: @tail_turned{{.*}} for cuda:sm_80: {{.*}}product on tensor cores
// RUN: hal-run %t.so --function=tail_turned --input=72x40xf16=random:1 --input=72x64xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=tail_turned --input=72x40xf16=random:1 --input=72x64xf16=random:2 --expect=@%t.npy --rtol=1e-4
// RUN: hal-run %t.so --function=image --input=2x16x13x11xf16=random:1 --input=24x16x3x3xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=image --input=2x16x13x11xf16=random:1 --input=24x16x3x3xf16=random:2 --expect=@%t.npy --rtol=1e-4
// RUN: hal-translate --target=cuda --emit=ptx --executable=bytes_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=BYTES
// BYTES: cp.async.wait_group
// BYTES: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// RUN: hal-translate --target=cuda --emit=ptx --executable=unsigned_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// Not without the flag.
// RUN: hal-translate --target=cuda --emit=ptx --executable=short_f32_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=F32 --implicit-check-not=tf32
// F32: fma.rn.f32
// RUN: hal-translate --target=cuda --fast-math=tf32 --emit=ptx --executable=short_f32_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=TF32
// TF32: cvt.rna.tf32.f32
// TF32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

func.func @bytes(%a: tensor<40x96xi8>, %b: tensor<96x72xi8>) -> tensor<40x72xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x72xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<40x72xi32>) -> tensor<40x72xi32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<40x96xi8>, tensor<96x72xi8>) outs(%f : tensor<40x72xi32>) -> tensor<40x72xi32>
  return %r : tensor<40x72xi32>
}

func.func @bytes_turned(%a: tensor<100x40xi8>, %b: tensor<72x100xi8>) -> tensor<40x72xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x72xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<40x72xi32>) -> tensor<40x72xi32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<100x40xi8>, tensor<72x100xi8>) outs(%f : tensor<40x72xi32>) -> tensor<40x72xi32>
  return %r : tensor<40x72xi32>
}

func.func @unsigned(%a: tensor<40x96xi8>, %b: tensor<64x96xi8>) -> tensor<40x64xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x64xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<40x64xi32>) -> tensor<40x64xi32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {cast = #linalg.type_fn<cast_unsigned>}
       ins(%a, %b : tensor<40x96xi8>, tensor<64x96xi8>) outs(%f : tensor<40x64xi32>) -> tensor<40x64xi32>
  return %r : tensor<40x64xi32>
}

func.func @short_f32(%a: tensor<40x100xf32>, %b: tensor<100x72xf32>) -> tensor<40x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<40x100xf32>, tensor<100x72xf32>) outs(%f : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %r : tensor<40x72xf32>
}

func.func @short_turned(%a: tensor<96x48xf32>, %b: tensor<72x96xf32>) -> tensor<48x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<48x72xf32>) -> tensor<48x72xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<96x48xf32>, tensor<72x96xf32>) outs(%f : tensor<48x72xf32>) -> tensor<48x72xf32>
  return %r : tensor<48x72xf32>
}

func.func @tail(%a: tensor<40x72xbf16>, %b: tensor<64x72xbf16>) -> tensor<40x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x64xf32>) -> tensor<40x64xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<40x72xbf16>, tensor<64x72xbf16>) outs(%f : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

func.func @tail_turned(%a: tensor<72x40xf16>, %b: tensor<72x64xf16>) -> tensor<40x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x64xf32>) -> tensor<40x64xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<72x40xf16>, tensor<72x64xf16>) outs(%f : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

func.func @image(%x: tensor<2x16x13x11xf16>, %w: tensor<24x16x3x3xf16>) -> tensor<2x24x7x6xf32> {
  %zero = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<2x16x13x11xf16> to tensor<2x16x15x13xf16>
  %e = tensor.empty() : tensor<2x24x7x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x7x6xf32>) -> tensor<2x24x7x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>} ins(%p, %w : tensor<2x16x15x13xf16>, tensor<24x16x3x3xf16>)
       outs(%f : tensor<2x24x7x6xf32>) -> tensor<2x24x7x6xf32>
  return %r : tensor<2x24x7x6xf32>
}
