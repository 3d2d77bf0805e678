"""Results in arrays of the caller."""

import unittest

import halyard
import numpy as np

MODEL = """
#rev = affine_map<(d0) -> (15 - d0)>
#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<16xf32> {hal.name = "x"}, %y: tensor<?xf32> {hal.name = "y"})
    -> (tensor<16xf32> {hal.name = "reversed"}, tensor<?xf32> {hal.name = "doubled"}) {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#rev, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<16xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %ed = tensor.empty(%d) : tensor<?xf32>
  %two = linalg.add ins(%y, %y : tensor<?xf32>, tensor<?xf32>) outs(%ed : tensor<?xf32>) -> tensor<?xf32>
  return %r, %two : tensor<16xf32>, tensor<?xf32>
}
"""
ONE = """
func.func @main(%out: tensor<4xf32> {hal.name = "out"}) -> tensor<4xf32> {
  %y = math.absf %out : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""


class Old:
    """A tensor of DLPack alone, as of PyTorch."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Out(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = halyard.compile(MODEL, threads=1)
        cls.x, cls.y = np.arange(16, dtype=np.float32), np.arange(5, dtype=np.float32)

    def check(self, a, b):
        np.testing.assert_array_equal(a, self.x[::-1])
        np.testing.assert_array_equal(b, 2 * self.y)

    def test_arrays_are_filled_and_returned(self):
        for make in [lambda n: np.zeros(n, np.float32), lambda n: np.asarray(halyard.empty([n], "f32"))]:
            a, b = make(16), make(5)
            got = self.program(self.x, self.y, out=(a, b))
            self.assertTrue(got[0] is a and got[1] is b)
            self.check(a, b)

    def test_any_position(self):
        memory = np.full(64, -1, np.float32)
        for start in range(32):
            memory[:] = -1
            self.program(self.x, y=self.y, out=(memory[start : start + 16], memory[start + 16 : start + 21]))
            self.check(memory[start : start + 16], memory[start + 16 : start + 21])
            self.assertTrue((memory[:start] == -1).all() and (memory[start + 21 :] == -1).all())

    def test_some_of_the_results(self):
        b = np.zeros(5, np.float32)
        got = self.program(self.x, self.y, out=(None, b))
        self.assertIs(got[1], b)
        self.check(*got)

    def test_sessions_and_dlpack(self):
        a, b = np.zeros(16, np.float32), np.zeros(5, np.float32)
        self.program.session()(self.x, self.y, out=[Old(a), Old(b)])
        self.check(a, b)

    def test_an_argument_as_the_result(self):
        for x in [self.x.copy(), np.asarray(halyard.empty([16], "f32"))]:
            x[:] = self.x
            a, b = self.program(x, self.y, out=(x, None))
            self.assertIs(a, x)
            self.check(a, b)

    def test_an_input_of_that_name(self):
        program = halyard.compile(ONE)
        np.testing.assert_array_equal(program(out=np.float32([1, -2, 3, -4])), [1, 2, 3, 4])

    def refused(self, out, text, kind=halyard.errors.UsageError, code="wrong-output"):
        with self.assertRaisesRegex(kind, text) as caught:
            self.program(self.x, self.y, out=out)
        self.assertEqual(getattr(caught.exception, "code", None), code)

    def test_what_does_not_fit(self):
        a, b = np.zeros(16, np.float32), np.zeros(5, np.float32)
        self.refused((a[:15], b), "output 0 of function `main`: its array must be `16xf32`, and is `15xf32`")
        self.refused((a.astype("f8"), b), "its array must be `16xf32`, and is `16xf64`")
        self.refused((np.zeros(32, np.float32)[::2], b), "not in row-major order")
        self.refused((a, b[:4]), "output 1 of function `main` .*takes 20 bytes, its memory has 16")
        self.refused(
            (a, np.zeros(6, np.float32)), "output 1 of function `main` came out as `5xf32`, its array is `6xf32`"
        )
        self.refused((a, a[:5]), "outputs 0 and 1 of function `main` overlap")
        fixed = np.zeros(16, np.float32)
        fixed.flags.writeable = False
        self.refused((fixed, b), "its array cannot be written")
        self.assertEqual(fixed.sum(), 0)
        error = halyard.errors.ArgumentError
        for out, text in [(a, "has 2 outputs, `out` has 1"), ((a, 3.0), "`float`, which is no array")]:
            with self.assertRaisesRegex(error, text):
                self.program(self.x, self.y, out=out)


if __name__ == "__main__":
    unittest.main()
