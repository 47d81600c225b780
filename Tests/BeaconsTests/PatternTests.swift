import OdographBeacons
import Testing

@Suite("The patterns of beacons")
struct PatternTests {
    private static let uuid = Array<UInt8>(0x10...0x1F)
    private static let uid = Array<UInt8>(0x20...0x2F)

    private static func iBeacon(_ change: (inout [UInt8]) -> Void = { _ in }) -> Advertisement {
        var data: [UInt8] = [0x02, 0x15] + uuid + [0x01, 0x02, 0x03, 0x04, 0xC5]
        change(&data)
        return Advertisement(address: "AA:BB:CC:DD:EE:FF", manufacturerData: [0x004C: data])
    }

    private static func eddystone(_ change: (inout [UInt8]) -> Void = { _ in }) -> Advertisement {
        var data: [UInt8] = [0x00, 0xEE] + uid + [0, 0]
        change(&data)
        return Advertisement(
            address: "AA:BB:CC:DD:EE:FF", serviceData: ["0000feaa-0000-1000-8000-00805f9b34fb": data])
    }

    private static func named(_ name: String?) -> Advertisement {
        Advertisement(address: "aa:bb:cc:dd:ee:ff", name: name)
    }

    @Test(
        "A pattern matches its advertisements only",
        arguments: [
            (.iBeacon(uuid: uuid, major: nil, minor: nil), iBeacon(), true),
            (.iBeacon(uuid: uuid, major: 0x0102, minor: 0x0304), iBeacon(), true),
            (.iBeacon(uuid: uuid, major: 0x0102, minor: 0x0305), iBeacon(), false),
            (.iBeacon(uuid: uuid, major: 0x0103, minor: nil), iBeacon(), false),
            (.iBeacon(uuid: uid, major: nil, minor: nil), iBeacon(), false),
            (.iBeacon(uuid: uuid, major: nil, minor: nil), iBeacon { $0.removeLast() }, false),
            (.iBeacon(uuid: uuid, major: nil, minor: nil), iBeacon { $0.append(0) }, false),
            (.iBeacon(uuid: uuid, major: nil, minor: nil), iBeacon { $0[0] = 0x10 }, false),
            (.iBeacon(uuid: uuid, major: nil, minor: nil), iBeacon { $0 = [] }, false),
            (.iBeacon(uuid: uuid, major: nil, minor: nil), eddystone(), false),
            (.eddystone(namespace: Array(uid[..<10]), instance: nil), eddystone(), true),
            (.eddystone(namespace: Array(uid[..<10]), instance: Array(uid[10...])), eddystone(), true),
            (.eddystone(namespace: Array(uid[..<10]), instance: [1, 2, 3, 4, 5, 6]), eddystone(), false),
            (.eddystone(namespace: Array(uid[..<10]), instance: nil), eddystone { $0.removeLast(2) }, true),
            (.eddystone(namespace: Array(uid[..<10]), instance: nil), eddystone { $0.removeLast() }, false),
            (.eddystone(namespace: Array(uid[..<10]), instance: nil), eddystone { $0[0] = 0x10 }, false),
            (.eddystone(namespace: Array(uid[..<10]), instance: nil), eddystone { $0 = [] }, false),
            (.address("AA:BB:CC:DD:EE:FF"), named(nil), true), (.address("AA:BB:CC:*"), named(nil), true),
            (.address("AA:BB:CD*"), named(nil), false),
            (.name("Trailer*"), named("Trailer 7"), true), (.name("Trailer*"), named("trailer 7"), false),
            (.name("Trailer*"), named("My Trailer"), false), (.name("*Trailer*7"), named("My Trailer 17"), true),
            (.name("Trailer"), named("Trailer 7"), false), (.name("Trailer"), named(nil), false),
            (.name("*"), named(""), true), (.name("*"), named(nil), false), (.name("Türe*"), named("Türe 1"), true),
        ] as [(BeaconPattern, Advertisement, Bool)])
    func match(pattern: BeaconPattern, advertisement: Advertisement, isMatch: Bool) {
        #expect(pattern.matches(advertisement) == isMatch)
    }

    @Test("A hostile name with a hostile pattern ends soon")
    func hostile() {
        let pattern = BeaconPattern.name(String(repeating: "*a", count: 30) + "b")
        #expect(!pattern.matches(Self.named(String(repeating: "a", count: 20_000))))
    }

    @Test(
        "Addresses and hexadecimal texts are checked",
        arguments: [
            ("aa:bb:cc:*", "AA:BB:CC:*"), ("AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF"), ("*", nil), ("", nil),
            ("AA:BB:CC:DD:EE", nil), ("AA-BB-CC-*", nil), ("GG:*", nil), ("AA:BB:CC:DD:EE:FF*", nil),
        ])
    func address(text: String, pattern: String?) {
        #expect(BeaconPattern.addressPattern(text) == pattern)
    }

    @Test("Hexadecimal texts have the right number of digits, and hyphens do not count")
    func hexadecimal() {
        #expect(BeaconPattern.bytes(of: "0a-FF", count: 2) == [10, 255])
        #expect(BeaconPattern.bytes(of: "0aF", count: 2) == nil)
        #expect(BeaconPattern.bytes(of: "0aFg", count: 2) == nil)
        #expect(BeaconPattern.text(of: [10, 255]) == "0aff")
    }
}
