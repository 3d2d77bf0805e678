"""send_signal.py NUMBER COMMAND...: starts a command that waits for its input, sends it a signal, prints how it ended."""

import signal
import subprocess
import sys
import time

signal.signal(signal.SIGINT, signal.SIG_DFL)
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)
time.sleep(0.5)
child.send_signal(int(sys.argv[1]))
print("ended by signal", -child.wait())
