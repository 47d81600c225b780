import ArgumentParser
import OdographRecorder
import OdographTerminal

extension DatabaseLocation: ExpressibleByArgument {
    /// Creates the place from an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}
