public import OdographJSON

/// Comparisons of a sample, which is the manual of its keys, with the code that reads it.
extension SampleConfiguration {
    /// Returns the problem that the code reports at a path of a document, or nil.
    public typealias Reader = (_ document: JSONValue, _ path: String) -> String?

    /// Returns the blocks whose keys are not exactly those that the reader knows, in words. An unknown key makes the
    /// reader list the known keys.
    /// - Parameters:
    ///   - foreign: Keys that the reader knows and refuses.
    ///   - document: The document with the block of a path. Default: that of the sample.
    ///   - reader: The code that reads such documents.
    public func wrongBlocks(
        except foreign: [String] = [], document: (_ path: [String]) -> JSONValue, reader: Reader
    ) -> [String] {
        let unknown = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        return blocks.compactMap { block in
            let name = block.joined(separator: ".")
            let path = block + [unknown]
            let problem = reader(document(block).replacing(path, with: .bool(true)), path.joined(separator: "."))
            guard let list = problem?.firstRange(of: "known keys: ").map({ problem?[$0.upperBound...] ?? "" }) else {
                return "under \"\(name)\" the reader lists no known keys: \(problem ?? "no problem")"
            }
            let known = Set(list.split(separator: ", ").map(String.init)).subtracting(foreign)
            let shown = keys(in: block)
            if Set(shown).count < shown.count { return "a key twice under \"\(name)\": \(shown)" }
            return Set(shown) == known ? nil : "under \"\(name)\": \(Set(shown).symmetricDifference(known).sorted())"
        }
    }

    /// Compares the ranges and the words in the comments with those that the reader names for a value of a wrong type.
    /// - Returns: The number of compared ranges and words, and the wrong comments in words.
    public func wrongComments(
        document: (_ path: [String]) -> JSONValue, reader: Reader
    ) -> (compared: Int, wrong: [String]) {
        var (compared, wrong) = (0, [String]())
        for setting in settings where !setting.isBlock {
            let changed = document(setting.path).replacing(setting.path, with: .array([]))
            guard let problem = reader(changed, setting.name) else { continue }
            var expected: [String] = []
            // A larger bound is that of the type, which no comment repeats.
            if let range = problem.firstMatch(of: #/from (-?[0-9.]+) to ([0-9.]+)/#), range.2.count < 16 {
                expected.append("\(range.1) to \(range.2)")
            }
            if problem.hasPrefix("write one of ") {
                expected += problem.matches(of: #/"[^"]+"/#).map { String($0.0) }
            }
            compared += expected.count
            wrong += expected.filter { !setting.comment.contains($0) }.map { "\(setting.name) lacks \($0): \(problem)" }
        }
        return (compared, wrong)
    }

    /// The paths of the root and of all blocks.
    public var blocks: [[String]] { [[]] + settings.filter(\.isBlock).map(\.path) }

    /// The names of the settings without a comment.
    public var unexplained: [String] { settings.filter { !$0.isBlock && $0.comment.isEmpty }.map(\.name) }
}
