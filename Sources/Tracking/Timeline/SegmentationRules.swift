/// The rules that the timeline stands on, of a whole configuration.
@dynamicMemberLookup
struct SegmentationRules {
    let timeline: TimelineRule
    /// Who stands for this long is stationary, seconds.
    let intervalSeconds: Double
    /// The longest wait that belongs to a way, seconds; who rests for longer stays. Clearly longer than the interval, for
    /// epochs tell its ends only to some seconds and who waits makes a step or two.
    var longestWaitSeconds: Double { 1.5 * intervalSeconds }
    /// As far back the movement's history is asked about, seconds: the longest wait, and the way before it.
    var historySeconds: Double { 2 * intervalSeconds }
    /// What has lasted for longer cannot be found any more to have ended before it was long enough for a stop, seconds.
    var longestProvisionalSeconds: Double { timeline.shortestStopSeconds + longestWaitSeconds }
    let heartbeatSeconds: Double
    /// What stays, ways and legs are known by.
    let parameters: SegmentationParameters

    init(_ configuration: TrackingConfiguration) {
        timeline = configuration.timeline
        intervalSeconds = configuration.stationary.intervalSeconds
        heartbeatSeconds = configuration.heartbeatIntervalSeconds
        parameters = configuration.modelParameters.timeline
    }

    subscript(dynamicMember figure: KeyPath<SegmentationParameters, Double>) -> Double { parameters[keyPath: figure] }
}
