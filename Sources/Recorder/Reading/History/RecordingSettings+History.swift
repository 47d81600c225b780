import OdographLink
import OdographSettings
import OdographWire

extension HistorySettings {
    /// Returns the topic filters of the requests about the past; empty if the recorder does not answer them.
    package func filters(of recording: RecordingSettings) -> [String] {
        guard isAnswering else { return [] }
        return recording.fleets.map { HistoryAddress.requestFilter(root: recording.root, fleet: $0) }
    }
}

extension RecordingSettings {
    /// Returns the settings of the session for requests. The broker keeps nothing of it, so its client id is a new one.
    package func historyLinkConfiguration(password: Secret?) -> LinkConfiguration {
        var link = broker.linkConfiguration(
            clientID: RandomIdentifier.make(), password: password)
        link.maximumIncomingBytes = HistoryRequest.maximumBytes
        link.incomingRoomBytes = Self.incomingRoomBytes
        return link
    }
}
