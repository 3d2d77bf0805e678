"""MatMulNBits of 2 bits beside numpy in f64: `two_bits.py FOLDER`. onnxruntime has no such kernel on all CPUs."""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Columns, steps of the sum, block, rows.
CASES = [(64, 128, 32, 1), (48, 96, 16, 5), (100, 256, 64, 3), (72, 160, 32, 17)]


def main():
    os.chdir(sys.argv[1])
    random = np.random.default_rng(1)
    for columns, steps, block, rows in CASES:
        blocks = -(-steps // block)
        numbers = random.integers(0, 4, (columns, blocks, block // 4, 4)).astype(np.uint8)
        scales = random.random((columns, blocks)).astype(np.float32)
        packed = numbers[..., 0] | numbers[..., 1] << 2 | numbers[..., 2] << 4 | numbers[..., 3] << 6
        # The zero point is 2 where none is given.
        weights = (numbers.reshape(columns, blocks, block).astype(np.float64) - 2) * scales[:, :, None]
        x = random.standard_normal((rows, steps)).astype(np.float32)
        np.save("x.npy", x)
        np.save("y.npy", (x @ weights.reshape(columns, -1)[:, :steps].T).astype(np.float32))
        node = helper.make_node(
            "MatMulNBits", ["x", "q", "s"], ["y"], domain="com.microsoft", K=steps, N=columns, bits=2, block_size=block
        )
        graph = helper.make_graph(
            [node],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, steps])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, columns])],
            [numpy_helper.from_array(packed, "q"), numpy_helper.from_array(scales.reshape(-1), "s")],
        )
        sets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=10), "two.onnx")
        subprocess.run(["hal-compile", "-q", "two.onnx", "-o", "two.so"], check=True)
        run = ["hal-run", "-q", "two.so", "--input=@x.npy", "--expect=@y.npy", "--rtol=1e-4", "--atol=1e-4"]
        subprocess.run(run, check=True)
        print(f"{rows} rows, {columns} columns, {steps} steps, blocks of {block}: as numpy computes it")


if __name__ == "__main__":
    main()
