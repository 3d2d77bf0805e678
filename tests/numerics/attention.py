# RUN: %python %s
"""Attention: two products with a softmax between them, as one executable; odd sizes, masks, layouts of the keys."""

import numpy as np
from harness import main
from text import case, filled, generic, rand, ty, wide


def attention(name, b, i, j, d, e, keys="bjd", mask=None, read=False):
    """softmax(q k^T / 2 + mask) v, `keys` says how k is laid out. `read`: the weights are a result, too."""
    sizes = {"b": b, "i": i, "j": j, "d": d, "e": e}
    at = {"b": 0, "i": 1, "j": 2, "d": 3, "e": 3}
    q, k, v = rand(name + "q", [b, i, d]), rand(name + "k", [sizes[c] for c in keys]), rand(name + "v", [b, j, e])
    s, o = ty([b, i, j]), ty([b, i, e])
    body = filled("zs", [b, i, j], "f32") + filled("zo", [b, i, e], "f32")
    body += generic("qk", 4, [[0, 1, 3], [at[c] for c in keys], [0, 1, 2]], "pppr", [("%a0", ty(q.shape)), ("%a1", ty(k.shape))],
                    [("%zs", s)], "%p = arith.mulf %x0, %x1 : f32\n%t = arith.addf %x2, %p : f32\nlinalg.yield %t : f32", ["f32"] * 3)  # fmt: skip
    inputs, ins, maps = [q, k, v], [("%qk", s)], [[0, 1, 2]]
    if mask is not None:
        inputs.append(mask)
        ins.append(("%a3", ty(mask.shape)))
        maps.append([1, 2])
    more = "%w = arith.addf %h, %x1 : f32\n" if mask is not None else ""
    body += generic("sc", 3, [*maps, [0, 1, 2]], "ppp", ins, [("%zs", s)], "%half = arith.constant 0.5 : f32\n"
                    f"%h = arith.mulf %x0, %half : f32\n{more}linalg.yield {'%w' if more else '%h'} : f32", ["f32"] * (len(ins) + 1))  # fmt: skip
    body += f"%sm = linalg.softmax dimension(2) ins(%sc : {s}) outs(%zs : {s}) -> {s}\n"
    body += f"%r = linalg.batch_matmul ins(%sm, %a2 : {s}, {ty(v.shape)}) outs(%zo : {o}) -> {o}\n"
    body += f"return %r, %sm : {o}, {s}" if read else f"return %r : {o}"
    scores = np.einsum(f"bid,{keys}->bij", wide(q), wide(k)) * 0.5
    if mask is not None:
        scores = scores + mask
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
    want = (weights @ wide(v)).astype(np.float32)
    expected = [want, weights.astype(np.float32)] if read else want
    return case(name, body, inputs, expected, rtol=1e-4, atol=1e-5)


CAUSAL = np.where(np.tri(16, 24, dtype=bool), 0, -np.inf).astype(np.float32)
HIDDEN = CAUSAL.copy()
HIDDEN[3] = -np.inf  # a row that sees nothing: not a number
CASES = [attention("attention_4x32x48x16", 4, 32, 48, 16, 16), attention("attention_3x17x19x13x21", 3, 17, 19, 13, 21),
         attention("attention_keys_transposed", 2, 24, 40, 16, 32, "bdj"), attention("attention_odd_keys_transposed", 2, 9, 11, 5, 7, "bdj"),
         attention("attention_one_row", 12, 1, 40, 16, 16), attention("attention_one_key", 2, 16, 1, 8, 8),
         attention("attention_wide_values", 1, 16, 16, 16, 300), attention("attention_causal", 2, 16, 24, 16, 16, mask=CAUSAL),
         attention("attention_hidden_row", 2, 16, 24, 16, 16, mask=HIDDEN), attention("attention_weights_read", 2, 16, 24, 16, 16, read=True),
         attention("attention_long", 1, 8, 3000, 16, 16), attention("attention_heads_64", 2, 128, 128, 64, 64)]  # fmt: skip

if __name__ == "__main__":
    main(CASES)
