extension ZoneRules {
    /// The greatest accepted size of a zone file, bytes. The largest file in use has less than 4 kB.
    public static let maximumFileBytes = 262_144

    /// Parses a zone file: TZif, version 1 to 4 (RFC 9636).
    ///
    /// The 64-bit block and the footer are used if they exist. Every count, index, time and offset is checked.
    /// - Parameters:
    ///   - identifier: The zone's name, for reports.
    ///   - bytes: The whole file.
    /// - Throws: ``ZoneRulesError`` with the first problem and its position.
    public init(identifier: String, tzif bytes: [UInt8]) throws(ZoneRulesError) {
        guard bytes.count <= Self.maximumFileBytes else {
            throw ZoneRulesError(at: nil, "\(bytes.count) bytes; a zone file has at most \(Self.maximumFileBytes)")
        }
        var reader = TZifReader(bytes: bytes)
        var header = try reader.header()
        var timeBytes = 4
        if header.version > 0 {
            try reader.skip(header.blockBytes(timeBytes: 4), "the 32-bit block")
            let first = header.version
            header = try reader.header()
            guard header.version == first else {
                throw ZoneRulesError(at: reader.position, "the second header's version differs from the first's")
            }
            timeBytes = 8
        }
        let block = try reader.block(header, timeBytes: timeBytes)
        var rule: YearlyRule?
        if header.version > 0 { rule = try reader.footer() }
        guard reader.isAtEnd else { throw ZoneRulesError(at: reader.position, "bytes follow the end of the zone") }
        self.init(
            identifier: identifier, transitionSeconds: block.transitionSeconds, offsets: block.offsets,
            initialOffsetSeconds: Int(block.initialOffset), yearlyRule: rule)
    }

    /// Parses a POSIX `TZ` text, `CET-1CEST,M3.5.0,M10.5.0/3`, as the rule for all years.
    /// - Throws: ``ZoneRulesError`` with the problem and its position.
    public init(identifier: String, posix text: String) throws(ZoneRulesError) {
        let rule = try YearlyRule(posix: text.utf8)
        self.init(identifier: identifier, initialOffsetSeconds: rule.standardOffsetSeconds, yearlyRule: rule)
    }
}

/// Reads the parts of a TZif file. Source: RFC 9636, section 3.
private struct TZifReader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    struct Header {
        var version = 0
        var utIndicators = 0
        var standardIndicators = 0
        var leapSeconds = 0
        var transitions = 0
        var types = 0
        var nameBytes = 0

