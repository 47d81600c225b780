public import CivilTime
import OdographModel
import Positioning

extension Timestamp {
    /// The machine's current time.
    public static var now: Timestamp { SystemAgentClock().now().systemTime }
}
