import OdographCivilTime

/// Writes the values of one key in all records of a table as one JSON value.
enum ColumnWriter {
    /// The tag of a list of values.
    static let listTag = "v"
    /// The tag of a list of instants as differences.
    static let instantTag = "t"

    /// Returns the shortest form that gives exactly these values.
    /// - Parameter values: The JSON text of each value, at least one. None is an object.
    static func column(of values: [ArraySlice<UInt8>]) -> [UInt8] {
        let first = values[0]
        // An array would be read as a column.
        if first.first != UInt8(ascii: "["), values.dropFirst().allSatisfy({ $0 == first }) { return Array(first) }
        let listCount = listTag.utf8.count + 4 + values.reduce(0) { $0 + $1.count + 1 }
        if let differences = decimals(values) ?? instants(values), differences.count <= listCount { return differences }
        return Array("[\"\(listTag)\",".utf8) + values.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    private static func decimals(_ values: [ArraySlice<UInt8>]) -> [UInt8]? {
        var numbers: [ScaledDecimal] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            guard let number = ScaledDecimal(value) else { return nil }
            numbers.append(number)
        }
        let decimals = numbers.reduce(0) { max($0, $1.decimals) }
        var mantissas: [Int64] = []
        mantissas.reserveCapacity(values.count)
        for number in numbers {
            guard let mantissa = number.mantissa(decimals: decimals) else { return nil }
            mantissas.append(mantissa)
        }
        return differences(of: mantissas, tag: "\(decimals)")
    }

    private static func instants(_ values: [ArraySlice<UInt8>]) -> [UInt8]? {
        var times: [Int64] = []
        times.reserveCapacity(values.count)
        for value in values {
            let parsed = value.dropFirst().dropLast().withUnsafeBufferPointer { Timestamp(iso8601Bytes: $0) }
            // Some languages have no year 0.
            guard let time = parsed, !value.dropFirst().starts(with: "0000".utf8),
                value.elementsEqual("\"\(time.iso8601)\"".utf8)
            else { return nil }
            times.append(time.millisecondsSinceEpoch)
        }
        return differences(of: times, tag: "\"\(instantTag)\"")
    }

    private static func differences(of values: [Int64], tag: String) -> [UInt8] {
        var text = Array("[\(tag)".utf8)
        text.reserveCapacity(values.count * 4)
        var previous: Int64 = 0
        for value in values {
            text.append(UInt8(ascii: ","))
            append(value - previous, to: &text)
            previous = value
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    private static func append(_ number: Int64, to text: inout [UInt8]) {
        if number < 0 { text.append(UInt8(ascii: "-")) }
        let start = text.count
        var rest = number.magnitude
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }
}
