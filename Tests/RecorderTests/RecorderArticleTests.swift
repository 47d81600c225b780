import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing

@testable import OdographRecorder

/// The article Recorder describes the output of the recorder for other programs.
@Suite("The article about the recorder")
struct RecorderArticleTests {
    private let article: String

    init() throws {
        article = try FileContents.text(Corpora.projectRoot + "/Sources/Odograph/Odograph.docc/Recorder.md")
    }

    @Test("It contains each metric")
    func metrics() throws {
        let archive = try Archive()
        try archive.database.begin([NotificationTests.depot(.command(["/bin/true"]))])
        try archive.database.beginRelay()
        var entries = Archive.entries([(van + "geofence", Array(try NotificationTests.enter(1).utf8))])
        entries[0].received = .now
        try archive.database.write(entries)
        let counters = RecorderCounters()
        let status = try RecorderStatus(of: .file(path: archive.file.path))
        let text = RecorderMetrics(counters: counters.current(), status: status, date: .now).text
        let names = text.matches(of: #/# TYPE odograph_recorder_(\w+) (\w+)/#).map { match in
            String(match.1) + (match.2 == "counter" ? "_total" : "")
        }
        #expect(names.count >= 22, "\(names)")
        for name in names {
            let isNamed = ["`\(name)`", "`\(name){"].contains { article.contains($0) }
            #expect(isNamed, "\(name)")
        }
    }

    @Test("Its example of a notification is one, and it explains each key")
    func notification() throws {
        let examples = article.matches(of: #/```json\n([^`]*)```/#).map { String($0.1) }
        let example = try #require(examples.first { $0.contains("\"phase\"") })
        let notification = try JSONCoder.decode(RuleNotification.self, from: Array(example.utf8))
        #expect(notification.position != nil && notification.geofence?.action == "EXIT")
        var whole = notification
        whole.speed = RuleNotification.Speed(limit: 1, peak: 2)
        (whole.refused, whole.missing) = ([], [])
        for key in try JSONCoder.members(of: whole).keys {
            #expect(article.contains("`\(key)`"), "\(key)")
        }
    }
}
