import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel
import OdographPositioning
import OdographTracking

/// A drive as a gpsd capture, one TPV per line, as `gpspipe -w` prints it.
struct Capture {
    private let stream: UnsafeMutablePointer<FILE>

    /// Creates or replaces the file.
    init(path: String) throws {
        guard let stream = fopen(path, "we") else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
        self.stream = stream
        fputs("{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}\n", stream)
    }

    func close() { fclose(stream) }

    func write(_ fix: Fix) {
        var line =
            "{\"class\":\"TPV\",\"device\":\"/dev/ttyUSB0\",\"mode\":3,\"time\":\"\(fix.timestamp.iso8601)\","
            + "\"ept\":0.005,\"lat\":\(text(fix.coordinate.latitudeDegrees, 9)),"
            + "\"lon\":\(text(fix.coordinate.longitudeDegrees, 9))"
        for (name, value, decimals) in [
            ("altMSL", fix.altitudeMeters, 4), ("altHAE", fix.ellipsoidalAltitudeMeters, 4),
            ("track", fix.headingDegrees, 4), ("speed", fix.speedMetersPerSecond, 3), ("eph", fix.accuracyMeters, 3),
        ] {
            if let value { line += ",\"\(name)\":\(text(value, decimals))" }
        }
        fputs(line + ",\"climb\":0.1,\"eps\":0.5,\"epc\":1.2}\n", stream)
    }

    /// Writes a drive without stops: one position a second, each of them recorded.
    static func writeMotion(to path: String, seconds: Int) throws {
        let capture = try Capture(path: path)
        defer { capture.close() }
        guard let start = Coordinate(latitudeDegrees: 40.4168, longitudeDegrees: -3.7038) else { return }
        let begin = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        for index in 0..<seconds {
            // A circle of 2 km at 14 m/s, with the noise of a receiver.
            let angle = Double(index) * 14 / 2000
            let noise = Double((index &* 7919) % 200) / 1e8
            guard
                let coordinate = Coordinate(
                    latitudeDegrees: start.latitudeDegrees + 0.018 * sin(angle) + noise,
                    longitudeDegrees: start.longitudeDegrees + 0.0236 * (1 - cos(angle)) - noise)
            else { continue }
            let time = begin.advanced(byMilliseconds: Int64(index) * 1000)
            let heading = (360 - (angle * 180 / .pi).truncatingRemainder(dividingBy: 360) + 90)
            capture.write(
                Fix(
                    timestamp: time,
                    received: ClockReading(systemTime: time, uptimeMilliseconds: 0, isSystemTimeTrusted: true),
                    coordinate: coordinate, accuracyMeters: 4.2 + noise * 1e5,
                    speedMetersPerSecond: 14 + noise * 1e5, speedAccuracyMetersPerSecond: nil,
                    headingDegrees: 360 - heading.truncatingRemainder(dividingBy: 360), altitudeMeters: 667.3,
                    ellipsoidalAltitudeMeters: 718.9, isMock: false))
        }
    }
}
