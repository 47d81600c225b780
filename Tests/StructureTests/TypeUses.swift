/// The files of a module, each with the files of the module whose types it names.
///
/// Swift has no imports between the files of a module, so this reads names. It sees the name of a type that the other
/// file declares outside of another type. It does not see:
/// - a member that an extension in another file adds, such as a method or a static property: its name is not one of a
///   type;
/// - a function outside of types, and an operator;
/// - a type that is only inferred, such as the result of a call.
///
/// A name after a dot, and a name that the file declares itself, mean a type inside another one.
struct TypeUses {
    /// The folder of the module, such as `Sources/Recorder`.
    let folder: String
    /// The paths of the files below the folder.
    let files: [String]
    /// The names that a file uses, with the files that declare them.
    private(set) var uses: [String: [String: String]] = [:]
    /// The number of types that other files can name.
    let typeCount: Int

    init(of folder: String) throws {
        self.folder = folder
        var contents: [String: Names] = [:]
        for file in ProjectTree.swiftFiles(below: folder) {
            contents[String(file.path.dropFirst(folder.count + 1))] = Names(SwiftCode(try file.read()).bytes)
        }
        files = contents.keys.sorted()
        var declaring: [String: String] = [:]
        for (file, names) in contents {
            for name in names.declared { declaring[name] = file }
        }
        typeCount = declaring.count
        for (file, names) in contents {
            for name in names.used.subtracting(names.own) {
                if let other = declaring[name], other != file { uses[file, default: [:]][name] = other }
            }
        }
    }

    /// The groups of files that use each other, directly or through others, with more than one file.
    var cycles: [[String]] {
        let reached = Dictionary(uniqueKeysWithValues: files.map { ($0, reachable(from: $0)) })
        var (cycles, done): ([[String]], Set<String>) = ([], [])
        for file in files where !done.contains(file) {
            let cycle = files.filter { reached[file]?.contains($0) == true && reached[$0]?.contains(file) == true }
            done.formUnion(cycle)
            if cycle.count > 1 { cycles.append(cycle) }
        }
        return cycles
    }

    private func reachable(from file: String) -> Set<String> {
        var (found, next): (Set<String>, [String]) = ([], [file])
        while let file = next.popLast() {
            for other in (uses[file] ?? [:]).values where found.insert(other).inserted { next.append(other) }
        }
        return found
    }
}

/// The names of types in the code of a file.
private struct Names {
    /// The types that other files can name alone.
    var declared: Set<String> = []
    /// All types that the file declares.
    var own: Set<String> = []
    /// The names that begin with a capital letter, without those after a dot.
    var used: Set<String> = []

    private static let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    init(_ code: [UInt8]) {
        var (depth, place) = (0, 0)
        // The words since the last line end, and whether the last one begins a declaration.
        var line: [String] = []
        while place < code.count {
            let byte = code[place]
            guard Self.isWord(byte) else {
                if byte == UInt8(ascii: "{") { depth += 1 } else if byte == UInt8(ascii: "}") { depth -= 1 }
                if byte == UInt8(ascii: "\n") { line = [] }
                place += 1
                continue
            }
            let start = place
            while place < code.count, Self.isWord(code[place]) { place += 1 }
            let word = String(decoding: code[start..<place], as: UTF8.self)
            if let last = line.last, Self.keywords.contains(last) {
                own.insert(word)
                if depth == 0, !line.contains("private"), !line.contains("fileprivate") { declared.insert(word) }
            } else if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(code[start]),
                start == 0 || code[start - 1] != UInt8(ascii: ".")
            {
                used.insert(word)
            }
            line.append(word)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }
}
