import FoundationEssentials
import Glibc
import OdographHarness
import Testing

@testable import OdographTracking

/// Compares the tracker's outputs on simulated days with `Tests/Recorded`, so that any change of a value is seen. An
/// intended change is recorded again and reviewed with the change:
///
///     ODOGRAPH_RECORD=1 swift test --filter RecordedBehaviourTests; git diff --stat Tests/Recorded
@Suite("Recorded behaviour")
struct RecordedBehaviourTests {
    @Test("The tracker emits the recorded outputs", arguments: RecordedScene.all)
    func recorded(scene: RecordedScene) throws {
        let path = "\(Corpora.projectRoot)/Tests/Recorded/\(scene).txt"
        let lines = RecordedLines(scene.outputs)
        if getenv("ODOGRAPH_RECORD") != nil {
            try lines.short.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        guard recorded != lines.short else { return }
        let whole = "\(FileManager.default.temporaryDirectory.path)/\(scene).txt"
        try lines.all.joined(separator: "\n").write(toFile: whole, atomically: true, encoding: .utf8)
        let (index, found) =
            zip(recorded + [""], lines.short).enumerated().first { $1.0 != $1.1 }.map { ($0, $1) }
            ?? (recorded.count, ("nothing", lines.short.last ?? ""))
        Issue.record("line \(index + 1) was recorded as \(found.0), and is now \(found.1); all lines: \(whole)")
    }
}
