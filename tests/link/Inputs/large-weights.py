"""Writes a safetensors file with `weight`, 10,000 numbers in order; with a second argument, other numbers."""

import sys

import numpy as np
from safetensors.numpy import save_file

numbers = np.arange(10000, dtype=np.float32)
save_file({"weight": numbers + (len(sys.argv) > 2)}, sys.argv[1])
