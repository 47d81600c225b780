/// The part of the configuration that the timeline depends on.
@dynamicMemberLookup
struct SegmentationRules {
    /// The distance within which a vehicle is found at the place where it was lost, metres, beside the receiver's
    /// accuracy: half of the box of the stationary rule by default.
    static let samePlaceMeters = 75.0

    let timeline: TimelineRule
    /// The time after which a vehicle at rest is stationary, seconds.
    let intervalSeconds: Double
    /// The longest wait that belongs to a trip, seconds. It is clearly longer than the interval, because windows show
    /// the ends of a wait only to some seconds, and a person who waits makes a step or two.
    var longestWaitSeconds: Double { 1.5 * intervalSeconds }
    /// The length of the history that is examined, seconds: the longest wait and the trip before it.
    var historySeconds: Double { 2 * intervalSeconds }
    /// The duration after which a stop can no longer turn out to be too short for one, seconds.
    var longestProvisionalSeconds: Double { timeline.shortestStopSeconds + longestWaitSeconds }
    let heartbeatSeconds: Double
    /// The largest mean speed of a vehicle, m/s: that of fast trains, or more if the filter accepts more.
    let fastestMetersPerSecond: Double
    let parameters: SegmentationParameters

    init(_ configuration: TrackingConfiguration) {
        timeline = configuration.timeline
        intervalSeconds = configuration.stationary.intervalSeconds
        heartbeatSeconds = configuration.heartbeatIntervalSeconds
        fastestMetersPerSecond = configuration.filter.fastestVehicleMetersPerSecond
        parameters = configuration.modelParameters.timeline
    }

    subscript(dynamicMember parameter: KeyPath<SegmentationParameters, Double>) -> Double {
        parameters[keyPath: parameter]
    }
}
