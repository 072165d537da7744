"""What a client's program computed, beside NumPy's results."""

import sys

import numpy


class Comparison:
    """Runs steps, goes on behind one that fails, and says at the end how many there were."""

    def __init__(self, client):
        self.client = client
        self.steps = 0
        self.failures = []

    def step(self, name, compute, expected, tolerance=1e-4):
        """compute() gives what expected holds, to a tolerance relative to the largest value; 0: bit for bit."""
        self.steps += 1
        try:
            self._compare(name, numpy.asarray(compute()), numpy.asarray(expected), tolerance)
        except Exception as error:  # whatever a client raises is the finding
            self.failures.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")

    def end(self):
        for failure in self.failures:
            print(f"{self.client}: {failure}", file=sys.stderr)
        print(f"{self.client}: {self.steps - len(self.failures)} of {self.steps} steps as NumPy has them")
        sys.exit(1 if self.failures else 0)

    def _compare(self, name, found, expected, tolerance):
        if found.shape != expected.shape:
            raise AssertionError(f"shape {found.shape}, expected {expected.shape}")
        if tolerance == 0 or expected.dtype == bool:
            numpy.testing.assert_array_equal(found, expected)
            return
        error = numpy.max(numpy.abs(found - expected), initial=0)
        if not error <= tolerance * max(1, numpy.max(numpy.abs(expected), initial=0)):
            raise AssertionError(f"off by {error}")
