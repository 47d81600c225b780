import Odograph
import OdographLink
import OdographWire

extension RecorderConfiguration {
    /// The topic filters of the requests about the past; empty if the recorder does not answer them.
    package var historyFilters: [String] {
        history.isAnswering ? fleets.map { HistoryAddress.requestFilter(root: root, fleet: $0) } : []
    }

    /// The client id of the session for requests. It follows from that of the recorder, but that one does not follow
    /// from it, and has at most 23 characters.
    package var historyClientID: String {
        "history-" + SHA256.hexDigest(of: Array("history\n\(clientID)".utf8)).prefix(14)
    }

    /// Returns the settings of the session for requests. The broker keeps nothing of it.
    package func historyLinkConfiguration(password: Secret?) -> LinkConfiguration {
        var link = broker.linkConfiguration(clientID: historyClientID, password: password, rememberedVersion: nil)
        link.maximumIncomingBytes = HistoryRequest.maximumBytes
        return link
    }
}
