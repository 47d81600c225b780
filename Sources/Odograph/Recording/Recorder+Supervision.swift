extension Recorder {
    /// The state of the recorder for the stall detector.
    package struct PipelineState: Sendable {
        /// Whether the source has ended.
        package var hasSourceEnded: Bool
        /// The time of the source's last event, while it has positions. On the monotonic clock, milliseconds.
        package var lastSourceEventMilliseconds: Int64?
        /// The time at which the next commit is or was due, on the monotonic clock, milliseconds.
        package var commitDueMilliseconds: Int64?
    }

    /// The state. An answer shows that the store's thread works.
    package var pipelineState: PipelineState {
        PipelineState(
            hasSourceEnded: hasSourceEnded, lastSourceEventMilliseconds: lastSourceEventUptime,
            commitDueMilliseconds: pending.due(intervalSeconds: settings.commitIntervalSeconds))
    }
}
