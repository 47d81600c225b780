/// What the package's manifest says about the rooms, read as text.
struct Manifest {
    /// Rooms and the modules that each depends on.
    let dependencies: [String: Set<String>]

    static func read() throws -> Manifest {
        let text = try ProjectTree.File(path: "Package.swift").lines().joined(separator: "\n")
        var products: [String: String] = [:]
        for match in text.matches(of: #/let (\w+): Target\.Dependency = \.product\(name: "(\w+)"/#) {
            products[String(match.1)] = String(match.2)
        }
        var dependencies: [String: Set<String>] = [:]
        let room = #/room\(\s*"(\w+)"(?:, in: "\w+")?(?:,\s*\[([^\]]*)\])?\s*\)/#
        let executable = #/\.executableTarget\(\s*name: "(CLI)",\s*dependencies: \[([^\]]*)\]/#
        let targets =
            text.matches(of: room).map { ($0.1, $0.2) } + text.matches(of: executable).map { ($0.1, Optional($0.2)) }
        for (name, list) in targets {
            let words = (list ?? "").split { !($0.isLetter || $0 == "_") }.map(String.init)
            dependencies[String(name)] = Set(words.map { products[$0] ?? $0 })
        }
        return Manifest(dependencies: dependencies)
    }
}
