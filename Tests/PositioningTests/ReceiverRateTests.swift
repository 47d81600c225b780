import OdographCivilTime
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("The receiver's rate")
struct ReceiverRateTests {
    private static let devices =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","cycle":1.00,"mincycle":0.25}]}"#
    private static let position =
        #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T09:00:00Z","lat":40,"lon":-3}"#
    private static let down = #"?DEVICE={"path":"/dev/a","cycle":5.0};"# + "\n"
    private static let up = #"?DEVICE={"path":"/dev/a","cycle":1.0};"# + "\n"

    private static func session(changesRate: Bool = true) -> GPSDSession {
        var settings = GPSDSettings()
        settings.changesReceiverRate = changesRate
        var session = GPSDSession(settings)
        session.handleConnect(at: now)
        return session
    }

    private static let now = ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 0))

    private static func hear(_ session: inout GPSDSession) {
        session.receive(Array("\(devices)\n\(position)\n".utf8), at: now, emit: { _ in })
    }

    @Test("A rate that is requested before the receiver is known is sent once it is")
    func early() {
        var session = Self.session()
        #expect(session.requests(for: .reduced, at: Self.now) == [])
        Self.hear(&session)
        #expect(session.requests(for: nil, at: Self.now) == [Self.down])
        #expect(session.requests(for: nil, at: Self.now) == [])
        #expect(session.requests(for: .full, at: Self.now) == [Self.up])
    }

    @Test("After a reconnection the rate is requested again")
    func again() {
        var session = Self.session()
        Self.hear(&session)
        #expect(session.requests(for: .reduced, at: Self.now) == [Self.down])
        session.handleConnect(at: Self.now)
        Self.hear(&session)
        #expect(session.requests(for: nil, at: Self.now) == [Self.down])
    }

    @Test("No rate is requested if changes are disabled, or without a wish")
    func never() {
        var session = Self.session(changesRate: false)
        Self.hear(&session)
        #expect(session.requests(for: .reduced, at: Self.now) == [])
        session = Self.session()
        Self.hear(&session)
        #expect(session.requests(for: nil, at: Self.now) == [])
    }
}
