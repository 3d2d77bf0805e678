// Sums within sums in one kernel: a product whose rows are normalised, and of which the best is looked for. What a row needs is computed once by
// the threads of its workgroup; sums that no row changes are computed by every workgroup.
// REQUIRES: vulkan
// RUN: hal-translate --target=cpu,vulkan --explain %s -o %t.objects.mlirbc 2>&1 | FileCheck %s
// CHECK: for vulkan: {{.*}}rows of 50 x 40, 8 at a time, 2 inner sums of a row in shared memory, a product in tiles, 7 workgroups of 64 threads
// CHECK: for vulkan: {{.*}}rows of 50, 2 at a time, 1 inner sums of a row in shared memory, 25 workgroups of 128 threads
// CHECK: for vulkan: {{.*}}rows of 300 x 20, 4 at a time, 1 inner sums of a row in shared memory, 75 workgroups of 128 threads
// RUN: hal-link %t.objects.mlirbc -o %t.so
// RUN: hal-run %t.so --function=norm --input=50x24xf32=random:1 --input=40x24xf32=random:2 --output=%t.npy
// RUN: hal-run --device=vulkan %t.so --function=norm --input=50x24xf32=random:1 --input=40x24xf32=random:2 --expect=@%t.npy --rtol=1e-4
// RUN: hal-run %t.so --function=best --input=50x24xf32=random:1 --input=40x24xf32=random:2 --output=%t.npy
// RUN: hal-run --device=vulkan %t.so --function=best --input=50x24xf32=random:1 --input=40x24xf32=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=weighted --input=300x24xf32=random:1 --input=20x24xf32=random:2 --input=24x90xf32=random:3 --output=%t.npy
// RUN: hal-run --device=vulkan %t.so --function=weighted --input=300x24xf32=random:1 --input=20x24xf32=random:2 --input=24x90xf32=random:3 --expect=@%t.npy --rtol=1e-4 --atol=1e-4

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#k = affine_map<(i, j, k) -> (k)>
#row = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @norm_0 attributes {hal.executable} {
    func.func @norm_0_norm(%x: tensor<50x24xf32>, %w: tensor<40x24xf32>) -> tensor<50x40xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50x40xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<50x40xf32>) -> tensor<50x40xf32>
      %er = tensor.empty() : tensor<50xf32>
      %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
      %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<50x24xf32>, tensor<40x24xf32>) outs(%z : tensor<50x40xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %m = arith.mulf %p, %q : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<50x40xf32>
      %square = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
          ins(%y : tensor<50x40xf32>) outs(%zr : tensor<50xf32>) {
      ^bb0(%p: f32, %o: f32):
        %m = arith.mulf %p, %p : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<50xf32>
      %r = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
          ins(%y, %square : tensor<50x40xf32>, tensor<50xf32>) outs(%e : tensor<50x40xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %root = math.rsqrt %q : f32
        %t = arith.mulf %p, %root : f32
        linalg.yield %t : f32
      } -> tensor<50x40xf32>
      return %r : tensor<50x40xf32>
    }
  }
  func.func private @norm_0_norm(tensor<50x24xf32>, tensor<40x24xf32>) -> tensor<50x40xf32> attributes {hal.entry = @norm_0::@norm_0_norm}
  func.func @norm(%x: tensor<50x24xf32>, %w: tensor<40x24xf32>) -> tensor<50x40xf32> {
    %r = call @norm_0_norm(%x, %w) : (tensor<50x24xf32>, tensor<40x24xf32>) -> tensor<50x40xf32>
    return %r : tensor<50x40xf32>
  }

  module @best_0 attributes {hal.executable} {
    func.func @best_0_best(%x: tensor<50x24xf32>, %w: tensor<40x24xf32>) -> tensor<50xi32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0xFF800000 : f32
      %first = arith.constant 0 : i32
      %e = tensor.empty() : tensor<50x40xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<50x40xf32>) -> tensor<50x40xf32>
      %er = tensor.empty() : tensor<50xf32>
      %zr = linalg.fill ins(%none : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
      %ei = tensor.empty() : tensor<50xi32>
      %zi = linalg.fill ins(%first : i32) outs(%ei : tensor<50xi32>) -> tensor<50xi32>
      %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<50x24xf32>, tensor<40x24xf32>) outs(%z : tensor<50x40xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %d = arith.subf %p, %q : f32
        %m = arith.mulf %d, %d : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<50x40xf32>
      %r:2 = linalg.generic {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
          ins(%y : tensor<50x40xf32>) outs(%zr, %zi : tensor<50xf32>, tensor<50xi32>) {
      ^bb0(%p: f32, %o: f32, %at: i32):
        %j = linalg.index 1 : index
        %here = arith.index_cast %j : index to i32
        %more = arith.cmpf ogt, %p, %o : f32
        %t = arith.select %more, %p, %o : f32
        %n = arith.select %more, %here, %at : i32
        linalg.yield %t, %n : f32, i32
      } -> (tensor<50xf32>, tensor<50xi32>)
      return %r#1 : tensor<50xi32>
    }
  }
  func.func private @best_0_best(tensor<50x24xf32>, tensor<40x24xf32>) -> tensor<50xi32> attributes {hal.entry = @best_0::@best_0_best}
  func.func @best(%x: tensor<50x24xf32>, %w: tensor<40x24xf32>) -> tensor<50xi32> {
    %r = call @best_0_best(%x, %w) : (tensor<50x24xf32>, tensor<40x24xf32>) -> tensor<50xi32>
    return %r : tensor<50xi32>
  }

  module @weighted_0 attributes {hal.executable} {
    func.func @weighted_0_weighted(%x: tensor<300x24xf32>, %w: tensor<20x24xf32>, %g: tensor<24x90xf32>) -> tensor<300x20xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<300x20xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<300x20xf32>) -> tensor<300x20xf32>
      %ek = tensor.empty() : tensor<24xf32>
      %zk = linalg.fill ins(%zero : f32) outs(%ek : tensor<24xf32>) -> tensor<24xf32>
      %s = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
          ins(%g : tensor<24x90xf32>) outs(%zk : tensor<24xf32>) {
      ^bb0(%p: f32, %o: f32):
        %t = arith.addf %o, %p : f32
        linalg.yield %t : f32
      } -> tensor<24xf32>
      %r = linalg.generic {indexing_maps = [#a, #b, #k, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w, %s : tensor<300x24xf32>, tensor<20x24xf32>, tensor<24xf32>) outs(%z : tensor<300x20xf32>) {
      ^bb0(%p: f32, %q: f32, %u: f32, %o: f32):
        %d = arith.mulf %p, %q : f32
        %m = arith.mulf %d, %u : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<300x20xf32>
      return %r : tensor<300x20xf32>
    }
  }
  func.func private @weighted_0_weighted(tensor<300x24xf32>, tensor<20x24xf32>, tensor<24x90xf32>) -> tensor<300x20xf32> attributes {hal.entry = @weighted_0::@weighted_0_weighted}
  func.func @weighted(%x: tensor<300x24xf32>, %w: tensor<20x24xf32>, %g: tensor<24x90xf32>) -> tensor<300x20xf32> {
    %r = call @weighted_0_weighted(%x, %w, %g) : (tensor<300x24xf32>, tensor<20x24xf32>, tensor<24x90xf32>) -> tensor<300x20xf32>
    return %r : tensor<300x20xf32>
  }
}
