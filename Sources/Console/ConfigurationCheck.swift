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
    ///   - files: Further files with secrets.
    ///   - file: The configuration file.
    package static func printWarnings(
        about broker: BrokerConfiguration, _ files: [SecretFile] = [], in file: String
    ) {
        let warnings = broker.secretExposureWarnings + files.compactMap(\.exposure).map { "\($0.text); \($0.advice)" }
        for sentence in warnings { Console.printMessage("\(file): \(sentence)\n") }
    }
}
