import OdographCivilTime

/// Generates gpsd captures of simulated drives.
public enum Capture {
    /// Returns a capture of a drive to the east at 12 m/s with a bend every minute, one fix a second.
    public static func drive(seconds: Int, start: String = "2026-11-20T08:00:00Z") -> String {
        let begin = Timestamp(iso8601: start) ?? Timestamp(millisecondsSinceEpoch: 0)
        var text = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
        var (latitude, longitude) = (40.0, -3.0)
        for second in 0..<seconds {
            let isNorthbound = second / 60 % 2 == 1
            latitude += isNorthbound ? 12 / 111_035.0 : 0
            longitude += isNorthbound ? 0 : 12 / 85_394.0
            let time = begin.advanced(bySeconds: Double(second)).iso8601
            text +=
                #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":\#(longitude),"#
            text += #""altMSL":600.0,"eph":4.0,"speed":12.0,"track":\#(isNorthbound ? 0.0 : 90.0)}"# + "\n"
        }
        return text
    }
}
