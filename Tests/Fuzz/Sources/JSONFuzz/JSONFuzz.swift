@testable import OdographJSON

/// Any bytes are read or refused with words, in one piece and in many the same. What strict JSON is, the other dialects
/// read to the same value, and what JSON5 reads is the same when it is written as strict JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = canonical(bytes, .strict, piecesOf: .max)
    precondition(whole == canonical(bytes, .strict, piecesOf: 1 + count % 7))
    let lenient = canonical(bytes, .lenient, piecesOf: .max)
    let json5 = Result { () throws(JSONError) in try JSON5Parser.value(of: bytes) }
    for error in [whole.error, lenient.error, json5.error] {
        if let error { precondition(!error.reason.isEmpty && error.line > 0 && error.column > 0) }
    }
    if case .success(let text) = whole {
        precondition(lenient == whole && canonical(Array(text.utf8), .strict, piecesOf: .max) == whole)
        let again = Result { () throws(JSONError) in try JSON5Parser.value(of: Array(text.utf8)) }
        if case .success(let value) = json5 { precondition(again == .success(value)) }
    }
    if case .success(let value) = json5, let written = try? JSONCoder.bytes(of: value) {
        precondition(canonical(written, .strict, piecesOf: .max).error == nil)
        let again = Result { () throws(JSONError) in try JSON5Parser.value(of: written) }
        precondition(again == .success(value))
    }
    // A number is read as the standard library reads it.
    var scanner = JSONScanner(bytes + [UInt8(ascii: ",")])
    if (try? scanner.kind()) == .number, let number = try? scanner.readNumber() {
        let spelling = bytes.prefix(scanner.position).drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
        precondition(number.bitPattern == Double(String(decoding: spelling, as: UTF8.self))?.bitPattern)
    }
    return 0
}

private func canonical(
    _ bytes: [UInt8], _ dialect: JSONScanner.Dialect, piecesOf length: Int
) -> Result<String, JSONError> {
    var rest = bytes.dropFirst(length)
    var scanner = JSONScanner(Array(bytes.prefix(length)), dialect: dialect) { () throws(JSONError) in
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }
    return Result { () throws(JSONError) in
        var reader = CanonicalJSONReader(maximumBytes: 1 << 12, sizeReason: "too long")
        let text = try reader.readValue(&scanner)
        guard try scanner.isAtEnd() else { throw scanner.failure("more follows") }
        // A key that is there twice, and a number beyond a double, are refused by JSON5.
        if let reason = reader.rejectionReason { throw JSONError(line: 1, column: 1, reason: reason) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
