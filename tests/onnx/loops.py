#!/usr/bin/env python3
"""Loops, scans and branches with values that change their shape, conditions, rows, captured values and nesting, of sizes that only a run
knows: the results are onnxruntime's."""

import argparse
import os
import re
import subprocess

import numpy as np
import onnx
import onnx.parser
import onnx.reference
import onnxruntime

f32 = lambda *v: np.array(v, np.float32)
i64 = lambda *v: np.array(v, np.int64)
scalar = lambda v: np.array(v, np.int64)
flag = lambda v: np.array(v, np.bool_)
rows = lambda *shape: np.random.default_rng(7).standard_normal(shape).astype(np.float32)

# A graph in ONNX's text form, and inputs for it, several times; `(opset, text, inputs)`.
CASES = {
    "a state and rows, of a number of steps that is known": (
        17,
        """
        g (float[3] x) => (float[3] y, float[N,3] r) <int64 m = {5}, bool c = {1}> {
          y, r = Loop(m, c, x) <body = b (int64 i, bool ci, float[3] s) => (bool co, float[3] so, float[3] row) {
            co = Identity(ci)  k = Cast <to = 1> (i)  t = Mul(s, s)  so = Sub(t, k)  row = Add(so, x) } > }""",
        [[rows(3)]],
    ),
    "a number of steps that only a run knows": (
        17,
        """
        g (int64 m, bool c, float[N] x) => (float[N] y, float[M,N] r) {
          y, r = Loop(m, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] so, float[N] row) {
            co = Identity(ci)  k = Cast <to = 1> (i)  so = Add(s, k)  row = Mul(so, x) } > }""",
        [
            [scalar(4), flag(True), rows(3)],
            [scalar(0), flag(True), rows(3)],
            [scalar(4), flag(False), rows(2)],
            [scalar(-3), flag(True), rows(2)],
            [scalar(1), flag(True), rows(0)],
        ],
    ),
    "a while loop": (
        17,
        """
        g (float[N] x, float limit) => (float[N] y, int64 n, float[M,N] r) <bool c = {1}, int64 zero = {0}, int64 one = {1}> {
          y, n, r = Loop("", c, x, zero) <body = b (int64 i, bool ci, float[N] s, int64 k) => (bool co, float[N] so, int64 ko, float[N] row) {
            so = Add(s, s)  ko = Add(k, one)  sum = ReduceSum <keepdims = 0> (so)  co = Less(sum, limit)  row = Sub(so, x) } > }""",
        [[np.abs(rows(3)), np.float32(100)], [np.abs(rows(3)), np.float32(-1)], [np.abs(rows(1)), np.float32(3e4)]],
    ),
    "a while loop with a bound": (
        17,
        """
        g (int64 m, float[N] x) => (float[N] y, float[M,N] r) <bool c = {1}, float limit = {50}> {
          y, r = Loop(m, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] so, float[N] row) {
            so = Add(s, s)  sum = ReduceSum <keepdims = 0> (so)  co = Less(sum, limit)  row = Identity(so) } > }""",
        [
            [scalar(3), f32(1, 2)],
            [scalar(1 << 62), f32(1, 2)],
            [scalar(0), f32(1, 2)],
            [scalar(np.iinfo(np.int64).max), f32(1, 2)],
        ],
    ),
    "no bound that anybody meant": (
        17,
        """
        g (float[N] x) => (float[N] y) <int64 m = {9223372036854775807}, bool c = {1}, float limit = {50}> {
          y = Loop(m, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] so) {
            so = Add(s, s)  sum = ReduceSum <keepdims = 0> (so)  co = Less(sum, limit) } > }""",
        [[f32(1, 2)], [f32(9, 9, 90)]],
    ),
    "a state that grows": (
        17,
        """
        g (int64 m, float[N] x) => (float[K] y) <bool c = {1}> {
          y = Loop(m, c, x) <body = b (int64 i, bool ci, float[P] s) => (bool co, float[Q] so) {
            co = Identity(ci)  t = Neg(x)  so = Concat <axis = 0> (s, t) } > }""",
        [[scalar(3), rows(2)], [scalar(0), rows(2)], [scalar(6), rows(1)]],
    ),
    "a state that grows from nothing in a loop of a known number": (
        17,
        """
        g (float[N] x) => (float[K,N] y) <int64 m = {4}, bool c = {1}, int64[2] start = {0, 1}, int64[1] axis = {0}> {
          n = Shape(x)  zero = Constant <value = int64[1] {0}> ()  shape = Concat <axis = 0> (zero, n)  empty = ConstantOfShape(shape)
          y = Loop(m, c, empty) <body = b (int64 i, bool ci, float[P,N] s) => (bool co, float[Q,N] so) {
            co = Identity(ci)  k = Cast <to = 1> (i)  t = Mul(x, k)  u = Unsqueeze(t, axis)  so = Concat <axis = 0> (s, u) } > }""",
        [[rows(2)], [rows(5)]],
    ),
    "a state that shrinks by slices of its counter": (
        17,
        """
        g (float[N] x) => (float[K] y, float[M] r) <int64 m = {3}, bool c = {1}, int64[1] one = {1}, int64[1] end = {1000000}> {
          y, r = Loop(m, c, x) <body = b (int64 i, bool ci, float[P] s) => (bool co, float[Q] so, float row) {
            co = Identity(ci)  so = Slice(s, one, end)  row = ReduceMax <keepdims = 0> (s) } > }""",
        [[rows(6)], [rows(3)]],
    ),
    "two states that change places": (
        17,
        """
        g (int64 m, float[N] x, float[N] z) => (float[N] a, float[N] b, float[M,N] r) <bool c = {1}> {
          a, b, r = Loop(m, c, x, z) <body = bd (int64 i, bool ci, float[N] p, float[N] q) => (bool co, float[N] po, float[N] qo, float[N] row) {
            co = Identity(ci)  po = Identity(q)  qo = Add(p, q)  row = Identity(p) } > }""",
        [[scalar(5), rows(3), rows(3) + 1], [scalar(1), rows(3), rows(3) + 1]],
    ),
    "two states of different sizes that change places": (
        17,
        """
        g (int64 m, float[N] x, float[K] z) => (float[A] a, float[B] b) <bool c = {1}> {
          a, b = Loop(m, c, x, z) <body = bd (int64 i, bool ci, float[P] p, float[Q] q) => (bool co, float[R] po, float[S] qo) {
            co = Identity(ci)  po = Neg(q)  qo = Identity(p) } > }""",
        [[scalar(3), rows(3), rows(5)], [scalar(2), rows(3), rows(5)], [scalar(0), rows(1), rows(5)]],
    ),
    "states that no step changes": (
        17,
        """
        g (int64 m, float[N] x, float[N] w) => (float[N] a, float[N] b, float[2] d) <bool c = {1}, float[2] two = {1, 2}> {
          a, b, d = Loop(m, c, x, w, two) <body = bd (int64 i, bool ci, float[N] p, float[N] q, float[2] t) => (bool co, float[N] po, float[N] qo, float[2] to) {
            co = Identity(ci)  po = Mul(p, q)  qo = Identity(q)  to = Identity(t) } > }""",
        [[scalar(3), rows(3), rows(3) + 1], [scalar(0), rows(3), rows(3)]],
    ),
    "loops in loops": (
        17,
        """
        g (int64 m, float[N] x) => (float[N] y, float[M,K,N] r) <bool c = {1}, int64 n = {3}> {
          y, r = Loop(m, c, x) <body = outer (int64 i, bool ci, float[N] s) => (bool co, float[N] so, float[K,N] rows) {
            co = Identity(ci)  k = Cast <to = 1> (i)
            so, rows = Loop(n, c, s) <body = inner (int64 j, bool cj, float[N] t) => (bool cp, float[N] to, float[N] row) {
              cp = Identity(cj)  l = Cast <to = 1> (j)  u = Mul(l, k)  v = Add(t, u)  to = Add(v, x)  row = Sub(to, s) } > } > }""",
        [[scalar(2), rows(3)], [scalar(0), rows(3)]],
    ),
    "a loop in a loop whose number of steps grows": (
        17,
        """
        g (int64 m, float[N] x) => (float[N] y) <bool c = {1}> {
          y = Loop(m, c, x) <body = outer (int64 i, bool ci, float[N] s) => (bool co, float[N] so) {
            co = Identity(ci)
            so = Loop(i, c, s) <body = inner (int64 j, bool cj, float[N] t) => (bool cp, float[N] to) {
              cp = Identity(cj)  to = Add(t, x) } > } > }""",
        [[scalar(4), rows(3)], [scalar(1), rows(3)]],
    ),
    "a branch in a loop": (
        17,
        """
        g (int64 m, float[N] x) => (float[N] y, float[M,N] r) <bool c = {1}, int64 two = {2}, int64 zero = {0}> {
          y, r = Loop(m, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] so, float[N] row) {
            co = Identity(ci)  rest = Mod(i, two)  even = Equal(rest, zero)
            so = If(even) <then_branch = t () => (float[N] p) { p = Add(s, x) }, else_branch = e () => (float[N] q) { q = Mul(s, s) }>
            row = Neg(so) } > }""",
        [[scalar(5), rows(3)]],
    ),
    "a loop in a branch": (
        17,
        """
        g (bool f, int64 m, float[N] x) => (float[K] y) <bool c = {1}> {
          y = If(f) <then_branch = t () => (float[P] p) {
            p = Loop(m, c, x) <body = b (int64 i, bool ci, float[Q] s) => (bool co, float[R] so) { co = Identity(ci)  so = Concat <axis = 0> (s, x) } > },
            else_branch = e () => (float[S] q) { q = Neg(x) }> }""",
        [[flag(True), scalar(2), rows(3)], [flag(False), scalar(2), rows(3)]],
    ),
    "weights in a body": (
        17,
        """
        g (int64 m, float[2,70] x) => (float[2,70] y) <bool c = {1}> {
          y = Loop(m, c, x) <body = b (int64 i, bool ci, float[2,70] s) => (bool co, float[2,70] so) {
            co = Identity(ci)  shape = Constant <value = int64[2] {70, 70}> ()  w = ConstantOfShape <value = float[1] {0.01}> (shape)
            up = Constant <value = int64 {1}> ()  e = EyeLike <k = 1> (w)  v = Add(w, e)  t = MatMul(s, v)  so = Tanh(t) } > }""",
        [[scalar(3), rows(2, 70)]],
    ),
    "rows of a size that a step computes": (
        17,
        """
        g (int64 m, int64 n) => (int64[M,K] r) <bool c = {1}, int64 zero = {0}, int64 one = {1}> {
          r = Loop(m, c) <body = b (int64 i, bool ci) => (bool co, int64[K] row) {
            co = Identity(ci)  k = Mul(n, n)  l = Range(zero, k, one)  row = Add(l, i) } > }""",
        [[scalar(3), scalar(2)], [scalar(1), scalar(3)]],
    ),
    "a counter that is carried and cuts": (
        17,
        """
        g (int64 m, float[N] x) => (float[1] y, int64[1] k, float[M,1] r) <bool c = {1}, int64[1] zero = {0}, int64[1] one = {1}, float[1] start = {0}> {
          y, k, r = Loop(m, c, start, zero) <body = b (int64 i, bool ci, float[1] s, int64[1] at) => (bool co, float[1] so, int64[1] next, float[1] row) {
            co = Identity(ci)  next = Add(at, one)  part = Slice(x, at, next)  so = Add(s, part)  row = Identity(part) } > }""",
        [[scalar(3), rows(5)], [scalar(5), rows(5)]],
    ),
    "elements by the number of the step": (
        17,
        """
        g (float[N,4] x) => (float[4] y, float[M,4] r) <bool c = {1}, float[4] start = {0, 0, 0, 0}> {
          shape = Shape(x)  zero = Constant <value = int64 {0}> ()  n = Gather(shape, zero)
          y, r = Loop(n, c, start) <body = b (int64 i, bool ci, float[4] s) => (bool co, float[4] so, float[4] row) {
            co = Identity(ci)  v = Gather <axis = 0> (x, i)  so = Add(s, v)  row = Mul(s, v) } > }""",
        [[rows(5, 4)], [rows(1, 4)], [rows(0, 4)]],
    ),
    "lists of conditions and counts": (
        17,
        """
        g (int64[1] m, bool[1] c, float[N] x) => (float[N] y) {
          y = Loop(m, c, x) <body = b (int64[1] i, bool[1] ci, float[N] s) => (bool[1] co, float[N] so) { co = Identity(ci)  so = Add(s, x) } > }""",
        [[i64(3), np.array([True]), rows(3)]],
    ),
    "a sequence that a loop of a known number makes": (
        17,
        """
        g (float[N] x) => (float[K] y) <int64 m = {3}, bool c = {1}> {
          s0 = SequenceEmpty()
          s = Loop(m, c, s0) <body = b (int64 i, bool ci, seq(float[]) l) => (bool co, seq(float[]) lo) {
            co = Identity(ci)  k = Cast <to = 1> (i)  t = Mul(x, k)  lo = SequenceInsert(l, t) } >
          y = ConcatFromSequence <axis = 0> (s) }""",
        [[rows(3)]],
    ),
    "a sequence that keeps its length": (
        17,
        """
        g (int64 m, float[N] x, float[K] z) => (float[L] y) <bool c = {1}, int64 zero = {0}, int64 one = {1}> {
          s0 = SequenceConstruct(x, z)
          s = Loop(m, c, s0) <body = b (int64 i, bool ci, seq(float[N]) l) => (bool co, seq(float[N]) lo) {
            co = Identity(ci)  p = SequenceAt(l, zero)  q = SequenceAt(l, one)  r = Neg(p)  lo = SequenceConstruct(q, r) } >
          y = ConcatFromSequence <axis = 0> (s) }""",
        [[scalar(3), rows(3), rows(2)], [scalar(0), rows(3), rows(2)]],
    ),
    "a scan over columns, backwards": (
        17,
        """
        g (float[B] s, float[B,T] x) => (float[B] y, float[B,T] r, float[T,B] q) {
          y, r, q = Scan <num_scan_inputs = 1, scan_input_axes = [-1], scan_input_directions = [1], scan_output_axes = [1, 0], scan_output_directions = [0, 1],
            body = b (float[B] s, float[B] v) => (float[B] so, float[B] row, float[B] col) { so = Add(s, v)  row = Mul(so, v)  col = Neg(so) }> (s, x) }""",
        [[rows(2), rows(2, 4)], [rows(3), rows(3, 1)]],
    ),
    "a scan of two": (
        17,
        """
        g (float[2] h, float[T,2] x, float[T,3] z) => (float[2] y, float[T,3] r) {
          y, r = Scan <num_scan_inputs = 2, body = b (float[2] s, float[2] v, float[3] w) => (float[2] so, float[3] row) {
            t = Add(s, v)  so = Tanh(t)  k = ReduceSum <keepdims = 1> (so)  row = Mul(w, k) }> (h, x, z) }""",
        [[rows(2), rows(4, 2), rows(4, 3)], [rows(2), rows(1, 2), rows(1, 3)]],
    ),
    "a scan without a state": (
        11,
        """
        g (float[T,N] x) => (float[T,N] r) {
          r = Scan <num_scan_inputs = 1, body = b (float[N] v) => (float[N] row) { row = Exp(v) }> (x) }""",
        [[rows(4, 2)]],
    ),
    "a scan of batches": (
        8,
        """
        g (float[B,2] h, float[B,T,2] x) => (float[B,2] y, float[B,T,2] r) {
          y, r = Scan <num_scan_inputs = 1, directions = [1], body = b (float[2] s, float[2] v) => (float[2] so, float[2] row) {
            so = Add(s, v)  row = Mul(so, s) }> ("", h, x) }""",
        [[rows(3, 2), rows(3, 4, 2)]],
    ),
    "a scan of batches, each with its length": (
        8,
        """
        g (int64[B] n, float[B,2] h, float[B,T,2] x) => (float[B,2] y) {
          y, r = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] v) => (float[2] so, float[2] row) {
            so = Add(s, v)  row = Mul(so, s) }> (n, h, x) }""",
        [[i64(4, 1, 2), rows(3, 2), rows(3, 4, 2)]],
    ),
    "branches of different sizes": (
        17,
        """
        g (bool f, float[N] x) => (float[K] y, float[N] z) <int64[1] zero = {0}, int64[1] two = {2}> {
          y, z = If(f) <then_branch = t () => (float[P] p, float[N] a) { p = Concat <axis = 0> (x, x)  a = Neg(x) },
                        else_branch = e () => (float[Q] q, float[N] b) { q = Slice(x, zero, two)  b = Identity(x) }> }""",
        [[flag(True), rows(3)], [flag(False), rows(3)]],
    ),
    "branches of different rank, of which the model declares one": (
        17,
        """
        g (float[N,K] x) => (float[N] y) <int64 one = {1}, int64[1] axis = {1}> {
          shape = Shape(x)  k = Gather(shape, one)  single = Equal(k, one)
          y = If(single) <then_branch = t () => (float[P] p) { p = Squeeze(x, axis) }, else_branch = e () => (float[N,K] q) { q = Identity(x) }> }""",
        [[rows(3, 1)]],
    ),
    "a sequence of a branch": (
        17,
        """
        g (bool f, float[N] x) => (float[K] y) {
          s = If(f) <then_branch = t () => (seq(float[N]) p) { u = Neg(x)  p = SequenceConstruct(x, u) },
                     else_branch = e () => (seq(float[N]) q) { v = Concat <axis = 0> (x, x)  q = SequenceConstruct(v, x) }>
          y = ConcatFromSequence <axis = 0> (s) }""",
        [[flag(True), rows(3)], [flag(False), rows(3)]],
    ),
    "a sequence whose length only a run knows": (
        17,
        """
        g (int64 m, float[N] x, int64 p) => (float[K] y, int64 n, float[L] z, float[O] w) <bool c = {1}, int64[1] zero = {0}, int64[1] one = {1}, int64 last = {-1}, int64 a = {0}> {
          s0 = SequenceEmpty()
          s = Loop(m, c, s0) <body = b (int64 i, bool ci, seq(float[A]) l) => (bool co, seq(float[B]) lo) {
            co = Identity(ci)  t = Unsqueeze(i, zero)  e = Add(t, one)  v = Slice(x, zero, e)  lo = SequenceInsert(l, v) } >
          n = SequenceLength(s)  y = ConcatFromSequence <axis = 0> (s)  z = SequenceAt(s, last)  w = SequenceAt(s, p) }""",
        [
            [scalar(3), rows(5), scalar(0)],
            [scalar(5), rows(5), scalar(-4)],
            [scalar(1), rows(2), scalar(0)],
            [scalar(4), rows(2), scalar(3)],
        ],
    ),
    "a sequence that is inserted in front, erased and stacked": (
        17,
        """
        g (int64 m, float[N] x) => (float[K,N] y, float[N,K] z, float[J] u, float[I] e) <bool c = {1}, int64 zero = {0}, int64 two = {-2}, int64 one = {1}> {
          h = Neg(x)  s0 = SequenceConstruct(x, h)
          s = Loop(m, c, s0) <body = b (int64 i, bool ci, seq(float[N]) l) => (bool co, seq(float[N]) lo) {
            co = Identity(ci)  k = Cast <to = 1> (i)  v = Add(x, k)  lo = SequenceInsert(l, v, zero) } >
          y = ConcatFromSequence <axis = 0, new_axis = 1> (s)  z = ConcatFromSequence <axis = -1, new_axis = 1> (s)
          t = SequenceErase(s, two)  u = ConcatFromSequence <axis = 0> (t)
          f = SequenceErase(t)  g1 = SequenceInsert(f, x, zero)  e = ConcatFromSequence <axis = 0> (g1) }""",
        [[scalar(3), rows(2)], [scalar(1), rows(3)], [scalar(0), rows(1)]],
    ),
    "a sequence of a while loop, along an inner axis": (
        17,
        """
        g (float[2,N] x, float limit) => (float[2,K] y) <bool c = {1}> {
          s0 = SequenceConstruct(x)
          y0, s = Loop("", c, x, s0) <body = b (int64 i, bool ci, float[2,P] v, seq(float[2,A]) l) => (bool co, float[2,Q] vo, seq(float[2,B]) lo) {
            vo = Concat <axis = 1> (v, x)  lo = SequenceInsert(l, vo)  sum = ReduceSum <keepdims = 0> (vo)  co = Less(sum, limit) } >
          y = ConcatFromSequence <axis = 1> (s) }""",
        [[np.abs(rows(2, 3)), np.float32(9)], [np.abs(rows(2, 1)), np.float32(0)]],
    ),
    "scalars in a sequence": (
        17,
        """
        g (int64 m, float[N] x) => (float[K] y, int64 n) <bool c = {1}> {
          s0 = SequenceEmpty()
          s = Loop(m, c, s0) <body = b (int64 i, bool ci, seq(float) l) => (bool co, seq(float) lo) {
            co = Identity(ci)  v = Gather(x, i)  lo = SequenceInsert(l, v) } >
          n = SequenceLength(s)  y = ConcatFromSequence <axis = 0, new_axis = 1> (s) }""",
        [[scalar(3), rows(5)], [scalar(1), rows(1)]],
    ),
    "sequences of different lengths in branches": (
        17,
        """
        g (bool f, float[N] x) => (float[K] y, int64 n) {
          s = If(f) <then_branch = t () => (seq(float[P]) p) { u = Neg(x)  p = SequenceConstruct(x, u, x) },
                     else_branch = e () => (seq(float[Q]) q) { v = Concat <axis = 0> (x, x)  q = SequenceConstruct(v) }>
          n = SequenceLength(s)  y = ConcatFromSequence <axis = 0> (s) }""",
        [[flag(True), rows(3)], [flag(False), rows(3)]],
    ),
    "pieces whose number only a run knows": (
        17,
        """
        g (int64 p, float[N,K] x) => (float[N,K] y, int64 n, float[L] z, float[M,K] w, float[N,J] r) <int64 zero = {0}, int64[1] axis = {1}> {
          s = SplitToSequence <axis = 1> (x, p)  n = SequenceLength(s)
          t = SequenceMap(s) <body = b (float[A,B] v) => (float[A,B] u) { u = Neg(v) }>
          y = ConcatFromSequence <axis = 1> (t)
          e = SplitToSequence <axis = 0, keepdims = 0> (x)  z = SequenceAt(e, zero)
          h = SplitToSequence <axis = 0> (x, p)  i = SequenceMap(h) <body = c (float[A,B] v) => (float[B] u) { a = Constant <value = int64[1] {0}> ()  u = ReduceSum <keepdims = 0> (v, a) }>
          w = ConcatFromSequence <axis = 0, new_axis = 1> (i)
          j = SequenceMap(e) <body = d (float[B] v) => (float[C] u) { u = Concat <axis = 0> (v, v) }>  r = ConcatFromSequence <axis = 0, new_axis = 1> (j) }""",
        [[scalar(2), rows(3, 5)], [scalar(5), rows(1, 5)], [scalar(9), rows(2, 4)], [scalar(1), rows(3, 2)]],
    ),
    "attributes of a function in a graph inside of it": (
        17,
        """
        g (int64 m, bool f, float[N] x) => (float[N] y, float[N] z) {
          y, z = local.f <alpha = 3.0> (m, f, x) }
        <domain: "local", opset_import: ["" : 17]>
        f <alpha> (m, f, x) => (y, z) {
          c = Constant <value = bool {1}> ()
          y = If(f) <then_branch = t () => (float[N] p) { p = LeakyRelu <alpha: float = @alpha> (x) }, else_branch = e () => (float[N] q) { q = Neg(x) }>
          z = Loop(m, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] so) { co = Identity(ci)  so = LeakyRelu <alpha: float = @alpha> (s) } > }""",
        [[scalar(2), flag(True), rows(4)], [scalar(1), flag(False), rows(4)]],
    ),
    "types of other widths": (
        17,
        """
        g (int64 m, float16[N] x, double[N] d, uint8[N] u, bool[N] l) => (float16[N] a, double[N] b, uint8[N] e, bool[N] k, uint8[M,N] r) <bool c = {1}> {
          a, b, e, k, r = Loop(m, c, x, d, u, l) <body = bd (int64 i, bool ci, float16[N] p, double[N] q, uint8[N] v, bool[N] f)
            => (bool co, float16[N] po, double[N] qo, uint8[N] vo, bool[N] fo, uint8[N] row) {
            co = Identity(ci)  po = Add(p, p)  qo = Mul(q, q)  vo = Add(v, u)  fo = Not(f)  row = Identity(vo) } > }""",
        [
            [
                scalar(3),
                rows(3).astype(np.float16),
                rows(3).astype(np.float64),
                np.arange(3, dtype=np.uint8) * 90,
                np.array([True, False, True]),
            ]
        ],
    ),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)[:300]}\n{done.stderr}"


