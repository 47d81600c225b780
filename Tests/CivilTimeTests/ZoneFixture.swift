/// Builds valid and invalid zone files for tests.
struct ZoneFixture {
    var version: UInt8 = 50
    var transitions: [(second: Int64, type: UInt8)] = []
    var types: [(offset: Int32, isDaylight: UInt8, name: UInt8)] = [(0, 0, 0)]
    var names: [UInt8] = Array("UTC\0".utf8)
    var leapSeconds: UInt32 = 0
    var footer = "UTC0"

    /// The 64-bit form, after an empty 32-bit block; for version 0 only a 32-bit block.
    var bytes: [UInt8] {
        if version == 0 { return header(full: true) + block(timeBytes: 4) }
        let empty = header(full: false) + [0, 0, 0, 0, 0, 0, 0]
        return empty + header(full: true) + block(timeBytes: 8) + Array("\n\(footer)\n".utf8)
    }

    private func header(full: Bool) -> [UInt8] {
        let counts: [UInt32] =
            full
            ? [0, 0, leapSeconds, UInt32(transitions.count), UInt32(types.count), UInt32(names.count)]
            : [0, 0, 0, 0, 1, 1]
        return Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts.flatMap(Self.bigEndian)
    }

    private func block(timeBytes: Int) -> [UInt8] {
        var bytes = transitions.flatMap { Array(Self.bigEndian($0.second).suffix(timeBytes)) }
        bytes += transitions.map(\.type)
        bytes += types.flatMap { Self.bigEndian($0.offset) + [$0.isDaylight, $0.name] }
        bytes += names + [UInt8](repeating: 0, count: Int(leapSeconds) * (timeBytes + 4))
        return bytes
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
