import OdographWire

/// The meaning of a topic of a receipt.
struct ReceiptTopic: Hashable {
    /// The vehicle.
    let vehicle: DeviceAddress

    /// Creates the meaning of a topic; nil for a topic that is not of a receipt of the recorder.
    /// - Parameters:
    ///   - topic: The topic, `fleet/acme/van-7/receipt/main`.
    ///   - root: The expected first part.
    ///   - recorder: The expected last part.
    init?(_ topic: String, root: String, recorder: String) {
        // Nearly all messages of a recorder are others, which this finds out fast.
        guard topic.hasSuffix("/receipt/" + recorder) else { return nil }
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let address = try? DeviceAddress(root: root, fleet: parts[1], device: parts[2]),
            address.receiptTopic(of: recorder) == topic
        else { return nil }
        vehicle = address
    }
}
