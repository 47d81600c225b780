import OdographGeodesy
import OdographJSON

/// The positions of a geometry and their nesting. The type of the geometry may follow later in the document.
struct NestedPositions {
    /// All valid positions, in order.
    var points: ContiguousArray<Coordinate> = []
    /// The index in ``points`` at which each list of positions ends.
    var listEnds: ContiguousArray<Int> = []
    /// The line on which each list of positions begins.
    var listLines: ContiguousArray<Int> = []
    /// The index in ``listEnds`` at which each list of lists ends.
    var groupEnds: ContiguousArray<Int> = []
    /// The number of arrays around a position's numbers: 1 in a Point, 4 in a MultiPolygon; 0 if there is no position.
    var depth = 0
    /// The line and the path of the first empty array.
    var firstEmptyArray: (line: Int, path: String)?
    /// Whether a problem was reported.
    var hasProblems = false

    mutating func removeAll() {
        points.removeAll(keepingCapacity: true)
        listEnds.removeAll(keepingCapacity: true)
        listLines.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
        (depth, firstEmptyArray, hasProblems) = (0, nil, false)
    }
}

/// Parses `coordinates`.
struct PositionReader {
    /// The greatest number of vertices of a geofence. Its shape, validation and encoding need 20 MB for a short time.
    static let maximumVertices = 100_000

    /// The path of the current position: an index per array.
    private var indices: [Int] = []
    private(set) var positions = NestedPositions()
    private(set) var problems: [Problem] = []
    private var isFull = false

    /// A problem and its place below `coordinates`.
    struct Problem {
        var path: String
        var line: Int
        var value: String?
        var reason: String
    }

    private static let maximumProblems = 5
    private static let maximumDepth = 4

    mutating func removeAll() {
        positions.removeAll()
        problems.removeAll()
        indices.removeAll(keepingCapacity: true)
        isFull = false
    }

    /// Reads the value of `coordinates`, of any kind.
    mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        removeAll()
        guard try scanner.kind() == .array else {
            let line = scanner.line
            return addProblem("write an array of positions", line, try scanner.takeShown())
        }
        scanner.open()
        try readArray(&scanner)
    }

    /// Reads the rest of an array after its opening bracket.
    private mutating func readArray(_ scanner: inout JSONScanner) throws(JSONError) {
        let line = scanner.line
        let byte = try scanner.peekToken()
        if byte == UInt8(ascii: "]") {
            _ = try scanner.nextElement()
            if positions.firstEmptyArray == nil { positions.firstEmptyArray = (line, path) }
            return
        }
        guard byte == UInt8(ascii: "[") else { return try readPosition(&scanner) }
        guard indices.count + 1 < Self.maximumDepth else {
            addProblem("nested deeper than any geometry", line, nil)
            return try skipRest(&scanner)
        }
        let (points, lists) = (positions.points.count, positions.listEnds.count)
        indices.append(0)
        var isFirst = true
        while try scanner.nextElement() {
            if !isFirst { indices[indices.count - 1] += 1 }
            isFirst = false
            guard try scanner.peekToken() == UInt8(ascii: "[") else {
                let line = scanner.line
                addProblem("a position or an array of them was expected", line, try scanner.takeShown())
                continue
            }
            if positions.depth == indices.count + 1 { indices[indices.count - 1] += try readPlainPositions(&scanner) }
            scanner.open()
            try readArray(&scanner)
        }
        indices.removeLast()
        finishArray(line, points: points, lists: lists)
    }

    /// Records the end of an array of arrays.
    private mutating func finishArray(_ line: Int, points: Int, lists: Int) {
        switch positions.depth - indices.count {
        case 2 where positions.points.count > points || positions.hasProblems:
            positions.listEnds.append(positions.points.count)
            positions.listLines.append(line)
        case 3 where positions.listEnds.count > lists: positions.groupEnds.append(positions.listEnds.count)
        default: break
        }
    }

    // MARK: Positions

    /// Reads consecutive positions of the usual form. Stops before the first other position, or before the last of the
    /// array, which the general parser reads. The scanner is then at the opening bracket of that position.
    /// - Returns: The number of positions read.
    private mutating func readPlainPositions(_ scanner: inout JSONScanner) throws(JSONError) -> Int {
        let room = Self.maximumVertices - positions.points.count
        var (place, line, lineStart, count) = (scanner.position, scanner.line, scanner.lineStart, 0)
        scanner.bytes.withUnsafeBufferPointer { bytes in
            var run = PlainPositionParser(bytes: bytes, place: place, line: line, lineStart: lineStart)
            while count < room, let coordinate = run.next() {
                positions.points.append(coordinate)
                count += 1
            }
            (place, line, lineStart) = (run.place, run.line, run.lineStart)
        }
        (scanner.position, scanner.line, scanner.lineStart) = (place, line, lineStart)
        return count
    }

    /// Reads the rest of a position after its opening bracket.
    private mutating func readPosition(_ scanner: inout JSONScanner) throws(JSONError) {
        let depth = indices.count + 1
        if positions.depth == 0 { positions.depth = depth }
        guard positions.depth == depth else {
            addProblem("a position among arrays of positions: nest all of them alike", scanner.line, nil)
            return try skipRest(&scanner)
        }
        var values = (0.0, 0.0)
        var count = 0
        while try scanner.nextElement() {
            guard try scanner.kind() == .number else {
                let line = scanner.line
                addProblem("a position is [longitude, latitude], two numbers", line, try scanner.takeShown())
                return try skipRest(&scanner)
            }
            let value = try scanner.readNumber()
            if count == 0 { values.0 = value } else if count == 1 { values.1 = value }
            count += 1
        }
        guard count >= 2 else {
            return addProblem(
                "a position needs longitude and latitude", scanner.line, "[\(count == 1 ? "\(values.0)" : "")]")
        }
        add(longitude: values.0, latitude: values.1, line: scanner.line)
    }

    private mutating func add(longitude: Double, latitude: Double, line: Int) {
        guard positions.points.count < Self.maximumVertices else {
            if !isFull {
                addProblem("more than \(Self.maximumVertices) positions: simplify the outline, or divide it", line, nil)
            }
            isFull = true
            return
        }
        if let coordinate = Coordinate(latitudeDegrees: latitude, wrappedLongitudeDegrees: longitude) {
            return positions.points.append(coordinate)
        }
        let found = "[\(longitude), \(latitude)]"
        if abs(latitude) <= 90 {
            return addProblem("the longitude is beyond ±180°: write longitude, latitude in degrees", line, found)
        }
        let isSwapped = abs(longitude) <= 90 && abs(latitude) <= 180
        addProblem(
            "the latitude is beyond ±90°"
                + (isSwapped ? ": are the two swapped? GeoJSON has the longitude first" : ": write degrees"), line,
            found)
    }

    // MARK: Problems

    /// The current place, `[0][5]`.
    private var path: String { indices.map { "[\($0)]" }.joined() }

    private mutating func addProblem(_ reason: String, _ line: Int, _ value: String?) {
        positions.hasProblems = true
        guard problems.count < Self.maximumProblems else { return }
        problems.append(Problem(path: path, line: line, value: value, reason: reason))
    }

    /// Passes over what is left of an array.
    private func skipRest(_ scanner: inout JSONScanner) throws(JSONError) {
        while try scanner.nextElement() { try scanner.skipValue() }
    }
}

