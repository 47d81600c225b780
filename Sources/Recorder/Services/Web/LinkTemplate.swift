/// The address of a page with places for the names and the position of a vehicle.
package struct LinkTemplate: Hashable, Sendable {
    /// A place in the address.
    enum Place: String, Hashable, Sendable, CaseIterable {
        case fleet, device, latitude, longitude

        /// The place as a person writes it.
        var text: String { "{\(rawValue)}" }
    }

    /// The address with its places.
    let text: String

    /// Creates a template; nil if the text is no address of a page, or has other braces.
    package init?(_ text: String) {
        let isAddress = ["https://", "http://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
        guard isAddress, text.utf8.count <= 1000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        var rest = text
        for place in Place.allCases { rest = rest.replacing(place.text, with: "") }
        guard !rest.contains(where: { "{}".contains($0) }) else { return nil }
        self.text = text
    }

    /// Returns the address with values; nil if a value for one of its places is not known.
    func address(_ values: [Place: String]) -> String? {
        var address = text
        for place in Place.allCases where address.contains(place.text) {
            guard let value = values[place] else { return nil }
            address = address.replacing(place.text, with: value)
        }
        return address
    }
}
