"""How many disguised copies of programs are found among others that do the same.

    python benchmarks/code_copies.py

The programs are our own: eight tasks, four independent programs for each, in `code_programs.txt`, a
small part of Python. They are printed as Python, C, Java, JavaScript and Go, each in the style of
another author, with the frame, the helpers and the licence header that all of them were handed.
Of every program there are copies: renamed, reformatted (with other comments), reordered, rewritten
(loops, literals, assignments, conditions), and all of this at once. A pair of copies of one
program is right, any other is wrong, those for the same task above all. Figures go to
benchmarks/results/code_copies.json and docs/how-to/presets.md.
"""

from __future__ import annotations

import ast
import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import twinset
from pages import filled, table

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "code_copies.json"
PAGE = HERE.parent / "docs" / "how-to" / "presets.md"
LICENCE = """Copyright the teachers of this course. Permission is granted to use, copy
and change this file for the exercises of this term, with this notice on top.
It is provided as it is, without a warranty of any kind."""
REMARKS = ("go on", "the next one", "as in the lecture", "see the exercise", "careful", "done here")
NAMES = """alpha basket candle delta engine finger garden hammer island jacket kettle ladder mirror
needle orange pencil quarter ribbon saddle tunnel umbrella vessel window yellow zipper anchor bridge
copper dragon eleven forest guitar helmet indigo jungle kernel lemon magnet nectar oyster"""
KEPT = {"main", "print", "len", "range", "make_input", "show"}
TYPES = {
    "c": {"int": "int", "bool": "bool", "list[int]": "list *", "None": "void"},
    "java": {"int": "int", "bool": "boolean", "list[int]": "int[]", "None": "void"},
    "go": {"int": "int", "bool": "bool", "list[int]": "[]int", "None": ""},
}
FRAMES = {
    "python": ("", '\nif __name__ == "__main__":\n    main()\n'),
    "c": (
        "#include <stdbool.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
        "typedef struct {\n    int count;\n    int *at;\n} list;\n\n"
        "static list *new_list(int count) {\n    list *made = malloc(sizeof(list));\n"
        "    made->count = count;\n    made->at = calloc(count, sizeof(int));\n"
        "    return made;\n}\n\n",
        "",
    ),
    "java": ("import java.util.ArrayList;\nimport java.util.List;\n\npublic class Main {\n", "}\n"),
    "javascript": ("'use strict';\n\n", "\nmain();\n"),
    "go": ('package main\n\nimport "fmt"\n\n', ""),
}
LANGUAGES = tuple(FRAMES)
PROGRAMS = 32
PRINT = {
    "python": "print(%s)",
    "c": 'printf("%%d\\n", %s)',
    "java": "System.out.println(%s)",
    "javascript": "console.log(%s)",
    "go": "fmt.Println(%s)",
}
MAKE = {
    "python": "[0] * %s",
    "c": "new_list(%s)",
    "java": "new int[%s]",
    "javascript": "new Array(%s).fill(0)",
    "go": "make([]int, %s)",
}
OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&&",
    ast.Or: "||",
}
MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
Program = list[ast.FunctionDef]
Found = list[tuple[str, str, float]]


@dataclass(frozen=True)
class Style:
    """How an author sets a program."""

    indent: str
    brace_below: bool
    spaced: bool
    remarks: float
    blanks: float

    @classmethod
    def of(cls, rng: random.Random) -> Style:
        indent = rng.choice(["  ", "    ", "\t", "   "])
        remarks, blanks = rng.choice([0, 0.1, 0.4]), rng.choice([0, 0.1, 0.3])
        return cls(indent, rng.random() < 0.5, rng.random() < 0.6, remarks, blanks)


