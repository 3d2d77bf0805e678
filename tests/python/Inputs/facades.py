"""The calls of onnxruntime and scikit-learn, compared with onnxruntime."""

import unittest

import halyard.onnxruntime
import halyard.sklearn
import numpy as np
import onnxruntime
from onnx import TensorProto as T
from onnx import helper as h


def model(nodes, inputs, outputs, *domains):
    info = h.make_tensor_value_info
    graph = h.make_graph(nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs])
    opsets = [h.make_opsetid("", 17), *(h.make_opsetid(d, 3) for d in domains)]
    return h.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


NET = model(
    [h.make_node("MatMul", ["a", "b"], ["c"]), h.make_node("Relu", ["c"], ["d"])],
    [("a", T.FLOAT, ["batch", 3]), ("b", T.FLOAT, [3, 5])],
    [("d", T.FLOAT, ["batch", 5]), ("c", T.FLOAT, ["batch", 5])],
)
CLASSES = model(
    [
        h.make_node(
            "LinearClassifier",
            ["X"],
            ["label", "probabilities"],
            domain="ai.onnx.ml",
            classlabels_ints=[7, 8, 9],
            coefficients=[0.5, -1.0, 0.25, 1.0, -0.5, 2.0],
            intercepts=[0.1, 0.2, -0.3],
            multi_class=1,
            post_transform="SOFTMAX",
        )
    ],
    [("X", T.FLOAT, ["n", 2])],
    [("label", T.INT64, ["n"]), ("probabilities", T.FLOAT, ["n", 3])],
    "ai.onnx.ml",
)
SAME = model([h.make_node("Identity", ["a"], ["b"])], [("a", T.STRING, ["n"])], [("b", T.STRING, ["n"])])


class Facades(unittest.TestCase):
    def test_sessions_agree(self):
        rng = np.random.default_rng(0)
        feed = {
            "a": rng.standard_normal((4, 3)).astype(np.float32),
            "b": rng.standard_normal((3, 5)).astype(np.float32),
        }
        reference = onnxruntime.InferenceSession(NET, providers=["CPUExecutionProvider"])
        options = halyard.onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = halyard.onnxruntime.InferenceSession(NET, options, providers=["CPUExecutionProvider"])
        for names in [None, ["c"], ["c", "d"], []]:
            for a, b in zip(session.run(names, feed), reference.run(names, feed), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        for own, other in [
            (session.get_inputs(), reference.get_inputs()),
            (session.get_outputs(), reference.get_outputs()),
        ]:
            self.assertEqual([(n.name, n.shape, n.type) for n in own], [(n.name, n.shape, n.type) for n in other])
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])

    def test_strings(self):
        a = np.array(["one", "zwei", "", "drei"], dtype=object)
        own = halyard.onnxruntime.InferenceSession(SAME)
        self.assertEqual([(n.name, n.shape, n.type) for n in own.get_inputs()], [("a", ["n"], "tensor(string)")])
        self.assertEqual(own.run(None, {"a": a})[0].tolist(), a.tolist())
        with self.assertRaisesRegex(halyard.ArgumentError, "lacks input `a`"):
            own.run(None, {})

    def test_what_is_not_there_is_refused(self):
        session = halyard.onnxruntime.InferenceSession(NET)
        with self.assertRaisesRegex(halyard.UsageError, "memory cannot be bound"):
            session.io_binding()
        with self.assertRaisesRegex(halyard.ArgumentError, "the model has no output `e`"):
            session.run(["e"], {"a": np.ones((1, 3), np.float32), "b": np.ones((3, 5), np.float32)})
        with self.assertRaisesRegex(halyard.ArgumentError, "lacks input `b`"):
            session.run(None, {"a": np.ones((1, 3), np.float32)})
        with self.assertRaisesRegex(halyard.UsageError, "`CUDAExecutionProvider` is not supported"):
            halyard.onnxruntime.InferenceSession(NET, providers=["CUDAExecutionProvider"])
        with self.assertWarnsRegex(halyard.HalyardWarning, "`CPUExecutionProvider` is used"):
            halyard.onnxruntime.InferenceSession(NET, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        options = halyard.onnxruntime.SessionOptions()
        options.enable_profiling = True
        with self.assertRaisesRegex(halyard.UsageError, "profiles are not written"):
            halyard.onnxruntime.InferenceSession(NET, options)
        with self.assertWarns(halyard.HalyardWarning):
            options.add_session_config_entry("session.x", "1")

    def test_estimators(self):
        X = np.random.default_rng(1).standard_normal((6, 2))
        reference = onnxruntime.InferenceSession(CLASSES, providers=["CPUExecutionProvider"])
        label, probabilities = reference.run(None, {"X": X.astype(np.float32)})
        estimator = halyard.sklearn.Model(CLASSES, threads=1)
        np.testing.assert_array_equal(estimator.predict(X), label)
        np.testing.assert_allclose(estimator.predict_proba(X), probabilities, rtol=1e-5, atol=1e-6)
        with self.assertRaisesRegex(halyard.UsageError, "the model has 2 results"):
            estimator.transform(X)
        with self.assertRaisesRegex(halyard.UsageError, "the model has no probabilities"):
            halyard.sklearn.Model(SAME).predict_proba(X)


unittest.main()
