import OdographCivilTime
import Glibc
import OdographHarness
import Testing

@Suite("The system's time zones")
struct ZoneDirectoryTests {
    private let system = ZoneDirectory.system

    @Test("Every zone of the system is read, and each of its transitions changes the offset")
    func everyZone() throws {
        let names = system.names()
        #expect(names.count > 300)
        for name in names {
            let rules = try system.rules(named: name)
            var last = Timestamp(millisecondsSinceEpoch: -631_152_000_000)
            for _ in 0..<200 {
                guard let next = rules.nextTransition(after: last) else { break }
                guard next > last,
                    rules.utcOffsetSeconds(at: next) != rules.utcOffsetSeconds(at: next.advanced(byMilliseconds: -1))
                else {
                    Issue.record("\(name) after \(last)")
                    break
                }
                last = next
            }
        }
    }

    @Test(
        "A misspelt name is refused with a suggestion",
        arguments: [
            ("europe/madrid", "Europe/Madrid"), ("Europe/Madird", "Europe/Madrid"), ("Madrid", "Europe/Madrid"),
            ("America/NewYork", "America/New_York"), ("Asia/Calcuta", "Asia/Calcutta"), ("berlin", "Europe/Berlin"),
        ])
    func suggestion(name: String, meant: String) {
        let error = #expect(throws: ZoneError.self) { try system.rules(named: name) }
        #expect(error?.description.contains("did you mean \(meant)?") == true, "\(String(describing: error))")
    }

    @Test(
        "An offset is refused, and a zone in the message has the same offset",
        arguments: [
            ("GMT+2", 2), ("UTC+2", 2), ("utc+02", 2), ("GMT-5", -5), ("UTC-5", -5), ("+02:00", 2), ("-05:00", -5),
            ("UTC+0200", 2), ("UTC +2", 2), ("UTC−3", -3), ("Z+1", 1), ("+14", 14), ("-12", -12), ("UTC+0", 0),
            ("Etc/UTC+2", 2), ("UTC+05:30", nil), ("+0530", nil), ("UTC-3:30", nil), ("GMT+15", nil), ("-13", nil),
            ("GMT2", nil), ("UTC2", nil), ("Etc/GMT+20", nil), ("UTC+2.5", nil),
        ] as [(String, Int?)])
    func offset(name: String, hours: Int?) throws {
        let error = #expect(throws: ZoneError.self) { try system.rules(named: name) }
        guard case .offset(name, let zone)? = error else { throw HarnessError("\(String(describing: error))") }
        let offset = try zone.map {
            try system.rules(named: $0).utcOffsetSeconds(at: Timestamp(millisecondsSinceEpoch: 0))
        }
        #expect(offset == hours.map { $0 * 3600 })
        let text = try #require(error?.description)
        #expect(text.contains("is an offset") && !text.contains("did you mean"))
        // No other zone is named but a place.
        #expect(text.dropFirst(name.count + 2).contains("Etc/") == (zone?.hasPrefix("Etc/") == true))
    }

    @Test(
        "An abbreviation is not corrected to one of another time",
        arguments: ["PST", "JST", "IST", "BST", "AEST", "CEST", "cest"])
    func abbreviation(name: String) {
        let error = #expect(throws: ZoneError.self) { try system.rules(named: name) }
        #expect(error == .unknown(name: name, folder: system.path, suggestion: nil), "\(String(describing: error))")
    }

    @Test(
        "A name that would leave the folder is refused without reading a file",
        arguments: [
            "", "/etc/passwd", "../../etc/passwd", "Europe/../../x", "Europe//Madrid", ".", "Europe/", "Europe/Mad rid",
            "a\u{0}b",
            String(repeating: "a", count: 129),
        ])
    func traversal(name: String) {
        #expect(throws: ZoneError.badName(name)) { try system.rules(named: name) }
    }

    @Test("The error names a file that is not a zone, and a folder without zones")
    func notZones() {
        let notZone = #expect(throws: ZoneError.self) { try system.rules(named: "tzdata.zi") }
        #expect(notZone?.description.contains("does not start with") == true)
        #expect(throws: ZoneError.noZoneFiles(folder: "/nowhere")) {
            try ZoneDirectory(path: "/nowhere").rules(named: "Europe/Madrid")
        }
        #expect(throws: Never.self) { try ZoneDirectory(path: "/nowhere").rules(named: "UTC") }
    }

    @Test(
        "The machine's zone is read from TZ as in the C library",
        arguments: [
            ("", "UTC", 0), ("Europe/Madrid", "Europe/Madrid", 3600), (":Asia/Tokyo", "Asia/Tokyo", 32_400),
            ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo", 32_400),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3", 3600),
        ])
    func environment(value: String, identifier: String, offset: Int) throws {
        let rules = try system.systemRules(SystemTimeZoneSettings(environmentValue: value))
        #expect(rules.identifier == identifier)
        #expect(rules.utcOffsetSeconds(at: Timestamp(millisecondsSinceEpoch: 1_795_252_502_000)) == offset)
        #expect(throws: ZoneError.self) {
            try system.systemRules(SystemTimeZoneSettings(environmentValue: "Europe/Madird"))
        }
    }

    @Test("Without TZ the link names the zone, a copy is named by its file, and the default is UTC")
    func localtime() throws {
        var template = Array("/tmp/zone-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let (link, name) = ("\(folder)/localtime", "\(folder)/timezone")
        defer {
            for file in [link, name] { unlink(file) }
            rmdir(folder)
        }
        func machine() -> SystemTimeZoneSettings {
            SystemTimeZoneSettings(environmentValue: nil, localtimePath: link, namePath: name)
        }
        #expect(try system.systemRules(machine()) == .utc)
        symlink("\(system.path)/Asia/Tokyo", link)
        #expect(try system.systemRules(machine()).identifier == "Asia/Tokyo")
        unlink(link)
        symlink("\(system.path)/Asia/Tokyo", name)
        rename(name, link)
        let file = try #require(fopen(name, "w"))
        fputs("Asia/Tokyo\n", file)
        fclose(file)
        #expect(try system.systemRules(machine()).identifier == "Asia/Tokyo")
    }
}
