import OdographCivilTime
import OdographJSON
import Testing

@testable import OdographPositioning

@Suite("Parsing gpsd's reports")
struct ReportParsingTests {
    @Test("A TPV with all members is read completely")
    func fullReport() throws {
        let line =
            #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2018-08-02T16:14:48.299Z","ept":0.005,"#
            + #""lat":37.7209977,"lon":-122.47230529999999,"altHAE":1.5,"altMSL":33.37,"alt":33.4,"epx":3.1,"#
            + #""epy":4.2,"epv":9,"track":2.13,"speed":7.823,"climb":0,"eps":0.4,"eph":6.5}"#
        guard case .tpv(let report) = GPSDReport(line: line) else {
            Issue.record("not read as TPV")
            return
        }
        #expect(report.device == "/dev/ttyUSB0")
        #expect(report.mode == 3)
        #expect(report.time == Timestamp(iso8601: "2018-08-02T16:14:48.299Z"))
        #expect(report.latitudeDegrees == 37.7209977)
        #expect(report.longitudeDegrees == -122.47230529999999)
        #expect(report.altitudeHAEMeters == 1.5)
        #expect(report.altitudeMSLMeters == 33.37)
        #expect(report.altitudeMeters == 33.4)
        #expect(report.ephMeters == 6.5)
        #expect(report.epxMeters == 3.1)
        #expect(report.epyMeters == 4.2)
        #expect(report.epsMetersPerSecond == 0.4)
        #expect(report.speedMetersPerSecond == 7.823)
        #expect(report.trackDegrees == 2.13)
    }

    @Test(
        "The classes of reports are distinguished",
        arguments: [
            (#"{"class":"VERSION","release":"3.22","proto_major":3}"#, GPSDReport.version(release: "3.22")),
            (#"{"class":"DEVICES","devices":[]}"#, .devices([])),
            (#"{"class":"WATCH","enable":true,"json":true}"#, .watch(isEnabled: true)),
            (#"{"class":"WATCH","enable":false}"#, .watch(isEnabled: false)),
            (#"{"class":"ERROR","message":"Unrecognized request 'x'"}"#, .error(message: "Unrecognized request 'x'")),
            (#"{"class":"SKY","satellites":[{"PRN":1,"used":true}]}"#, .other("SKY")),
            (#"{"class":5}"#, .other("")),
            ("{}", .other("")),
            (#" { "class" : "SKY" } "#, .other("SKY")),
            (#"{"enable":true,"class":"WATCH"}"#, .watch(isEnabled: true)),
        ])
    func classes(line: String, report: GPSDReport) {
        #expect(GPSDReport(line: line) == report)
    }

    @Test(
        "A device with an activation time is active, one without is gone",
        arguments: [
            (#""activated":"2026-11-21T09:15:02.000Z""#, true), (#""activated":1269959537.20"#, true),
            (#""activated":0"#, false), (#""driver":"NMEA0183""#, false), (#""activated":null"#, false),
            (#""activated":"""#, false),
        ])
    func activation(member: String, isActivated: Bool) {
        var expected = DeviceReport()
        expected.path = "/dev/a"
        expected.isActivated = isActivated
        #expect(GPSDReport(line: #"{"class":"DEVICE","path":"/dev/a",\#(member)}"#) == .device(expected))
        #expect(
            GPSDReport(line: #"{"class":"DEVICES","devices":[{"path":"/dev/a",\#(member)}]}"#) == .devices([expected]))
    }

    @Test("A list of devices keeps each device and its abilities")
    func devices() {
        let line =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","cycle":1.00,"mincycle":0.25},7,"#
            + #"{"path":"/dev/b","activated":1,"devices":[{"path":"/dev/c"}]}],"x":1}"#
        guard case .devices(let devices) = GPSDReport(line: line) else {
            Issue.record("not read")
            return
        }
        #expect(devices.map(\.path) == ["/dev/a", "/dev/b"])
        #expect(devices.map(\.minimumCycleSeconds) == [0.25, nil])
        #expect(devices.map(\.isActivated) == [false, true])
    }

    @Test("Of two members with one name the last counts, even if it has another type")
    func duplicates() throws {
        #expect(latitude(#""lat":1,"lat":2"#) == 2)
        #expect(latitude(#""lat":1,"lat":null"#) == nil)
        #expect(latitude(#""lat":1,"lat":"2""#) == nil)
        #expect(GPSDReport(line: #"{"class":"TPV","class":"SKY"}"#) == .other("SKY"))
    }

    @Test("Escapes are resolved in names and in values")
    func escapes() {
        #expect(latitude(#""\u006cat":4"#) == 4)
        #expect(
            GPSDReport(line: #"{"class":"ERROR","message":"\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00"}"#)
                == .error(message: "\"\\/\u{08}\u{0C}\n\r\t\u{E4}\u{1F600}"))
        #expect(GPSDReport(line: #"{"class":"ERROR","message":"\ud83dx"}"#) == .error(message: "\u{FFFD}x"))
    }

    private func latitude(_ members: String) -> Double? {
        guard case .tpv(let report) = GPSDReport(line: #"{"class":"TPV",\#(members)}"#) else { return nil }
        return report.latitudeDegrees
    }

    @Test(
        "A line that is not exactly one JSON object is malformed",
        arguments: [
            "", " ", "x", "$GPGGA,1,2", "[]", "[{}]", "null", "1", #""a""#, "{", "}", "{}}", "{}{}", "{} x", "{,}",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, "{a:1}", "{'a':1}", #"{"a":01}"#, #"{"a":1.}"#,
            #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#, #"{"a":1e+}"#, #"{"a":-}"#, #"{"a":nan}"#, #"{"a":tru}"#,
            #"{"a":truex}"#, #"{"a":"x}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u12g4"}"#, #"{"a":[1,]}"#,
            #"{"a":[1}"#, #"{"a":{]}"#, #"{"a":[}]}"#, #"{"a":{"b"}}"#, #"{"a":{"b":1,}}"#, "{\"a\":\"\t\"}",
            #"{"lat":1.5.2}"#, #"{"lat":--1}"#, #"{"lat":0x10}"#, #"{"time":"x}"#, #"{"class":"TPV"#,
        ])
    func malformed(line: String) {
        #expect(GPSDReport(line: line) == nil)
    }

    @Test("Nesting is limited, and deep nesting needs no memory and causes no crash")
    func nesting() {
        func line(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(GPSDReport(line: line(JSONScanner.maximumDepth)) == .other(""))
        #expect(GPSDReport(line: line(JSONScanner.maximumDepth + 2)) == nil)
        #expect(GPSDReport(line: line(1_000_000)) == nil)
        #expect(GPSDReport(line: #"{"a":"# + String(repeating: #"{"b":"#, count: 100_000)) == nil)
        #expect(GPSDReport(line: #"{"a":[{"b":[1,{"c":{}},[]]},true,false,null,"x",-1.5e3],"d":{}}"#) == .other(""))
    }

    @Test("Every truncated report is malformed and causes no crash")
    func cuts() {
        let line = Array(
            #"{"class":"TPV","mode":3,"lat":-1.5e1,"a":[{"b":"\u00e4"},null],"time":"2018-08-02T16:14:48Z"}"#.utf8)
        for end in 0..<line.count {
            let report = line[..<end].withUnsafeBufferPointer { GPSDReport(line: $0) }
            #expect(report == nil, "cut at \(end)")
        }
        #expect(line.withUnsafeBufferPointer { GPSDReport(line: $0) } != nil)
    }
}
