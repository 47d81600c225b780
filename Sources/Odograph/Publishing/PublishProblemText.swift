import Link

/// The texts of the problem `publish_refused`: the cause and the remedy.
enum PublishProblemText {
    /// The broker accepts only messages that it does not acknowledge.
    static let qos1UnsupportedMessage =
        "the broker takes messages at QoS 0 only, which it does not acknowledge: the agent sends no records there, because it "
        + "keeps each until the broker has acknowledged it; allow QoS 1 at the broker (mosquitto: max_qos)"

    /// Returns the text for a refused record.
    /// - Parameter text: The reason from the broker or the library.
    static func refusedMessage(ofSeq seq: Int64, _ reason: PublishRefusal, _ text: String) -> String {
        "the broker refused record \(seq): \(text) (reason \(reason.reasonCode)); it stays here and is tried again; "
            + advice(on: reason)
    }

    /// Returns the text for records that have stayed unacknowledged more than once.
    static func unacknowledgedMessage(ofSeqs seqs: [Int64]) -> String {
        let named = seqs.prefix(3).map { "\($0)" }.joined(separator: ", ") + (seqs.count > 3 ? ", …" : "")
        return
            "the broker does not acknowledge \(seqs.count == 1 ? "record" : "records") \(named), although it acknowledges "
            + "later ones; it is sent again after a minute, and less and less often; see the broker's log"
    }

    private static func advice(on reason: PublishRefusal) -> String {
        switch reason {
        case .notAuthorized:
            "check that user or certificate are this device's own, and what the broker lets it write"
        case .packetTooLarge:
            "raise the largest packet that the broker takes (mosquitto: max_packet_size, message_size_limit)"
        case .quotaExceeded: "see the broker's limits, and how full its memory is"
        case .qosNotSupported: "allow QoS 1 at the broker (mosquitto: max_qos)"
        case .retainNotSupported: "allow retained messages at the broker (mosquitto: retain_available)"
        case .topicNameInvalid: "check root, fleet and device in the configuration, and which topics the broker takes"
        case .payloadFormatInvalid: "see which rules the broker checks payloads with"
        case .other: "see the broker's log"
        }
    }
}
