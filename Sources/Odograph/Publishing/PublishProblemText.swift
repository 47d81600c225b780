import OdographLink

/// The texts of the problem `publish_refused`: the cause and the remedy.
enum PublishProblemText {
    /// The broker accepts only messages that it does not acknowledge.
    static let qos1UnsupportedMessage =
        "the broker accepts only QoS 0, which has no acknowledgement; the agent publishes no records, because it needs "
        + "the acknowledgement of each one; allow QoS 1 at the broker (mosquitto: max_qos)"

    /// Returns the text for a refused record.
    /// - Parameter text: The reason from the broker or the library.
    static func refusedMessage(ofSeq seq: Int64, _ reason: PublishRefusal, _ text: String) -> String {
        "the broker refused record \(seq): \(text) (reason \(reason.reasonCode)); the agent keeps it and tries again; "
            + advice(on: reason)
    }

    /// Returns the text for a refused batch.
    /// - Parameters:
    ///   - records: The number of its records.
    ///   - nextLimit: The largest number of records in the next batches; 1 if records are sent alone.
    ///   - text: The reason from the broker or the library.
    static func refusedMessage(
        ofBatchOf records: Int, nextLimit: Int, _ reason: PublishRefusal, _ text: String
    ) -> String {
        let next = nextLimit > 1 ? "in batches of at most \(nextLimit)" : "one by one until the next connection"
        return "the broker refused a batch of \(records) records: \(text) (reason \(reason.reasonCode)); the agent "
            + "sends them \(next); \(advice(on: reason))"
    }

    /// Returns the text for records that have stayed unacknowledged more than once.
    static func unacknowledgedMessage(ofSeqs seqs: [Int64]) -> String {
        let named = seqs.prefix(3).map { "\($0)" }.joined(separator: ", ") + (seqs.count > 3 ? ", …" : "")
        return
            "the broker does not acknowledge \(seqs.count == 1 ? "record" : "records") \(named), although it acknowledges "
            + "later ones; the agent sends it again after a minute, then less often; see the broker's log"
    }

    /// Returns the text for a record, or all records of its kind, that wait because the broker ends the connection.
    static func endedMessage(ofSeq seq: Int64, on topic: String, _ pause: ConnectionEnds.Pause) -> String {
        let minutes = pause.milliseconds / 60_000
        let advice =
            "check that the broker's access rules allow this topic, and its limit of the packet size "
            + "(broker.maximum_message_bytes)"
        return switch pause {
        case .record:
            "the broker ended three connections in a row right after record \(seq) on \(topic); the agent keeps it, "
                + "sends the others, and tries it again in \(minutes) min; \(advice)"
        case .kind:
            "the broker ended several connections right after a record on \(topic), the last time after record \(seq); the "
                + "agent keeps the records of this topic, sends the others, and tries again in \(minutes) min; \(advice)"
        }
    }

    private static func advice(on reason: PublishRefusal) -> String {
        switch reason {
        case .notAuthorized:
            "check that user and certificate belong to this device, and the broker's access rules for publishing"
        case .packetTooLarge:
            "raise the broker's limit of the packet size (mosquitto: max_packet_size, message_size_limit) or "
                + "broker.maximum_message_bytes"
        case .quotaExceeded: "check the broker's limits and its memory"
        case .qosNotSupported: "allow QoS 1 at the broker (mosquitto: max_qos)"
        case .retainNotSupported: "allow retained messages at the broker (mosquitto: retain_available)"
        case .topicNameInvalid: "check root, fleet and device in the configuration, and the broker's rules for topics"
        case .payloadFormatInvalid: "check the broker's rules for payloads"
        case .other: "see the broker's log"
        }
    }
}
