import Odograph
import OdographPositioning
import OdographTerminal

/// Checks the capture that a configuration names as the source of the positions.
package enum CaptureCheck {
    /// Returns a finding if the capture cannot be read; none for another source.
    package static func findings(_ source: SourceConfiguration) -> [Finding] {
        guard case .replay(let settings) = source else { return [] }
        do {
            _ = try CaptureReader(settings).next()
            return []
        } catch {
            return [Finding(.fail, NamedFileCheck.subject, sentence: "\(error)")]
        }
    }
}
