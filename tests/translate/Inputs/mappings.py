"""A module for each mapping of two nested loops: NAME.mlir in the folder given."""

import pathlib
import sys

TEXT = """module attributes {{hal.phase = "executables", hal.version = 1 : i32}} {{
  module @e attributes {{hal.executable}} {{
    func.func @f(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> attributes {{hal.export}} {{
      %init = tensor.empty() : tensor<4x4x4xf32>
      %r = scf.forall (%i, %j) in (4, 4) shared_outs(%o = %init) -> (tensor<4x4x4xf32>) {{
        %part = tensor.extract_slice %o[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<4x4x4xf32> to tensor<4xf32>
        %s = scf.forall (%k) in (4) shared_outs(%p = %part) -> (tensor<4xf32>) {{
          %e = tensor.extract_slice %x[%i, %j, %k] [1, 1, 1] [1, 1, 1] : tensor<4x4x4xf32> to tensor<1xf32>
          scf.forall.in_parallel {{
            tensor.parallel_insert_slice %e into %p[%k] [1] [1] : tensor<1xf32> into tensor<4xf32>
          }}
        }}{inner}
        scf.forall.in_parallel {{
          tensor.parallel_insert_slice %s into %o[%i, %j, 0] [1, 1, 4] [1, 1, 1] : tensor<4xf32> into tensor<4x4x4xf32>
        }}
      }}{outer}
      return %r : tensor<4x4x4xf32>
    }}
  }}
  func.func private @f(tensor<4x4x4xf32>) -> tensor<4x4x4xf32> attributes {{hal.entry = @e::@f}}
  func.func @main(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {{
    %r = call @f(%x) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    return %r : tensor<4x4x4xf32>
  }}
}}
"""
CASES = {
    "good": ("#gpu.block<y>, #gpu.block<x>", "#gpu.thread<x>"),
    "mixed": ("#gpu.block<x>, #gpu.thread<y>", ""),
    "twice": ("#gpu.block<x>, #gpu.block<x>", ""),
    "numbered": ("#gpu.block<x>, #gpu.block<linear_dim_0>", ""),
    "inside": ("#gpu.block<y>, #gpu.block<x>", "#gpu.block<z>"),
}

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, mappings in CASES.items():
    outer, inner = (f" {{mapping = [{m}]}}" if m else "" for m in mappings)
    (folder / f"{name}.mlir").write_text(TEXT.format(outer=outer, inner=inner))
