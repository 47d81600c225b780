"""Finds the places of a Swift module where one operator or constant can be changed."""
import dataclasses
import re

# An operator with a space on both sides, and what takes its place.
OPERATORS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "*": "/", "/": "*",
    "+=": "-=", "-=": "+=", "&&": "||", "||": "&&", "&+": "&-", "<<": ">>", ">>": "<<", "...": "..<", "..<": "...",
}
WORDS = {"true": "false", "false": "true", "max": "min", "min": "max", "first": "last", "last": "first"}

# What is no code: comments, and literals of text with and without "#".
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|(#*)"""(?:.|\n)*?"""\1|(#+)"[^\n]*?"\2|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PLACES = re.compile(
    r"(?<= )(?:==|!=|<=|>=|\+=|-=|&&|\|\||&\+|<<|>>|[-+*/<>])(?= )"
    r"|\.\.\.(?=[\w(-])|\.\.<"
    r"|\b(?:true|false)\b|\b(?:max|min)(?=\()|(?<=\.)(?:first|last)\b(?![(:])"
    r"|(?<![\w.$])\d[\d_]*(?:\.\d[\d_]*)?(?![\w.])")
# Attributes, imports, conditions of compilation and hints at the size of an array have no behaviour of their own.
SKIPPED_LINE = re.compile(r"\s*(?:@available|#if|#elseif|import )|.*\breserveCapacity\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change at one place."""

    module: str
    path: str
    offset: int
    line: int
    text: str
    column: int
    old: str
    new: str

    @property
    def key(self):
        """Names the change, also after lines above it have changed."""
        return (self.path, self.text, self.column, self.new)

    def __str__(self):
        return f"{self.path}:{self.line}: {self.old} → {self.new} in: {self.text}"


def replacement(old):
    """What takes the place of an operator, a word or a constant."""
    if old in OPERATORS or old in WORDS:
        return OPERATORS.get(old) or WORDS[old]
    if "." in old:
        return "1.0" if float(old.replace("_", "")) == 0 else f"(2 * {old})"
    return str(int(old.replace("_", "")) + 1)


def mutants(module, path, source):
    """All changes of a source file."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)
    for found in PLACES.finditer(code):
        start = source.rfind("\n", 0, found.start()) + 1
        end = source.find("\n", found.start())
        line = source[start:end]
        if SKIPPED_LINE.match(line):
            continue
        text = line.strip()
        column = found.start() - start - (len(line) - len(line.lstrip()))
        yield Mutant(
            module, path, found.start(), source.count("\n", 0, found.start()) + 1, text, column, found.group(),
            replacement(found.group()))
