import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographVehicleBus

@Suite("Frames and logs of a CAN bus")
struct CANFrameTests {
    @Test("A frame has at most 8 bytes and an identifier of its length")
    func limits() {
        #expect(CANFrame(identifier: 0x7FF, isExtended: false, bytes: []) != nil)
        #expect(CANFrame(identifier: 0x800, isExtended: false, bytes: []) == nil)
        #expect(CANFrame(identifier: 0x1FFF_FFFF, isExtended: true, bytes: [UInt8](repeating: 1, count: 8)) != nil)
        #expect(CANFrame(identifier: 0x2000_0000, isExtended: true, bytes: []) == nil)
        #expect(CANFrame(identifier: 1, isExtended: true, bytes: [UInt8](repeating: 1, count: 9)) == nil)
    }

    @Test("Numbers have both byte orders, and none beyond the end")
    func numbers() throws {
        let frame = try #require(CANFrame(identifier: 1, isExtended: false, bytes: [1, 2, 3, 4, 0xFF]))
        #expect(frame.bytes == [1, 2, 3, 4, 0xFF])
        #expect(frame.littleEndian(at: 0, count: 2) == 0x0201)
        #expect(frame.bigEndian(at: 1, count: 3) == 0x020304)
        #expect(frame.littleEndian(at: 1, count: 4) == 0xFF04_0302)
        #expect(frame.littleEndian(at: 4, count: 2) == nil)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let text: String
        let frame: CANFrame?
        var testDescription: String { text }

        init(_ text: String, _ frame: CANFrame? = nil) {
            self.text = text
            self.frame = frame
        }
    }

    static let rows = [
        Row(
            "(1436509052.249713) vcan0 044#2A366C2B",
            CANFrame(identifier: 0x44, isExtended: false, bytes: [0x2A, 0x36, 0x6C, 0x2B])),
        Row(
            "(1436509052.249713) can0 18FEF100#FFFF00",
            CANFrame(identifier: 0x18FE_F100, isExtended: true, bytes: [0xFF, 0xFF, 0])),
        Row("(1436509052.249713) can0 00000001# R", CANFrame(identifier: 1, isExtended: true, bytes: [])),
        Row("(1436509052.249713) can0 123#R"),
        Row("(1436509052.249713) can0 123##0AABB"),
        Row("(1436509052.249713) can0 20000040#0000000000000000"),
        Row("(1436509052.249713) can0 123#0"),
        Row("(1436509052.249713) can0 12#00"),
        Row("(1436509052.249713) can0 123#001122334455667788"),
        Row("(1436509052.24971) can0 123#00"),
        Row("(-1.249713) can0 123#00"),
        Row("1436509052.249713 can0 123#00"),
        Row("  can0  18FEF100   [8]  FF FF 00 FF FF FF FF FF"),
        Row("(99999999999999999999.000000) can0 123#00"),
        Row(""),
        Row("( ) # #"),
    ]

    @Test("A line of candump is a frame", arguments: rows)
    func candump(row: Row) {
        let line = CandumpLine(Array(row.text.utf8))
        #expect(line?.frame == row.frame)
        if line != nil { #expect(line?.time == Timestamp(millisecondsSinceEpoch: 1_436_509_052_249)) }
    }

    @Test("Random frames survive writing and reading", arguments: 1...5)
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let isExtended = Bool.random(using: &generator)
            let frame = try #require(
                CANFrame(
                    identifier: UInt32.random(in: 0...(isExtended ? 0x1FFF_FFFF : 0x7FF), using: &generator),
                    isExtended: isExtended,
                    bytes: (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                        UInt8.random(in: 0...255, using: &generator)
                    }))
            let time = Timestamp(millisecondsSinceEpoch: Int64.random(in: 0...4_000_000_000_000, using: &generator))
            let line = CandumpLine(time: time, interface: "can0", frame: frame)
            #expect(CandumpLine(Array(line.text.utf8)) == line)
        }
    }

    @Test("Random bytes are no line or a valid one", arguments: 1...5)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let alphabet = Array("()0123456789ABCDEFabcdef#R. can\u{0}ü".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            guard let line = CandumpLine(bytes) else { continue }
            #expect(CandumpLine(Array(line.text.utf8))?.frame == line.frame)
        }
    }
}
