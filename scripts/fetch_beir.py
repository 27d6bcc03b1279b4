"""Download one BEIR benchmark; see fetch_beir.sh."""

from __future__ import annotations

import argparse
import hashlib
import http.client
import pathlib
import re
import shutil
import sys
import tempfile
import urllib.request
import zipfile
import zlib

ADDRESS = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/{}.zip"
# MD5 of each archive, as the BEIR authors list them (README of beir-cellar/beir, "Available datasets").
MD5 = {
    "arguana": "8ad3e3c2a5867cdced806d6503f29b99",
    "climate-fever": "8b66f0a9126c521bae2bde127b4dc99d",
    "cqadupstack": "4e41456d7df8ee7760a7f866133bda78",
    "dbpedia-entity": "c2a39eb420a3164af735795df012ac2c",
    "fever": "5a818580227bfb4b35bb6fa46d9b6c03",
    "fiqa": "17918ed23cd04fb15047f73e6c3bd9d9",
    "hotpotqa": "f412724f78b0d91183a0e86805e16114",
    "msmarco": "444067daf65d982533ea17ebd59501e4",
    "nfcorpus": "a89dba18a62ef92f7d323ec890a0d38d",
    "nq": "d4d3d2e48787a744b6f6e691ff534307",
    "quora": "18fb154900ba42a600f84b839c173167",
    "scidocs": "38121350fc3a4d2f48850f6aff52e4a9",
    "scifact": "5f7d1de60b170fc8027bb7898e2efca1",
    "trec-covid": "ce62140cb23feb9becf6270d0d1fe6d1",
    "webis-touche2020": "46f650ba5a527fc69e0a6521c5a23563",
}
WANTED = re.compile(r"(.*/)?(corpus\.jsonl|queries\.jsonl|qrels/[\w-]+\.tsv)")


class Refused(Exception):
    """What is wrong, and what to do."""


def download(url: str, target: pathlib.Path, algorithm: str) -> str:
    """Write the archive to `target` and return its hash."""
    digest = hashlib.new(algorithm)
    request = urllib.request.Request(url, headers={"User-Agent": "pipeline-fetch-beir"})
    with urllib.request.urlopen(request, timeout=60) as source, target.open("wb") as out:
        while block := source.read(1 << 20):
            digest.update(block)
            out.write(block)
    return digest.hexdigest()


def benchmark_in(names: list[str], part: str | None) -> str:
    """The folder of the archive that holds the benchmark, with a slash at its end; empty for the top."""
    found = sorted(name.removesuffix("corpus.jsonl") for name in names if name.rsplit("/", 1)[-1] == "corpus.jsonl")
    parts = [name.rstrip("/").rsplit("/", 1)[-1] for name in found]
    if part is not None:
        found = [name for name, own in zip(found, parts) if own == part]
        if not found:
            raise Refused(f"the archive has no part {part}\nhint: give one of {', '.join(parts)}")
    if not found:
        raise Refused("the archive has no corpus.jsonl\nhint: name an archive in BEIR's layout")
    if len(found) > 1:
        raise Refused(f"the archive holds {len(found)} benchmarks\nhint: choose one with --part: {', '.join(parts)}")
    return found[0]


def unpack(archive: pathlib.Path, name: str, part: str | None, folder: pathlib.Path) -> int:
    """Write the files of the benchmark below `folder`, which must not exist yet; return how many there are."""
    with zipfile.ZipFile(archive) as packed:
        members = [m for m in packed.infolist() if WANTED.fullmatch(m.filename) and ".." not in m.filename.split("/")]
        top = benchmark_in([m.filename for m in members], part)
        members = [m for m in members if m.filename.startswith(top) and WANTED.fullmatch(m.filename[len(top):]).group(1) is None]
        files = [m.filename[len(top):] for m in members]
        if "queries.jsonl" not in files or not any(file.startswith("qrels/") for file in files):
            raise Refused("the archive has no queries.jsonl or no qrels\nhint: name an archive in BEIR's layout")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".tmp-", dir=folder.parent) as beside:
            whole = pathlib.Path(beside) / name
            for member in members:
                path = whole / member.filename[len(top):]
                path.parent.mkdir(parents=True, exist_ok=True)
                with packed.open(member) as source, path.open("wb") as out:
                    shutil.copyfileobj(source, out)
            whole.rename(folder)
    return len(members)


def run(args: argparse.Namespace) -> None:
    algorithm = "sha256" if args.sha256 else "md5"
    wanted = args.sha256 or args.md5 or (MD5.get(args.name) if args.url is None else None)
    if args.url is None and args.name not in MD5:
        raise Refused(f"no benchmark {args.name} in the list\nhint: give one of {', '.join(MD5)}, or an address with --url")
    if wanted is None and not args.no_check:
        raise Refused("the hash of this archive is not known\nhint: give it with --md5 or --sha256, or pass --no-check")
    folder = args.folder / args.name
    if folder.exists():
        raise Refused(f"{folder} exists already\nhint: remove it, or name another folder")
    url = args.url or ADDRESS.format(args.name)
    with tempfile.TemporaryDirectory() as beside:
        archive = pathlib.Path(beside) / "archive.zip"
        print(f"fetch_beir: downloading {url}", file=sys.stderr)
        found = download(url, archive, algorithm)
        if not args.no_check and found != wanted.lower():
            raise Refused(f"the {algorithm} of the archive is {found}, not {wanted}\nhint: the archive was not kept; try again, or give the hash of a newer one")
        count = unpack(archive, args.name, args.part, folder)
    print(f"fetch_beir: {folder}: {count} files ({algorithm} {found}{', not checked' if args.no_check else ''})")


def main() -> int:
    parser = argparse.ArgumentParser(prog="fetch_beir.sh", description="Download a public BEIR benchmark.")
    parser.add_argument("name", metavar="NAME", nargs="?", help="the benchmark; its folder is DIR/NAME")
    parser.add_argument("folder", metavar="DIR", nargs="?", type=pathlib.Path, help="the folder to unpack it in")
    parser.add_argument("--list", action="store_true", help="print the names with known hashes")
    parser.add_argument("--part", metavar="PART", help="which benchmark to unpack, if the archive holds several (cqadupstack)")
    parser.add_argument("--url", help="another address of the archive")
    hashes = parser.add_mutually_exclusive_group()
    hashes.add_argument("--md5", metavar="HASH", help="the archive's MD5")
    hashes.add_argument("--sha256", metavar="HASH", help="the archive's SHA-256")
    hashes.add_argument("--no-check", action="store_true", help="accept whatever is downloaded")
    args = parser.parse_args()
    if args.list:
        print("\n".join(MD5))
        return 0
    if args.name is None or args.folder is None:
        parser.error("name a benchmark and a folder")
    if not re.fullmatch(r"[\w.-]+", args.name) or args.name.startswith("."):
        parser.error(f"{args.name!r} cannot be the name of a folder")
    try:
        run(args)
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError, RuntimeError, zlib.error, http.client.HTTPException, zipfile.BadZipFile) as error:
        print(f"error: cannot fetch {args.name}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
