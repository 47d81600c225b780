import OdographSettings

/// Builds lines of a subject and its value.
package struct KeyValueLines {
    private static let width = 10
    private let indentation: String
    package private(set) var text = ""

    package init(indentation: String = "") {
        self.indentation = indentation
    }

    package mutating func append(_ subject: String, _ what: String) {
        text += indentation + subject.padded(to: max(Self.width, subject.count + 1)) + what.printable + "\n"
    }
}
