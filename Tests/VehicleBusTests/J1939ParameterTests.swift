import Testing

@testable import OdographVehicleBus

@Suite("Parameters of J1939")
struct J1939ParameterTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let identifier: UInt32
        let bytes: [UInt8]
        let value: Double?
        var testDescription: String { name }
    }

    /// The parameter under test of each group, by its identifier without the sender.
    static func parameter(of identifier: UInt32, _ bytes: [UInt8]) throws -> Double? {
        let frame = try #require(CANFrame(identifier: identifier, isExtended: true, bytes: bytes))
        let parameters: [ParameterGroup: J1939Parameter] = [
            .engineController: .engineSpeed, .highResolutionDistance: .highResolutionDistance, .distance: .distance,
            .vehicleSpeed: .wheelSpeed, .electricalPower: .batteryVoltage, .dashDisplay: .fuelLevel,
        ]
        let group = try #require(ParameterGroup(identifier: identifier))
        return parameters[group]?.value(in: frame)
    }

    static let rows = [
        Row(
            name: "50 km/h", identifier: 0x18FE_F100, bytes: [0xFF, 0x00, 0x32, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], value: 50
        ),
        Row(name: "half a km/h", identifier: 0x18FE_F10B, bytes: [0, 0x80, 0x00], value: 0.5),
        Row(name: "largest speed", identifier: 0x18FE_F100, bytes: [0, 0xFF, 0xFA], value: 250.99609375),
        Row(name: "reserved speed", identifier: 0x18FE_F100, bytes: [0, 0x00, 0xFB], value: nil),
        Row(name: "error of the speed", identifier: 0x18FE_F100, bytes: [0, 0x00, 0xFE], value: nil),
        Row(name: "no speed", identifier: 0x18FE_F100, bytes: [0, 0xFF, 0xFF], value: nil),
        Row(name: "short frame", identifier: 0x18FE_F100, bytes: [0, 0xFF], value: nil),
        Row(
            name: "800 rpm", identifier: 0x0CF0_0400, bytes: [0xF0, 0xFF, 0xFF, 0x00, 0x19, 0xFF, 0xFF, 0xFF],
            value: 800),
        Row(name: "no engine", identifier: 0x0CF0_0400, bytes: [0, 0, 0, 0xFF, 0xFF, 0, 0, 0], value: nil),
        Row(
            name: "12,345,680 m", identifier: 0x18FE_C1EE, bytes: [0x10, 0xAD, 0x25, 0x00, 0, 0, 0, 0],
            value: 12_345_680),
        Row(name: "125 m", identifier: 0x18FE_E027, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0], value: 125),
        Row(name: "no distance", identifier: 0x18FE_E027, bytes: [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], value: nil),
        Row(name: "half a tank", identifier: 0x18FE_FC17, bytes: [0xFF, 125], value: 0.5),
        Row(name: "full tank", identifier: 0x18FE_FC17, bytes: [0xFF, 250], value: 1),
        Row(name: "fault of the tank", identifier: 0x18FE_FC17, bytes: [0xFF, 254], value: nil),
        Row(
            name: "27.5 V", identifier: 0x18FE_F717, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0x26, 0x02, 0xFF, 0xFF],
            value: 27.5),
    ]

    @Test("A frame has the value of the standard", arguments: rows)
    func decodes(row: Row) throws {
        let value = try Self.parameter(of: row.identifier, row.bytes)
        if let expected = row.value {
            #expect(abs(try #require(value) - expected) < 1e-9)
        } else {
            #expect(value == nil)
        }
    }

    @Test("A value survives encoding, within half a step", arguments: [0.0, 0.3, 12.4, 88.8, 250.9])
    func encodes(kilometersPerHour: Double) throws {
        let bytes = J1939Parameter.wheelSpeed.bytes(with: kilometersPerHour)
        let value = try Self.parameter(of: 0x18FE_F100, bytes)
        #expect(abs(try #require(value) - kilometersPerHour) <= 0.5 / 256 + 1e-9)
    }

    @Test("A value beyond the range is encoded as the nearest bound")
    func clamps() throws {
        #expect(try Self.parameter(of: 0x18FE_F100, J1939Parameter.wheelSpeed.bytes(with: 900)) == 250.99609375)
        #expect(try Self.parameter(of: 0x18FE_FC00, J1939Parameter.fuelLevel.bytes(with: 2)) == 1)
        #expect(try Self.parameter(of: 0x18FE_F100, J1939Parameter.wheelSpeed.bytes(with: -4)) == 0)
    }

    @Test("Frames of other groups and with 11 bits are no groups")
    func otherGroups() {
        #expect(ParameterGroup(identifier: 0x18FE_F200) == nil)
        #expect(ParameterGroup(identifier: 0x18EF_F100) == nil)
        #expect(ParameterGroup(identifier: 0x1CFE_F1FF) == .vehicleSpeed)
    }
}
