public import OdographJSON
public import OdographModel

/// Reads geofences from a GeoJSON document (RFC 7946) as a stream. Memory does not grow with the document, except for a
/// few bytes per geofence to detect duplicate identifiers.
///
///     var reader = GeofenceReader(bytes)
///     while let item = try reader.next() {
///         switch item {
///         case .geofence(let geofence): set.add(geofence)
///         case .problems(let problems): all += problems
///         }
///     }
///
/// A wrong geofence is skipped and its problems are returned. An invalid document throws, possibly only at its last
/// byte: do not use any result before ``next()`` has returned nil.
public struct GeofenceReader {
    /// The result for one feature.
    public enum Item: Hashable, Sendable {
        /// A valid geofence.
        case geofence(Geofence)
        /// The problems of a wrong geofence, at least one.
        case problems([GeofenceProblem])
    }

    /// The greatest number of features in a document.
    public static let maximumGeofences = 1_000_000

    private enum State { case start, root, features, end }

    private var scanner: JSONScanner
    private let givenIdentifier: String?
    private var positions = PositionReader()
    private var properties = GeofencePropertyReader()
    private var state = State.start
    private var root = FeatureDraft(number: 1, line: 1, path: "")
    private var rootType: String?
    private var hasFeatures = false
    /// The number of features read.
    public private(set) var featureCount = 0
    /// Whether the document is a single Feature. Valid after the document was read to its end.
    public var isSingleFeature: Bool { state == .end && !hasFeatures }
    /// The line of each feature, by a hash of its identifier: 64 bits, with a random seed in each run.
    private var lines: [Int: Int32] = [:]

    /// Creates a reader of a complete document.
    /// - Parameter identifier: The geofence's identifier from elsewhere, such as the topic, if the document is a single
    ///   Feature. The Feature may omit its identifier, but must not have a different one.
    public init(_ bytes: [UInt8], identifier: String? = nil) {
        scanner = JSONScanner(bytes, format: "GeoJSON")
        givenIdentifier = identifier
    }

    /// Creates a reader of a document in pieces.
    /// - Parameter next: Returns the next piece, of any length, and an empty one at the end. ``next()`` rethrows its
    ///   errors.
    public init(pieces next: @escaping () throws(JSONError) -> [UInt8]) {
        scanner = JSONScanner([], format: "GeoJSON", then: next)
        givenIdentifier = nil
    }

    /// Returns the next geofence or its problems; nil at the end of a valid document.
    /// - Throws: ``JSONError`` if the document is invalid.
    public mutating func next() throws(JSONError) -> Item? {
        if state == .start { try readDocumentStart() }
        while true {
            switch state {
            case .features:
                if try scanner.nextElement() { return try readFeature() }
                state = .root
            case .root:
                guard try scanner.nextMember() else { return try finishDocument() }
                try readRootMember()
            case .start, .end: return nil
            }
        }
    }

    // MARK: The document

    private mutating func readDocumentStart() throws(JSONError) {
        try scanner.skipByteOrderMark()
        if try scanner.isAtEnd() {
            throw scanner.failure("the document is empty: write a FeatureCollection, with no features for no fences")
        }
        guard try scanner.kind() == .object else {
            throw scanner.failure("a FeatureCollection was expected, { \"type\": \"FeatureCollection\", … }")
        }
        root = FeatureDraft(number: 1, line: scanner.line, path: "")
        scanner.open()
        state = .root
    }

    private mutating func readRootMember() throws(JSONError) {
        let key = scanner.string
        switch key {
        case "type":
            guard rootType == nil else { throw scanner.failure("\"type\" is there twice") }
            guard try scanner.kind() == .string else { throw scanner.failure("\"type\" must be \"FeatureCollection\"") }
            try scanner.readString()
            rootType = try documentType(scanner.string)
            root.hasType = true
        case "features":
            guard !hasFeatures else { throw scanner.failure("\"features\" is there twice") }
            guard try scanner.kind() == .array else { throw scanner.failure("\"features\" must be an array") }
            scanner.open()
            (hasFeatures, state) = (true, .features)
        default:
            var draft = root
            try readMember(key, into: &draft)
            root = draft
        }
    }

