/// Identifiers that cannot be guessed.
package enum RandomIdentifier {
    /// 20 characters of 62: 119 bits.
    private static let length = 20
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Returns a new identifier from the system's random numbers: "odo" and 20 letters and digits. Every MQTT broker
    /// must accept a client ID of this alphabet and of up to 23 characters (MQTT 5, section 3.1.3.1).
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<length).reduce(into: "odo") { text, _ in
            text.append(alphabet[Int.random(in: alphabet.indices, using: &generator)])
        }
    }
}