        /// Returns the length of a data block. It cannot overflow in 64 bits, because each count is below 2³².
        func blockBytes(timeBytes: Int) -> Int {
            transitions * (timeBytes + 1) + types * 6 + nameBytes + leapSeconds * (timeBytes + 4)
                + standardIndicators + utIndicators
        }
    }

    struct Block {
        var transitionSeconds: [Int64] = []
        var offsets: [Int32] = []
        var initialOffset: Int32 = 0
    }

    func error(_ reason: String) -> ZoneRulesError { ZoneRulesError(at: position, reason) }

    func require(_ count: Int, _ what: String) throws(ZoneRulesError) {
        guard count <= bytes.count - position else { throw error("the file ends inside \(what)") }
    }

    mutating func skip(_ count: Int, _ what: String) throws(ZoneRulesError) {
        try require(count, what)
        position += count
    }

    /// Reads a big-endian integer.
    /// - Precondition: The bytes exist, see ``require(_:_:)``.
    mutating func bigEndian(bytes count: Int) -> Int64 {
        var value = Int64(Int8(bitPattern: bytes[position]))
        for index in position + 1..<position + count { value = value << 8 | Int64(bytes[index]) }
        position += count
        return value
    }

    mutating func header() throws(ZoneRulesError) -> Header {
        try require(44, "the header")
        guard bytes[position..<position + 4].elementsEqual("TZif".utf8) else {
            throw error("not a zone file: it does not start with \"TZif\"")
        }
        let version = bytes[position + 4]
        // RFC 9636 guarantees that later versions are compatible with version 4.
        guard version == 0 || (50...57).contains(version) else { throw error("unknown version of zone file") }
        position += 20
        var header = Header()
        header.version = version == 0 ? 0 : Int(version - 48)
        header.utIndicators = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        header.standardIndicators = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        header.leapSeconds = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        header.transitions = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        header.types = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        header.nameBytes = Int(UInt32(truncatingIfNeeded: bigEndian(bytes: 4)))
        return header
    }

    mutating func block(_ header: Header, timeBytes: Int) throws(ZoneRulesError) -> Block {
        try check(header)
        try require(header.blockBytes(timeBytes: timeBytes), "the data block")
        var block = Block()
        block.transitionSeconds = try transitions(header, timeBytes: timeBytes)
        let typesStart = position + header.transitions
        let indices = bytes[position..<typesStart]
        position = typesStart
        let types = try types(header)
        block.initialOffset = types[0]
        block.offsets.reserveCapacity(header.transitions)
        for (place, index) in zip(indices.indices, indices) {
            guard Int(index) < types.count else {
                throw ZoneRulesError(at: place, "a transition refers to type \(index) of \(types.count)")
            }
            block.offsets.append(types[Int(index)])
        }
        try names(header)
        try indicators(header)
        return block
    }

    private func check(_ header: Header) throws(ZoneRulesError) {
        guard header.types > 0, header.types <= 256 else {
            throw error("\(header.types) local time types, not 1 to 256")
        }
        guard header.nameBytes > 0 else { throw error("no abbreviations; a zone has at least one") }
        guard header.standardIndicators == 0 || header.standardIndicators == header.types,
            header.utIndicators == 0 || header.utIndicators == header.types
        else { throw error("the number of indicators is neither 0 nor that of the local time types") }
        guard header.leapSeconds == 0 else {
            throw error("the file counts leap seconds, the system's clock does not; use the zone outside of \"right/\"")
        }
    }

    private mutating func transitions(_ header: Header, timeBytes: Int) throws(ZoneRulesError) -> [Int64] {
        var seconds: [Int64] = []
        seconds.reserveCapacity(header.transitions)
        for _ in 0..<header.transitions {
            let start = position
            let second = bigEndian(bytes: timeBytes)
            // −2⁵⁹ is before the Big Bang (RFC 9636, section 3.2). The same limit is used for the future.
            guard abs(max(second, -.max)) <= 1 << 59 else {
                throw ZoneRulesError(at: start, "a transition's time is beyond 2⁵⁹ seconds")
            }
            if let last = seconds.last, last >= second {
                throw ZoneRulesError(at: start, "the times of the transitions are not in ascending order")
            }
            seconds.append(second)
        }
        return seconds
    }

    private mutating func types(_ header: Header) throws(ZoneRulesError) -> [Int32] {
        var offsets: [Int32] = []
        for _ in 0..<header.types {
            let start = position
            let offset = Int(bigEndian(bytes: 4))
            guard ZoneRules.offsetRangeSeconds.contains(offset) else {
                throw ZoneRulesError(at: start, "an offset of \(offset) s; it must be from -25 to 26 hours")
            }
            guard bytes[position] <= 1 else { throw error("a daylight saving flag that is neither 0 nor 1") }
            guard Int(bytes[position + 1]) < header.nameBytes else { throw error("a missing abbreviation") }
            position += 2
            offsets.append(Int32(offset))
        }
        return offsets
    }

    private mutating func names(_ header: Header) throws(ZoneRulesError) {
        position += header.nameBytes
        guard bytes[position - 1] == 0 else { throw error("the last abbreviation is not terminated") }
    }

    private mutating func indicators(_ header: Header) throws(ZoneRulesError) {
        for _ in 0..<header.standardIndicators + header.utIndicators {
            guard bytes[position] <= 1 else { throw error("an indicator that is neither 0 nor 1") }
            position += 1
        }
    }

    /// Reads the rule between two line feeds; nil if it is empty.
    mutating func footer() throws(ZoneRulesError) -> YearlyRule? {
        guard position < bytes.count, bytes[position] == 10 else { throw error("the footer is missing") }
        let start = position + 1
        guard let end = bytes[start...].firstIndex(of: 10) else { throw error("the footer is not terminated") }
        position = end + 1
        guard end > start else { return nil }
        do throws(ZoneRulesError) {
            return try YearlyRule(posix: bytes[start..<end])
        } catch {
            throw ZoneRulesError(at: start + (error.byteOffset ?? 0), "in the footer, \(error.reason)")
        }
    }
}
