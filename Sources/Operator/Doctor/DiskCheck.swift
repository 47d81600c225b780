import Odograph
import OdographJSON
import OdographStore
import OdographTerminal
import OdographWire

/// Checks the path, the space and the file system of the database.
struct DiskCheck {
    private static let subject = "disk"

    private let path: String
    private let options: StoreOptions
    private let user: ServiceUser?
    private var maximumBytes: Int { options.maximumBytes }
    private var place: PlaceCheck {
        PlaceCheck(path, subject: Self.subject, program: "agent", key: "store.path", user: user)
    }

    /// - Parameter user: The user of the service, if it is not this one.
    init(_ store: StoreConfiguration, user: ServiceUser? = nil) {
        self.user = user
        path = store.path
        options = store.options
    }

    /// - Parameter agent: the response of the running agent; nil if none answers.
    func findings(agent: CommandResponse?) async -> [Finding] {
        [place.permissionFinding(), await contentFinding(agent), spaceFinding(), place.fileSystemFinding()].compactMap {
            $0
        }
    }

    /// Checks that the database can be read and, if an agent runs, that the agent uses this file.
    private func contentFinding(_ agent: CommandResponse?) async -> Finding? {
        if let agent { return inUseFinding(agent) }
        guard StoreReader.exists(at: path, options: options) else { return nil }
        do throws(StoreError) {
            _ = try await StoreReader.open(at: path, options: options)
            return nil
        } catch .inUse {
            return nil
        } catch {
            return Finding(.warn, Self.subject, sentence: "\(error)")
        }
    }

    private func inUseFinding(_ agent: CommandResponse) -> Finding? {
        guard case .object(let store)? = agent.members["store"], store["path"] == .string(path) else { return nil }
        guard StoreReader.exists(at: path, options: options) else {
            return Finding(
                .fail, Self.subject, "\(path) does not exist: the running agent has no file for its records",
                advice: "run odograph status; the agent creates a new file within a minute, if it can")
        }
        guard (try? StoreReader.isInUse(path)) == false else { return nil }
        return Finding(
            .fail, Self.subject,
            "\(path) is not the file that the running agent writes: it was replaced, or could not be used",
            advice: "run odograph status; the agent creates a new file within a minute, if it can")
    }

    private func spaceFinding() -> Finding? {
        guard let available = place.freeBytes else { return nil }
        let text = "\(Format.bytes(available)) free, the database needs up to \(Format.bytes(maximumBytes))"
        if available < PlaceCheck.minimumFreeBytes {
            return Finding(.fail, Self.subject, text, advice: "free some space")
        }
        guard available >= maximumBytes else {
            return Finding(.warn, Self.subject, text, advice: "free some space, or lower store.maximum_size")
        }
        return Finding(.ok, Self.subject, text)
    }
}
