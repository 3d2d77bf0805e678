"""Puts an object into the declarations of a model: embed.py OBJECT MODEL."""

import re
import sys

data = open(sys.argv[1], "rb").read()
numbers = ", ".join(str(b - 256 if b > 127 else b) for b in data)
attribute = f"data = dense<[{numbers}]> : tensor<{len(data)}xi8>"
print(re.sub(r'path = "[^"]*"', attribute, open(sys.argv[2]).read()))