class Printer:
    """Prints a program in a language and a style."""

    def __init__(self, language: str, style: Style, rng: random.Random) -> None:
        self.language, self.style, self._rng = language, style, rng
        self._lines: list[str] = []
        self._braces = language != "python"
        self._end = ";" if language in ("c", "java", "javascript") else ""

    def program(self, functions: Program) -> str:
        mark = "//" if self._braces else "#"
        before, after = FRAMES[self.language]
        self._lines = [f"{mark} {line}" for line in LICENCE.splitlines()]
        self._lines += ["", *before.splitlines()]
        depth = 1 if self.language == "java" else 0
        if self.language == "c":
            self._lines += [self._head(each) + ";" for each in functions if each.name != "main"]
        for function in functions:
            self._lines.append("")
            main = self.language == "c" and function.name == "main"
            ending = [ast.parse("return 0").body[0]] if main else []
            self._block(self._head(function), [*function.body, *ending], depth)
        return "\n".join(self._lines) + "\n" + after

    def _head(self, node: ast.FunctionDef) -> str:
        names = [each.arg for each in node.args.args]
        if self.language in ("python", "javascript"):
            word = "def" if self.language == "python" else "function"
            return f"{word} {node.name}({', '.join(names)})"
        types = TYPES[self.language]
        of = [types[ast.unparse(each.annotation)] for each in node.args.args if each.annotation]
        result = types[ast.unparse(node.returns)] if node.returns else ""
        if self.language == "go":
            pairs = [f"{name} {kind}" for name, kind in zip(names, of, strict=True)]
            return f"func {node.name}({', '.join(pairs)}) {result}".rstrip()
        if node.name == "main":
            java = "public static void main(String[] args)"
            return java if self.language == "java" else "int main(void)"
        pairs = [f"{kind} {name}" for name, kind in zip(names, of, strict=True)]
        static = "static " if self.language == "java" else ""
        return f"{static}{result} {node.name}({', '.join(pairs)})"

    def _line(self, text: str, depth: int) -> None:
        style, mark = self.style, "//" if self._braces else "#"
        if self._rng.random() < style.blanks:
            self._lines.append("")
        if self._rng.random() < style.remarks:
            self._lines.append(f"{style.indent * depth}{mark} {self._rng.choice(REMARKS)}")
        self._lines.append(style.indent * depth + text)

    def _block(self, head: str, body: list[ast.stmt], depth: int) -> None:
        if not self._braces:
            self._line(head + ":", depth)
        elif self.style.brace_below and self.language != "go":
            self._line(head, depth)
            self._lines.append(self.style.indent * depth + "{")
        else:
            self._line(head + " {", depth)
        for each in body:
            self._statement(each, depth + 1)
        if self._braces:
            self._lines.append(self.style.indent * depth + "}")

    def _statement(self, node: ast.stmt, depth: int) -> None:
        said, between = self._said, self._between
        if isinstance(node, ast.If | ast.While):
            word = "if" if isinstance(node, ast.If) else "while"
            word = "for" if word == "while" and self.language == "go" else word
            test = said(node.test)
            plain = self.language in ("python", "go")
            self._block(f"{word} {test}" if plain else f"{word} ({test})", node.body, depth)
            if isinstance(node, ast.If) and node.orelse:
                self._else(node.orelse, depth)
        elif isinstance(node, ast.For):
            self._block(self._for(node), node.body, depth)
        elif isinstance(node, ast.Return):
            self._line(f"return {said(node.value)}".rstrip() + self._end, depth)
        elif isinstance(node, ast.Break):
            self._line("break" + self._end, depth)
        elif isinstance(node, ast.Expr):
            self._line(said(node.value) + self._end, depth)
        elif isinstance(node, ast.AugAssign):
            operator = OPERATORS[type(node.op)] + "="
            self._line(between(said(node.target), operator, said(node.value)) + self._end, depth)
        elif isinstance(node, ast.AnnAssign):
            target = said(node.target)
            if self.language in ("c", "java"):
                target = f"{TYPES[self.language][ast.unparse(node.annotation)]} {target}"
            target = f"let {target}" if self.language == "javascript" else target
            equal = ":=" if self.language == "go" else "="
            self._line(between(target, equal, said(node.value)) + self._end, depth)
        else:
            assert isinstance(node, ast.Assign), ast.dump(node)
            self._line(between(said(node.targets[0]), "=", said(node.value)) + self._end, depth)

    def _else(self, body: list[ast.stmt], depth: int) -> None:
        head = "else"
        if self._braces and (self.language == "go" or not self.style.brace_below):
            head = self._lines.pop().lstrip() + " else"
        self._block(head, body, depth)

    def _for(self, node: ast.For) -> str:
        assert isinstance(node.iter, ast.Call)
        name, bounds = self._said(node.target), [self._said(each) for each in node.iter.args]
        if self.language == "python":
            return f"for {name} in range({', '.join(bounds)})"
        low, high, *step = bounds
        declared = {"go": "", "javascript": "let "}.get(self.language, "int ")
        begin = self._between(declared + name, ":=" if self.language == "go" else "=", low)
        onward = self._between(name, "+=", step[0]) if step else f"{name}++"
        head = f"{begin}; {self._between(name, '<', high)}; {onward}"
        return f"for {head}" if self.language == "go" else f"for ({head})"

    def _between(self, left: str, operator: str, right: str) -> str:
        blank = " " if self.style.spaced or operator.isalpha() else ""
        return f"{left}{blank}{operator}{blank}{right}"

    def _said(self, node: ast.expr | None) -> str:
        language, said = self.language, self._said
        if node is None:
            return ""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Constant):
            return str(node.value) if language == "python" else str(node.value).lower()
        if isinstance(node, ast.Subscript):
            arrow = "->at" if language == "c" else ""
            return f"{said(node.value)}{arrow}[{said(node.slice)}]"
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            arguments = ", ".join(map(said, node.args))
            if node.func.id == "print":
                return PRINT[language] % arguments
            if node.func.id == "len" and language not in ("python", "go"):
                return f"{arguments}->count" if language == "c" else f"{arguments}.length"
            return f"{node.func.id}({arguments})"
        if isinstance(node, ast.UnaryOp):
            sign = "-" if isinstance(node.op, ast.USub) else "not " if language == "python" else "!"
            inner = said(node.operand)
            return f"{sign}({inner})" if isinstance(node.operand, ast.Compare) else sign + inner
        if isinstance(node, ast.BoolOp):
            operator = OPERATORS[type(node.op)]
            if language == "python":
                operator = {"&&": "and", "||": "or"}[operator]
            parts = [
                f"({said(each)})" if isinstance(each, ast.BoolOp) else said(each)
                for each in node.values
            ]
            text = parts[0]
            for part in parts[1:]:
                text = self._between(text, operator, part)
            return text
        if isinstance(node, ast.Compare):
            return self._between(
                said(node.left), OPERATORS[type(node.ops[0])], said(node.comparators[0])
            )
        assert isinstance(node, ast.BinOp), ast.dump(node)
        if isinstance(node.left, ast.List):
            return MAKE[language] % self._inner(node.right, node)
        left, right = self._inner(node.left, node), self._inner(node.right, node, right=True)
        if isinstance(node.op, ast.FloorDiv) and language == "javascript":
            return f"Math.floor({self._between(left, '/', right)})"
        whole = isinstance(node.op, ast.FloorDiv) and language == "python"
        return self._between(left, "//" if whole else OPERATORS[type(node.op)], right)

    def _inner(self, node: ast.expr, outer: ast.BinOp, *, right: bool = False) -> str:
        text, additive = self._said(node), (ast.Add, ast.Sub)
        if not isinstance(node, ast.BinOp):
            return text
        lower = isinstance(node.op, additive) and not isinstance(outer.op, additive)
        return f"({text})" if right or lower else text


