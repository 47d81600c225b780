import ArgumentParser
import OdographRecorder

extension DatabaseLocation: ExpressibleByArgument {
    /// Creates the place from an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}
