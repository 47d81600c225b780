import Measuring
import OdographPositioning

/// Reports as a gpsd 3.25 sends them: a position, the sky, the answer to a poll.
let tpv = #"""
    {"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"2026-03-14T09:26:53.000Z","leapseconds":18,\#
    "ept":0.005,"lat":48.137154321,"lon":11.576124875,"altHAE":565.1830,"altMSL":519.4830,"alt":519.4830,\#
    "epx":2.116,"epy":2.843,"epv":5.520,"track":273.4410,"magtrack":277.2381,"magvar":3.8,"speed":13.889,\#
    "climb":-0.021,"eps":0.57,"epc":11.04,"ecefx":4177529.31,"ecefy":855736.07,"ecefz":4727586.55,\#
    "ecefvx":0.11,"ecefvy":-0.05,"ecefvz":0.02,"ecefpAcc":4.20,"velN":0.83,"velE":-13.86,"velD":0.021,\#
    "geoidSep":45.700,"eph":4.028,"sep":6.650}
    """#
let satellites = (1...24).map { number in
    #"{"PRN":\#(number),"gnssid":0,"svid":\#(number),"az":\#(number * 13).0,"el":\#(number * 3).0,"ss":\#(20 + number).0,"used":true}"#
}
let sky =
    #"{"class":"SKY","device":"/dev/ttyACM0","xdop":0.54,"ydop":0.72,"satellites":["#
    + satellites.joined(separator: ",") + "]}"
let poll = #"{"class":"POLL","time":"2026-03-14T09:26:53.000Z","active":1,"tpv":[\#(tpv)],"gst":[],"sky":[\#(sky)]}"#

for (name, report) in [("TPV", tpv), ("SKY", sky), ("POLL", poll)] {
    let bytes = Array(report.utf8)
    let count = 100_000
    var read = 0
    let time = median(of: 7) {
        for _ in 0..<count where bytes.withUnsafeBufferPointer({ GPSDReport(line: $0) }) != nil { read += 1 }
    }
    line("\(name) of \(bytes.count) bytes: to read", time / Double(count) * 1e9, "ns")
    if read != 7 * count { print("   refused") }
}
