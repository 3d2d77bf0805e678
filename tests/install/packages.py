"""Installs the packages of `scripts/package deb` into an empty Debian and uses them: packages.py FOLDER-WITH-DEBS [ROOT]

On demand, as root: it makes the system by debootstrap (a few hundred MB in a temporary folder, or in ROOT, which is kept), with this
machine's sources of packages. What runs inside has neither this tree nor a compiler, until the last step installs one.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIGURATION = [
    "apt.conf.d",
    "sources.list.d",
    "sources.list",
    "trusted.gpg.d",
    "keyrings",
    "preferences.d",
    "auth.conf.d",
]
APP = r"""
#include <halyard/halyard.hpp>
#include <cstdio>
int main(int, char **argv) {
  halyard::program program(argv[1]);
  halyard::instance instance(program);
  float a[] = {0, 1, 2, 3, 4, 5};
  auto y = instance.call("main", {halyard::view(a, {2, 3}), halyard::view(a, {3, 2})});
  std::printf("%g\n", y[0].data<float>()[3]);
}
"""


def run(*command, **more):
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, text=True, **more)


def inside(root, line):
    """Runs a shell line in the system; gives its output."""
    done = run(
        "chroot",
        root,
        "sh",
        "-ec",
        line,
        stdout=subprocess.PIPE,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"},
    )
    print(done.stdout, end="")
    return done.stdout


def make(root):
    """An empty Debian."""
    run("debootstrap", "--variant=minbase", "bookworm", root, stdout=subprocess.DEVNULL)
    for name in CONFIGURATION:
        source, target = os.path.join("/etc/apt", name), os.path.join(root, "etc/apt", name)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif os.path.exists(source):
            shutil.copy(source, target)
    for name in ("etc/resolv.conf", "etc/hosts"):
        shutil.copy(f"/{name}", os.path.join(root, name))
    shutil.copytree("/etc/ssl/certs", os.path.join(root, "etc/ssl/certs"), dirs_exist_ok=True, symlinks=False)
    run("mount", "--bind", "/proc", os.path.join(root, "proc"))


def check(root, debs):
    def install(*names):
        files = [deb for deb in debs if os.path.basename(deb).split("_")[0] in names]
        for deb in files:
            shutil.copy(deb, os.path.join(root, "tmp"))
        words = " ".join(
            [f"/tmp/{os.path.basename(deb)}" for deb in files] + [n for n in names if n == "g++" or n == "pkg-config"]
        )
        inside(
            root,
            f"apt-get update -q >/dev/null; DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends {words} >/dev/null",
        )

    shutil.copy(os.path.join(TOP, "tests/link/Inputs/product.mlir"), os.path.join(root, "tmp"))
    install("halyard")
    said = inside(
        root,
        "cd /tmp && hal-compile product.mlir -o product.so --weights-to=embed --target=cpu:portable && hal-run product.so -i iota -i iota",
    )
    assert "[28., 40.]" in said, said
    inside(
        root,
        "for tool in import opt translate substitute link run benchmark tune extract compile cache; do hal-$tool --version; done",
    )
    assert "libhalyard" not in inside(root, "ls /usr/lib"), "the tools brought the library"
    install("libhalyard0", "libhalyard-dev", "g++", "pkg-config")
    with open(os.path.join(root, "tmp/app.cpp"), "w", encoding="utf-8") as file:
        file.write(APP)
    said = inside(
        root, "cd /tmp && g++ -std=c++17 app.cpp $(pkg-config --cflags --libs halyard) -o app && ./app ./product.so"
    )
    assert said.split()[-1] == "40", said
    inside(
        root,
        "apt-get purge -qy halyard libhalyard0 libhalyard-dev >/dev/null; ls /usr/bin/hal-* /usr/include/halyard 2>&1 | head -3",
    )


def main():
    debs = glob.glob(os.path.join(sys.argv[1], "*.deb"))
    debs = [deb for deb in debs if "-dbgsym_" not in deb]
    assert len(debs) == 3, f"three packages are expected: {debs}"
    root = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="halyard-packages-")
    try:
        make(root)
        check(root, debs)
    finally:
        subprocess.run(["umount", os.path.join(root, "proc")], check=False)
        if len(sys.argv) < 3:
            shutil.rmtree(root, ignore_errors=True)
    print("the packages work")


if __name__ == "__main__":
    main()
