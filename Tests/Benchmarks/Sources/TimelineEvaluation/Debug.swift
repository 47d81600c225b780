import CivilTime
import Tracking
func debugRun(_ path: String, _ a: Double, _ b: Double, _ step: Double) throws {
    let capture = try Capture(path: path)
    var tracker = Tracker()
    let zero = capture.fixes[0].timestamp
    var last = -1e9
    for fix in capture.fixes {
        _ = tracker.handle(.fix(fix))
        let t = fix.timestamp.seconds(since: zero)
        if t >= a, t <= b, t - last >= step {
            last = t
            print(
                text(t, 0), text(tracker.odometerMeters, 1), tracker.debugText(at: fix), fix.speedMetersPerSecond ?? -1)
        }
    }
}
