/// A positive answer to a request of mode 01.
package struct OBDAnswer: Hashable {
    /// The parameter.
    let parameter: OBDParameter
    /// Its value in the unit of ``OBDParameter/value(of:)``.
    let value: Double
    /// The sender: the lowest byte of its identifier; 0 if it is unknown.
    let sender: UInt8

    /// The answers of up to eight control units to requests with 11 bits (ISO 15765-4).
    static let standardIdentifiers: ClosedRange<UInt32> = 0x7E8...0x7EF
    /// The answers to requests with 29 bits. The lowest byte is the sender.
    package static let extendedIdentifier: UInt32 = 0x18DA_F100

    /// Reads a single frame of the transport protocol; nil for any other frame.
    init?(_ frame: CANFrame) {
        let isAnswer =
            frame.isExtended
            ? frame.identifier & ~0xFF == Self.extendedIdentifier
            : Self.standardIdentifiers.contains(frame.identifier)
        // The first byte of a single frame is its length, 1 to 7.
        guard isAnswer, let length = frame.littleEndian(at: 0, count: 1), (1...7).contains(length),
            frame.byteCount > Int(length)
        else { return nil }
        self.init(data: frame.bytes[1...Int(length)], sender: UInt8(truncatingIfNeeded: frame.identifier))
    }

    /// Reads the mode, the parameter and its data bytes; nil for other content. Further bytes are ignored.
    init?(data: some Collection<UInt8>, sender: UInt8) {
        var rest = data[...]
        guard rest.popFirst() == OBDParameter.currentDataMode | OBDParameter.answerBit,
            let number = rest.popFirst(), let parameter = OBDParameter(rawValue: number),
            rest.count >= parameter.byteCount
        else { return nil }
        let raw = rest.prefix(parameter.byteCount).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.parameter = parameter
        self.value = parameter.value(of: raw)
        self.sender = sender
    }
}
