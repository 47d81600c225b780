import OdographCivilTime
import OdographHarness

extension Capture {
    /// Returns a gpsd log at 1 Hz. Each round is a drive of 4 min at 12 m/s to the east and a stop of 6 min.
    static func rounds(_ count: Int, start: String = "2026-11-20T08:00:00Z") -> String {
        let begin = Timestamp(iso8601: start) ?? Timestamp(millisecondsSinceEpoch: 0)
        var text = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
        var longitude = -3.0
        for second in 0..<count * 600 {
            let speed = second % 600 < 240 ? 12.0 : 0.0
            longitude += speed / 85_394.0
            let time = begin.advanced(bySeconds: Double(second)).iso8601
            text +=
                #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\#(time)","lat":40.0,"lon":\#(longitude),"#
            text += #""altMSL":600.0,"eph":4.0,"speed":\#(speed),"track":90.0}"# + "\n"
        }
        return text
    }
}
