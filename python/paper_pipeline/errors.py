"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any

OTHER_VERSION = "install the package and the program in the same version"


class PipelineWarning(UserWarning):
    """Something that `pipeline` warns of although it gives a result, such as a paper that cannot be read."""


class PipelineError(Exception):
    """Why a call failed: the parts of the document that `pipeline schema error` describes.

    `code` is the kind of error, for programs. The server names it (`not_found`, `no_index`, …). Where the program
    prints only text, it is `failed`. This package itself raises `program_missing`, `timed_out`, `unreachable`,
    `bad_address`, `bad_text`, `unreadable` (what came back is no such document) and `not_here` (a call that a server
    does not offer).
    """

    def __init__(self, code: str, message: str, hint: str | None = None, value: str | None = None) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.code = code
        self.message = message
        self.hint = hint
        self.value = value

    @classmethod
    def of_document(cls, document: Any) -> PipelineError:
        """The error that such a document describes."""
        said = document if isinstance(document, dict) else {}
        return cls(said.get("code", "failed"), said.get("message", str(document)), said.get("hint"), said.get("value"))

    @classmethod
    def of_text(cls, text: str) -> PipelineError:
        """The error that the program printed, as `error: MESSAGE; HINT`, after other lines."""
        said = f"\n{text}".rpartition("\nerror: ")[2].strip()
        message, _, hint = said.rpartition("; ")
        return cls("failed", message or hint, hint if message else None)
