// The references in GLSL and CUDA, put back as they are, give what the generated kernels for the CPU give: moves of elements, narrow and wide
// types, functions, dynamic sizes, numbers, results in place, sums within sums.
// REQUIRES: x86, vulkan, glslc
// RUN: rm -rf %t && mkdir -p %t/a %t/b && %python %S/Inputs/replace_on_gpus.py %s %t/a vulkan,cuda -i 3x4xf32=random:1 -i 5x4xf32=random:2 -i 24xf32=random:3 -i 24xbf16=random:4 -i 6x8xi8=random:5:-100:100 -i 7xf16=random:6 -i 6xi64=random:7:-90:90 -- --rtol=1e-3 --atol=1e-5 | FileCheck %s
// CHECK: 8 executables in glsl, the same results on vulkan
// CHECK: 8 executables in cuda, the same results on cuda
// RUN: hal-import %S/c-is-right.mlir -o %t/p.mlir && %python %S/Inputs/replace_on_gpus.py %t/p.mlir %t/b vulkan,cuda -i random:1 -i random:2 -i random:3:0:100 -i random:4 -i random:5 -- --rtol=1e-4 | FileCheck %s --check-prefix=LINALG
// LINALG: 9 executables in glsl, the same results on vulkan
// LINALG: 9 executables in cuda, the same results on cuda
// RUN: FileCheck %s --check-prefix=SHADER < %t/b/vulkan/main_dispatch_8.comp && FileCheck %s --check-prefix=KERNEL < %t/b/cuda/main_dispatch_8.cu
// What a row needs is computed before the loop that needs it.
// SHADER: --workgroups=main_dispatch_8=4 -o NEW
// SHADER: const int i0 = int(i) / 20;
// SHADER: precise float acc[[S:[0-9]+]] = 0.0f;
// SHADER-NEXT: for (int k
// SHADER: out2[i] = v
// KERNEL: for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < 240; i += threads) {
#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @sizes attributes {hal.executable} {
    func.func @sizes_k(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %m: index, %n: index, %scale: f32, %shift: i16) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.sitofp %shift : i16 to f32
        %1 = arith.mulf %x, %scale : f32
        %2 = arith.addf %1, %s : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
  }
  func.func private @sizes_k(tensor<?x4xf32>, tensor<?x4xf32>, index, index, f32, i16) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.entry = @sizes::@sizes_k}
  module @inplace attributes {hal.executable} {
    func.func @inplace_k(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export} {
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<4xf32>) outs(%a : tensor<4xf32>) {
      ^bb0(%x: f32, %o: f32):
        %1 = arith.addf %x, %o : f32
        linalg.yield %1 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  func.func private @inplace_k(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @inplace::@inplace_k}
  module @functions attributes {hal.executable} {
    func.func @functions_k(%x: tensor<24xf32>) -> tensor<24xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<24xf32>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<24xf32>) outs(%e : tensor<24xf32>) {
      ^bb0(%a: f32, %o: f32):
        %c3 = arith.constant 3.0 : f32
        %cm = arith.constant -2.5 : f32
        %1 = math.expm1 %a : f32
        %2 = math.log1p %1 : f32
        %3 = math.cbrt %2 : f32
        %4 = arith.remf %cm, %3 : f32
        %5 = math.copysign %4, %a : f32
        %6 = math.powf %5, %c3 : f32
        %7 = math.absf %6 : f32
        %8 = math.log10 %7 : f32
        %9 = math.round %8 : f32
        %10 = math.atan2 %9, %a : f32
        %11 = math.roundeven %cm : f32
        %12 = arith.addf %10, %11 : f32
        %13 = math.isnan %12 : f32
        %14 = arith.maxnumf %12, %a : f32
        %15 = arith.select %13, %a, %14 : f32
        %16 = math.sin %15 : f32
        %17 = math.rsqrt %7 : f32
        %18 = arith.bitcast %17 : f32 to i32
        %19 = arith.bitcast %18 : i32 to f32
        %20 = math.fma %16, %19, %2 : f32
        linalg.yield %20 : f32
      } -> tensor<24xf32>
      return %r : tensor<24xf32>
    }
  }
  func.func private @functions_k(tensor<24xf32>) -> tensor<24xf32> attributes {hal.entry = @functions::@functions_k}
  module @narrow attributes {hal.executable} {
    func.func @narrow_k(%x: tensor<24xbf16>) -> (tensor<4x6xbf16>, tensor<4xbf16>) attributes {hal.export} {
      %t = arith.constant dense<[1.0, 2.0, 3.0, 0.5, 0.25, 4.0, 1.0, 2.0, 3.0, 0.5, 0.25, 4.0, 1.0, 2.0, 3.0, 0.5, 0.25, 4.0, 1.0, 2.0, 3.0, 0.5, 0.25, 4.0]> : tensor<24xbf16>
      %low = arith.constant 0xFF80 : bf16
      %e = tensor.empty() : tensor<24xbf16>
      %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %t : tensor<24xbf16>, tensor<24xbf16>) outs(%e : tensor<24xbf16>) {
      ^bb0(%a: bf16, %b: bf16, %o: bf16):
        %1 = arith.mulf %a, %b : bf16
        %2 = arith.addf %1, %b : bf16
        linalg.yield %2 : bf16
      } -> tensor<24xbf16>
      %v = tensor.expand_shape %p [[0, 1]] output_shape [4, 6] : tensor<24xbf16> into tensor<4x6xbf16>
      %e1 = tensor.empty() : tensor<4xbf16>
      %f1 = linalg.fill ins(%low : bf16) outs(%e1 : tensor<4xbf16>) -> tensor<4xbf16>
      %m = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%v : tensor<4x6xbf16>) outs(%f1 : tensor<4xbf16>) {
      ^bb0(%a: bf16, %o: bf16):
        %1 = arith.maximumf %a, %o : bf16
        linalg.yield %1 : bf16
      } -> tensor<4xbf16>
      return %v, %m : tensor<4x6xbf16>, tensor<4xbf16>
    }
  }
  func.func private @narrow_k(tensor<24xbf16>) -> (tensor<4x6xbf16>, tensor<4xbf16>) attributes {hal.entry = @narrow::@narrow_k}
  module @bytes attributes {hal.executable} {
    func.func @bytes_k(%x: tensor<6x8xi8>) -> (tensor<48xi8>, tensor<48xi1>) attributes {hal.export} {
      %v = tensor.collapse_shape %x [[0, 1]] : tensor<6x8xi8> into tensor<48xi8>
      %e = tensor.empty() : tensor<48xi8>
      %b = tensor.empty() : tensor<48xi1>
      %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%v : tensor<48xi8>) outs(%e, %b : tensor<48xi8>, tensor<48xi1>) {
      ^bb0(%a: i8, %o: i8, %q: i1):
        %three = arith.constant 3 : i8
        %one = arith.constant 1 : i8
        %t = arith.constant true
        %1 = arith.floordivsi %a, %three : i8
        %2 = arith.remsi %a, %three : i8
        %3 = arith.muli %1, %a : i8
        %4 = arith.shrui %3, %one : i8
        %5 = arith.maxui %4, %2 : i8
        %6 = arith.ceildivsi %5, %three : i8
        %7 = arith.shli %6, %one : i8
        %w = arith.extui %7 : i8 to i32
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        %s = arith.addi %w, %j : i32
        %8 = arith.trunci %s : i32 to i8
        %c = arith.cmpi sgt, %8, %2 : i8
        %d = arith.xori %c, %t : i1
        %f = arith.uitofp %d : i1 to f32
        %g = arith.fptosi %f : f32 to i8
        %9 = arith.addi %8, %g : i8
        linalg.yield %9, %d : i8, i1
      } -> (tensor<48xi8>, tensor<48xi1>)
      return %r#0, %r#1 : tensor<48xi8>, tensor<48xi1>
    }
  }
  func.func private @bytes_k(tensor<6x8xi8>) -> (tensor<48xi8>, tensor<48xi1>) attributes {hal.entry = @bytes::@bytes_k}
  module @half attributes {hal.executable} {
    func.func @half_k(%x: tensor<7xf16>, %s: f16) -> tensor<7xf16> attributes {hal.export} {
      %e = tensor.empty() : tensor<7xf16>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<7xf16>) outs(%e : tensor<7xf16>) {
      ^bb0(%a: f16, %o: f16):
        %c = arith.constant 0.333251953125 : f16
        %1 = arith.mulf %a, %c : f16
        %2 = arith.addf %1, %s : f16
        %3 = math.exp %2 : f16
        %4 = arith.cmpf ogt, %3, %a : f16
        %5 = arith.select %4, %3, %a : f16
        linalg.yield %5 : f16
      } -> tensor<7xf16>
      return %r : tensor<7xf16>
    }
  }
  func.func private @half_k(tensor<7xf16>, f16) -> tensor<7xf16> attributes {hal.entry = @half::@half_k}
  module @long attributes {hal.executable} {
    func.func @long_k(%x: tensor<6xi64>) -> tensor<6xi64> attributes {hal.export} {
      %e = tensor.empty() : tensor<6xi64>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<6xi64>) outs(%e : tensor<6xi64>) {
      ^bb0(%a: i64, %o: i64):
        %big = arith.constant 1099511627776 : i64
        %seven = arith.constant 7 : i64
        %1 = arith.muli %a, %big : i64
        %2 = arith.remsi %1, %seven : i64
        %3 = arith.divsi %1, %seven : i64
        %4 = arith.xori %3, %2 : i64
        %5 = math.absi %4 : i64
        linalg.yield %5 : i64
      } -> tensor<6xi64>
      return %r : tensor<6xi64>
    }
  }
  func.func private @long_k(tensor<6xi64>) -> tensor<6xi64> attributes {hal.entry = @long::@long_k}
  module @moves attributes {hal.executable} {
    func.func @moves_k(%x: tensor<?x4xf32>, %y: tensor<24xf32>, %n: index) -> (tensor<10x10xf32>, tensor<6xf32>) attributes {hal.export} {
      %two = arith.constant 2.0 : f32
      %z = arith.constant -1.0 : f32
      %g = tensor.generate {
      ^bb0(%i: index, %j: index):
        %s = arith.muli %i, %j : index
        %t = arith.index_cast %s : index to i32
        %f = arith.sitofp %t : i32 to f32
        tensor.yield %f : f32
      } : tensor<3x4xf32>
      %v = tensor.expand_shape %y [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
      %c = tensor.concat dim(0) %g, %v : (tensor<3x4xf32>, tensor<6x4xf32>) -> tensor<9x4xf32>
      %p = tensor.pad %c low[1, 2] high[0, 4] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<9x4xf32> to tensor<10x10xf32>
      %part = tensor.extract_slice %p[2, 0] [3, 5] [2, 2] : tensor<10x10xf32> to tensor<3x5xf32>
      %r = tensor.insert_slice %part into %p[1, 0] [3, 5] [3, 2] : tensor<3x5xf32> into tensor<10x10xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = tensor.extract %x[%c1, %c0] : tensor<?x4xf32>
      %l = tensor.from_elements %two, %first, %z, %two, %z, %first : tensor<6xf32>
      return %r, %l : tensor<10x10xf32>, tensor<6xf32>
    }
  }
  func.func private @moves_k(tensor<?x4xf32>, tensor<24xf32>, index) -> (tensor<10x10xf32>, tensor<6xf32>) attributes {hal.entry = @moves::@moves_k}
  func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %x: tensor<24xf32>, %y: tensor<24xbf16>, %i: tensor<6x8xi8>, %h: tensor<7xf16>, %l: tensor<6xi64>)
      -> (tensor<?x?xf32>, tensor<4xf32>, tensor<24xf32>, tensor<4x6xbf16>, tensor<4xbf16>, tensor<48xi8>, tensor<48xi1>, tensor<7xf16>, tensor<6xi64>, tensor<10x10xf32>, tensor<6xf32>) {
    %c0 = arith.constant 0 : index
    %m = tensor.dim %a, %c0 : tensor<?x4xf32>
    %n = tensor.dim %b, %c0 : tensor<?x4xf32>
    %scale = arith.constant 1.5 : f32
    %shift = arith.constant -3 : i16
    %s = arith.constant -0.5 : f16
    %r = call @sizes_k(%a, %b, %m, %n, %scale, %shift) : (tensor<?x4xf32>, tensor<?x4xf32>, index, index, f32, i16) -> tensor<?x?xf32>
    %p = tensor.extract_slice %a[1, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %q = tensor.extract_slice %b[2, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %u = call @inplace_k(%p, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %f = call @functions_k(%x) : (tensor<24xf32>) -> tensor<24xf32>
    %bf:2 = call @narrow_k(%y) : (tensor<24xbf16>) -> (tensor<4x6xbf16>, tensor<4xbf16>)
    %by:2 = call @bytes_k(%i) : (tensor<6x8xi8>) -> (tensor<48xi8>, tensor<48xi1>)
    %ha = call @half_k(%h, %s) : (tensor<7xf16>, f16) -> tensor<7xf16>
    %lo = call @long_k(%l) : (tensor<6xi64>) -> tensor<6xi64>
    %mo:2 = call @moves_k(%a, %x, %m) : (tensor<?x4xf32>, tensor<24xf32>, index) -> (tensor<10x10xf32>, tensor<6xf32>)
    return %r, %u, %f, %bf#0, %bf#1, %by#0, %by#1, %ha, %lo, %mo#0, %mo#1 : tensor<?x?xf32>, tensor<4xf32>, tensor<24xf32>, tensor<4x6xbf16>, tensor<4xbf16>, tensor<48xi8>, tensor<48xi1>, tensor<7xf16>, tensor<6xi64>, tensor<10x10xf32>, tensor<6xf32>
  }
}
