public import OdographCivilTime
import OdographModel
import OdographPositioning

extension Timestamp {
    /// The machine's current time.
    public static var now: Timestamp { SystemAgentClock().now().systemTime }
}
