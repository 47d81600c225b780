import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

/// Compares the fixes of a real gpsd for a raw log with the log's expected output, at the instants of both. Another
/// gpsd release ends its cycles elsewhere and may use another week round, so neither the number of reports nor the
/// round is compared.
@Suite("A real gpsd", .timeLimit(.minutes(5)))
struct RealGPSDTests {
    private static let roundMilliseconds: Int64 = 1024 * 7 * 86_400_000

    private static func expected(_ log: String) throws -> [Int64: Set<Coordinate>] {
        var places: [Int64: Set<Coordinate>] = [:]
        do {
            let reader = try CaptureReader(ReplaySettings(path: log + ".chk"))
            while let event = try reader.next() {
                guard let fix = event.fix else { continue }
                places[fix.timestamp.millisecondsSinceEpoch % roundMilliseconds, default: []].insert(fix.coordinate)
            }
        } catch {
            // A receiver without a fix. As a pattern of the catch, this ends a compiler of 6.2.3 that checks itself.
            guard case .noPositions = error else { throw error }
        }
        return places
    }

    /// All raw logs of the corpora: NMEA, SiRF, u-blox, Garmin and Trimble formats, truncated, fuzzed, without a fix,
    /// and across a week rollover.
    private static let logs = [
        "april6_2019", "bu303-climbing", "bu303-moving", "bu303-nofix", "bu353s4", "foretrex-201", "garmin18x-bin",
        "gp-320fw-2019-04-06-overflow", "gp-320fw-2019-04-07-coldboot", "hab-gpspi", "mt3339", "neo-m8n",
        "nmea-fuzzy-cases", "quectel-eg25-g", "sirfstarv", "tcp-torture", "telit-he910", "tomtom-mkII",
        "trimble-lassen_iq-playacar", "ublox-neo-m8n", "ublox-neo-m8u",
    ]

    @Test(
        "The fixes of a raw log match gpsd's regression suite", .enabled(if: Corpora.exist),
        arguments: logs)
    func golden(name: String) async throws {
        let log = try #require(Corpora.folder) + "/gpsd/\(name).log"
        let expected = try Self.expected(log)
        let daemon = try await GPSDaemon(log: log)
        defer { daemon.stop() }
        var settings = GPSDSettings()
        settings.port = daemon.port
        // A silent gpsd is a busy one here. A client that ends its connection would miss a short log.
        settings.silenceTimeoutSeconds = 3600
        let source = GPSDSource(settings, clock: SystemAgentClock())
        async let ended: Void = {
            _ = try await eventually { daemon.logsToGo == 0 ? true : nil }
            daemon.stop()
        }()
        var (compared, fixes) = (0, 0)
        for try await event in source.events() {
            if case .state(.lost, at: _, detail: _) = event.content { break }
            guard let fix = event.fix else { continue }
            fixes += 1
            let key = fix.timestamp.millisecondsSinceEpoch % Self.roundMilliseconds
            guard let places = expected[key] else { continue }
            compared += 1
            let isNear = places.contains { place in
                abs(place.latitudeDegrees - fix.coordinate.latitudeDegrees) < 2e-5
                    && abs(place.longitudeDegrees - fix.coordinate.longitudeDegrees) < 2e-5
            }
            #expect(isNear, "\(fix)")
        }
        try await ended
        #expect(fixes > 0 || expected.isEmpty)
        #expect(compared * 2 >= expected.count, "\(compared) of \(expected.count) instants")
        #expect(source.counters[.malformedLine] == 0)
    }
}