class Renaming(ast.NodeTransformer):
    """Gives every name of the author's own another one."""

    def __init__(self, rng: random.Random) -> None:
        self._fresh, self._names = rng.sample(NAMES.split(), 40), dict[str, str]()

    def _other(self, name: str) -> str:
        if name in KEPT:
            return name
        return self._names.setdefault(name, self._fresh[len(self._names)])

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._other(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self._other(node.arg), node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        assert node.value is not None
        target = self.visit(node.target)
        return ast.AnnAssign(target, node.annotation, self.visit(node.value), node.simple)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, returns, node.returns = self._other(node.name), node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node


class Rewriting(ast.NodeTransformer):
    """Writes half of the loops, literals, assignments and conditions in another way."""

    def __init__(self, rng: random.Random) -> None:
        self._rng, self._counters = rng, list[str]()

    def _chosen(self) -> bool:
        return self._rng.random() < 0.5

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        loops = [each.target for each in ast.walk(node) if isinstance(each, ast.For)]
        self._counters = [ast.unparse(target) for target in loops]
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        # A counter that two loops have would be declared twice.
        if self._counters.count(ast.unparse(node.target)) > 1 or not self._chosen():
            return node
        assert isinstance(node.iter, ast.Call)
        (low, high, *step), target = node.iter.args, node.target
        begin = ast.AnnAssign(target, ast.Name("int"), low, 1)
        test = ast.Compare(target, [ast.Lt()], [high])
        onward = ast.AugAssign(target, ast.Add(), step[0] if step else ast.Constant(1))
        return [begin, ast.While(test, [*node.body, onward], [])]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not self._chosen():
            return node
        return ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        mirrored = MIRRORED.get(type(node.ops[0]))
        if mirrored is None or not self._chosen():
            return node
        return ast.Compare(node.comparators[0], [mirrored()], [node.left])

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if not node.orelse or isinstance(node.orelse[0], ast.If) or not self._chosen():
            return node
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and node.value > 2 and self._chosen():
            return ast.Constant(node.value + self._rng.randrange(1, 9))
        return node


def own(edit: Callable[[random.Random], ast.NodeTransformer]) -> Callable[..., Program]:
    """The edit on all functions but those that were handed out."""

    def edited(program: Program, rng: random.Random) -> Program:
        made, editing = copy.deepcopy(program), edit(rng)
        return [each if each.name in KEPT - {"main"} else editing.visit(each) for each in made]

    return edited


def reordered(program: Program, rng: random.Random) -> Program:
    """The functions in another order, the last one not at the end."""
    made = list(program)
    while made == program or made[-1] is program[-1]:
        rng.shuffle(made)
    return made


renamed, rewritten = own(Renaming), own(Rewriting)


def programs() -> Iterator[tuple[str, Program]]:
    """The programs by task and name."""
    parts = re.split(r"^### (.*)\n", (HERE / "code_programs.txt").read_text("utf-8"), flags=re.M)
    written = dict(zip(parts[1::2], parts[2::2], strict=True))
    frame = written.pop("frame")
    for name, text in written.items():
        functions = ast.parse(frame + text).body
        yield name, [each for each in functions if isinstance(each, ast.FunctionDef)]


EDITS = ("renamed", "reformatted", "reordered", "rewritten", "all of these")


def documents(language: str, seed: int = 1) -> list[tuple[str, str]]:
    """All programs in a language, and their copies."""
    rows = []
    for name, program in programs():
        rng = random.Random(f"{seed} {language} {name}")
        style, other = Style.of(rng), Style.of(rng)
        while other == style:
            other = Style.of(rng)
        every = reordered(rewritten(renamed(program, rng), rng), rng)
        copies = {
            "original": (program, style),
            "renamed": (renamed(program, rng), style),
            "reformatted": (program, other),
            "reordered": (reordered(program, rng), style),
            "rewritten": (rewritten(program, rng), style),
            "all of these": (every, other),
        }
        for kind, (made, its) in copies.items():
            rows.append((f"{name}: {kind}", Printer(language, its, rng).program(made)))
    return rows


@dataclass(frozen=True)
class Counted:
    """The pairs that were found among the documents of some languages."""

    right: int
    wrong: int
    same_task: int
    found: Counter[str]
    languages: int

    @classmethod
    def of(cls, pairs: Sequence[Found], least: float = 0.0) -> Counted:
        """What is counted in the pairs of each language from a score on."""
        right = wrong = same_task = 0
        found = Counter[str]()
        for left, other, _ in (pair for each in pairs for pair in each if pair[2] >= least):
            (one, kind), (two, second) = left.split(": "), other.split(": ")
            right += one == two
            wrong += one != two
            same_task += one != two and one.split()[0] == two.split()[0]
            if one == two and "original" in (kind, second):
                found[second if kind == "original" else kind] += 1
        return cls(right, wrong, same_task, found, len(pairs))

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / (self.languages * PROGRAMS * len(list(combinations(range(6), 2))))

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-9)

    def as_dict(self) -> dict[str, Any]:
        copies = self.languages * PROGRAMS
        figures: dict[str, Any] = {edit: self.found[edit] / copies for edit in EDITS}
        figures |= {"recall": self.recall, "precision": self.precision}
        return {name: round(each, 3) for name, each in figures.items()} | {
            "wrong": self.wrong,
            "of these for the same task": self.same_task,
        }


