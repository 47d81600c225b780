/// Notes which of the recorder's filters have matched a message in a period. It has no clock.
///
/// A broker can lose a subscription and keep the connection: a cluster of NATS does when one of its servers is killed.
/// To subscribe again is harmless: the broker replaces the subscription, and delivers the retained messages again.
struct SubscriptionWatch {
    /// A filter `<root>/<fleet>/+/<channel>` or `<root>/<fleet>/+/<channel>/#`.
    private struct Filter {
        let text: String
        let start: String
        let channel: String

        /// - Parameter text: The filter; nil if it does not have this form.
        init?(_ text: String) {
            let parts = text.split(separator: "/+/", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            (self.text, start) = (text, "\(parts[0])/")
            channel = parts[1].hasSuffix("/#") ? String(parts[1].dropLast(2)) : String(parts[1])
        }

        func matches(_ topic: String) -> Bool {
            guard topic.hasPrefix(start) else { return false }
            let rest = topic.utf8.dropFirst(start.utf8.count)
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
            let end = rest[rest.index(after: slash)...]
            return end.starts(with: channel.utf8)
                && (end.count == channel.utf8.count || end.dropFirst(channel.utf8.count).first == UInt8(ascii: "/"))
        }
    }

    private let filters: [Filter]
    private var unmatched: [Filter]

    /// - Parameter filters: The filters of the recorder.
    init(_ filters: [String]) {
        self.filters = filters.compactMap(Filter.init)
        unmatched = self.filters
    }

    /// Notes a message.
    mutating func note(topic: String) { unmatched.removeAll { $0.matches(topic) } }

    /// Ends the period, and begins the next one.
    /// - Returns: The filters that matched no message in the period.
    mutating func turn() -> [String] {
        defer { unmatched = filters }
        return unmatched.map(\.text)
    }
}
