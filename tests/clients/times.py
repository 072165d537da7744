"""How long operations take on the device and on the processor, in one run: rows of a table that `scripts/clients speed` prints.

What was built is kept on disk, so the first call of a second run builds nothing: `first` is that call's time. `processor` is the quotient
of processor times, of all threads, which other load on the machine disturbs less.
"""

import sys
import time


class Times:
    """The shortest of several calls, in milliseconds: on the clock and of the processor."""

    def __init__(self, operation, repeats):
        self.clock = self.processor = float("inf")
        for _ in range(repeats):
            clock, processor = time.perf_counter(), time.process_time()
            operation()
            self.processor = min(self.processor, 1e3 * (time.process_time() - processor))
            self.clock = min(self.clock, 1e3 * (time.perf_counter() - clock))


class Table:
    """Both sides wait until the result is there. The program's first argument says how often each is called."""

    def __init__(self, title, host, repeats=7):
        self.repeats = int(sys.argv[1]) if len(sys.argv) > 1 else repeats
        print(f"{title + ', ms':34} {'first':>9} {'emulated':>9} {host:>9} {'times':>8} {'processor':>10}", flush=True)

    def row(self, name, on_device, on_host):
        first, device = Times(on_device, 1), Times(on_device, self.repeats)
        on_host()
        host = Times(on_host, self.repeats)
        print(f"{name:34} {first.clock:9.1f} {device.clock:9.3f} {host.clock:9.3f} {device.clock / host.clock:8.1f}"
              f" {device.processor / host.processor:10.1f}", flush=True)
