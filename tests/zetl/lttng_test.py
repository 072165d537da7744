#!/usr/bin/env python3
"""Streams a trace through LTTng to a relay in another network namespace, and reads it there with babeltrace2.

    lttng_test.py ZETL PROGRAM

LTTng's daemons are this test's own: they run in a mount namespace with a /run of its own. Skipped (77) if they are not
installed, or if this user may not make namespaces.
"""

import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
TOOLS = ("lttng", "lttng-sessiond", "lttng-relayd", "babeltrace2", "unshare", "ip")
NAMESPACES = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
# In the outer network the program and the session, in the inner one the relay.
SCRIPT = r"""
set -e
zetl=$1 program=$2 directory=$3
mount -t tmpfs none /run
mount -t tmpfs none /dev/shm
export HOME=$directory LTTNG_HOME=$directory LTTNG_UST_REGISTER_TIMEOUT=60000
ip link set lo up
unshare --net sleep 600 &
inner=$!
until [ "$(readlink /proc/$inner/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add outer type veth peer name inner
ip link set inner netns $inner
ip address add 10.77.0.1/24 dev outer
ip link set outer up
nsenter --net=/proc/$inner/ns/net sh -c 'ip address add 10.77.0.2/24 dev inner && ip link set inner up && ip link set lo up'
nsenter --net=/proc/$inner/ns/net lttng-relayd --background --output="$directory/relay" \
    --control-port tcp://10.77.0.2:5342 --data-port tcp://10.77.0.2:5343
lttng-sessiond --background --no-kernel
lttng create zetl --set-url=net://10.77.0.2:5342:5343
lttng enable-event --userspace 'lttng_ust_tracef:*'
lttng start
"$zetl" trace --emulated --device tiny --lttng -o '' --json "$directory/tables.json" -- "$program"
lttng stop
lttng destroy zetl
babeltrace2 "$directory/relay" >"$directory/events.txt"
"""
EVENT = re.compile(r'lttng_ust_tracef:event: .*msg = "(call|work) begin=(\d+) end=(\d+) .*name=(\w+)"')
EXPECTED = {"vector_add": 1, "copy": 3, "barrier": 2, "zeMemFree": 3, "zeCommandListAppendLaunchKernel": 1}


def main(zetl, program):
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)} (Debian: lttng-tools, liblttng-ust1, babeltrace2, iproute2)")
        return SKIPPED
    allowed = subprocess.run([*NAMESPACES, "sh", "-c", "ip link add outer type veth peer name inner"], capture_output=True, timeout=60)
    if allowed.returncode != 0:
        print("skipped: this user may not make network namespaces")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        result = subprocess.run([*NAMESPACES, "sh", "-c", SCRIPT, "sh", zetl, program, directory],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)  # fmt: skip
        events = Path(directory, "events.txt")
        text = events.read_text() if events.exists() else ""
    found = [match.groups() for match in EVENT.finditer(text)]
    counts = collections.Counter(name for _, _, _, name in found)
    wrong = [f"{name}: {counts[name]} events, not {count}" for name, count in EXPECTED.items() if counts[name] != count]
    wrong += [f"{name}: ends before it begins" for _, begin, end, name in found if int(end) < int(begin)]
    if result.returncode != 0 or wrong:
        print("\n".join(wrong), result.stdout[-4000:], text[:1000], sep="\n")
        return 1
    print(f"{len(found)} events came through the relay")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
