// A driver, device or memory that is not there, and a device that is lost in mid-run, are one sentence each and exit code 3.
// No GPU: the fake driver fails as it is told (Inputs/fake/README.md).
// RUN: hal-import %s | hal-translate --target=cuda:sm_90 | hal-link -o %t.so
// RUN: exits 3 env FAKE_CUDA_DEVICES=0 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error[no-device]: the CUDA driver finds no device
// RUN: exits 3 with-fake-cuda hal-run --device=cuda:3 %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error[no-device]: there is no device `cuda:3`: there is one, from `cuda:0` on
// RUN: exits 3 env FAKE_CUDA_FAIL=cuInit:1:999 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=START
// START: error[no-driver]: the CUDA driver does not start: CUDA_ERROR_UNKNOWN, unknown error
// RUN: exits 3 env FAKE_CUDA_CAPABILITY=80 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error[{{.*}}]: {{.*}}
// OLD: `sm_90`
// RUN: exits 3 env FAKE_CUDA_PTX=70 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: error[old-driver]: the code of kernel `{{.*}}` uses a newer PTX version than the CUDA driver supports
// RUN: exits 3 env FAKE_CUDA_FAIL=cuStreamSynchronize:2:719 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error[device-lost]: the device was lost while the program ran: CUDA_ERROR_LAUNCH_FAILED, unspecified launch failure
// RUN: exits 3 env FAKE_CUDA_FAIL=cuLaunchKernel:1:700 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: error[device-lost]: the device was lost while the program ran: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered
// RUN: exits 3 env FAKE_CUDA_MEMORY=300 with-fake-cuda hal-run --device=cuda %t.so --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error[out-of-memory]: cannot allocate {{[0-9]+}} bytes: the device is out of memory

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = math.exp %x : tensor<64xf32>
  return %r : tensor<64xf32>
}
