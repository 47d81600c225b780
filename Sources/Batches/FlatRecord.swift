import OdographJSON

/// A record as the text of its template between the columns, and its values for the columns.
struct FlatRecord {
    /// The text before, between and after the values. Records with the same pieces are in one table.
    private(set) var pieces: [[UInt8]] = []
    /// The places of the values in the payload, in the order of the template.
    private(set) var values: [Range<Int>] = []
    /// The text of the whole record between its values.
    private(set) var shape = RecordShape()
    /// The text after the last value.
    private var piece: [UInt8] = []
    /// The whole record, in canonical form.
    private var canonical: [UInt8] = []
    /// The place in ``canonical`` behind the last part of ``shape``.
    private var partEnd = 0
    private var scanner: JSONScanner
    private let context: Context

    /// The values that the message states once for all records, and those that follow from them.
    struct Context {
        /// The device's name as JSON.
        var deviceID: [UInt8]
        /// The epoch as JSON.
        var epoch: [UInt8]
        /// The record's number as JSON.
        var seq: [UInt8]
        /// The UUID that the decoder computes, as JSON; nil if it computes none.
        var uuid: [UInt8]?
    }

    /// Creates the parts of a record. Nil if the decoder could not restore the same bytes: the payload is not
    /// canonical, contradicts the context, or does not have the form of a message with one record.
    init?(_ payload: [UInt8], _ context: Context) {
        scanner = JSONScanner(payload)
        self.context = context
        do throws(JSONError) {
            try readMessage()
            guard try scanner.isAtEnd() else { return nil }
        } catch {
            return nil
        }
        guard canonical == payload else { return nil }
        pieces.append(piece)
        shape.parts.append(.text(Array(canonical[partEnd...])))
    }

    private mutating func readMessage() throws(JSONError) {
        var (hasDevice, hasRecord) = (false, false)
        try readMembers { flat, key throws(JSONError) in
            guard key.elementsEqual("\"device_id\"".utf8) else {
                guard !hasRecord, try flat.scanner.kind() == .object else {
                    throw flat.scanner.failure("not a message with one record")
                }
                hasRecord = true
                return .record
            }
            hasDevice = true
            return .omitted(.deviceID, flat.context.deviceID)
        }
        guard hasDevice && hasRecord else { throw scanner.failure("not a message with one record") }
    }

    private mutating func readRecord() throws(JSONError) {
        var found: Set<String> = []
        try readMembers { flat, key throws(JSONError) in
            let name = String(decoding: key, as: UTF8.self)
            switch name {
            case "\"epoch\"":
                found.insert(name)
                return .omitted(.epoch, flat.context.epoch)
            case "\"uuid\"":
                found.insert(name)
                if let uuid = flat.context.uuid { return .omitted(.uuid, uuid) }
            case "\"seq\"":
                found.insert(name)
                guard try flat.nextText().elementsEqual(flat.context.seq) else {
                    throw flat.scanner.failure("another number")
                }
                return .value(.seq)
            default: break
            }
            return .value(.value)
        }
        guard found.count == 3 else { throw scanner.failure("a record without epoch, seq or uuid") }
    }

    private mutating func readValue(_ part: RecordShape.Part, depth: Int) throws(JSONError) {
        guard try scanner.kind() == .object else {
            let place = try readText()
            values.append(place)
            pieces.append(piece)
            piece.removeAll()
            append(part, scanner.bytes[place])
            return
        }
        guard depth < JSONScanner.maximumDepth else { throw scanner.failure("nested too deeply") }
        try readMembers(depth: depth + 1) { _, _ in .value(.value) }
    }

    /// Appends a value to the record, and to its shape as a part of its own.
    private mutating func append(_ part: RecordShape.Part, _ text: some Collection<UInt8>) {
        shape.parts.append(.text(Array(canonical[partEnd...])))
        shape.parts.append(part)
        canonical += text
        partEnd = canonical.count
    }

    private enum Member {
        /// The member is not in the template: the decoder knows its value.
        case omitted(RecordShape.Part, [UInt8])
        /// The member is in the template, and its value is in a column, or has members that are.
        case value(RecordShape.Part)
        /// The member is in the template: the record.
        case record
    }

    /// Reads an object.
    /// - Parameter choose: Returns what to do with the member of a key. The value is next.
    private mutating func readMembers(
        depth: Int = 2, _ choose: (inout FlatRecord, _ key: [UInt8]) throws(JSONError) -> Member
    ) throws(JSONError) {
        piece.append(UInt8(ascii: "{"))
        canonical.append(UInt8(ascii: "{"))
        scanner.open()
        var previous: [UInt8]?
        var isFirst = true
        while try scanner.nextMember() {
            // The keys of the canonical form are in the order of their bytes.
            let name = Array(scanner.text)
            if let previous, !previous.lexicographicallyPrecedes(name) { throw scanner.failure("not canonical") }
            if previous != nil { canonical.append(UInt8(ascii: ",")) }
            previous = name
            var key: [UInt8] = []
            JSONStringWriter.append(name, to: &key, usingLetters: true)
            canonical += key
            canonical.append(UInt8(ascii: ":"))
            let member = try choose(&self, key)
            if case .omitted(let part, let value) = member {
                try scanner.skipValue()
                append(part, value)
                continue
            }
            if !isFirst { piece.append(UInt8(ascii: ",")) }
            isFirst = false
            piece += key
            piece.append(UInt8(ascii: ":"))
            if case .value(let part) = member { try readValue(part, depth: depth) } else { try readRecord() }
        }
        piece.append(UInt8(ascii: "}"))
        canonical.append(UInt8(ascii: "}"))
    }

    /// Returns the text of the next value without consuming it.
    private func nextText() throws(JSONError) -> ArraySlice<UInt8> {
        var copy = self
        return scanner.bytes[try copy.readText()]
    }

    /// Reads the next value, and returns its place.
    private mutating func readText() throws(JSONError) -> Range<Int> {
        _ = try scanner.peekToken()
        let start = scanner.position
        try scanner.skipValue()
        return start..<scanner.position
    }
}
