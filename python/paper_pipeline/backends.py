"""Where the documents come from: the program `pipeline`, or a server that runs it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sysconfig
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Sequence
from typing import Any, TypedDict

from paper_pipeline.errors import OTHER_VERSION, PipelineError, PipelineWarning

MOST_BYTES = 1 << 29
"""Bytes of a server's answer that are read."""


class Filters(TypedDict, total=False):
    """Conditions that every passage must meet."""

    sources: Sequence[str]
    sections: Sequence[str]
    year_from: int
    year_to: int
    tags: Sequence[str]


def find_program() -> str:
    """The program: that of `PIPELINE_BIN`, of this environment, or on the path.

    Raises PipelineError `program_missing` if there is none.
    """
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    found = os.environ.get("PIPELINE_BIN") or shutil.which("pipeline", path=path)
    if found is None:
        hint = "install the wheel for this platform, or name the program in PIPELINE_BIN"
        raise PipelineError("program_missing", "the program pipeline is not installed", hint)
    return found


class Program:
    """Runs the program, once for each call, in the working directory."""

    def __init__(self, program: str | None, options: Sequence[str], timeout: float) -> None:
        self._command = [program or find_program(), "--format", "json", "--quiet", *options]
        self._timeout = timeout

    def ask(self, question: str, mode: str | None, filters: Filters, include_context: bool) -> Any:
        context = ["--include-context"] if include_context else []
        return self._run("ask", *_flags(mode, filters), *context, "--", question)

    def search(self, question: str, mode: str | None, filters: Filters, count: int) -> Any:
        return self._run("search", *_flags(mode, filters), "-k", str(count), "--", question)

    def table(self, columns: Sequence[str], sources: Sequence[str]) -> Any:
        flags = _flags(None, {"sources": sources})
        return self._run("ask", "--per-paper", "--file", "-", *flags, text="\n".join(columns))

    def evaluate(self, rows: Sequence[Any], model: str | None) -> Any:
        judge = ["--model", model] if model else []
        return self._run("score", "-", *judge, text=json.dumps(rows))

    def verify(self, text: str, question: str, sources: Sequence[str]) -> Any:
        flags = _flags(None, {"sources": sources})
        return self._run("verify", "-", "--question", question, *flags, text=text)

    def sources(self) -> Any:
        return self._run("papers")

    def ingest(self, papers: Sequence[str]) -> Any:
        return self._run("ingest", "--", *papers)

    def _run(self, *arguments: str, text: str = "") -> Any:
        command = [*self._command, *arguments]
        try:
            done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise PipelineError("timed_out", f"{arguments[0]} took more than {self._timeout:g} s") from error
        except OSError as error:
            raise PipelineError("program_missing", f"{command[0]} cannot be run: {error}", value=command[0]) from error
        except ValueError as error:
            raise PipelineError("bad_text", f"a text cannot be passed to the program: {error}") from error
        said = done.stderr.decode(errors="replace")
        # Code 1 is a negative result, such as a refusal; its document is complete.
        if done.returncode not in (0, 1):
            raise PipelineError.of_text(said or f"error: {command[0]} ended with code {done.returncode}")
        for line in said.splitlines():
            if line.startswith("warning: "):
                warnings.warn(line.removeprefix("warning: "), PipelineWarning, stacklevel=4)
        return _document(done.stdout, said)


def _flags(mode: str | None, filters: Filters) -> list[str]:
    flags = ["--mode", mode] if mode else []
    for key, value in filters.items():
        # `sources` is repeated as `--source`, `year_from` is `--year-from`.
        many = isinstance(value, (list, tuple))
        name = "--" + (key.removesuffix("s") if many else key.replace("_", "-"))
        flags += [f"{name}={one}" for one in (value if many else [value])]  # type: ignore[attr-defined]
    return flags


def _document(text: bytes, said: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise PipelineError("unreadable", said.strip() or "what came back is no JSON", OTHER_VERSION) from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """Asks a server, `pipeline serve`. A key needs the role `write` to evaluate and to make tables."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PipelineError("bad_address", f"{url} is no address of a server", "as in http://127.0.0.1:8000", url)
        self._url, self._timeout = url.rstrip("/"), timeout
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        # A proxy cannot reach this computer.
        here = [urllib.request.ProxyHandler({})] if parts.hostname in ("127.0.0.1", "localhost", "::1") else []
        self._opener = urllib.request.build_opener(_NoRedirect, *here)

    def ask(self, question: str, mode: str | None, filters: Filters, include_context: bool) -> Any:
        body = {"query": question, "mode": mode, "filters": filters, "include_context": include_context}
        return self._send("POST", "/v1/ask", body)

    def search(self, question: str, mode: str | None, filters: Filters, count: int) -> Any:
        return self._send("POST", "/v1/search", {"query": question, "mode": mode, "filters": filters, "count": count})

    def table(self, columns: Sequence[str], sources: Sequence[str]) -> Any:
        made = self._send("POST", "/v1/tables", {"name": "Python", "questions": columns, "papers": sources})
        table = f"/v1/tables/{urllib.parse.quote(made['table'], safe='')}"
        try:
            self._wait(made["job"])
            return self._send("GET", table)
        finally:
            self._send("DELETE", table)

    def evaluate(self, rows: Sequence[Any], model: str | None) -> Any:
        if model:
            raise PipelineError("not_here", "a server judges with the model of its settings", "leave model out", model)
        return self._wait(self._send("POST", "/v1/evaluate", rows)["id"])

    def verify(self, text: str, question: str, sources: Sequence[str]) -> Any:
        filters = {"sources": sources} if sources else {}
        return self._send("POST", "/v1/verify", {"answer": text, "question": question, "filters": filters})

    def sources(self) -> Any:
        return self._send("GET", "/v1/papers")

    def ingest(self, papers: Sequence[str]) -> Any:
        raise PipelineError("not_here", "a server's papers are added on the server", "see POST /v1/ingest")

    def _wait(self, job: str) -> Any:
        """The result of a job, which is then deleted; one that takes too long is cancelled by that."""
        path, ends, pause = f"/v1/jobs/{urllib.parse.quote(job, safe='')}", time.monotonic() + self._timeout, 0.05
        try:
            while (found := self._send("GET", path))["status"] not in ("done", "failed"):
                if time.monotonic() > ends:
                    raise PipelineError("timed_out", f"the job took more than {self._timeout:g} s", value=job)
                time.sleep(pause)
                pause = min(2 * pause, 1.0)
        finally:
            self._send("DELETE", path)
        if found["status"] == "failed":
            raise PipelineError.of_document(found["error"])
        return found["result"]

    def _send(self, method: str, path: str, body: object = None, tries: int = 5) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, self._headers, method=method)  # noqa: S310
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return _document(answer.read(MOST_BYTES), "")
        except urllib.error.HTTPError as error:
            wait = error.headers.get("Retry-After", "")
            if error.code in (429, 503) and wait.isdecimal() and tries > 1:
                time.sleep(min(int(wait), 10))
                return self._send(method, path, body, tries - 1)
            said = _document(error.read(MOST_BYTES), f"the server answered {error.code}: {error.reason}")
            raise PipelineError.of_document(said) from error
        except (OSError, http.client.HTTPException) as error:
            hint = "start it with `pipeline serve`, or correct the address"
            raise PipelineError("unreachable", f"no answer from {self._url}: {error}", hint, self._url) from error
