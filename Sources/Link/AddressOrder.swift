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

    /// Returns the addresses in their order: the newest, then one of each family in turn, as RFC 8305 says (section 4),
    /// beginning with the family that the resolver prefers, and the failed one after all others.
    func ordered(_ addresses: [BrokerAddress]) -> [BrokerAddress] {
        var rest: [BrokerAddress] = []
        for address in addresses where !rest.contains(address) { rest.append(address) }
        guard let first = rest.first else { return [] }
        var (preferred, others) = (rest.filter { $0.isIPv6 == first.isIPv6 }, rest.filter { $0.isIPv6 != first.isIPv6 })
        var ordered: [BrokerAddress] = []
        while !preferred.isEmpty || !others.isEmpty {
            if !preferred.isEmpty { ordered.append(preferred.removeFirst()) }
            if !others.isEmpty { ordered.append(others.removeFirst()) }
        }
        if let failed, let place = ordered.firstIndex(of: failed) { ordered.append(ordered.remove(at: place)) }
        if let newest, let place = ordered.firstIndex(of: newest) { ordered.insert(ordered.remove(at: place), at: 0) }
        return ordered
    }
}
