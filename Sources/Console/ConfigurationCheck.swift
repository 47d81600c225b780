import Odograph

/// The parts of `config check` that are the same in both programs.
package enum ConfigurationCheck {
    /// The text of the help.
    package static let discussion = """
        Prints each error, its place and the correction. The exit code is 78 if there is an error. Prints a warning if \
        other users can read a file with a secret.
        """

    /// Prints a warning for each secret that other users can read.
    /// - Parameters:
    ///   - broker: The settings of the broker.
    ///   - file: The configuration file.
    package static func printWarnings(about broker: BrokerConfiguration, in file: String) {
        for sentence in broker.secretExposureWarnings { Console.printMessage("\(file): \(sentence)\n") }
    }
}
