"""A model with two symbolic sizes, a weight and two outputs, compiled with copies for some sizes, on calls that take each of them."""

import subprocess

import numpy as np
import onnx
import onnxruntime

w = np.random.default_rng(0).standard_normal((8, 40)).astype(np.float32)
model = onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, n] x) => (float[batch, 40] y, float[batch, n] z)
{
  h = MatMul(x, w)
  y = Relu(h)
  z = Softmax(x)
}
""")
model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
onnx.save(model, "m.onnx")
session = onnxruntime.InferenceSession("m.onnx")
for flags in (
    ["--specialize=batch=1", "--specialize=batch=4,x.1=8"],
    ["--specialize=n=8,batch=2"],
    ["--specialize=batch=0", "--bounds=trust"],
):
    for level in ("-O0", "-O3"):
        subprocess.run(["hal-compile", "-q", "m.onnx", "-o", "m.so", level, *flags], check=True)
        for batch in (0, 1, 2, 3, 4):
            x = np.random.default_rng(batch).standard_normal((batch, 8)).astype(np.float32)
            np.save("x.npy", x)
            subprocess.run(["hal-run", "-q", "m.so", "--input=@x.npy", "--output=y.npy", "--output=z.npy"], check=True)
            for name, wanted in zip("yz", session.run(None, {"x": x})):
                np.testing.assert_allclose(
                    np.load(f"{name}.npy"), wanted, 1e-5, 1e-5, err_msg=f"{flags} {level} {batch} {name}"
                )
# A call that the general program refuses is refused as before.
np.save("x.npy", np.zeros((3, 7), np.float32))
done = subprocess.run(["hal-run", "m.so", "--input=@x.npy"], capture_output=True, text=True, check=False)
assert done.returncode == 1 and "7" in done.stderr, done
