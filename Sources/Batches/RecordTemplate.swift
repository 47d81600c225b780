import OdographCivilTime
import OdographJSON

/// The records of a table: the shape that they share, and the columns of their values.
indirect enum RecordTemplate {
    /// An object. Its keys are JSON strings without their quotes and escapes.
    case object([[UInt8]: RecordTemplate])
    /// A value that all records share, as JSON text.
    case constant([UInt8])
    /// The value of each record, as JSON text.
    case column([[UInt8]])

    /// Reads a template.
    /// - Throws: ``BatchError`` for a column in no known form, `JSONError` for a text that is not JSON.
    init(_ scanner: inout JSONScanner, depth: Int = 1) throws {
        switch try scanner.kind() {
        case .object:
            guard depth < JSONScanner.maximumDepth else { throw BatchError("a record is nested too deeply") }
            scanner.open()
            var members: [[UInt8]: RecordTemplate] = [:]
            while try scanner.nextMember() {
                let key = Array(scanner.text)
                guard members.updateValue(try RecordTemplate(&scanner, depth: depth + 1), forKey: key) == nil else {
                    throw BatchError("a record has a key twice")
                }
            }
            self = .object(members)
        case .array: self = .column(try Self.readColumn(&scanner))
        default: self = .constant(try scanner.readText())
        }
    }

    private static func readColumn(_ scanner: inout JSONScanner) throws -> [[UInt8]] {
        scanner.open()
        guard try scanner.nextElement() else { throw BatchError("a column is empty") }
        let values = try readValues(&scanner)
        guard !values.isEmpty else { throw BatchError("a column is empty") }
        return values
    }

    private static func readValues(_ scanner: inout JSONScanner) throws -> [[UInt8]] {
        var values: [[UInt8]] = []
        guard try scanner.kind() == .string else {
            let decimals = try readInteger(&scanner)
            guard (0...ScaledDecimal.mostDecimals).contains(Int(clamping: decimals)) else {
                throw BatchError("a column has a count of decimals outside 0 to \(ScaledDecimal.mostDecimals)")
            }
            try readSums(&scanner) { sum in
                try append(ScaledDecimal.text(of: sum, decimals: Int(decimals)), to: &values)
            }
            return values
        }
        try scanner.readString()
        switch scanner.string {
        case ColumnWriter.listTag:
            while try scanner.nextElement() { try append(try scanner.readText(), to: &values) }
        case ColumnWriter.instantTag:
            try readSums(&scanner) { sum in
                try append(Array("\"\(Timestamp(millisecondsSinceEpoch: sum).iso8601)\"".utf8), to: &values)
            }
        default: throw BatchError("a column has an unknown tag")
        }
        return values
    }

    private static func append(_ value: [UInt8], to values: inout [[UInt8]]) throws {
        guard values.count < BatchBounds.records else {
            throw BatchError("a column has more than \(BatchBounds.records) values")
        }
        values.append(value)
    }

    private static func readSums(_ scanner: inout JSONScanner, _ append: (Int64) throws -> Void) throws {
        var sum: Int64 = 0
        while try scanner.nextElement() {
            let (next, isTooLarge) = sum.addingReportingOverflow(try readInteger(&scanner))
            guard !isTooLarge, next.magnitude <= ScaledDecimal.largestMantissa.magnitude else {
                throw BatchError("a sum of differences exceeds 2^52")
            }
            sum = next
            try append(sum)
        }
    }

    private static func readInteger(_ scanner: inout JSONScanner) throws -> Int64 {
        guard try scanner.kind() == .number else { throw BatchError("a column has a difference that is no number") }
        try scanner.readNumberText()
        guard let integer = Int64(String(decoding: scanner.text, as: UTF8.self)) else {
            throw BatchError("a column has a difference that is no integer")
        }
        return integer
    }
}

extension JSONScanner {
    /// Reads the text of the next value.
    mutating func readText() throws(JSONError) -> [UInt8] {
        _ = try peekToken()
        let start = position
        try skipValue()
        return Array(bytes[start..<position])
    }
}
