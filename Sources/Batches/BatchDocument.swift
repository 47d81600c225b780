import OdographJSON
import OdographWire

/// The document of a batch.
struct BatchDocument {
    /// Records of one channel and one shape.
    private struct Table {
        var channel: UplinkChannel
        var count: Int
        var template: RecordTemplate
    }

    private var deviceID: [UInt8]?
    private var epoch: Int64?
    private var seed: EpochIdentity.Seed?
    private var tables: [Table] = []
    private var plain: [BatchRecord] = []

    /// Reads a document. Skips keys that a later version can add.
    init(_ scanner: inout JSONScanner) throws {
        guard try scanner.kind() == .object else { throw BatchError("the document is no object") }
        scanner.open()
        while try scanner.nextMember() {
            switch scanner.string {
            case "device_id": deviceID = try Self.readString(&scanner, "device_id", quoted: true)
            case "epoch": epoch = try Self.readInteger(&scanner, "epoch")
            case "seed": seed = try Self.readSeed(&scanner)
            case "tables":
                try Self.readList(&scanner, "tables") { scanner in tables.append(try Self.readTable(&scanner)) }
            case "plain":
                try Self.readList(&scanner, "plain") { scanner in plain.append(try Self.readPlain(&scanner)) }
            default: try scanner.skipValue()
            }
        }
    }

    /// Returns the records in the order of their numbers.
    func records() throws -> [BatchRecord] {
        guard let deviceID, let epoch else { throw BatchError("device_id or epoch is missing") }
        var records = plain
        var bytes = 0
        for record in plain { try Self.add(record.payload.count, to: &bytes, of: plain.count) }
        let identity = seed.map { EpochIdentity(epoch: epoch, seed: $0) }
        for table in tables {
            guard records.count + table.count <= BatchBounds.records else {
                throw BatchError("more than \(BatchBounds.records) records")
            }
            let expansion = try TableExpansion(
                table.template, count: table.count, deviceID: deviceID, epoch: epoch, identity: identity)
            for row in 0..<table.count {
                let (seq, payload) = try expansion.record(row)
                records.append(BatchRecord(channel: table.channel, seq: seq, payload: payload))
                try Self.add(payload.count, to: &bytes, of: records.count)
            }
        }
        return records.sorted { $0.seq < $1.seq }
    }

    /// Adds the size of a payload to the size of all.
    /// - Parameter count: The number of records so far. A batch of one record can be larger.
    private static func add(_ size: Int, to bytes: inout Int, of count: Int) throws {
        bytes += size
        let most = count == 1 ? BatchBounds.recordBytes : BatchBounds.bytes
        guard bytes <= most else {
            throw BatchError("more than \(most) bytes of \(count == 1 ? "a record" : "records")")
        }
    }

    private static func readList(
        _ scanner: inout JSONScanner, _ key: String, _ read: (inout JSONScanner) throws -> Void
    ) throws {
        guard try scanner.kind() == .array else { throw BatchError("\(key) is no array") }
        scanner.open()
        var count = 0
        while try scanner.nextElement() {
            count += 1
            guard count <= BatchBounds.records else {
                throw BatchError("\(key) has more than \(BatchBounds.records) elements")
            }
            try read(&scanner)
        }
    }

    private static func readTable(_ scanner: inout JSONScanner) throws -> Table {
        guard try scanner.kind() == .object else { throw BatchError("a table is no object") }
        scanner.open()
        var (channel, count, template): (UplinkChannel?, Int64?, RecordTemplate?)
        while try scanner.nextMember() {
            switch scanner.string {
            case "channel": channel = try readChannel(&scanner)
            case "count": count = try readInteger(&scanner, "count")
            case "records": template = try RecordTemplate(&scanner)
            default: try scanner.skipValue()
            }
        }
        guard let channel, let count, let template else {
            throw BatchError("a table has no channel, count or records")
        }
        guard (1...Int64(BatchBounds.records)).contains(count) else {
            throw BatchError("count is not from 1 to \(BatchBounds.records)")
        }
        return Table(channel: channel, count: Int(count), template: template)
    }

    private static func readPlain(_ scanner: inout JSONScanner) throws -> BatchRecord {
        let problem = BatchError("an element of plain is not channel, seq and payload")
        guard try scanner.kind() == .array else { throw problem }
        scanner.open()
        guard try scanner.nextElement(), case let channel = try readChannel(&scanner), try scanner.nextElement(),
            case let seq = try readInteger(&scanner, "seq"), try scanner.nextElement(),
            case let payload = try readString(&scanner, "payload", quoted: false), try !scanner.nextElement()
        else { throw problem }
        return BatchRecord(channel: channel, seq: seq, payload: payload)
    }

    private static func readChannel(_ scanner: inout JSONScanner) throws -> UplinkChannel {
        let name = String(decoding: try readString(&scanner, "channel", quoted: false), as: UTF8.self)
        switch UplinkChannel(rawValue: name) {
        case .location?: return .location
        case .geofence?: return .geofence
        case .timeline?: return .timeline
        case .givenUp?: return .givenUp
        default: throw BatchError("channel is not one of records")
        }
    }

    private static func readSeed(_ scanner: inout JSONScanner) throws -> EpochIdentity.Seed {
        let digits = String(decoding: try readString(&scanner, "seed", quoted: false), as: UTF8.self)
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16), digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") })
        else { throw BatchError("seed is not 32 hexadecimal digits") }
        return EpochIdentity.Seed(high: high, low: low)
    }

    private static func readInteger(_ scanner: inout JSONScanner, _ key: String) throws -> Int64 {
        guard try scanner.kind() == .number else { throw BatchError("\(key) is no number") }
        try scanner.readNumberText()
        guard let integer = Int64(String(decoding: scanner.text, as: UTF8.self)) else {
            throw BatchError("\(key) is no integer")
        }
        return integer
    }

    /// - Parameter quoted: Whether to return the JSON string, or what it means.
    private static func readString(_ scanner: inout JSONScanner, _ key: String, quoted: Bool) throws -> [UInt8] {
        guard try scanner.kind() == .string else { throw BatchError("\(key) is no string") }
        if quoted { return try scanner.readText() }
        try scanner.readString()
        return Array(scanner.text)
    }
}