/// Parses `[x,y],[x,y],…` in the form of most documents, from one piece of the text. Any other form ends it.
private struct PlainPositionParser {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The expected index of the next position's opening bracket.
    var place: Int
    var line: Int
    var lineStart: Int

    /// Returns the next position. It must be complete, of the usual form, and followed by another opening bracket.
    /// - Returns: nil otherwise; then nothing is consumed.
    @inline(__always)
    mutating func next() -> Coordinate? {
        var index = place
        var (line, lineStart) = (line, lineStart)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "[") else { return nil }
        index += 1
        guard skipBlanks(&index, &line, &lineStart), let longitude = DecimalNumber.parse(bytes, &index),
            skipBlanks(&index, &line, &lineStart), bytes[index] == UInt8(ascii: ",")
        else { return nil }
        index += 1
        guard skipBlanks(&index, &line, &lineStart), let latitude = DecimalNumber.parse(bytes, &index),
            skipBlanks(&index, &line, &lineStart), bytes[index] == UInt8(ascii: "]")
        else { return nil }
        index += 1
        guard skipBlanks(&index, &line, &lineStart), bytes[index] == UInt8(ascii: ",") else { return nil }
        index += 1
        guard skipBlanks(&index, &line, &lineStart), bytes[index] == UInt8(ascii: "["),
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        (place, self.line, self.lineStart) = (index, line, lineStart)
        return coordinate
    }

    /// Skips white space.
    /// - Returns: Whether another character follows.
    @inline(__always)
    private func skipBlanks(_ index: inout Int, _ line: inout Int, _ lineStart: inout Int) -> Bool {
        while index < bytes.count {
            let byte = bytes[index]
            if byte > 0x20 { return true }
            if byte == 0x0A {
                line += 1
                lineStart = index + 1
            } else if byte != 0x20, byte != 0x09, byte != 0x0D {
                return false
            }
            index += 1
        }
        return false
    }
}
