/// Interprets the elements of a GPX file, 1.0 or 1.1, and collects the track points. Namespaces are ignored, because
/// programs write different prefixes or none.
package struct GPXHandler {
    /// The deepest accepted nesting. GPX with extensions has fewer than ten levels, and each level costs memory.
    private static let maximumDepth = 128
    /// The longest text collected from an element, bytes. The longest useful value is a time.
    private static let maximumTextBytes = 128

    /// The points read but not yet taken.
    private(set) var points: [GPXPoint] = []
    /// The number of these elements.
    package private(set) var trackPoints = 0
    /// The number of these elements.
    package private(set) var routePoints = 0
    /// The number of these elements.
    package private(set) var waypoints = 0
    /// The reason why the file is refused; nil if it is not.
    private(set) var refusal: String?

    private var depth = 0
    private var point: GPXPoint?
    private var extensionsDepth: Int?
    private var element: String?
    private var text: [UInt8] = []

    /// Returns all collected points and removes them.
    package mutating func takePoints() -> [GPXPoint] {
        defer { points.removeAll(keepingCapacity: true) }
        return points
    }

    mutating func refuse(_ reason: String) {
        refusal = refusal ?? reason
    }

    /// Handles the start of an element.
    /// - Parameters:
    ///   - line: The line of the element.
    ///   - attribute: Returns the value of an attribute.
    mutating func start(_ name: String, line: Int, attribute: (String) -> String?) {
        depth += 1
        guard depth <= Self.maximumDepth else { return refuse("elements nest deeper than \(Self.maximumDepth)") }
        if depth == 1, name != "gpx" { return refuse("the document is <\(name.prefix(40))>, not <gpx>") }
        switch name {
        case "trkpt":
            trackPoints += 1
            point = GPXPoint(latitude: attribute("lat"), longitude: attribute("lon"), line: line)
            extensionsDepth = nil
        case "rtept": routePoints += 1
        case "wpt": waypoints += 1
        case "extensions" where point != nil && extensionsDepth == nil: extensionsDepth = depth
        default: break
        }
        element = point != nil && GPXPoint.isWanted(name) ? name : nil
        text.removeAll(keepingCapacity: true)
    }

    mutating func characters(_ bytes: some Sequence<UInt8>) {
        guard element != nil, text.count < Self.maximumTextBytes else { return }
        text.append(contentsOf: bytes.prefix(Self.maximumTextBytes - text.count))
    }

    mutating func end(_ name: String) {
        if let element, element == name {
            point?.set(name, to: String(decoding: text, as: UTF8.self), isExtension: extensionsDepth != nil)
        }
        element = nil
        if extensionsDepth == depth { extensionsDepth = nil }
        if name == "trkpt", let point {
            points.append(point)
            self.point = nil
        }
        depth -= 1
    }
}