def found(rows: Sequence[tuple[str, str]], **options: Any) -> Found:
    pairs = twinset.find(rows, **options).pairs
    return list(zip(*(pairs[name].to_pylist() for name in ("left", "right", "score")), strict=True))


def left_out(pairs: Mapping[str, Found]) -> dict[str, Any]:
    """The threshold of the best F1 on three languages, and what it gives on the other two."""
    rows = []
    for two in combinations(LANGUAGES, 2):
        three = [pairs[each] for each in LANGUAGES if each not in two]
        best = max((n / 100 for n in range(20, 80)), key=lambda least: Counted.of(three, least).f1)
        seen = Counted.of([pairs[each] for each in two], best)
        rows.append((best, seen.precision, seen.recall))
    thresholds, precisions, recalls = zip(*rows, strict=True)
    return {
        "thresholds": [min(thresholds), max(thresholds)],
        "least precision": round(min(precisions), 3),
        "least recall": round(min(recalls), 3),
    }


def main() -> None:
    rows = {language: documents(language) for language in LANGUAGES}
    figures: dict[str, Any] = {"programs": PROGRAMS, "languages": list(LANGUAGES), "presets": {}}
    for preset in ("code", "text", "training"):
        pairs = {each: found(rows[each], preset=preset) for each in LANGUAGES}
        figures["presets"][preset] = Counted.of(list(pairs.values())).as_dict() | {
            "worst": {
                "precision": round(min(Counted.of([each]).precision for each in pairs.values()), 3),
                "recall": round(min(Counted.of([each]).recall for each in pairs.values()), 3),
            }
        }
    figures["left_out"] = left_out(
        {each: found(rows[each], preset="code", threshold=0.2) for each in LANGUAGES}
    )
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), "code copies", text(figures)), "utf-8")


def text(figures: dict[str, Any]) -> str:
    """The table of the manual, and what thresholds of other languages give."""
    columns = [*EDITS, "precision"]
    body = [
        [f"`{preset}`", *(f"{figures['presets'][preset][column]:.3f}" for column in columns)]
        for preset in figures["presets"]
    ]
    out = figures["left_out"]
    least, most = out["thresholds"]
    return (
        table(["preset", *columns], body) + "\n\nA threshold chosen on three of the languages "
        f"({least:g} to {most:g}) gives the other two a precision of {out['least precision']:g} "
        f"or more, and a recall of {out['least recall']:g} or more."
    )


if __name__ == "__main__":
    main()
