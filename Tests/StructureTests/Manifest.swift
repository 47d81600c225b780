/// The modules of the package manifest, read as text.
struct Manifest {
    /// The modules that each folder of Sources depends on.
    let dependencies: [String: Set<String>]

    static func read() throws -> Manifest {
        let text = try ProjectTree.File(path: "Package.swift").lines().joined(separator: "\n")
        var products: [String: String] = [:]
        for match in text.matches(of: #/let (\w+): Target\.Dependency = \.product\(\s*name: "(\w+)"/#) {
            products[String(match.1)] = String(match.2)
        }
        var dependencies: [String: Set<String>] = [:]
        let module = #/module\(\s*"(\w+)"(?:,\s*uses: \[([^\]]*)\])?(?:,\s*\[([^\]]*)\])?\s*\)/#
        let executable = #/name: name\(of: "(\w*CLI)"\),\s*dependencies: modules\(\[([^\]]*)\]\) \+ \[([^\]]*)\]/#
        let targets =
            text.matches(of: module).map { ($0.1, $0.2 ?? "", $0.3 ?? "") }
            + text.matches(of: executable).map { ($0.1, $0.2, $0.3) }
        for (folder, folders, others) in targets {
            let modules = words(folders).map { $0 == "Odograph" ? $0 : "Odograph\($0)" }
            dependencies[String(folder)] = Set(modules + words(others).map { products[$0] ?? $0 })
        }
        return Manifest(dependencies: dependencies)
    }

    private static func words(_ list: Substring) -> [String] {
        list.split { !($0.isLetter || $0 == "_") }.map(String.init)
    }
}
