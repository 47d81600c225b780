import CivilTime

/// Goes on where another tracker was whose state is lost.
extension Tracker {
    /// Ends the events that the lost tracker has left open, where they were last heard of; from there on nothing is known.
    ///
    /// - Parameters:
    ///   - events: the newest revision of each event that lasted.
    ///   - lastUpdate: the newest `lastUpdate` that was told.
    ///   - moment: now.
    /// - Returns: their final revisions, and the first of the absence that begins there; nothing where there are none.
    public mutating func takeOver(
        _ events: [TimelineEvent], lastUpdate: Timestamp, at moment: Moment
    ) -> [TrackerOutput] {
        var log = TimelineLog(now: clock.isKnown(at: moment) ? max(clock.time(of: moment), lastUpdate) : lastUpdate)
        timeline.takeOver(events, lastUpdate: lastUpdate, into: &log)
        var outputs: [TrackerOutput] = []
        tell(log, into: &outputs)
        return outputs
    }
}

extension TimelineKeeper {
    fileprivate mutating func takeOver(
        _ events: [TimelineEvent], lastUpdate: Timestamp, into log: inout TimelineLog
    ) {
        guard let end = events.map({ max($0.lastUpdate, $0.start) }).max() else { return }
        self.lastUpdate = lastUpdate
        for var event in events {
            let update = max(log.now, (self.lastUpdate ?? lastUpdate).advanced(byMilliseconds: 1))
            self.lastUpdate = update
            event.revision += 1
            event.isProvisional = false
            event.end = max(event.lastUpdate, event.start)
            event.lastUpdate = update
            log.events.append(event)
        }
        lastTime = end
        begin(.offTheGrid(.powerOff), at: end, meters: lastMeters, into: &log)
    }
}
