/// A search for coordinates of a region in text. It finds averages of positions and points between two positions, which
/// a ``LeakSearch`` does not know.
public struct RegionSearch: Sendable {
    private static let leastDecimals = 4

    private let latitudes: ClosedRange<Double>
    private let longitudes: ClosedRange<Double>

    /// - Parameters:
    ///   - latitudes: Degrees north.
    ///   - longitudes: Degrees east.
    public init(latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>) {
        self.latitudes = latitudes
        self.longitudes = longitudes
    }

    /// Returns the places of the region in some bytes, each once: both axes, at most two other numbers between them.
    public func finds(in bytes: [UInt8]) -> Set<String> {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        var found: Set<String> = []
        var last: [(text: String, isLatitude: Bool, isLongitude: Bool)] = []
        for word in bytes.split(whereSeparator: { !digits.contains($0) && $0 != UInt8(ascii: ".") }) {
            let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].count >= Self.leastDecimals else { continue }
            let text = String(decoding: word, as: UTF8.self)
            let number = Double(text) ?? 0
            let axis = (text, latitudes.contains(number), longitudes.contains(number))
            for other in last where (axis.1 && other.isLongitude) || (axis.2 && other.isLatitude) {
                found.insert("\(other.text), \(text)")
            }
            last = last.suffix(2) + [axis]
        }
        return found
    }
}
