"""What the peers share: the clock, and the one JSON document on standard output that `bench speed` reads."""

import importlib.metadata
import json
import os
import resource
import time


def cpu():
    """Processor seconds of this process and of its children that ended."""
    t = os.times()
    return time.process_time() + t.children_user + t.children_system


class Clock:
    def __enter__(self):
        self.started, self.cpu = time.perf_counter(), cpu()
        return self

    def __exit__(self, *_):
        self.seconds, self.cpu_seconds = time.perf_counter() - self.started, cpu() - self.cpu


def report(clock, units, packages):
    peaks = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps(
            {
                "seconds": clock.seconds,
                "cpu_seconds": clock.cpu_seconds,
                "units": units,
                "peak_bytes": max(peaks) * 1024,
                "versions": {name: importlib.metadata.version(name) for name in packages},
            }
        )
    )
