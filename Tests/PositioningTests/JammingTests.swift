import OdographCivilTime
import OdographModel
import Testing

@testable import OdographPositioning

@Suite("A receiver that says that it is jammed")
struct JammingTests {
    /// Returns how much each position is jammed, with one position a second.
    /// - Parameter drawing: For each second `j`: the report has a level, `.`: it has none, `l`: a later report of the
    ///   same second has it, `0`: the level is 0.
    private static func levels(_ drawing: String) -> [Double?] {
        var session = GPSDSession(GPSDSettings())
        let start = Timestamp(millisecondsSinceEpoch: 1_795_251_600_000)
        session.handleConnect(at: ClockReading(replayed: start))
        var levels: [Double?] = []
        func take(_ event: SourceEvent) {
            if let fix = event.fix { levels.append(fix.jammingLevel) }
        }
        for (second, letter) in drawing.enumerated() {
            let now = start.advanced(bySeconds: Double(second))
            func report(_ rest: String) -> [UInt8] {
                Array(
                    (#"{"class":"TPV","device":"a","mode":3,"time":"\#(now)","lat":40,"lon":-3\#(rest)}"# + "\n").utf8)
            }
            let jam = ["j": #","jam":255"#, "0": #","jam":0"#][letter] ?? ""
            session.receive(report(jam), at: ClockReading(replayed: now), emit: take)
            guard letter == "l" else { continue }
            // gpsd asks the receiver for the level after the position.
            let later = ClockReading(replayed: now.advanced(byMilliseconds: 300))
            _ = session.checkTimeouts(at: later, emit: take)
            session.receive(report(#","jam":255"#), at: later, emit: take)
        }
        _ = session.checkTimeouts(at: ClockReading(replayed: start.advanced(bySeconds: 100)), emit: take)
        return levels
    }

    @Test("A level holds until the next one, for six seconds, because gpsd gives it with one position in four")
    func holds() throws {
        #expect(Self.levels("...") == [nil, nil, nil])
        #expect(Self.levels(".j...0..") == [nil, 1, 1, 1, 1, 0, 0, 0])
        #expect(Self.levels("j.......") == [1, 1, 1, 1, 1, 1, 1, nil])
        let late = Self.levels("l....")
        #expect(late.count == 5 && late.dropFirst().allSatisfy { $0 == 1 })
    }
}
