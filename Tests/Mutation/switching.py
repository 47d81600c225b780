"""Writes many changes into one program, of which one at a time is switched on while it runs.

A change of a constant becomes `(isChanged(7) ? 6 : 5)`, one of an operator an operator of its own that asks the same. So a
module is compiled once for all changes. What does not compile in this form is left to be compiled alone.
"""
import re

# How an operator of its own is declared: its precedence, its parameters and result, and the types that it takes.
SAME = "(a: T, b: T) -> T"
BOOLEANS = "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool"
COMPARISON = ("Comparison", "(a: T, b: T) -> Bool", ["T: Comparable"])
SUM = ("Addition", SAME, ["T: AdditiveArithmetic"])
PRODUCT = ("Multiplication", SAME, ["T: BinaryInteger", "T: FloatingPoint"])
SHIFT = ("BitwiseShift", "(a: T, b: S) -> T", ["T: BinaryInteger, S: BinaryInteger"])
ASSIGNMENT = ("Assignment", "(a: inout T, b: T)", ["T: AdditiveArithmetic"])
EQUALITY = ("Comparison", "(a: T, b: T) -> Bool", ["T: Equatable"])
DECLARATIONS = {
    "==": EQUALITY, "!=": EQUALITY, "<": COMPARISON, "<=": COMPARISON, ">": COMPARISON, ">=": COMPARISON,
    "+": SUM, "-": SUM, "&+": ("Addition", SAME, ["T: FixedWidthInteger"]), "*": PRODUCT, "/": PRODUCT,
    "<<": SHIFT, ">>": SHIFT, "+=": ASSIGNMENT, "-=": ASSIGNMENT,
    "&&": ("LogicalConjunction", BOOLEANS, []), "||": ("LogicalDisjunction", BOOLEANS, []),
}
CONSTANT = re.compile(r"\d[\d_]*(?:\.\d[\d_]*)?|true|false")


def operator(number):
    """A name that no other operator has: the number in digits to the base 4."""
    digits = ""
    while True:
        number, digit = divmod(number, 4)
        digits = "←↑→↓"[digit] + digits
        if number == 0:
            return "⊙" + digits


def switched(mutant, number):
    """The text that takes the place of a mutant's; None where it has to be compiled alone."""
    if mutant.old in DECLARATIONS:
        return operator(number)
    if CONSTANT.fullmatch(mutant.old):
        return f"(isChanged({number}) ? {mutant.new} : {mutant.old})"
    return None


def rewritten(source, numbered):
    """A source file with all of its changes, each a number and a mutant."""
    for number, mutant in sorted(numbered, key=lambda pair: -pair[1].offset):
        end = mutant.offset + len(mutant.old)
        source = source[: mutant.offset] + switched(mutant, number) + source[end:]
    return source


def support(numbered, path):
    """The source file that all of them need.

    - path: of the file that holds the number of the change that is switched on.
    """
    lines = [
        "import Glibc", "",
        "private let number: Int = {",
        f'    guard let file = fopen("{path}", "r") else {{ return -1 }}',
        "    defer { fclose(file) }",
        "    var bytes = [CChar](repeating: 0, count: 32)",
        "    return fgets(&bytes, 32, file) == nil ? -1 : atol(bytes)",
        "}()", "",
        "func isChanged(_ change: Int) -> Bool { number == change }", "",
    ]
    for number, mutant in numbered:
        if mutant.old not in DECLARATIONS:
            continue
        precedence, signature, types = DECLARATIONS[mutant.old]
        # The right side of && and || is a closure.
        attempt, right = ("try ", "b()") if not types else ("", "b")
        choice = f"{attempt}isChanged({number}) ? (a {mutant.new} {right}) : (a {mutant.old} {right})"
        lines.append(f"infix operator {operator(number)}: {precedence}Precedence")
        for generics in [f"<{names}>" for names in types] or [""]:
            lines.append(f"func {operator(number)} {generics}{signature} {{ {choice} }}")
    return "\n".join(lines) + "\n"
