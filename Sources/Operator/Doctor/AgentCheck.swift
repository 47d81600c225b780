import Odograph
import Glibc
import OdographJSON
import OdographTerminal
import OdographWire

/// Checks the control socket, and whether an agent runs.
struct AgentCheck {
    private static let subject = "agent"

    private let path: String
    private let address: String

    init(_ configuration: AgentConfiguration) {
        path = configuration.controlPath
        address = configuration.address.path
    }

    /// Requests the status of the running agent.
    func requestStatus() async -> Result<CommandResponse, ControlError> {
        do throws(ControlError) {
            let request = CommandRequest(id: "doctor", action: .getStatus)
            let connection = ControlSocketClient(path: path, address: address)
            return .success(try await connection.response(to: request, timeoutSeconds: 5))
        } catch {
            return .failure(error)
        }
    }

    func finding(_ answer: Result<CommandResponse, ControlError>) -> Finding {
        switch answer {
        case .success(let answer): return runningFinding(answer)
        case .failure(let error):
            switch error.kind {
            case .noAgent: return notRunningFinding()
            case .noPermission: return Finding(.warn, Self.subject, sentence: error.description)
            case .noAnswer, .otherAgent, .inUse, .unusable:
                return Finding(.fail, Self.subject, sentence: error.description)
            }
        }
    }

    private func runningFinding(_ answer: CommandResponse) -> Finding {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            return Finding(
                .warn, Self.subject, "running, but other users can send commands through \(path)",
                advice: "chmod 600 \(path)")
        }
        guard case .array(let problems)? = answer.members["problems"], !problems.isEmpty else {
            return Finding(.ok, Self.subject, "running, no problems")
        }
        return Finding(
            .warn, Self.subject, "running, with \(Format.count(problems.count, "problem", "problems"))",
            advice: "run odograph status")
    }

    private func notRunningFinding() -> Finding {
        let folder = PathResolver.folder(of: path)
        guard access(folder, F_OK) != 0 || access(folder, W_OK | X_OK) == 0 else {
            return Finding(
                .fail, Self.subject, "not running, and this user cannot create the control socket in \(folder)",
                advice: "run this as the agent's user, or set control.path")
        }
        return Finding(.ok, Self.subject, "not running, and can be started")
    }
}
