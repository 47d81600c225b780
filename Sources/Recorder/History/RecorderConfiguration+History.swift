import OdographLink
import OdographSettings
import OdographWire

extension RecorderConfiguration {
    /// The topic filters of the requests about the past; empty if the recorder does not answer them.
    package var historyFilters: [String] {
        history.isAnswering ? fleets.map { HistoryAddress.requestFilter(root: root, fleet: $0) } : []
    }

    /// Returns the settings of the session for requests. The broker keeps nothing of it, so its client id is a new one.
    package func historyLinkConfiguration(password: Secret?) -> LinkConfiguration {
        var link = broker.linkConfiguration(
            clientID: RandomIdentifier.make(), password: password, rememberedVersion: nil)
        link.maximumIncomingBytes = HistoryRequest.maximumBytes
        link.incomingRoomBytes = Self.incomingRoomBytes
        return link
    }
}
