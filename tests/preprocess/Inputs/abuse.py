"""Every way in which a preprocessor can misbehave, and what becomes of it.

Prints a table (name, expected, got) and fails if anything is not as expected. Of every case it is checked, too, that no
process and no temporary file stays (but the kept folder of a failure), and that a failure writes no output.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
program = os.path.join(here, "two.mlir")
FLAG = "--preprocess-executables-with="
# A failing child: what messages must have; exit code 4.
FAIL = 4


class Case:
    def __init__(self, name, command, code=0, says="", output="", flags=(), setup=None, without="", seconds=20):
        self.name, self.command, self.code, self.says, self.output = name, command, code, says, output
        self.flags, self.setup, self.without, self.seconds = flags, setup, without, seconds


def script(text, name="tool", mode=0o755):
    """Puts a script into the scratch folder."""

    def setup(folder):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)

    return setup


def folder_named(name):
    return lambda folder: os.makedirs(os.path.join(folder, name))


SED = "#!/bin/sh\nsed s/arith.addf/arith.subf/\n"
PY = f"'{sys.executable}' -c"
VARIANT = r'module @extra attributes {hal.target = #llvm.target<triple = "x86_64", chip = "x86-64-v3">, hal.variant} {}'
OBJECT = r'hal.objects = [{format = "elf", path = "k.o"}], hal.target'
DECLARE = r"s/func.func @\(.*\)(%arg0: \(.*\)) -> \(.*\) attributes {hal.export} {/func.func private @\1(\2) -> \3 attributes {hal.export}/"
# Another argument that who loads the program fills in.
LOAD_CONSTANT = "sed -e 's/%arg0: tensor<4xf32>/%arg0: tensor<4xf32>, %n: index/' -e 's/{hal.export}/{hal.export, hal.load_constants = [\"device.threads\"]}/'"
NO_BODY = f"sed -e '/arith\\|return/d' -e '{DECLARE}' | sed '/^  }}$/{{x;s/^/x/;/^x$/{{x;d}};x}}'"

CASES = [
    # How it ends.
    Case("exits 1", "exit 1", FAIL, r"`exit 1` failed with exit code 1 on executable `@(first|second)`"),
    Case("exits 1 with words", "echo no luck >&2; exit 1", FAIL, r"it printed:\s+no luck"),
    Case("exits 127", "exit 127", FAIL, r"exit code 127(.|\n)*a shell gives 127 for a command that it did not find"),
    Case("exits 126", "exit 126", FAIL, r"exit code 126(.|\n)*cannot execute"),
    Case("exits 255", "exit 255", FAIL, r"exit code 255"),
    Case("exits 0 after a failure in a pipe", "false | cat", FAIL, r"wrote nothing for executable"),
    Case("dies by SIGSEGV", "kill -SEGV $$", FAIL, r"was killed by SIGSEGV \(11\)"),
    Case("dies by SIGKILL", "kill -KILL $$", FAIL, r"was killed by SIGKILL \(9\)"),
    Case(
        "its child dies by SIGSEGV",
        "sh -c 'kill -SEGV $$'; exit $?",
        FAIL,
        r"exit code 139, which a shell gives for SIGSEGV",
    ),
    Case("aborts", f"{PY} 'import os; os.abort()'", FAIL, r"SIGABRT"),
    Case(
        "hangs", "sleep 600.1", FAIL, r"did not finish within 0.4 s and was ended", flags=["--preprocess-timeout=400ms"]
    ),
    Case(
        "hangs with its input read",
        "cat; sleep 600.1",
        FAIL,
        r"did not finish within",
        flags=["--preprocess-timeout=0.4"],
    ),
    Case(
        "ignores SIGTERM",
        "trap '' TERM; sleep 600.1; sleep 600.1",
        FAIL,
        r"did not finish",
        flags=["--preprocess-timeout=400ms"],
    ),
    Case("stops itself", "kill -STOP $$", FAIL, r"did not finish", flags=["--preprocess-timeout=400ms"]),
    Case("spins", "while :; do :; done", FAIL, r"did not finish", flags=["--preprocess-timeout=400ms"]),
    Case("kills its process group", "kill -KILL 0", FAIL, r"was killed by SIGKILL"),
    Case("kills its sibling's group, too", "pkill -KILL -g $$; sleep 600.1", FAIL, r"was killed by SIGKILL"),
    Case(
        "fails while its siblings sleep",
        "test $HALYARD_INDEX = 1 && exit 5; sleep 600.1",
        FAIL,
        r"failed with exit code 5 on executable `@second`",
    ),
    # Processes.
    Case("spawns grandchildren that end", "(sleep 0.1; echo ok >&2) & (sleep 0.1) & cat; wait", output="arith.addf"),
    Case(
        "spawns grandchildren that hang",
        "sleep 600.1 & sleep 600.1 & wait",
        FAIL,
        r"did not finish",
        flags=["--preprocess-timeout=400ms"],
    ),
    Case(
        "leaves a grandchild that holds its output",
        "cat; sleep 600.1 &",
        says=r"left processes behind",
        output="arith.addf",
    ),
    Case("leaves a grandchild without output", "cat; sleep 600.1 >/dev/null 2>&1 &", output="arith.addf"),
    Case(
        "leaves a grandchild that ignores SIGTERM",
        "cat; (trap '' TERM HUP; sleep 600.1) &",
        says=r"left processes behind",
        output="arith.addf",
    ),
    Case("starts a daemon", "cat; setsid -f sleep 600.1 >/dev/null 2>&1 </dev/null", output="arith.addf"),
    Case(
        "starts a daemon that holds its output",
        "cat; setsid -f sleep 600.1",
        says=r"left processes behind",
        output="arith.addf",
    ),
    Case(
        "starts a daemon without an environment",
        "cat; env -i setsid -f sh -c 'sleep 600.1; : {mark}' >/dev/null 2>&1 </dev/null; sleep 0.1",
        output="arith.addf",
    ),
    Case(
        "starts a daemon that forks again and ignores signals",
        "cat; env -i setsid sh -c '(trap \"\" TERM HUP INT; sleep 600.1; : {mark}) & exit' >/dev/null 2>&1 </dev/null; sleep 0.1",
        output="arith.addf",
    ),
    Case(
        "kills its guardian and leaves a daemon",
        "env -i setsid -f sh -c 'sleep 600.1; : {mark}' >/dev/null 2>&1 </dev/null; sleep 0.1; kill -9 $PPID; sleep 600.1",
        FAIL,
        r"was killed by SIGKILL",
    ),
    Case("a grandchild writes a little later", "exec 3<&0; (sleep 0.3; cat <&3) &", output="arith.addf"),
    Case(
        "a grandchild writes much later",
        "cat; (sleep 3; echo garbage) &",
        says=r"left processes behind",
        output="arith.addf",
    ),
    Case("fails and leaves a daemon", "setsid -f sleep 600.1; exit 3", FAIL, r"exit code 3"),
    # Streams.
    Case(
        "prints garbage",
        "echo nonsense",
        FAIL,
        r"custom op 'nonsense' is unknown(.|\n)*stdout.mlir:1:1(.|\n)*this is what `echo nonsense` replied",
    ),
    Case("prints nothing", "true", FAIL, r"wrote nothing for executable(.|\n)*cmd\[empty-is-unchanged\]:"),
    Case("prints nothing, as it said", "cmd[empty-is-unchanged]:true", output="arith.addf"),
    Case("prints blanks", "echo; echo '  '", FAIL, r"wrote nothing"),
    Case("prints a comment", "echo '// nothing'", FAIL, r"the input is empty"),
    Case("prints a log line before its reply", "echo processing; cat", FAIL, r"custom op 'processing' is unknown"),
    Case("prints partial UTF-8", r"printf 'module @first attributes {hal.executable} {} // \303'", FAIL, r"not UTF-8"),
    Case("prints UTF-16", "iconv -t UTF-16", FAIL, r"looks like text in UTF-16"),
    Case("prints NUL bytes", "cat; head -c 9 /dev/zero", FAIL, r"holds zero bytes"),
    Case("prints an object", "cat /bin/true", FAIL, r"looks like an object"),
    Case("prints half of its reply", "head -c 150", FAIL, r"error"),
    Case("prints very long lines", "cat; printf '// '; head -c 3000000 /dev/zero | tr '\\0' x", output="arith.addf"),
    Case("prints other text in comments", "cat; echo '// done'", output="arith.addf"),
    Case("closes stdout early", "exec 1>&-; cat >/dev/null", FAIL, r"wrote nothing"),
    Case("closes stderr", "exec 2>&-; cat", output="arith.addf"),
    Case("writes without end", "yes", FAIL, r"did not finish|wrote more than", flags=["--preprocess-timeout=400ms"]),
    Case(
        "closes stdin unread",
        f"exec <&-; {PY} 'print(open(\"{program}\").read())' | sed -n '/module @'$HALYARD_EXECUTABLE' /,/^  }}/p'",
        output="arith.addf",
    ),
    Case("stops reading midway", "head -c 10 >/dev/null; exit 0", FAIL, r"wrote nothing"),
    Case(
        "writes 50 MB to stderr",
        "cat; head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99 >&2",
        says=r"bytes before",
        output="arith.addf",
    ),
    Case("writes 50 MB to stderr and fails", "head -c 50000000 /dev/zero >&2; exit 1", FAIL, r"exit code 1"),
    Case("writes binary to stderr", "cat; printf '\\033[31m\\377\\000' >&2", says="\ufffd", output="arith.addf"),
    Case(
        "returns 200 MB",
        f'cat; {PY} \'for i in range(200): print("//" + "x" * 1000000)\'',
        output="arith.addf",
        seconds=60,
    ),
    Case("returns CRLF", "sed 's/$/\\r/'", output="arith.addf"),
    Case("returns no newline at the end", "head -c -1", output="arith.addf"),
    Case("returns bytecode", "mlir-opt --emit-bytecode", output="arith.addf"),
    Case("returns damaged bytecode", "mlir-opt --emit-bytecode | head -c 200", FAIL, r"stdout.mlir"),
    Case("wants and returns bytecode", "cmd[bytecode]:cat", output="arith.addf"),
    Case("wants bytecode, returns text", "cmd[bytecode]:mlir-opt", output="arith.addf"),
    Case("returns the generic form", "mlir-opt --mlir-print-op-generic", output="arith.addf"),
    Case("returns locations", "mlir-opt --mlir-print-debuginfo", output="arith.addf"),
    Case("returns it in a module", "echo 'module {'; cat; echo '}'", output="arith.addf", without="module {\n"),
    # What it replies.
    Case(
        "prints two executables",
        "cat; echo 'module @more attributes {hal.executable} {}'",
        FAIL,
        r"holds 2 executables: `@first`, `@more`",
    ),
    Case("prints it twice", "tee /dev/stderr 2>&1", FAIL, r"holds 2 executables|redefinition of symbol"),
    Case(
        "prints a function beside it",
        "cat; echo 'func.func private @lost()'",
        FAIL,
        r"`func.func @lost` stands beside it",
    ),
    Case("prints the whole program", f"cat {program}", FAIL, r"is a whole program"),
    Case("prints an empty module", "echo 'module {}'", FAIL, r"holds no executable"),
    Case("prints the other executable", "sed s/first/third/", FAIL, r"came back as"),
    Case("loses the executable", "mlir-opt --symbol-privatize --symbol-dce", FAIL, r"lost its export"),
    Case(
        "renames the executable",
        "sed 's/module @first/module @other/'",
        FAIL,
        r"executable `@first` came back as `@other`(.|\n)*two.mlir:3:3",
    ),
    Case("renames an export", "sed s/@first_add/@renamed/", FAIL, r"lost its export `@first_add`: it has `@renamed`"),
    Case("renames a variant", "sed s/@cpu/@gpu/", FAIL, r"lost its variant `@cpu`: it has `@gpu`"),
    Case("drops a variant", "sed '/module @cpu/,/}/d'", FAIL, r"lost its variant `@cpu`: it has none"),
    Case(
        "changes a variant's target",
        'sed \'s/chip = "x86-64"/chip = "x86-64-v4"/\'',
        FAIL,
        r"has another target than the original",
    ),
    Case("drops a mark", "sed 's/attributes {hal.export}//'", FAIL, r"lost its export"),
    Case(
        "changes a binding type",
        "sed 's/tensor<4xf32>/tensor<8xf32>/g'",
        FAIL,
        r"argument 0 is `tensor<4xf32>` in the original, `tensor<8xf32>` here",
    ),
    Case(
        "adds an argument",
        "sed 's/%arg0: tensor<4xf32>/%arg0: tensor<4xf32>, %n: index/'",
        FAIL,
        r"1 arguments in the original, 2 here",
    ),
    Case("adds a load-time constant", LOAD_CONSTANT, output="hal.load_constants"),
    Case(
        "adds an unknown load-time constant",
        f"{LOAD_CONSTANT} | sed 's/device.threads/device.speed/'",
        FAIL,
        r"`device.speed`.* is not a device property",
    ),
    Case(
        "adds a load-time constant of another type",
        f"{LOAD_CONSTANT} | sed 's/%n: index/%n: f32/'",
        FAIL,
        r"argument 1 of `@first_add` has type `f32`; load-time constant `device.threads` is an `index`",
    ),
    Case(
        "ties a result",
        "sed 's/-> tensor<4xf32> att/-> (tensor<4xf32> {hal.tied = 0 : i32}) att/'",
        FAIL,
        r"result 0 tied to argument 0",
    ),
    Case(
        "adds an export",
        "sed 's/^}/func.func @new() attributes {hal.export} { return }\\n}/'",
        FAIL,
        r"a new export `@new`",
    ),
    Case("drops a body", NO_BODY, FAIL, r"came back without a body"),
    Case(
        "drops a body, adds objects to all variants",
        f"{NO_BODY} | sed -e 's%hal.target%{OBJECT}%' -e '/module @second/s%$%\\n{VARIANT.replace('hal.target', OBJECT)}%'",
        output="hal.objects",
    ),
    Case("adds a variant", f"sed 's%^}}%{VARIANT}\\n}}%'", output="@extra"),
    Case(
        "adds a variant twice", f"sed 's%^}}%{VARIANT}\\n{VARIANT}\\n}}%'", FAIL, r"redefinition of symbol|two variants"
    ),
    Case(
        "adds a variant without a target",
        "sed 's#^}#module @extra attributes {hal.variant} {}\\n}#'",
        FAIL,
        r"has no `hal.target`",
    ),
    Case("adds an object", f"sed 's#hal.target#{OBJECT}#'", output="hal.objects"),
    Case("adds a helper function", "sed 's/^}/func.func private @h()\\n}/'", output="@h"),
    Case("changes the body", "sed s/arith.addf/arith.subf/", output="arith.subf"),
    Case("breaks the body", "sed 's/return %0/return %arg7/'", FAIL, r"undeclared SSA value(.|\n)*stdout.mlir:\d+:\d+"),
    Case(
        "does not verify", "sed 's/arith.addf %arg0, %arg0 : tensor<4xf32>/arith.constant 1.0 : f32/'", FAIL, r"error"
    ),
    Case("an unknown dialect", "sed 's/^}/\"no.such\"() : () -> ()\\n}/'", FAIL, r"unregistered"),
    Case("nested without end", f"{PY} 'print(\"module {{\" * 100000)'", FAIL, r"nested too deep"),
    Case("a foreign version", "sed 's/hal.version = 1/hal.version = 2/'", FAIL, r"has version 2 of the exchange form"),
    Case(
        "a reply of the wrong executable",
        "cat >/dev/null; echo 'module @second attributes {hal.executable} {}'",
        FAIL,
        r"came back as `@second`",
    ),
    # How it is called.
    Case("needs a shell: pipe", "sed s/addf/subf/ | cat", output="arith.subf"),
    Case("needs a shell: variable", 'cat "$HOME/../"* >/dev/null 2>&1; test -n "$HOME" && cat', output="arith.addf"),
    Case(
        "needs a shell: wildcard",
        "test \"$(echo *)\" = 'sub tool' && cat",
        setup=lambda f: (script("")(f), folder_named("sub")(f)),
        output="arith.addf",
    ),
    Case("needs a shell: quotes", "sed -e 's/arith.addf/arith.subf/' \"-e\" ''", output="arith.subf"),
    Case("is an absolute path", "{folder}/tool", setup=script(SED), output="arith.subf"),
    Case("is a relative path", "./tool", setup=script(SED), output="arith.subf"),
    Case("is a relative path below", "sub/tool", setup=script(SED, "sub/tool"), output="arith.subf"),
    Case("is on PATH", "sed s/addf/subf/", output="arith.subf"),
    Case("is not on PATH", "no-such-tool --flag", FAIL, r"no-such-tool(.|\n)*exit code 127(.|\n)*did not find"),
    Case("is a pass", "canonicalize", FAIL, r"write `builtin.module\(canonicalize\)`"),
    Case("has spaces in its name, quoted", "'./my tool'", setup=script(SED, "my tool"), output="arith.subf"),
    Case(
        "has spaces in its name, unquoted",
        "./my tool",
        FAIL,
        r"needs quotes of its own: `'./my tool'`",
        setup=script(SED, "my tool"),
    ),
    Case("has strange letters in its name", "'./t$ö'\"'\"'l'", setup=script(SED, "t$ö'l"), output="arith.subf"),
    Case("is a directory", "./sub", FAIL, r"exit code 126(.|\n)*a folder", setup=folder_named("sub")),
    Case("is not executable", "./tool", FAIL, r"exit code 126(.|\n)*executable bit", setup=script(SED, mode=0o644)),
    Case("has no shebang", "./tool", setup=script("sed s/arith.addf/arith.subf/\n"), output="arith.subf"),
    Case("has a missing interpreter", "./tool", FAIL, r"exit code (126|127)", setup=script("#!/no/such/interpreter\n")),
    Case("is a text file", "./tool", FAIL, r"exit code", setup=script("nonsense words\n")),
    Case("is a dangling link", "./tool", FAIL, r"exit code 127", setup=lambda f: os.symlink("nowhere", f"{f}/tool")),
    Case("is empty", "", 2, r"has an empty value"),
    Case("is blank", "  ", 2, r"has an empty value"),
    Case("has a syntax error", "if then", FAIL, r"exit code 2"),
    Case("has several lines", "sed s/arith.addf/arith.subf/ |\ncat\n", output="arith.subf"),
    # Limits.
    Case(
        "needs more memory than it may",
        f"{PY} 'x = bytearray(400000000); import sys; sys.stdout.write(sys.stdin.read())'",
        FAIL,
        r"MemoryError(.|\n)*its memory was limited to 314572800 bytes",
        flags=["--preprocess-memory=300M"],
    ),
    Case(
        "has the memory that it needs",
        f"{PY} 'x = bytearray(40000000); import sys; sys.stdout.write(sys.stdin.read())'",
        flags=["--preprocess-memory=300M"],
        output="arith.addf",
    ),
    Case("limits itself", "ulimit -t 1; while :; do :; done", FAIL, r"SIGXCPU|SIGKILL", seconds=30),
    Case("writes into its folder", "touch $HALYARD_EXECUTABLE && cat && rm $HALYARD_EXECUTABLE", output="arith.addf"),
    Case(
        "reads its own environment",
        'test "$HALYARD_PROTOCOL/$HALYARD_HOOK/$HALYARD_COUNT/$HALYARD_PHASE/$HALYARD_PROGRAM" = 1/executable/2/executables/two && cat',
        output="arith.addf",
    ),
    # Stages.
    Case("a pipeline", "builtin.module(func.func(canonicalize,cse))", output="arith.addf"),
    Case("a pipeline after blanks", "  builtin.module(canonicalize)", output="arith.addf"),
    Case("a pipeline nested too deep", "builtin.module(builtin.module(builtin.module(cse)))", 1, r"would do nothing"),
    Case("a pipeline for what is not there", "builtin.module(gpu.module(cse))", 1, r"would do nothing"),
    Case("a pipeline with another anchor", "func.func(cse)", 2, r"write `builtin.module\(func.func\(cse\)\)`"),
    Case("a pipeline that is not closed", "builtin.module(cse", 2, r"expected `\)`"),
    Case("a pipeline with an unknown pass", "builtin.module(cze)", 2, r"unknown pass `cze`"),
    Case("a pipeline that drops the export", "builtin.module(symbol-privatize,symbol-dce)", 1, r"lost its export"),
    Case(
        "a script with a pipeline's name",
        "cmd:./builtin.module",
        setup=script(SED, "builtin.module"),
        output="arith.subf",
    ),
    Case("a schedule that is not there", "missing.mlir[seq=x]", 3, r"cannot read `missing.mlir`"),
    Case("an option that does not exist", "cmd[fast]:cat", 2, r"unknown option `fast`"),
]


def marked(word):
    """The processes that have a word in their environment or their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environment = file.read()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                environment += file.read()
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if word.encode() in environment and state != "Z" and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def run(case):
    """What is not as expected, in words; none if all is."""
    problems = []
    top = tempfile.mkdtemp(prefix="abuse ")
    folder, scratch, output = (os.path.join(top, n) for n in ("work", "tmp", "out.mlir"))
    os.makedirs(folder)
    os.makedirs(scratch)
    if case.setup:
        case.setup(folder)
    mark = f"abuse-{os.getpid()}-{id(case)}"
    environment = dict(os.environ, TMPDIR=scratch, ABUSE=mark)
    command = case.command.replace("{folder}", f"'{folder}'" if " " in folder else folder).replace("{mark}", mark)
    words = ["hal-opt", program, FLAG + command, "-o", output, "-j2", *case.flags]
    start = time.monotonic()
    try:
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, timeout=case.seconds, stdin=subprocess.DEVNULL
        )
        code, said = done.returncode, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        code, said = "too slow", (e.stderr or b"").decode(errors="replace")
    got = f"{code}"
    if code != case.code:
        problems.append(f"exit code {code}")
    plain = re.sub(r"\n\s*= (note|hint): ", "\n", said)
    if not re.search(case.says, plain) or (case.code and not re.search(r"^error", plain, re.M)):
        problems.append(f"does not say /{case.says}/")
    if re.search(r"panicked|this is a bug|stack backtrace", said):
        problems.append("panics")
    if case.code == 0:
        written = open(output).read() if os.path.exists(output) else ""
        if case.output not in written:
            problems.append(f"`{case.output}` is not in the output")
        if case.without and case.without in written:
            problems.append(f"`{case.without}` is in the output")
        if os.listdir(scratch):
            problems.append(f"temporary files stay: {os.listdir(scratch)}")
    else:
        if os.path.exists(output):
            problems.append("there is an output")
        kept = os.listdir(scratch)
        named = re.findall(r"are in `([^`]*)`", said)
        if case.code == FAIL and (
            len(kept) != 1 or not named or not os.access(os.path.join(named[0], "replay"), os.X_OK)
        ):
            problems.append(f"the files of the failure are not kept: {kept}")
        if case.code != FAIL and kept:
            problems.append(f"temporary files stay: {kept}")
    time.sleep(0.02)
    if left := marked(mark):
        problems.append(f"processes stay: {left}")
    shutil.rmtree(top, ignore_errors=True)
    return case, got, problems, said, time.monotonic() - start


def main():
    only = sys.argv[1:]
    cases = [c for c in CASES if not only or any(word in c.name for word in only)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=12) as pool:
        for case, got, problems, said, seconds in pool.map(run, cases):
            verdict = "ok" if not problems else "WRONG: " + "; ".join(problems)
            print(f"{case.name:45} expected {case.code}  got {got}  {verdict}")
            if seconds > 10:
                print(f"    took {seconds:.1f} s")
            if problems:
                failed += 1
                print("    " + said.replace("\n", "\n    "))
    print(f"{len(cases) - failed} of {len(cases)} cases as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
