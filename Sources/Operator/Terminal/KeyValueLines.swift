import Odograph

/// Builds lines of a subject and its value.
struct KeyValueLines {
    private static let width = 10
    private let indentation: String
    private(set) var text = ""

    init(indentation: String = "") {
        self.indentation = indentation
    }

    mutating func append(_ subject: String, _ what: String) {
        text += indentation + subject.padded(to: Self.width) + what.printable + "\n"
    }
}
