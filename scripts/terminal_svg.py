#!/usr/bin/env python3
"""Draws a terminal session as SVG: runs each command in a pseudo-terminal and draws what it prints, colours included.

    scripts/terminal_svg.py docs/session.svg "pipeline --index index-sample ask '…'" …

The README's picture is made this way by scripts/picture.sh. Standard library only.
"""

import html
import os
import pty
import re
import shlex
import struct
import fcntl
import sys
import termios
import unicodedata

COLUMNS, ROWS = 96, 60
CHARACTER, LINE, MARGIN = 8.4, 19, 16
FOREGROUND, BACKGROUND, DIM = "#d8dee9", "#1e222a", "#8b93a1"
COLOURS = {
    30: "#4c566a", 31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2", 37: "#d8dee9",
    90: "#8b93a1", 91: "#ff7b85", 92: "#b1dd8c", 93: "#ffd68a", 94: "#7cc4ff", 95: "#dd92f0", 96: "#6fd3df", 97: "#ffffff",
}  # fmt: skip
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\x1b\][^\x07]*(?:\x07|\x1b\\)")


def run(command):
    """What the command prints on a terminal of COLUMNS characters."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS))
        os.environ.pop("NO_COLOR", None)
        words = shlex.split(command)
        try:
            os.execvp(words[0], words)
        except OSError as error:
            print(f"{words[0]}: {error.strerror}")
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    output = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    if os.waitstatus_to_exitcode(status) > 1:
        sys.exit(f"terminal_svg: {command}: {output.decode(errors='replace')}")
    return output.decode("utf-8", errors="replace").replace("\r\n", "\n")


def spans(text):
    """Lines of (text, style) from text with SGR sequences; progress that was drawn over is left out."""
    lines, line, style, at = [], [], {}, 0

    def put(piece):
        if piece:
            line.append((piece, dict(style)))

    for match in [*SEQUENCE.finditer(text), None]:
        piece = text[at : match.start() if match else len(text)]
        while "\n" in piece:
            before, piece = piece.split("\n", 1)
            put(before)
            lines.append(line)
            line = []
        if "\r" in piece:
            line, piece = [], piece.rsplit("\r", 1)[1]
        put(piece)
        if match is None:
            break
        at = match.end()
        if match.group(2) == "K":
            line = []
        if match.group(2) != "m":
            continue
        for code in [int(code or 0) for code in match.group(1).split(";")]:
            if code == 0:
                style.clear()
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["dim"] = True
            elif code == 4:
                style["underline"] = True
            elif code == 22:
                style.pop("bold", None), style.pop("dim", None)
            elif code == 24:
                style.pop("underline", None)
            elif code == 39:
                style.pop("colour", None)
            elif code in COLOURS:
                style["colour"] = COLOURS[code]
    return [*lines, line] if line else lines


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def draw(lines):
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}">',
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" fill="{FOREGROUND}">',
    ]
    for number, line in enumerate(lines):
        x, y = MARGIN, MARGIN + (number + 1) * LINE - 5
        for piece, style in line:
            attributes = f' fill="{style["colour"]}"' if "colour" in style else f' fill="{DIM}"' if "dim" in style else ""
            attributes += ' font-weight="bold"' if "bold" in style else ""
            attributes += ' text-decoration="underline"' if "underline" in style else ""
            wide = columns(piece) * CHARACTER
            if piece.strip():
                text = html.escape(piece, quote=False)
                out.append(
                    f'<text xml:space="preserve" x="{x:.1f}" y="{y}" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"{attributes}>{text}</text>'
                )
            x += wide
    return "\n".join([*out, "</g>", "</svg>", ""])


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    lines = []
    for command in sys.argv[2:]:
        lines.append([("$ ", {"colour": COLOURS[32], "bold": True}), (command, {"bold": True})])
        lines += [*spans(run(command).rstrip("\n")), []]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(draw(lines[:-1]))


if __name__ == "__main__":
    main()
