/// The reason why a request has no answer.
package struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line for people.
    package let description: String

    /// - Parameter description: One line for people.
    package init(_ description: String) { self.description = description }

    /// The failure of a machine without libcurl.
    package static let noLibrary = HTTPFailure("this machine has no libcurl; install the package libcurl4")
}
