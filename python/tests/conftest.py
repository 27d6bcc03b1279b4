"""The tests run the program that PIPELINE_BIN names; without it they are skipped."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from paper_pipeline import Answer, Library, PaperTable

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ("kelmoraine_2022_early_window", "nuvrakesh_2024_vitamin_d_null", "tandrik_2021_vo2_walkers")


@pytest.fixture(scope="session")
def program() -> str:
    """The program."""
    program = os.environ.get("PIPELINE_BIN")
    if not program:
        pytest.skip("PIPELINE_BIN does not name the program pipeline")
    return str(Path(program).resolve())


@pytest.fixture(scope="session")
def folder(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with three sample papers in `papers`, and their index, which the first call makes."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "papers").mkdir()
    for sample in SAMPLES:
        shutil.copy(ROOT / "corpus" / f"{sample}.pdf", folder / "papers")
    shutil.copy(ROOT / "corpus" / "manifest.csv", folder / "papers")
    os.environ["PIPELINE_BIN"] = program
    os.chdir(folder)
    assert {paper.source_id for paper in Library("papers").sources()} == set(SAMPLES)
    return folder


@pytest.fixture(scope="session")
def library(folder: Path) -> Library:
    """The library of these papers."""
    return Library(folder / "papers", index=folder / "index")


@pytest.fixture(scope="session")
def answer(library: Library) -> Answer:
    """An answer with its passages. An answer takes a second, most of it to load models."""
    return library.ask("How many falls were there with vitamin D and with placebo in SUNDOWN?", include_context=True)


@pytest.fixture(scope="session")
def table(library: Library) -> PaperTable:
    """A row for each paper."""
    return library.table({"Design": "What was the study design?", "Dogs": "How many dogs barked?"})


@pytest.fixture(scope="session")
def printed(program: str, folder: Path):
    """What the program itself prints."""

    def run(*arguments: str):
        command = [program, f"--index={folder / 'index'}", "--format=json", "--quiet", *arguments]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)

    return run


@pytest.fixture(scope="session")
def server(program: str, folder: Path, tmp_path_factory: pytest.TempPathFactory):
    """The address and a key of a server over these papers."""
    data = tmp_path_factory.mktemp("data")
    add = [program, "serve", "keys", "add", "--tenant=default", "--role=write", f"--data={data}"]
    key = re.search(r"pk_\S+", subprocess.run(add, capture_output=True, text=True, check=True).stdout)
    serve = [program, f"--index={folder / 'index'}", "serve", "--listen=127.0.0.1:0", f"--data={data}"]
    with (
        open(data / "log", "wb") as log,
        subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=log, text=True) as running,
    ):
        try:
            yield running.stdout.readline().removeprefix("listening on ").strip(), key[0]
        finally:
            running.terminate()
