import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("The kept configurations, and what a new one changes")
struct DocumentHistoryTests {
    private let folder: TemporaryFolder
    private let history: DocumentHistory

    init() throws {
        folder = try TemporaryFolder()
        history = DocumentHistory(folder: folder.file("state"), broker: "h:1", topic: "fleet/acme/all/config")
    }

    private func entry(_ text: String, from sender: String? = "ann@office", _ second: Int64 = 0) throws
        -> DocumentHistory.Entry
    {
        let bytes = Array(text.utf8)
        return try #require(
            DocumentHistory.Entry(
                bytes, DesiredDocument(bytes, sender: sender),
                at: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + second * 1000), isPublished: true))
    }

    @Test("Documents are kept in their order, and one that is not new is kept once")
    func order() throws {
        #expect(try history.entries() == [])
        let (one, two) = (try entry("{ version: 'one' }"), try entry("{ version: 'two' }"))
        for entry in [one, one, two, one] { try history.add(entry) }
        #expect(try history.entries() == [one, two, one])
        #expect(history.path == folder.file("state/h:1/fleet/acme/all/config.jsonl"))
        // A damaged line does not hide the others.
        let text = try folder.read("state/h:1/fleet/acme/all/config.jsonl")
        try folder.write("damaged\n" + text, to: "state/h:1/fleet/acme/all/config.jsonl")
        #expect(try history.entries() == [one, two, one])
    }

    @Test("The newest hundred documents are kept")
    func limit() throws {
        for number in 0..<105 { try history.add(try entry("{ version: '\(number)' }", Int64(number))) }
        let entries = try history.entries()
        #expect(entries.count == DocumentHistory.maximumCount && entries.last?.version == "104")
    }

    @Test("The text of the operator is kept with the hash of the strict JSON that vehicles get")
    func operatorsText() throws {
        let text = Array("// Opens on Mondays.\n{ version: '1', tracking: { extras: { a: 0x1F, }, }, }".utf8)
        let wire = FleetDocument.strictJSON(of: text)
        #expect(String(decoding: wire, as: UTF8.self) == #"{"tracking":{"extras":{"a":31}},"version":"1"}"#)
        #expect(FleetDocument.strictJSON(of: wire) == wire)
        let pretty = Array("{\n  \"version\": \"1\"\n}\n".utf8)
        #expect(FleetDocument.strictJSON(of: pretty) == pretty)
        #expect(FleetDocument.strictJSON(of: [0xEF, 0xBB, 0xBF] + pretty) == Array(#"{"version":"1"}"#.utf8))
        let entry = try #require(
            DocumentHistory.Entry(
                text, DesiredDocument(wire, sender: nil), at: Timestamp(millisecondsSinceEpoch: 0), isPublished: true))
        try history.add(entry)
        #expect(try history.entries() == [entry] && entry.text == text && entry.hash == SHA256.hexDigest(of: wire))
    }

    @Test("A roll-back takes the newest other document, or the one with a version or a hash")
    func target() throws {
        let entries = [
            try entry("{ version: 'one' }"), try entry("{ version: 'two' }"), try entry(""),
            try entry("{ version: 'three' }"),
        ]
        func version(_ wanted: String?, at current: Int?) throws -> String? {
            try DocumentHistory.target(in: entries, matching: wanted, current: current.map { entries[$0].hash }).version
        }
        #expect(try version(nil, at: 3) == "two")
        #expect(try version(nil, at: 1) == "three")
        #expect(try version(nil, at: nil) == "three")
        #expect(try version("one", at: 3) == "one")
        #expect(try version(String(entries[0].hash.prefix(7)), at: 3) == "one")
        #expect(try version("#" + entries[1].hash.prefix(7), at: 3) == "two")
        #expect(throws: ExitError.self) { try version("four", at: 3) }
        #expect(throws: ExitError.self) { try version("ab", at: 3) }
        #expect(throws: ExitError.self) {
            try DocumentHistory.target(in: [entries[0]], matching: nil, current: entries[0].hash)
        }
    }

    @Test("The table says who published what and when, and in 44 columns which one is current")
    func table() throws {
        let entries = [try entry("{ version: 'one' }"), try entry("{}", from: nil)]
        let wide = DocumentHistory.table(entries, current: entries[0].hash, width: nil).split(separator: "\n")
        #expect(wide[0] == "WHEN (UTC)        VERSION  HASH      WHO         NOW")
        #expect(wide[1].hasPrefix("2026-09-21 14:13  none     #"), "\(wide)")
        #expect(wide[2].hasSuffix("ann@office  current"), "\(wide)")
        let narrow = DocumentHistory.table(entries, current: entries[0].hash, width: 44).split(separator: "\n")
        #expect(narrow.allSatisfy { $0.count <= 44 } && narrow[2].hasSuffix("  current"), "\(narrow)")
        let json = try DocumentHistory.jsonLines(entries, current: entries[0].hash).split(separator: "\n")
        let members = try JSONCoder.decode([String: JSONValue].self, from: Array(json[1].utf8))
        #expect(members["sender"] == .null && members["version"] == .null && members["at_broker"] == .bool(false))
        #expect(members["document"] == .string("{}"))
    }

    @Test(
        "A plan says what a changed schedule says now",
        arguments: [
            // Saturday, 28 November 2026, 12:00 in Madrid.
            (
                "{ tracking: { schedule: '* 6-20 * * 1-5' } }", nil,
                "closed now (private), opens Mon 06:00 (Europe/Madrid): van-1"
            ),
            ("{ tracking: { schedule: '* 6-20 * * *' } }", nil, "open now, closes Sat 21:00 (Europe/Madrid): van-1"),
            (
                "{ tracking: { schedule: ['* 6-12 * * *', '* 13-15 * * 6'] } }", nil,
                "open now, closes Sat 16:00 (Europe/Madrid): van-1"
            ),
            ("{ tracking: { enabled: false } }", nil, "closed now (tracking disabled), for ever: van-1"),
            ("{ tracking: { off_schedule: { mode: 'tag' } } }", nil, "open now, for ever: van-1"),
            ("{ tracking: { heartbeat_interval: 60 } }", nil, nil),
            // The vehicle's own document sets the schedule, which this level does not change.
            (
                "{ tracking: { schedule: '* 1 * * *' } }", "{ tracking: { schedule: '* 2 * * *' } }",
                "open now, for ever: van-1"
            ),
        ])
    func plannedSchedule(document: String, old: String?, expected: String?) throws {
        let now = try #require(Timestamp(iso8601: "2026-11-28T11:00:00Z"))
        let configuration: JSONValue = .object([
            "tracking": .object([
                "schedule": .string("* * * * *"), "off_schedule": .object(["mode": .string("private")]),
            ])
        ])
        let planned = PlannedSchedule.list(
            Array(document.utf8), over: old.map { Array($0.utf8) },
            in: [("van-1", configuration, "Europe/Madrid"), ("van-2", nil, nil)], now: now)
        #expect(planned.map(\.text) == [expected].compactMap { $0 })
    }

    @Test("A difference names each key with its old and its new value")
    func difference() {
        let old = "{ version: '1', tracking: { heartbeat_interval: 60, extras: { a: 1 }, sampling: { distance: 10 } } }"
        let new = "{ version: '2', tracking: { heartbeat_interval: 60, extras: { b: [1, 2] } } }"
        let difference = DocumentDifference(Array(new.utf8), over: Array(old.utf8))
        #expect(
            difference.text(width: nil) == """
                - tracking.extras.a: 1
                + tracking.extras.b: [1,2]
                - tracking.sampling.distance: 10
                ~ version: "1" → "2"
                1 added, 1 changed, 2 removed

                """)
        #expect(DocumentDifference([], over: nil).changes.isEmpty)
        #expect(DocumentDifference(Array(new.utf8), over: Array("{ damaged".utf8)).changes.count == 3)
        let long = "{ tracking: { extras: { k: '\(String(repeating: "long ", count: 11))' } } }"
        let lines = DocumentDifference(Array(long.utf8), over: nil).text(width: 44).split(separator: "\n")
        #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 44 }, "\(lines)")
    }
}
