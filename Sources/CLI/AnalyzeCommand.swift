import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographPositioning

/// `odograph analyze`: prints the records that the agent would have made of a capture.
struct AnalyzeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Run the tracker over a capture and print its records.",
        discussion: """
            FILE is a capture of gpsd's JSON (gpspipe -w) or a GPX file. The command uses no broker and no database. \
            The same input always gives the same output. The records go to the standard output, the summary to the \
            standard error.
            """)

    @Argument(help: ArgumentHelp("The capture; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "An agent's configuration, or a document with only tracking. Default: all defaults.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A GeoJSON file of geofences. Their events are among the records.", valueName: "file"),
        completion: .file())
    var geofences: String?

    @Option(
        help: ArgumentHelp("A log of the vehicle's bus (candump -l) from the same drive.", valueName: "file"),
        completion: .file())
    var vehicleLog: String?

    @Option(name: .shortAndLong, help: "The output format.")
    var format = AnalysisFormat.jsonl

    @Flag(name: .shortAndLong, help: "Print no summary.")
    var quiet = false

    func run() async throws {
        let settings = try config.map { path throws(ConfigurationError) in try AnalysisSettings.load(path) }
        let fences = try geofences.map { try GeofencesCommand.load($0) } ?? GeofenceFile()
        var capture = ReplaySettings(path: file)
        capture.vehicleLogPath = vehicleLog
        var analyzer = try Analyzer(
            capture: capture, settings: settings ?? AnalysisSettings(), geofences: fences.fences)
        // If the records scroll past on a terminal, no progress line is needed.
        var progress = ProgressLine(isShown: Console.isErrorTerminal && !Console.isOutputTerminal)
        do {
            try writeRecords(&analyzer, &progress)
        } catch {
            progress.clear()
            throw error
        }
        progress.clear()
        if !quiet { Console.printMessage(analyzer.summary.text) }
    }

    private func writeRecords(_ analyzer: inout Analyzer, _ progress: inout ProgressLine) throws {
        var writer = format.makeWriter()
        let content: OutputBuffer.Content =
            switch format {
            case .table: .text
            case .jsonl, .geojson: .json
            case .html: .document
            }
        var output = OutputBuffer(content)
        // The first record is read before the header, so that an invalid capture causes an error and no empty document.
        var record = try analyzer.next()
        try output.append(writer.header())
        while let current = record {
            try output.append(try writer.bytes(of: current))
            progress.update { analyzer.summary.progressText(afterSeconds: $0) }
            do {
                record = try analyzer.next()
            } catch {
                try output.flush()
                throw error
            }
        }
        try output.append(try writer.footer(of: analyzer.summary))
        try output.flush()
    }
}

extension AnalysisFormat: ExpressibleByArgument {}
