import OdographHarness
import OdographJSON
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

extension ScheduleFixture {
    /// Returns the settings of a document.
    static func settings(_ text: String) throws -> TrackingSettings {
        var reader = SettingsReader(try JSON5Parser.value(of: Array(text.utf8)), path: "tracking")
        let settings = TrackingSettings(&reader)
        #expect(reader.allIssues() == [])
        return settings
    }
}
