// The kernel computes what it should, for sizes known and unknown, and keeps to its buffers.
// RUN: rm -rf %t && mkdir %t && cd %t && clang-22 -O2 -fPIC -I%include -c %S/../scale.c -o scale.o
// RUN: hal-compile %s -o model.so -q
// RUN: hal-run model.so --input=3x64xf32=2 --input=1xf32=0.5 --expect=3x64xf32=1
// RUN: hal-run model.so --input=0x64xf32=2 --input=1xf32=0.5 --guard -o /dev/null
func.func private @scale(tensor<?x64xf32>, tensor<1xf32>, index) -> (tensor<?x64xf32> {hal.dims = array<i64: 2>})
  attributes {hal.objects = [{path = "scale.o"}], hal.workgroups = @workgroups}

func.func private @workgroups(%x_rows: index, %y_rows: index, %rows: index) -> (index, index, index) {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  return %eight, %one, %one : index, index, index
}

func.func @main(%x: tensor<?x64xf32>, %factor: tensor<1xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x64xf32>
  %y = call @scale(%x, %factor, %rows) : (tensor<?x64xf32>, tensor<1xf32>, index) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
