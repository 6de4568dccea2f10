"""All mutations of a source file: one operator, constant, branch, bound or default changed in a function body.

Strings, docstrings, annotations, decorators and everything outside of functions stay as they are. A mutation edits the
text in place, so the rest of the file keeps its format and line numbers.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

BINARY = {
    ast.Add: ("+", ["-"]),
    ast.Sub: ("-", ["+"]),
    ast.Mult: ("*", ["/"]),
    ast.Div: ("/", ["*"]),
    ast.FloorDiv: ("//", ["*"]),
    ast.Mod: ("%", ["*"]),
    ast.Pow: ("**", ["*"]),
    ast.BitAnd: ("&", ["|"]),
    ast.BitOr: ("|", ["&"]),
}
COMPARED = {
    ast.Lt: ("<", ["<=", ">"]),
    ast.LtE: ("<=", ["<", ">="]),
    ast.Gt: (">", [">=", "<"]),
    ast.GtE: (">=", [">", "<="]),
    ast.Eq: ("==", ["!="]),
    ast.NotEq: ("!=", ["=="]),
    ast.Is: ("is", ["is not"]),
    ast.IsNot: ("is not", ["is"]),
    ast.In: ("in", ["not in"]),
    ast.NotIn: ("not in", ["in"]),
}
PAIRS = (
    "min max",
    "minimum maximum",
    "argmin argmax",
    "sin cos",
    "sinh cosh",
    "floor ceil",
    "any all",
    "logical_and logical_or",
    "zeros ones",
    "zeros_like ones_like",
)
FUNCTIONS = {one: other for pair in PAIRS for one, other in (pair.split(), reversed(pair.split()))}
SEQUENCES = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr)  # joined by +, which nothing else can be
SAFEGUARDS = ("strict", "stacklevel")  # arguments without which right code runs as before
WRAPPED = (ast.Pow, ast.BitAnd, ast.BitOr)  # what replaces these binds differently


@dataclass(frozen=True)
class Mutation:
    """One edit: bytes `start` to `end` of the file become `text`."""

    file: str  # relative to src/dovetail
    scope: str  # class and function, `Delay.step`
    line: int
    kind: str
    start: int
    end: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.file}::{self.scope}"

    def apply(self, source: str) -> str:
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()

    def change(self, source: str) -> str:
        """The lines that differ, `before -> after`."""
        before, after = source.splitlines(), self.apply(source).splitlines()
        edited = [
            (i, j, m, n)
            for tag, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            if tag != "equal"
        ]
        old = " ".join(line.strip() for i, j, _, _ in edited for line in before[i:j])
        new = " ".join(line.strip() for _, _, m, n in edited for line in after[m:n])
        return f"{old} -> {new}"

    def diff(self, source: str) -> str:
        name = f"src/dovetail/{self.file}"
        lines = source.splitlines(keepends=True), self.apply(source).splitlines(keepends=True)
        return "".join(unified_diff(*lines, name, name, n=2))


def mutations(source: str, file: str = "") -> list[list[Mutation]]:
    """For each place of a source that can be changed, its mutations, in the order of the text."""
    places = _Places(source, file)
    places.visit(ast.parse(source))
    return sorted((place for place in places.places if place), key=lambda place: place[0].start)


class _Places(ast.NodeVisitor):
    """Collects `places`: lists of mutations, one list for each node that can be changed."""

    def __init__(self, source: str, file: str):
        self.file, self.data = file, source.encode()
        self.offsets = [0]
        for line in self.data.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.places: list[list[Mutation]] = []
        self.names: list[str] = []
        self.inside = self.default = False

    # text

    def start(self, node: ast.AST) -> int:
        return self.offsets[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.offsets[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def add(self, kind: str, start: int, end: int, texts: list[str]) -> None:
        """One place: the bytes from `start` to `end`, and what may stand there instead."""
        line = self.data.count(b"\n", 0, start) + 1
        kind = "default" if self.default else kind
        scope = ".".join(self.names)
        self.places.append([Mutation(self.file, scope, line, kind, start, end, text) for text in texts])

    def between(self, left: ast.AST, right: ast.AST, operator: str) -> tuple[int, int]:
        """Where an operator stands between two operands; comments there are not looked at."""
        begin, stop = self.end(left), self.start(right)
        gap = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.data[begin:stop])
        pattern = re.escape(operator).replace(r"\ ", r"\s+").encode()
        match = re.search(pattern, gap)
        assert match is not None, (self.file, left.lineno, operator)  # type: ignore[attr-defined]
        return begin + match.start(), begin + match.end()

    def negate(self, test: ast.expr) -> None:
        self.add("branch", self.start(test), self.end(test), [f"(not ({self.text(test)}))"])

    # what is looked at

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outside = self.inside, self.default
        self.names.append(node.name)
        self.inside = self.default = True
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.default = False
        for statement in node.body:
            self.visit(statement)
        self.names.pop()
        self.inside, self.default = outside

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self.names.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A message."""

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in SAFEGUARDS:
            self.generic_visit(node)

    # what is changed

    def visit(self, node: ast.AST) -> None:
        if self.inside and (change := getattr(self, f"change_{type(node).__name__}", None)):
            change(node)
        super().visit(node)

    def change_BinOp(self, node: ast.BinOp) -> None:
        operands = (node.left, node.right)
        if any(isinstance(side, SEQUENCES) or _is_string(side) for side in operands):
            return
        if type(node.op) not in BINARY:
            return
        operator, others = BINARY[type(node.op)]
        start, end = self.between(*operands, operator)
        if not isinstance(node.op, WRAPPED):
            self.add("operator", start, end, others)
            return
        first, last = self.start(node), self.end(node)
        before, after = self.data[first:start].decode(), self.data[end:last].decode()
        self.add("operator", first, last, [f"({before}{other}{after})" for other in others])

    def change_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in BINARY and not isinstance(node.value, SEQUENCES) and not _is_string(node.value):
            operator, others = BINARY[type(node.op)]
            place = self.between(node.target, node.value, f"{operator}=")
            self.add("operator", *place, [f"{other}=" for other in others])

    def change_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, operation, right in zip(sides, node.ops, sides[1:], strict=False):
            operator, others = COMPARED[type(operation)]
            self.add("comparison", *self.between(left, right, operator), others)

    def change_BoolOp(self, node: ast.BoolOp) -> None:
        operator, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.add("logic", *self.between(left, right, operator), [other])

    def change_UnaryOp(self, node: ast.UnaryOp) -> None:
        sign = {ast.USub: "-", ast.Not: "not", ast.Invert: "~"}.get(type(node.op))
        if sign:
            start = self.start(node)
            self.add("sign", start, start + len(sign), [""])

    def change_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            others = [repr(not value)]
        elif isinstance(value, int):
            others = [str(value + 1), str(value - 1) if value > 0 else "(-1)"]
            others += [str(2 * value)] if value > 1 else []
        elif isinstance(value, float):
            others = [repr(2 * value), repr(value / 2)] if value else ["1.0"]
        else:
            return
        self.add("constant", self.start(node), self.end(node), others)

    def change_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        end = self.end(node.func)
        if name in FUNCTIONS:
            self.add("function", end - len(name), end, [FUNCTIONS[name]])
        elif name == "abs":
            self.add("function", self.start(node.func), end, [""])
        elif name == "where" and len(node.args) == 3:
            one, other = node.args[1:]
            gap = self.data[self.end(one) : self.start(other)].decode()
            swapped = self.text(other) + gap + self.text(one)
            self.add("branch", self.start(one), self.end(other), [swapped])
        elif name == "range" and node.args:
            self.shift(node.args[min(1, len(node.args) - 1)])

    def change_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None:
                self.shift(bound)

    def shift(self, bound: ast.expr) -> None:
        """A bound that is no number, which is a constant, becomes its neighbour."""
        if not isinstance(bound, ast.Constant | ast.UnaryOp):
            text = self.text(bound)
            self.add("bound", self.start(bound), self.end(bound), [f"({text}) + 1", f"({text}) - 1"])

    def change_If(self, node: ast.If | ast.IfExp) -> None:
        self.negate(node.test)

    change_IfExp = change_If

    def change_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.negate(test)


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
