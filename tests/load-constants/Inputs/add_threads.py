"""A preprocessor: the kernel gets the number of threads and adds it to every element. The argument says what is wrong."""

import re
import sys

how = sys.argv[1] if len(sys.argv) > 1 else ""
text = sys.stdin.read()
kind = {"type": "i32", "tensor": "tensor<4xi32>"}.get(how, "index")
names = {
    "unknown": '["device.thread"]',
    "list": '"device.threads"',
    "many": '["device.threads", "device.cores", "device.l1_bytes", "device.l2_bytes"]',
}.get(how, '["device.threads"]')
attribute = "" if how == "missing" else f", hal.load_constants = {names}"
text = re.sub(r"(%arg1: f32)\)", rf"\1, %threads: {kind})", text)
text = text.replace("attributes {hal.export}", f"attributes {{hal.export{attribute}}}")
if kind == "index":
    add = (
        r"\1%int = arith.index_cast %threads : index to i64"
        r"\1%float = arith.sitofp %int : i64 to f32"
        r"\1%sum = arith.addf \2, %float : f32"
        r"\1linalg.yield %sum"
    )
    text = re.sub(r"(\n\s+)linalg.yield (%\w+)", add, text)
sys.stdout.write(text)