    private mutating func documentType(_ type: String) throws(JSONError) -> String {
        switch type {
        case "FeatureCollection", "Feature": return type
        case _ where ShapeBuilder.supportedTypes.contains(type) || ShapeBuilder.unsupportedTypes.contains(type):
            throw scanner.failure("a \(type) by itself: put it into a Feature as its geometry, with its identifier")
        default:
            let hint = properties.guess(type, among: ["FeatureCollection", "Feature"]).map {
                ": did you mean \"\($0)\"?"
            }
            throw scanner.failure("\"type\" must be \"FeatureCollection\" or \"Feature\"" + (hint ?? ""))
        }
    }

    private mutating func finishDocument() throws(JSONError) -> Item? {
        guard let rootType else {
            throw scanner.failure("the document has no \"type\": write \"type\": \"FeatureCollection\"")
        }
        guard hasFeatures == (rootType == "FeatureCollection") else {
            throw scanner.failure(
                hasFeatures ? "a Feature has no \"features\"" : "a FeatureCollection needs \"features\", a list")
        }
        guard try scanner.isAtEnd() else { throw scanner.failure("something is behind the end of the document") }
        state = .end
        guard !hasFeatures else { return root.problems.isEmpty ? nil : .problems(root.documentProblems) }
        featureCount = 1
        var draft = root
        if let givenIdentifier {
            if let name = draft.effectiveIdentifier, name != givenIdentifier {
                let reason = "this came as \"\(givenIdentifier.prefix(64))\": give it that identifier, or none"
                draft.addProblem("id", reason, line: draft.line, value: "\"\(name.prefix(64))\"")
            }
            (draft.id, draft.identifier) = (givenIdentifier, nil)
        }
        return finishFeature(&draft)
    }

    // MARK: A feature

    private mutating func readFeature() throws(JSONError) -> Item {
        featureCount += 1
        guard featureCount <= Self.maximumGeofences else {
            throw scanner.failure("more than \(Self.maximumGeofences) features: divide the set among groups")
        }
        _ = try scanner.peekToken()
        var draft = FeatureDraft(number: featureCount, line: scanner.line, path: "features[\(featureCount - 1)]")
        guard try scanner.kind() == .object else {
            draft.addProblem(
                "", "a Feature was expected, an object", line: scanner.line, value: try scanner.takeShown())
            return .problems(draft.identifiedProblems)
        }
        scanner.open()
        while try scanner.nextMember() {
            let key = scanner.string
            guard key == "type" else {
                try readMember(key, into: &draft)
                continue
            }
            try readType(into: &draft)
            draft.hasType = true
        }
        if !draft.hasType { draft.addProblem("type", "must be \"Feature\"", line: draft.line) }
        return finishFeature(&draft)
    }

    private mutating func readType(into draft: inout FeatureDraft) throws(JSONError) {
        let line = scanner.line
        var value: String
        if try scanner.kind() == .string {
            try scanner.readString()
            value = scanner.string
            if value == "Feature" { return }
            value = "\"\(value.prefix(40))\""
        } else {
            value = try scanner.takeShown()
        }
        draft.addProblem("type", "must be \"Feature\"", line: line, value: value)
    }

    private mutating func readMember(_ key: String, into draft: inout FeatureDraft) throws(JSONError) {
        switch key {
        case "id", "geometry", "properties":
            if !draft.seenMembers.insert(key).inserted {
                draft.addProblem(key, "this is said twice", line: scanner.line)
            }
            switch key {
            case "id": try readID(into: &draft)
            case "geometry": try readGeometry(into: &draft)
            default: try properties.read(&scanner, into: &draft)
            }
        case "bbox": try scanner.skipValue()
        default: try readForeignMember(key, into: &draft)
        }
    }

    private mutating func readID(into draft: inout FeatureDraft) throws(JSONError) {
        if try scanner.kind() == .null {
            _ = try scanner.readLiteral()
        } else {
            draft.id = try GeofencePropertyReader.identifier(&scanner, &draft, path: "id")
        }
    }

    /// Skips a member that RFC 7946 does not define, and reports it if it looks like a mistake.
    private mutating func readForeignMember(_ key: String, into draft: inout FeatureDraft) throws(JSONError) {
        let line = scanner.line
        try scanner.skipValue()
        if GeofencePropertyReader.Key(rawValue: key) != nil, key != "name" {
            return draft.addProblem(key, "this belongs into \"properties\"", line: line)
        }
        if let meant = properties.guess(key, among: ["id", "geometry", "properties", "features"]), meant.count > 2 {
            draft.addProblem("\(key.prefix(64))", "did you mean \"\(meant)\"?", line: line)
        }
    }

