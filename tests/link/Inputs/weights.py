"""weights.py FILE [other]: writes a small safetensors archive; `other` has another size."""

import json
import struct
import sys

weight = struct.pack("<3f", 0, 1, 2)
bias = struct.pack("<2i", 7, 7)
header = {
    "weight": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
    "bias": {"dtype": "I32", "shape": [2], "data_offsets": [12, 20]},
}
data = weight + bias
if len(sys.argv) > 2:
    header["more"] = {"dtype": "U8", "shape": [1], "data_offsets": [20, 21]}
    data += b"\0"
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
