extension Recorder {
    /// What tells whether work stands still.
    package struct PipelineState: Sendable {
        /// Whether the source has no more to say.
        package var hasSourceEnded: Bool
        /// When the source spoke last, where it says that it has positions.
        package var lastSourceEventMilliseconds: Int64?
        /// When the next commit is, or was, due.
        package var commitDueMilliseconds: Int64?
    }

    /// The state; whoever gets it knows that the store's thread answers.
    package var pipelineState: PipelineState {
        PipelineState(
            hasSourceEnded: hasSourceEnded, lastSourceEventMilliseconds: lastSourceEventUptime,
            commitDueMilliseconds: pending.due(intervalSeconds: settings.commitIntervalSeconds))
    }
}