    private mutating func readGeometry(into draft: inout FeatureDraft) throws(JSONError) {
        draft.geometryLine = scanner.line
        let kind = try scanner.kind()
        guard kind == .object else {
            let value = try scanner.takeShown()
            let reason =
                kind == .null ? "a fence needs a geometry" : "write an object with \"type\" and \"coordinates\""
            draft.hasGeometry = false
            return draft.addProblem("geometry", reason, line: draft.geometryLine, value: value)
        }
        scanner.open()
        positions.removeAll()
        var hasCoordinates = false
        while try scanner.nextMember() {
            switch scanner.string {
            case "type":
                let line = scanner.line
                if try scanner.kind() == .string {
                    try scanner.readString()
                    draft.geometryType = scanner.string
                } else {
                    draft.addProblem("geometry.type", "write a string", line: line, value: try scanner.takeShown())
                }
            case "coordinates":
                if hasCoordinates { draft.addProblem("geometry.coordinates", "this is said twice", line: scanner.line) }
                hasCoordinates = true
                try positions.read(&scanner)
            default: try scanner.skipValue()
            }
        }
        checkGeometry(hasCoordinates, &draft)
    }

    private mutating func checkGeometry(_ hasCoordinates: Bool, _ draft: inout FeatureDraft) {
        for found in positions.problems {
            draft.addProblem("geometry.coordinates" + found.path, found.reason, line: found.line, value: found.value)
        }
        let line = draft.geometryLine
        guard let type = draft.geometryType else {
            return draft.addProblem(
                "geometry.type", "one of \(ShapeBuilder.supportedTypes.joined(separator: ", "))", line: line)
        }
        guard ShapeBuilder.supportedTypes.contains(type) else {
            let hint = properties.guess(type, among: ShapeBuilder.supportedTypes).map { ": did you mean \"\($0)\"?" }
            let isOther = ShapeBuilder.unsupportedTypes.contains(type)
            let reason =
                isOther ? "a \(type) is no fence: give each part a Feature of its own" : "no geometry" + (hint ?? "")
            return draft.addProblem("geometry.type", reason, line: line, value: "\"\(type.prefix(40))\"")
        }
        guard hasCoordinates else { return draft.addProblem("geometry", "\"coordinates\" are missing", line: line) }
        draft.hasGeometry = !positions.positions.hasProblems
    }

    // MARK: The end of a feature

    private mutating func finishFeature(_ draft: inout FeatureDraft) -> Item {
        if !draft.seenMembers.contains("geometry") {
            draft.addProblem("geometry", "a fence needs a geometry", line: draft.line)
        }
        checkIdentifier(&draft)
        guard draft.hasGeometry, let type = draft.geometryType else { return .problems(draft.identifiedProblems) }
        do throws(ShapeBuilder.Fault) {
            let builder = ShapeBuilder(
                type: type, positions: positions.positions, radiusMeters: draft.radiusMeters,
                corridorMeters: draft.corridorMeters)
            let isMeasureWrong = !draft.identifiedProblems.isEmpty
            let shape = try builder.shape(ignoringDimensions: isMeasureWrong)
            if draft.identifiedProblems.isEmpty, let name = draft.effectiveIdentifier {
                lines[Self.hash(of: name)] = Int32(clamping: draft.line)
                return .geofence(Geofence(identifier: name, shape: shape, rule: draft.rule))
            }
        } catch {
            draft.addProblem(error.path, error.reason, line: error.line ?? draft.geometryLine)
        }
        return .problems(draft.identifiedProblems)
    }

    private mutating func checkIdentifier(_ draft: inout FeatureDraft) {
        if let id = draft.id, let identifier = draft.identifier, id != identifier {
            let reason = "the feature's id says \"\(id.prefix(64))\" and this something else: say one of the two"
            return draft.addProblem(
                "properties.identifier", reason, line: draft.line, value: "\"\(identifier.prefix(64))\"")
        }
        guard let name = draft.effectiveIdentifier else {
            let isSaid = draft.identifiedProblems.contains {
                $0.path.hasSuffix("id") || $0.path.hasSuffix("identifier")
            }
            if !isSaid {
                let reason = "a fence needs an identifier: \"id\", or \"identifier\" among its properties"
                draft.addProblem("", reason, line: draft.line)
            }
            return
        }
        if let line = lines[Self.hash(of: name)] {
            draft.addProblem(
                "", "line \(line) has a fence of the same identifier: of two the first counts", line: draft.line)
        }
    }

    private static func hash(of identifier: String) -> Int {
        var hasher = Hasher()
        hasher.combine(identifier)
        return hasher.finalize()
    }
}