def check(name, case, target):
    opset, text, runs = case
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}, "local" : 1]>\n{text}')
    onnx.save(model, "model.onnx")
    run("hal-compile", "model.onnx", "-o", "model.so", f"--target={target}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [i.name for i in model.graph.input]
    outputs = [o.name for o in model.graph.output]
    for arrays in runs:
        arrays = [np.asarray(a) for a in arrays]
        try:
            expected = session.run(outputs, dict(zip(names, arrays)))
        except Exception:  # onnxruntime wants one shape for all elements of a sequence.
            expected = onnx.reference.ReferenceEvaluator(model).run(outputs, dict(zip(names, arrays)))
        for n, array in zip(names, arrays):
            np.save(f"{n}.npy", array)
        run(
            "hal-run",
            "model.so",
            f"--device={target}",
            *(f"--input={n}=@{n}.npy" for n in names),
            *(f"--output=out_{o}.npy" for o in outputs),
        )
        for o, want in zip(outputs, expected):
            got = np.load(f"out_{o}.npy")
            # The rows of no step are of any shape for onnxruntime.
            same = got.shape == want.shape or want.size == got.size == 0 and want.ndim == got.ndim
            assert same, f"{name}: `{o}` has shape {got.shape} instead of {want.shape}"
            np.testing.assert_allclose(
                got.view(want.dtype).reshape(want.shape),
                want,
                rtol=1e-3 if want.dtype == np.float16 else 1e-5,
                atol=1e-6,
                err_msg=f"{name}: `{o}`",
            )


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="where files go")
    p.add_argument("--filter", metavar="REGEX", default="", help="only cases whose name matches")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    wrong = []
    chosen = {n: c for n, c in CASES.items() if re.search(a.filter, n)}
    for name, case in chosen.items():
        try:
            check(name, case, a.target)
        except Exception as e:
            wrong.append(f"{name}: {e}")
    print("\n".join(wrong) or f"{len(chosen)} models as onnxruntime")
    raise SystemExit(bool(wrong))
