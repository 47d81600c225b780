/// The options of the command line.
struct Options {
    var records = 100_000
    var messages = 20_000
    var runs = 5
    var idleSeconds = 60
    var diskSeconds = 120
    var fixes = 1_000_000
    var drainInC = "DrainInC"
    var drainInPython = "drain.py"
    var isWithoutPython = false
    /// The recorder whose receipts the agent of `disk` waits for; nil to measure with the broker's acknowledgements.
    var recorder: String?
    /// The benchmarks to run; empty for all.
    var chosen: [String] = []

    /// - Throws: `Failure` with a correction.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func number(_ name: String) throws -> Int {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                throw Failure("\(name) is followed by a number above 0")
            }
            return value
        }
        func path(_ name: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(name) is followed by a path") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--records": records = try number(word)
            case "--messages": messages = try number(word)
            case "--runs": runs = try number(word)
            case "--disk-seconds": diskSeconds = try number(word)
            case "--fixes": fixes = try number(word)
            case "--idle-seconds": idleSeconds = try number(word)
            case "--odograph": RunningAgent.executable = try path(word)
            case "--drain-in-c": drainInC = try path(word)
            case "--drain-in-python": drainInPython = try path(word)
            case "--without-python": isWithoutPython = true
            case "--recorder": recorder = try path(word)
            default:
                guard Self.names.contains(word) else {
                    throw Failure("\(word) is none of \(Self.names.joined(separator: ", "))")
                }
                chosen.append(word)
            }
        }
    }

    static let names = ["drain", "latency", "disk", "idle", "analyze", "start"]

    func wants(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
}
