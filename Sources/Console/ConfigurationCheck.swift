import ArgumentParser
import OdographSettings
import OdographTerminal

/// The parts of `config check` that are the same in both programs.
package struct ConfigurationCheck: ParsableArguments {
    /// The text of the help.
    package static let discussion = """
        Prints each error, its place and the correction. The exit code is 78 if there is an error. The files that the \
        configuration names are opened: passwords, tokens, certificates, keys, a capture. The exit code is 78 if one \
        of them is missing or has wrong content, if a certificate has ended, or if it does not belong to its key. \
        Prints a warning for a file that this user cannot read, for a secret that other users can read, for a \
        certificate that ends within 30 days or has another name than the device, and for a schedule that has \
        single minutes only.
        """

    @Flag(help: "Do not check the files that the configuration names. The service starts also without them.")
    package var withoutFiles = false

    @Flag(help: "Print one JSON object with all errors and warnings.")
    package var json = false

    package init() {}

    /// Reads the configuration. With `--json`, its errors are a JSON object.
    /// - Parameters:
    ///   - file: The configuration file.
    ///   - load: Reads it.
    /// - Throws: What `load` throws; `ExitCode` 78 if the errors are printed as JSON.
    package func reading<Configuration>(_ file: String, _ load: () throws -> Configuration) throws -> Configuration {
        do {
            return try load()
        } catch let error as ConfigurationError where json {
            var report = ConfigurationCheckReport(file: file)
            report.add(error)
            try Console.printJSON(try report.json())
            throw ExitCode(ExitError.Code.configuration.rawValue)
        }
    }

    /// Prints a sentence for each wrong file, and for each secret that other users can read.
    /// - Parameters:
    ///   - file: The configuration file.
    ///   - broker: The settings of the broker.
    ///   - device: The name of the device; nil for a program that is none.
    ///   - secrets: Further files with secrets.
    ///   - summary: The text for the standard output if no file is wrong.
    ///   - warnings: The probable mistakes in the configuration, one sentence each.
    ///   - further: Checks the files that only this program has.
    /// - Throws: `ExitError` if a file is wrong.
    package func show(
        _ file: String, broker: BrokerConfiguration, device: String? = nil, secrets: [SecretFile] = [],
        summary: String, warnings: [String] = [], further: () -> [Finding] = { [] }
    ) throws {
        let findings =
            withoutFiles
            ? [] : NamedFileCheck(broker: broker, device: device, secrets: secrets).findings() + further()
        let exposures = secrets.compactMap(\.exposure).map { "\($0.text); \($0.advice)" }
        let warnings = broker.secretExposureWarnings + exposures + warnings
        func text(_ finding: Finding) -> String { finding.text + (finding.advice.map { "; \($0)" } ?? "") }
        if json {
            var report = ConfigurationCheckReport(file: file)
            for warning in warnings { report.add(.warning, problem: warning) }
            for finding in findings where finding.level != .ok {
                report.add(finding.level == .fail ? .error : .warning, problem: text(finding))
            }
            try Console.printJSON(try report.json())
            if findings.hasFailures { throw ExitCode(ExitError.Code.configuration.rawValue) }
            return
        }
        // Each sentence is one line, also if the name of a file contains line ends.
        let name = FileReader.name(of: file)
        func line(_ text: String) -> String { "\(name): \(text)".printable }
        func sentence(_ finding: Finding) -> String { line(text(finding)) }
        if !findings.hasFailures { try Console.print("\(name): ok\n\(summary)") }
        for warning in warnings { Console.printMessage(line(warning) + "\n") }
        for finding in findings where finding.level == .warn { Console.printMessage(sentence(finding) + "\n") }
        let failures = findings.filter { $0.level == .fail }
        if !failures.isEmpty {
            throw ExitError(.configuration, failures.map(sentence).joined(separator: "\n"))
        }
    }
}
