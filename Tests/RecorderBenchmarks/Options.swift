import OdographHarness

/// The options of the command line.
struct Options {
    /// A measurement.
    enum Part: String, CaseIterable {
        case record, vehicles, history, crowd, roll
    }

    let part: Part
    /// The records of a run; nil for the default of the part.
    var records: Int?
    var runs = 3
    var seconds = 60
    var vehicles: Int?
    var broker = BrokerKind.mosquitto
    var recorder = "odograph-recorder"
    var recordInC = "RecordInC"
    var recordInPython = "record.py"
    /// The folder of the SQL files that fill a database.
    var scripts = "Tests/Benchmarks/history"
    var isWithoutPython = false

    /// - Throws: An error with a correction.
    init(_ arguments: [String]) throws {
        guard let part = arguments.first.flatMap(Part.init(rawValue:)) else {
            throw HarnessError("the first argument is \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.part = part
        var rest = arguments.dropFirst()
        func number(_ name: String) throws -> Int {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                throw HarnessError("\(name) is followed by a number above 0")
            }
            return value
        }
        func path(_ name: String) throws -> String {
            guard let value = rest.popFirst() else { throw HarnessError("\(name) is followed by a path") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--records": records = try number(word)
            case "--runs": runs = try number(word)
            case "--seconds": seconds = try number(word)
            case "--vehicles": vehicles = try number(word)
            case "--broker":
                guard let kind = rest.popFirst().flatMap(BrokerKind.init(rawValue:)) else {
                    let names = BrokerKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw HarnessError("--broker is followed by \(names)")
                }
                broker = kind
            case "--recorder": recorder = try path(word)
            case "--record-in-c": recordInC = try path(word)
            case "--record-in-python": recordInPython = try path(word)
            case "--history": scripts = try path(word)
            case "--without-python": isWithoutPython = true
            default: throw HarnessError("\(word) is no option; Tests/Benchmarks/run --help lists them")
            }
        }
    }
}
