import OdographLink

extension BrokerURL {
    /// The largest number of brokers in a list. A vehicle without a network tries them all.
    private static let longestList = 8

    /// Reads the key `url`: an address, or a list of addresses.
    /// - Returns: The addresses, at least one; nil if the key is absent or has an error, which the reader then has.
    package static func list(_ reader: inout SettingsReader) -> [BrokerURL]? {
        guard let texts = reader.stringOrStrings("url") else { return nil }
        guard texts.count <= longestList else {
            reader.reject("url", "\(texts.count) addresses; write at most \(longestList)")
            return nil
        }
        var urls: [BrokerURL] = []
        for (index, text) in texts.enumerated() {
            let place = texts.count > 1 ? index : nil
            do {
                urls.append(try BrokerURL(text))
            } catch {
                reader.reject("url", place, error.description)
            }
        }
        return urls.count == texts.count ? urls : nil
    }
}
