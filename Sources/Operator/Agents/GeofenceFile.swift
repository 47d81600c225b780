import Odograph
import OdographGeodesy
import OdographGeoJSON
import Glibc
import OdographJSON
import OdographTerminal
public import OdographTracking

/// A GeoJSON file of geofences, read as a stream.
public struct GeofenceFile: Sendable {
    /// The valid fences.
    public private(set) var fences = GeofenceSet()
    /// The number of valid fences.
    public var count: Int { fences.count }
    /// The problems of invalid fences, one line each, at most 1000.
    public private(set) var problems: [String] = []
    /// The same as JSON, one object each with a newline.
    public private(set) var problemLines: [String] = []
    /// The number of all problems.
    public private(set) var problemCount = 0
    /// Whether the document is one Feature, and no set.
    public private(set) var isSingleFeature = false

    private static let chunkBytes = 256 << 10
    private static let maximumProblems = 1000

    /// Creates a value without fences.
    public init() {}

    /// Reads a file; `-` is the standard input.
    /// - Throws: `ExitError` if the file cannot be read, or is no valid document as a whole.
    public static func load(_ path: String) throws(ExitError) -> GeofenceFile {
        let descriptor = path == FileReader.standardInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ExitError(.noInput, "\(FileReader.name(of: path)): \(FileReader.errorText(errno))")
        }
        defer { close(descriptor) }
        return try parse(origin: path) { () throws(JSONError) in try readChunk(descriptor) }
    }

    /// Reads a document in memory.
    /// - Parameters:
    ///   - document: The document.
    ///   - origin: Its name in error messages.
    /// - Throws: `ExitError` if it is no valid document as a whole.
    public static func parse(_ document: [UInt8], origin: String) throws(ExitError) -> GeofenceFile {
        var rest = document
        return try parse(origin: origin) { () throws(JSONError) in
            defer { rest = [] }
            return rest
        }
    }

    private static func parse(
        origin path: String, reading next: @escaping () throws(JSONError) -> [UInt8]
    ) throws(ExitError) -> GeofenceFile {
        var file = GeofenceFile()
        var failedRead = false
        do throws(JSONError) {
            var reader = GeofenceReader { () throws(JSONError) in
                failedRead = true
                let bytes = try next()
                failedRead = false
                return bytes
            }
            while let item = try reader.next() { file.append(item, path) }
            file.isSingleFeature = reader.isSingleFeature
        } catch {
            let name = FileReader.name(of: path)
            if failedRead { throw ExitError(.noInput, "\(name): \(error.reason)") }
            throw ExitError(.dataError, "\(name):\(error.line):\(error.column): \(error.reason.printable)")
        }
        file.fences.compact()
        return file
    }

    private static func readChunk(_ descriptor: Int32) throws(JSONError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, count in
            var got = -1
            repeat {
                got = read(descriptor, buffer.baseAddress, chunkBytes)
                code = got < 0 ? errno : 0
            } while code == EINTR
            count = max(0, got)
        }
        if code != 0 { throw JSONError(reason: FileReader.errorText(code)) }
        return bytes
    }

    private mutating func append(_ item: GeofenceReader.Item, _ path: String) {
        switch item {
        case .geofence(let fence): fences.add(fence)
        case .problems(let more):
            problemCount += more.count
            for problem in more where problems.count < Self.maximumProblems {
                problems.append("\(FileReader.name(of: path)):\(problem.line): \(problem)".printable)
                problemLines.append(Self.jsonLine(problem, path))
            }
        }
    }

    private static func jsonLine(_ problem: GeofenceProblem, _ path: String) -> String {
        let members: [String: JSONValue] = [
            "file": .string(path), "line": .integer(Int64(problem.line)), "path": .string(problem.path),
            "identifier": .stringOrNull(problem.identifier), "value": .stringOrNull(problem.value),
            "problem": .string(problem.reason),
        ]
        return ((try? JSONCoder.string(of: JSONValue.object(members))) ?? "{}") + "\n"
    }

    /// Returns the error of a file that cannot be read as a whole, and the counts, as JSON lines.
    public static func jsonLines(_ error: ExitError, _ path: String) throws -> String {
        let problem: [String: JSONValue] = ["file": .string(path), "problem": .string(error.text)]
        return try JSONCoder.string(of: JSONValue.object(problem)) + "\n" + summaryLine(path, count: 0, errors: 1)
    }

    /// The counts as one JSON object and a newline.
    /// - Parameter path: The path of the file.
    public func summaryLine(_ path: String) throws -> String {
        try Self.summaryLine(path, count: count, errors: problemCount)
    }

    private static func summaryLine(_ path: String, count: Int, errors: Int) throws -> String {
        let members: [String: JSONValue] = [
            "file": .string(path), "is_valid": .bool(errors == 0), "geofences": .integer(Int64(count)),
            "errors": .integer(Int64(errors)),
        ]
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }

    /// The problems, one line each, and the number of further ones.
    public var problemText: String {
        var text = problems.map { $0 + "\n" }.joined()
        if problemCount > problems.count { text += "and \(problemCount - problems.count) more errors\n" }
        return text
    }

    // MARK: Places

    /// Returns the identifiers of the fences that contain a point, as a JSON array, in byte order.
    /// - Parameter place: `LAT,LON`, degrees.
    /// - Throws: `ExitError` if the text is no such point.
    public func identifiers(at place: some StringProtocol) throws(ExitError) -> String {
        let parts = place.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = Self.number(parts[0]), let longitude = Self.number(parts[1]),
            let coordinate = Coordinate(latitudeDegrees: latitude, wrappedLongitudeDegrees: longitude)
        else {
            throw ExitError(
                .dataError,
                "\"\(String(place.prefix(80)).printable)\" is not a point; write LAT,LON in degrees, such as 40.4168,-3.7038"
            )
        }
        var found: [String] = []
        fences.index.forEachContaining(coordinate) { slot in
            if let identifier = fences.identifier(slot) { found.append(identifier) }
        }
        found.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let spelled = found.map { JSONStringWriter.string($0).jsonEscaped }
        return "[" + spelled.joined(separator: ",") + "]"
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        Double(String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed()))
    }
}
