import Testing

@testable import OdographPositioning

@Suite("The properties of a Bluetooth device")
struct BlueZDeviceTests {
    @Test(
        "A name has at most 248 bytes, whatever its characters have",
        arguments: [
            ("trailer-7", 9), (String(repeating: "x", count: 5000), 248), (String(repeating: "ü", count: 200), 248),
            (String(repeating: "🚚", count: 100), 248), ("xx" + String(repeating: "🚚", count: 100), 246),
            ("e" + String(repeating: "\u{301}", count: 5000), 247),
        ])
    func names(name: String, bytes: Int) {
        let short = BlueZDevice.shortened(name)
        #expect(short.utf8.count == bytes && name.utf8.starts(with: short.utf8))
    }
}
