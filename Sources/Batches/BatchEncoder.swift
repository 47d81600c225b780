import OdographCompression
import OdographJSON
import OdographWire

/// Puts many records of one epoch into one message: JSON with columns of differences, compressed with zlib.
///
/// ``BatchDecoder`` returns the same payloads, byte for byte.
package struct BatchEncoder: Sendable {
    private let deviceID: [UInt8]
    private let epoch: Int64
    private let identity: EpochIdentity?

    /// - Parameters:
    ///   - deviceID: The device's name.
    ///   - epoch: The epoch of the records.
    ///   - seed: The seed of the epoch's UUIDs; nil if it is not known. The message then contains the UUIDs.
    package init(deviceID: String, epoch: Int64, seed: EpochIdentity.Seed?) {
        self.deviceID = Array(JSONStringWriter.string(deviceID).utf8)
        self.epoch = epoch
        identity = seed.map { EpochIdentity(epoch: epoch, seed: $0) }
    }

    /// The records of one channel and one shape.
    private struct Table {
        var channel: UplinkChannel
        var pieces: [[UInt8]]
        var shape: RecordShape
        var rows: [Row] = []

        /// The values of a record.
        struct Row {
            var payload: [UInt8]
            var places: [Range<Int>]
        }

        /// The properties that the records of a table share.
        struct Key: Hashable {
            var channel: UplinkChannel
            var pieces: [[UInt8]]
        }

        var text: [UInt8] {
            var text = Array("{\"channel\":\"\(channel.rawValue)\",\"count\":\(rows.count),\"records\":".utf8)
            for (index, piece) in pieces.enumerated() {
                text += piece
                guard index < pieces.count - 1 else { break }
                text += ColumnWriter.column(of: rows.map { $0.payload[$0.places[index]] })
            }
            text.append(UInt8(ascii: "}"))
            return text
        }
    }

    /// Returns the message. Nil if a payload is not UTF-8, or if memory is short.
    package func message(of records: [BatchRecord]) -> [UInt8]? {
        document(of: records).flatMap { DeflateFormat.zlib.compressed($0) }
    }

    /// Returns the message before its compression. Nil if a payload is not UTF-8.
    package func document(of records: [BatchRecord]) -> [UInt8]? {
        var tables: [Table] = []
        var indices: [Table.Key: Int] = [:]
        var plain: [[UInt8]] = []
        for record in records {
            let context = context(of: record)
            if let (index, places) = Self.place(of: record, context, in: tables) {
                tables[index].rows.append(Table.Row(payload: record.payload, places: places))
                continue
            }
            guard let flat = FlatRecord(record.payload, context) else {
                guard String(validating: record.payload, as: UTF8.self) != nil else { return nil }
                plain.append(Self.plainEntry(record))
                continue
            }
            let key = Table.Key(channel: record.channel, pieces: flat.pieces)
            let index = indices[key] ?? tables.count
            if index == tables.count {
                indices[key] = index
                tables.append(Table(channel: record.channel, pieces: flat.pieces, shape: flat.shape))
            }
            tables[index].rows.append(Table.Row(payload: record.payload, places: flat.values))
        }
        var text = Array("{\"device_id\":".utf8) + deviceID + Array(",\"epoch\":\(epoch)".utf8)
        if !plain.isEmpty { text += Array(",\"plain\":".utf8) + Self.list(plain) }
        if let seed = identity?.seed { text += ",\"seed\":\"\(seed.high.hexadecimal)\(seed.low.hexadecimal)\"".utf8 }
        text += Array(",\"tables\":".utf8) + Self.list(tables.map(\.text))
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Returns the table with the shape of a record, and the places of its values; nil if there is none yet.
    private static func place(
        of record: BatchRecord, _ context: FlatRecord.Context, in tables: [Table]
    ) -> (table: Int, places: [Range<Int>])? {
        for (index, table) in tables.enumerated() where table.channel == record.channel {
            if let places = table.shape.values(in: record.payload, context) { return (index, places) }
        }
        return nil
    }

    private func context(of record: BatchRecord) -> FlatRecord.Context {
        FlatRecord.Context(
            deviceID: deviceID, epoch: Array(String(epoch).utf8), seq: Array(String(record.seq).utf8),
            uuid: identity.map { Array("\"\($0.identity(forSeq: record.seq).uuid)\"".utf8) })
    }

    private static func plainEntry(_ record: BatchRecord) -> [UInt8] {
        var text = Array("[\"\(record.channel.rawValue)\",\(record.seq),".utf8)
        JSONStringWriter.append(record.payload, to: &text)
        text.append(UInt8(ascii: "]"))
        return text
    }

    private static func list(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}
