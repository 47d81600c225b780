import OdographHarness
import OdographJSON
import OdographWire

/// A client that subscribes to the receipts of a fleet.
struct ReceiptListener {
    private let child: ChildProcess

    init(port: UInt16) throws {
        child = try ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(port)", "-q", "1", "-t", "fleet/acme/+/receipt/+", "-t", "probe", "-F",
                "%t %p",
            ])
    }

    /// The receipts on a topic so far.
    func receipts(on topic: String = van + "receipt/main") throws -> [Receipt] {
        try child.output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0] == topic, parts[1].hasPrefix("{") else { return nil }
            return try JSONCoder.decode(Receipt.self, from: Array(parts[1].utf8))
        }
    }

    /// Waits for a receipt after some others.
    func receipt(after count: Int = 0, on topic: String = van + "receipt/main") async throws -> Receipt {
        let receipt = try await eventually { () -> Receipt? in
            let receipts = try receipts(on: topic)
            return receipts.count > count ? receipts[count] : nil
        }
        guard let receipt else { throw HarnessError("no receipt after \(count): \(child.output) \(child.errors)") }
        return receipt
    }

    /// Waits for the first receipt for which a condition is true.
    func receipt(where condition: (Receipt) -> Bool) async throws -> Receipt {
        let receipt = try await eventually { try receipts().first(where: condition) }
        guard let receipt else { throw HarnessError("no such receipt: \(child.output) \(child.errors)") }
        return receipt
    }

    /// Waits until this client is subscribed.
    func waitForSubscription(_ desk: BrokerOperator) async throws {
        let isSubscribed = try await eventually { () -> Bool? in
            try await desk.publish("x", to: "probe", isRetained: false)
            return child.output.contains("probe x") ? true : nil
        }
        guard isSubscribed != nil else { throw HarnessError("no subscription: \(child.errors)") }
    }
}
