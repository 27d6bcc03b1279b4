"""What the peers share: the clock, and the one JSON document on standard output that speed.py reads."""

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


def peak_bytes():
    """Highest resident memory of this process or of one of its children."""
    # Not RUSAGE_SELF, which begins with the memory of the process that started this one.
    with open("/proc/self/status", encoding="utf-8") as status:
        own = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024


def report(clock, units, packages):
    print(
        json.dumps(
            {
                "seconds": clock.seconds,
                "cpu_seconds": clock.cpu_seconds,
                "units": units,
                "peak_bytes": peak_bytes(),
                "versions": {name: importlib.metadata.version(name) for name in packages},
            }
        )
    )
