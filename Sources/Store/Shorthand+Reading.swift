import CivilTime

extension Shorthand {
    /// The payload that some bytes of a row stand for. Bytes that a fault has changed give another payload, and no error.
    ///
    /// - Parameters: what the row's other columns say.
    static func payload(
        of bytes: UnsafeRawBufferPointer, epoch: Int64, seq: Int64, timestamp: Timestamp
    ) -> [UInt8] {
        if bytes.first == verbatim { return Array(bytes.dropFirst()) }
        let bound = bytes.reduce(0) { $0 + bounds[Int($1)] }
        // JSON as it is has nothing to be replaced.
        if bound == bytes.count { return Array(bytes) }
        return Array(unsafeUninitializedCapacity: bound) { text, count in
            var expansion = Expansion(text: text, epoch: epoch, seq: seq, timestamp: timestamp)
            expansion.write(bytes)
            count = expansion.count
        }
    }

    /// As many bytes as a byte stands for at most, by the byte.
    private static let bounds: [Int] = {
        var bounds = [Int](repeating: 1, count: 256)
        for (number, length) in [(epoch, 20), (seq, 20), (timestamp, 24), (uuid, uuidTextBytes)] {
            bounds[Int(number)] = length
        }
        for (index, phrase) in phrases.enumerated() {
            bounds[Int(firstPhrase) + index] = phrase.reduce(0) { $0 + bounds[Int($1)] }
        }
        return bounds
    }()

    /// The phrases one behind the other, where each lies, and whether nothing in it stands for something else: a backlog is read by the
    /// hundred thousand.
    private static let phraseText = phrases.flatMap { $0 }
    private static let phraseBounds: [(range: Range<Int>, isPlain: Bool)] = {
        var start = 0
        return phrases.map { phrase in
            defer { start += phrase.count }
            return (start..<start + phrase.count, phrase.allSatisfy { $0 >= firstPhrase })
        }
    }()

    /// Writes out what the codes stand for, into as many bytes as they may stand for at most.
    private struct Expansion {
        let text: UnsafeMutableBufferPointer<UInt8>
        let epoch: Int64
        let seq: Int64
        let timestamp: Timestamp
        var count = 0

        mutating func write(_ bytes: UnsafeRawBufferPointer) {
            Shorthand.phraseText.withUnsafeBufferPointer { phraseText in
                Shorthand.phraseBounds.withUnsafeBufferPointer { bounds in
                    var rest = bytes.makeIterator()
                    while let byte = rest.next() {
                        let index = Int(byte) - Int(firstPhrase)
                        if byte >= 0x20 {
                            put(byte)
                        } else if index < 0 || index >= bounds.count {
                            put(code: byte, &rest)
                        } else {
                            put(phraseText[bounds[index].range], isPlain: bounds[index].isPlain, &rest)
                        }
                    }
                }
            }
        }

        private mutating func put(
            _ phrase: Slice<UnsafeBufferPointer<UInt8>>, isPlain: Bool, _ rest: inout UnsafeRawBufferPointer.Iterator
        ) {
            if isPlain {
                _ = text[count...].update(fromContentsOf: phrase)
                count += phrase.count
                return
            }
            for part in phrase {
                if part < firstPhrase { put(code: part, &rest) } else { put(part) }
            }
        }

        private mutating func put(_ byte: UInt8) {
            text[count] = byte
            count += 1
        }

        private mutating func put(code: UInt8, _ rest: inout UnsafeRawBufferPointer.Iterator) {
            switch code {
            case Shorthand.epoch: put(number: epoch)
            case Shorthand.seq: put(number: seq)
            case Shorthand.timestamp: count += timestamp.writeISO8601(to: .init(rebasing: text[count...]))
            case uuid: putUUID(&rest)
            default: put(code)
            }
        }

        private mutating func put(number: Int64) {
            if number < 0 { put(UInt8(ascii: "-")) }
            var digits = 1
            var rest = number.magnitude
            while rest >= 10 {
                rest /= 10
                digits += 1
            }
            rest = number.magnitude
            for position in stride(from: count + digits - 1, through: count, by: -1) {
                text[position] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            count += digits
        }

        private mutating func putUUID(_ rest: inout UnsafeRawBufferPointer.Iterator) {
            for position in 0..<16 {
                if position == 4 || position == 6 || position == 8 || position == 10 { put(UInt8(ascii: "-")) }
                let byte = rest.next() ?? 0
                for digit in [byte >> 4, byte & 0xF] {
                    put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            }
        }
    }
}
