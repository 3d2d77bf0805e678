"""Programs called from Python: signatures, arguments, all types, results, dispatches."""

import unittest

import halyard
import ml_dtypes
import numpy as np
from programs import ADD, identity


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.add = halyard.compile(ADD, threads=1)

    def test_signatures(self):
        x, y = self.add.inputs
        self.assertEqual((x.name, x.dtype, x.shape), ("x", "f32", ("rows", 4)))
        self.assertEqual((y.name, y.shape), ("y", (4,)))
        self.assertEqual([o.name for o in self.add.outputs], ["sum"])
        self.assertEqual(list(self.add.exports), ["main"])
        self.assertEqual(self.add.device, "cpu")
        self.assertIn("main", repr(self.add))

    def test_by_position_and_name(self):
        x, y = np.arange(8, dtype=np.float32).reshape(2, 4), np.float32([1, 2, 3, 4])
        for got in [self.add(x, y), self.add(x, y=y), self.add(y=y, x=x), self.add.run({"x": x, "y": y})["sum"]]:
            np.testing.assert_array_equal(got, x + y)
        np.testing.assert_array_equal(self.add["main"](x, y), x + y)

    def test_results_outlive_later_calls_and_the_program(self):
        program = halyard.compile(ADD)
        x = np.ones((3, 4), np.float32)
        first = program(x, x[0])
        program(2 * x, x[0])
        del program
        np.testing.assert_array_equal(first, 2 * x)
        first += 1
        np.testing.assert_array_equal(first, 3 * x)

    def test_strided_arguments(self):
        whole = np.arange(64, dtype=np.float32).reshape(8, 8)
        y = np.zeros(4, np.float32)
        for x in [whole[:, ::2], whole[::-2, 4:], whole.T[:3, :4], whole[3:3, :4], np.broadcast_to(y, (5, 4))]:
            np.testing.assert_array_equal(self.add(x, y), x)

    def test_lists_and_numbers(self):
        np.testing.assert_array_equal(self.add([[1, 2, 3, 4.5]], [1, 1, 1, True]), [[2, 3, 4, 5.5]])

    def test_all_types(self):
        rng = np.random.default_rng(0)
        for name in ["f32", "f64", "f16", "bf16", "i1", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"]:
            dtype = np.dtype(
                {"bf16": ml_dtypes.bfloat16, "i1": bool}.get(name) or name.replace("i", "int").replace("f", "float")
            )
            x = rng.integers(0, 2 if name == "i1" else 100, 37).astype(dtype)
            program = halyard.compile(identity(name), threads=1)
            got = program(x)
            self.assertEqual(got.dtype, dtype, name)
            np.testing.assert_array_equal(got, x, name)
        bits = np.uint16([0x3F80, 0xC000])
        program = halyard.compile(identity("bf16"))
        np.testing.assert_array_equal(program(bits), bits.view(ml_dtypes.bfloat16))

    def test_complex_numbers_are_pairs(self):
        x = np.complex64([1 + 2j, 3 - 4j])
        got = halyard.compile(identity("f32", rank=2))(x)
        np.testing.assert_array_equal(got, [[1, 2], [3, -4]])

    def test_dlpack_both_ways(self):
        class Foreign:
            """What only speaks DLPack."""

            def __init__(self, array):
                self.array = array

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

            def __dlpack__(self, **more):
                return self.array.__dlpack__(**more)

        x = np.arange(24, dtype=np.float32).reshape(3, 8)
        y = np.zeros(4, np.float32)
        for part in [x[:, :4], x[:, ::2], x[:, 3:7]]:
            np.testing.assert_array_equal(self.add(Foreign(part), Foreign(y)), part)
        (tensor,) = self.add._native.call("main", (x[:, :4], y), None)
        for more in [{}, {"max_version": (1, 0)}, {"copy": True}]:
            self.assertIn("dltensor", repr(tensor.__dlpack__(**more)))
        np.testing.assert_array_equal(np.from_dlpack(tensor), x[:, :4])
        with self.assertRaises(BufferError):
            tensor.__dlpack__(stream=1)

    def test_dispatches(self):
        x = np.ones((3, 4), np.float32)
        (dispatch,) = self.add.dispatches(x, x[0])
        self.assertIn("elementwise", dispatch.kernel)
        self.assertEqual(sorted(dispatch.bytes), [16, 48, 48])
        self.assertGreater(dispatch.seconds, 0)

    def test_models_in_all_forms(self):
        import onnx
        from onnx import TensorProto as T
        from onnx import helper as h

        x, y = (h.make_tensor_value_info(n, T.FLOAT, ["n"]) for n in "xy")
        graph = h.make_graph([h.make_node("Neg", ["x"], ["y"])], "g", [x], [y])
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
        for form in [model, model.SerializeToString()]:
            np.testing.assert_array_equal(halyard.compile(form)(np.float32([1, -2])), [-1, 2])
        np.testing.assert_array_equal(halyard.compile(model, options=["--dim=n=2"]).inputs[0].shape, (2,))
        del onnx


unittest.main()
