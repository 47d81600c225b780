import OdographCivilTime
import OdographModel
import Testing

@Suite("A reading of the clocks")
struct ClockReadingTests {
    @Test("In a replay both clocks show the replay's time, which is trusted")
    func replayed() {
        let time = Timestamp(millisecondsSinceEpoch: 1_795_252_502_125)
        let moment = ClockReading(replayed: time)
        #expect(moment.systemTime == time && moment.uptimeMilliseconds == 1_795_252_502_125)
        #expect(moment.isSystemTimeTrusted)
        #expect(ClockReading(replayed: time.advanced(bySeconds: 1.5)).seconds(since: moment) == 1.5)
    }
}
