/// Lines of a subject and what there is to say of it.
struct Subjects {
    private static let width = 10
    private let indentation: String
    private(set) var text = ""

    init(indentation: String = "") {
        self.indentation = indentation
    }

    mutating func add(_ subject: String, _ what: String) {
        text += indentation + subject.padded(to: Self.width) + what.printable + "\n"
    }
}
