"""Turns lines with terminal colours (standard input) into an SVG (standard output); the argument is the first line."""

import html
import re
import sys
import unicodedata

COLORS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16


def styled(line, state):
    """The pieces of a line: (column, text, attributes of the SVG element). A style goes on until it is reset."""
    column = 0
    for piece in re.split(r"(\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\)", line):
        if piece.startswith("\x1b["):
            for code in [int(code or 0) for code in piece[2:-1].split(";")]:
                if code == 0:
                    state.clear()
                elif code == 1:
                    state["font-weight"] = "bold"
                elif code == 2:
                    state["opacity"] = "0.6"
                elif code == 39:
                    state.pop("fill", None)
                elif code in COLORS:
                    state["fill"] = COLORS[code]
        elif not piece.startswith("\x1b]") and piece:
            yield column, piece, dict(state)
            column += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in piece)


lines = [sys.argv[1]] + sys.stdin.read().rstrip().split("\n")
height = len(lines) * HEIGHT + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="880" height="{height}" viewBox="0 0 880 {height}">')
print(f'<rect width="880" height="{height}" rx="8" fill="#0d1117"/>')
print('<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3" xml:space="preserve">')
state = {}
for number, line in enumerate(lines):
    y = MARGIN + (number + 0.75) * HEIGHT
    for column, text, attributes in styled(line, state):
        attributes = "".join(f' {name}="{value}"' for name, value in attributes.items())
        print(f'<text x="{MARGIN + column * WIDTH:.1f}" y="{y:.1f}"{attributes}>{html.escape(text)}</text>')
print("</g>\n</svg>")
