/// A reason why a file cannot be read or written.
package struct FileFault: Error, CustomStringConvertible {
    package let description: String
}

extension FileFault {
    init(_ path: String, _ words: String) { self.init(description: "\(path): \(words)") }
}
