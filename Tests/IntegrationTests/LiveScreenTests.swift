import Glibc
import OdographHarness
import Testing

/// Runs the live screen on a terminal, as a person sees and uses it.
@Suite("The live screen on a terminal")
struct LiveScreenTests {
    private let broker: MosquittoBroker
    private let program: String
    private let command: String

    init() async throws {
        broker = try await MosquittoBroker()
        program = "\(AgentProcess.executable) fleet status --broker mqtt://127.0.0.1:\(broker.port) --fleet acme"
        command = "env TERM=xterm \(program)"
        let desk = BrokerOperator(port: broker.port)
        for number in 1...20 {
            try await desk.publish(
                """
                {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r","version":"1",\
                "timestamp":"2026-11-21T09:15:02.000Z"}
                """, to: "fleet/acme/van-\(number)/status")
        }
    }

    /// Waits until the terminal has a text.
    private func sees(_ text: String, _ terminal: PseudoTerminal) async throws -> Bool {
        try await eventually { terminal.output.contains(text) ? true : nil } == true
    }

    @Test("q ends it and restores the terminal; arrows scroll, and a filter narrows")
    func keys() async throws {
        let terminal = try PseudoTerminal("sh", ["-c", "exec \(command)"], columns: 44, rows: 10)
        #expect(try await sees("1-7 of 20  q quit", terminal), "\(terminal.output)")
        #expect(!terminal.isCooked)
        terminal.type("\u{1B}[B")
        #expect(try await sees("2-8 of 20", terminal), "\(terminal.output)")
        terminal.type("G")
        #expect(try await sees("14-20 of 20", terminal), "\(terminal.output)")
        terminal.type("/van-1")
        #expect(try await sees("/van-1_", terminal), "\(terminal.output)")
        terminal.type("7\r")
        terminal.forget()
        #expect(try await sees("/van-17  q quit", terminal), "\(terminal.output)")
        #expect(terminal.output.contains("van-17") && !terminal.output.contains("van-16"), "\(terminal.output)")
        for line in terminal.output.split(separator: "\r\n") {
            let text = line.replacing(#/\u{1B}\[[?0-9]*[a-zA-Z]/#, with: "")
            #expect(text.count <= 44, "\(text)")
        }
        terminal.type("q")
        #expect(try await eventually { terminal.poll() } == 0, "\(terminal.output)")
        #expect(terminal.isCooked)
        #expect(terminal.output.contains("\u{1B}[?25h\u{1B}[?1049l"))
        // The last table stays on the normal screen.
        #expect(terminal.output.contains("20 vehicles: 20 online"), "\(terminal.output)")
    }

    @Test("On a terminal that can draw at no place, the table is printed once", arguments: ["TERM=dumb", "-u TERM"])
    func dumb(variable: String) async throws {
        let terminal = try PseudoTerminal("sh", ["-c", "exec env \(variable) \(program)"], columns: 80, rows: 10)
        #expect(try await eventually { terminal.poll() } == 0, "\(terminal.output)")
        #expect(terminal.output.contains("20 vehicles: 20 online"), "\(terminal.output)")
        #expect(!terminal.output.contains("\u{1B}["), "\(terminal.output)")
    }

    @Test("A new size of the terminal is used at once")
    func size() async throws {
        let terminal = try PseudoTerminal("sh", ["-c", "exec \(command)"], columns: 44, rows: 10)
        #expect(try await sees("1-7 of 20", terminal), "\(terminal.output)")
        terminal.resize(columns: 100, rows: 40)
        #expect(try await sees("van-20 ", terminal), "\(terminal.output)")
        terminal.resize(columns: 30, rows: 8)
        #expect(try await sees("1-4 of 20", terminal), "\(terminal.output)")
        terminal.type("q")
        #expect(try await eventually { terminal.poll() } == 0)
    }

    @Test("Ctrl-Z gives the terminal back to the shell, and fg draws the screen again")
    func stopped() async throws {
        // A shell with job control, so that something can continue the program.
        let script = "set -m; \(command); echo THE SHELL; read -r; fg; echo ENDED $?"
        let terminal = try PseudoTerminal("bash", ["-c", script], columns: 60, rows: 10)
        #expect(try await sees("1-7 of 20", terminal), "\(terminal.output)")
        terminal.type("\u{1A}")
        #expect(try await sees("THE SHELL", terminal), "\(terminal.output)")
        let isRestored = try await eventually { terminal.isCooked ? true : nil }
        #expect(isRestored == true)
        let screen = try #require(terminal.output.firstRange(of: "THE SHELL"))
        #expect(terminal.output[..<screen.lowerBound].contains("\u{1B}[?1049l"), "\(terminal.output)")
        terminal.forget()
        terminal.type("\r")
        #expect(try await sees("\u{1B}[?1049h", terminal), "\(terminal.output)")
        #expect(try await sees("1-7 of 20", terminal), "\(terminal.output)")
        #expect(!terminal.isCooked)
        terminal.type("q")
        #expect(try await sees("ENDED 0", terminal), "\(terminal.output)")
    }
}
