"""Command graphs of SYCL, by both Level Zero adapters of its run time.

No package has a compiler for SYCL's own kernels. The package of the run time has its headers, though, and the system's C++ compiler
takes them: the host's part is sycl_graphs.cpp, and its kernels are of a module of SPIR-V.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from comparison import Comparison
from spirv import compiled

KERNELS = """
kernel void twice(global int* data, int added) {
    const size_t i = get_global_id(0);
    data[i] = 2 * data[i] + added;
}
kernel void sum(global const int* a, global const int* b, global int* out) {
    const size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}
"""
ADAPTERS = {"v1": "0", "v2": "1"}
NATIVE = 3  # steps of graphs that the driver records, which the first adapter has not
STEPS = 10


def built(place):
    program = place / "sycl_graphs"
    subprocess.run(["c++", "-std=c++17", "-w", f"-I{sys.prefix}/include", pathlib.Path(__file__).with_name("sycl_graphs.cpp"),
                    f"-L{sys.prefix}/lib", "-lsycl", "-o", program], check=True)
    (place / "kernels.spv").write_bytes(compiled(KERNELS))
    return program


def passed(program, adapter, *chosen):
    """The names of the steps that computed what they should, one a line of the program's output."""
    environment = {**os.environ, "SYCL_UR_USE_LEVEL_ZERO_V2": ADAPTERS[adapter]}
    done = subprocess.run([program, "kernels.spv", *chosen], cwd=program.parent, env=environment, text=True, capture_output=True, timeout=200)
    print(done.stdout, done.stderr, sep="", end="")
    return len(re.findall(r"^.*: ok$", done.stdout, re.M))


comparison = Comparison("sycl")
with tempfile.TemporaryDirectory() as made:
    graphs = built(pathlib.Path(made))
    comparison.step("adapter v1", lambda: passed(graphs, "v1"), STEPS)
    comparison.step("adapter v2", lambda: passed(graphs, "v2"), STEPS)
    comparison.step("adapter v2, recorded by the driver", lambda: passed(graphs, "v2", "native"), NATIVE)
comparison.end()
