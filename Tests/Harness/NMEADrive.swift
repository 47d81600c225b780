import OdographCivilTime

/// The NMEA output of a receiver in a vehicle that is stationary or drives due north, once a second.
public struct NMEADrive: Sendable {
    /// The receiver's time in the first second.
    public let start: Timestamp
    /// The first position on the meridian of 11°31′ east, thousandths of a minute of latitude north of 48°.
    public let firstThousandths: Int
    /// The distance per second, thousandths of a minute of latitude; 1 is 1.853 m.
    public let thousandthsPerSecond: Int

    /// - Parameters:
    ///   - start: ``start``.
    ///   - firstThousandths: ``firstThousandths``.
    ///   - thousandthsPerSecond: ``thousandthsPerSecond``.
    public init(start: Timestamp, firstThousandths: Int = 7038, thousandthsPerSecond: Int = 6) {
        self.start = start
        self.firstThousandths = firstThousandths
        self.thousandthsPerSecond = thousandthsPerSecond
    }

    /// Returns the sentences of a second: what gpsd needs for a 3D position with speed and dilution of precision.
    /// - Parameter second: The second after ``start``.
    public func sentences(second: Int) -> String {
        let digits = Array(start.advanced(bySeconds: Double(second)).iso8601.filter(\.isNumber))
        let clock = String(digits[8..<14]) + ".00"
        let date = String(digits[6..<8] + digits[4..<6] + digits[2..<4])
        let thousandths = firstThousandths + second * thousandthsPerSecond
        let place = "48\(Self.padded(thousandths / 1000, 2)).\(Self.padded(thousandths % 1000, 3)),N,01131.000,E"
        let tenthsOfKnot = thousandthsPerSecond * 36
        return Self.sentence("GPRMC,\(clock),A,\(place),\(tenthsOfKnot / 10).\(tenthsOfKnot % 10),0.0,\(date),,,A")
            + Self.sentence("GPGGA,\(clock),\(place),1,08,0.9,545.4,M,46.9,M,,")
            + Self.sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
    }

    /// Returns the sentences of the first seconds.
    public func log(seconds: Int) -> String { (0..<seconds).map(sentences).joined() }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
