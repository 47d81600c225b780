/// The order in which the addresses of a broker's name are tried, by what happened at them.
struct AddressOrder {
    /// The address of the newest connection; nil if the broker did not answer there, or an attempt has failed since.
    private(set) var newest: BrokerAddress?
    /// The address at which a broker refused this client or did not answer, until one has accepted it; nil for none.
    private var failed: BrokerAddress?

    mutating func noteAccepted(at address: BrokerAddress) { self = AddressOrder(newest: address) }

    /// Notes that a broker refused this client.
    mutating func noteRefused(at address: BrokerAddress) { self = AddressOrder(failed: address) }

    /// Notes that the broker did not answer on the newest connection.
    mutating func noteUnanswered() { self = AddressOrder(failed: newest) }

    /// Returns the addresses in their order.
    func ordered(_ addresses: [BrokerAddress]) -> [BrokerAddress] {
        BrokerAddress.ordered(addresses, preferring: newest, last: failed)
    }
}
