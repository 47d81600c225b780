"""Writes many changes into one program, of which one at a time is switched on while it runs.

A change of a constant becomes `(isChanged(7) ? 6 : 5)`, one of an operator an operator of its own that asks the same. So a
module is compiled once for all changes. What does not compile in this form is left to be compiled alone.
"""
import re

# What an operator of its own is declared as: its precedence, its parameters and result, and the types that it takes.
COMPARISON = ("ComparisonPrecedence", "(a: T, b: T) -> Bool", "a {} b")
SUM = ("AdditionPrecedence", "(a: T, b: T) -> T", "a {} b")
PRODUCT = ("MultiplicationPrecedence", "(a: T, b: T) -> T", "a {} b")
ASSIGNMENT = ("AssignmentPrecedence", "(a: inout T, b: T)", "a {} b")
KINDS = {
    "==": (COMPARISON, ["T: Equatable"]), "!=": (COMPARISON, ["T: Equatable"]),
    "<": (COMPARISON, ["T: Comparable"]), "<=": (COMPARISON, ["T: Comparable"]),
    ">": (COMPARISON, ["T: Comparable"]), ">=": (COMPARISON, ["T: Comparable"]),
    "+": (SUM, ["T: AdditiveArithmetic"]), "-": (SUM, ["T: AdditiveArithmetic"]),
    "&+": (SUM, ["T: FixedWidthInteger"]),
    "*": (PRODUCT, ["T: BinaryInteger", "T: FloatingPoint"]), "/": (PRODUCT, ["T: BinaryInteger", "T: FloatingPoint"]),
    "<<": (("BitwiseShiftPrecedence", "(a: T, b: S) -> T", "a {} b"), ["T: BinaryInteger, S: BinaryInteger"]),
    ">>": (("BitwiseShiftPrecedence", "(a: T, b: S) -> T", "a {} b"), ["T: BinaryInteger, S: BinaryInteger"]),
    "+=": (ASSIGNMENT, ["T: AdditiveArithmetic"]), "-=": (ASSIGNMENT, ["T: AdditiveArithmetic"]),
    "&&": (("LogicalConjunctionPrecedence", "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool", "try a {} b()"), [""]),
    "||": (("LogicalDisjunctionPrecedence", "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool", "try a {} b()"), [""]),
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
    if mutant.old in KINDS:
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
        if mutant.old not in KINDS:
            continue
        (precedence, signature, body), types = KINDS[mutant.old]
        name = operator(number)
        lines.append(f"infix operator {name}: {precedence}")
        for type in types:
            old, new = body.format(mutant.old), body.format(mutant.new)
            lines.append(
                f"func {name} {f'<{type}>' if type else ''}{signature} "
                f"{{ if isChanged({number}) {{ {'' if 'inout' in signature else 'return '}{new} }} "
                f"else {{ {'' if 'inout' in signature else 'return '}{old} }} }}")
    return "\n".join(lines) + "\n"
