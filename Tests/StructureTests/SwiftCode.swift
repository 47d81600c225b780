/// The code of a Swift file without comments and texts. What is interpolated in a text is code.
struct SwiftCode {
    private let source: [UInt8]
    private var place = 0
    /// The code.
    private(set) var bytes: [UInt8] = []

    init(_ source: [UInt8]) {
        self.source = source
        bytes.reserveCapacity(source.count)
        readCode(isInterpolation: false)
    }

    /// Reads all code, or that of an interpolation, which ends with its parenthesis.
    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while place < source.count {
            if isNext("//") {
                while place < source.count, !isNext("\n") { place += 1 }
            } else if isNext("#/") {
                // A regular expression.
                repeat { place += 1 } while place < source.count && !isNext("/#")
                place += 2
            } else if isNext("#\"") {
                place += 1
                readText(isNext("\"\"\"") ? "\"\"\"#" : "\"#", interpolation: "\\#(", escape: "\\#")
            } else if isNext("\"") {
                readText(isNext("\"\"\"") ? "\"\"\"" : "\"", interpolation: "\\(", escape: "\\")
            } else {
                if isNext("(") { depth += 1 } else if isNext(")") { depth -= 1 }
                if !isInterpolation || depth >= 0 { bytes.append(source[place]) }
                place += 1
                if isInterpolation, depth < 0 { return }
            }
        }
    }

    /// Reads a text.
    /// - Parameters:
    ///   - end: The characters that end it. It begins with the quotes of them.
    ///   - interpolation: The beginning of an interpolation.
    ///   - escape: What makes the next character one of the text.
    private mutating func readText(_ end: StaticString, interpolation: StaticString, escape: StaticString) {
        place += end.utf8CodeUnitCount - (escape.utf8CodeUnitCount - 1)
        while place < source.count, !isNext(end) {
            if isNext(interpolation) {
                place += interpolation.utf8CodeUnitCount
                // Apart from the code before it.
                bytes.append(UInt8(ascii: " "))
                readCode(isInterpolation: true)
                bytes.append(UInt8(ascii: " "))
            } else {
                place += isNext(escape) ? escape.utf8CodeUnitCount + 1 : 1
            }
        }
        place += end.utf8CodeUnitCount
        bytes.append(UInt8(ascii: " "))
    }

    private func isNext(_ text: StaticString) -> Bool {
        guard place + text.utf8CodeUnitCount <= source.count else { return false }
        for index in 0..<text.utf8CodeUnitCount where source[place + index] != text.utf8Start[index] { return false }
        return true
    }
}
