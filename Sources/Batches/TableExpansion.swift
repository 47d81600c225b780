import OdographJSON
import OdographWire

/// Puts the records of a table together: the template with the members that the message states once.
struct TableExpansion {
    private enum Part {
        case text([UInt8])
        case column([[UInt8]])
        case uuid
    }

    private var parts: [Part] = []
    /// The text after the last part.
    private var text: [UInt8] = []
    private let seqs: [Int64]
    private let identity: EpochIdentity?
    private let count: Int

    /// - Parameters:
    ///   - template: The template.
    ///   - count: The number of records.
    ///   - deviceID: The device's name as JSON.
    ///   - epoch: The epoch of the records.
    ///   - identity: The identities of the epoch; nil if the records have their UUIDs.
    init(
        _ template: RecordTemplate, count: Int, deviceID: [UInt8], epoch: Int64, identity: EpochIdentity?
    ) throws(BatchError) {
        guard case .object(var message) = template, message.count == 1, let (name, content) = message.first,
            case .object(var record) = content
        else { throw BatchError("a template is not an object with one object") }
        self.identity = identity
        self.count = count
        seqs = try Self.seqs(record[Array("seq".utf8)], count: count)
        let (epochKey, uuidKey, deviceKey) = (Array("epoch".utf8), Array("uuid".utf8), Array("device_id".utf8))
        guard record[epochKey] == nil, name != deviceKey else {
            throw BatchError("a template contains device_id or epoch")
        }
        record[epochKey] = .constant(Array(String(epoch).utf8))
        let isComputed = record[uuidKey] == nil
        guard !isComputed || identity != nil else { throw BatchError("uuid and seed are both missing") }
        // The empty column stands for the UUIDs: no column of a template is empty in a table with records.
        if isComputed { record[uuidKey] = .column([]) }
        message = [deviceKey: .constant(deviceID), name: .object(record)]
        try append(.object(message))
        parts.append(.text(text))
    }

    private static func seqs(_ template: RecordTemplate?, count: Int) throws(BatchError) -> [Int64] {
        let texts: [[UInt8]]
        switch template {
        case .constant(let text)? where count == 1: texts = [text]
        case .column(let column)? where column.count == count: texts = column
        default: throw BatchError("seq is not a column of the table's length")
        }
        let seqs = texts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard seqs.count == count else { throw BatchError("a seq is no integer") }
        return seqs
    }

    private mutating func append(_ template: RecordTemplate) throws(BatchError) {
        switch template {
        case .constant(let value): text += value
        case .column(let column) where column.isEmpty: append(part: .uuid)
        case .column(let column):
            guard column.count == count else {
                throw BatchError("a column has \(column.count) values, and the table has \(count) records")
            }
            append(part: .column(column))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            // The canonical form has the keys in the order of their bytes.
            let sorted = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONStringWriter.append(member.key, to: &text, usingLetters: true)
                text.append(UInt8(ascii: ":"))
                try append(member.value)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private mutating func append(part: Part) {
        parts += [.text(text), part]
        text.removeAll()
    }

    /// Returns a record.
    /// - Parameter row: The index of the record, from 0.
    func record(_ row: Int) throws(BatchError) -> (seq: Int64, payload: [UInt8]) {
        let seq = seqs[row]
        var payload: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): payload += text
            case .column(let column): payload += column[row]
            case .uuid:
                guard let identity else { throw BatchError("uuid and seed are both missing") }
                payload += "\"\(identity.identity(forSeq: seq).uuid)\"".utf8
            }
        }
        return (seq, payload)
    }
}
