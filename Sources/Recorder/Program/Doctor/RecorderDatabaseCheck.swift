import OdographCivilTime
import OdographTerminal

/// Checks the recorder's database, for reading only.
struct RecorderDatabaseCheck {
    static let subject = "database"

    private let recording: RecordingSettings
    private let user: ServiceUser?

    /// - Parameter user: The user of the service, if it is not this one.
    init(_ recording: RecordingSettings, user: ServiceUser? = nil) {
        (self.recording, self.user) = (recording, user)
    }

    /// Returns the findings about the place, the contents and the backups.
    func findings() -> [Finding] {
        switch recording.database {
        case .file(let path): fileFindings(path) + backupFindings()
        case .server(let address): serverFindings(address) + backupFindings()
        }
    }

    /// Reads the vehicles; nil if the database cannot be read.
    func vehicles() -> CheckedVehicles? {
        do throws(DatabaseFailure) {
            let connection = try recording.database.openForReading()
            let vehicles = try connection.prepare(
                """
                SELECT fleet, device, reads_receipts, EXISTS (SELECT 1 FROM runs WHERE runs.vehicle = vehicles.id)
                FROM vehicles
                WHERE status IS NOT NULL OR reported IS NOT NULL
                    OR EXISTS (SELECT 1 FROM runs WHERE vehicle = vehicles.id)
                """
            ).rows { row in
                CheckedVehicle(
                    fleet: row.text(0) ?? "", device: row.text(1) ?? "", hasRecord: row.integer(3) != 0,
                    readsReceipts: row.integer(2) != 0)
            }
            return CheckedVehicles(databaseID: try RecorderSchema.databaseID(of: connection), vehicles: vehicles)
        } catch {
            return nil
        }
    }

    // MARK: - A file of SQLite

    private func fileFindings(_ path: String) -> [Finding] {
        let place = PlaceCheck(path, subject: Self.subject, program: "recorder", key: "database.path", user: user)
        return [place.permissionFinding(), contentFinding(path), spaceFinding(place)].compactMap { $0 }
            + [place.fileSystemFinding()].compactMap { $0 }
    }

    /// Returns a finding about a file that is there.
    private func contentFinding(_ path: String) -> Finding? {
        guard FileIdentity(path) != nil else { return nil }
        do throws(DatabaseFailure) {
            let connection = try SQLiteSchema.openForReading(path)
            // First: a restored backup has another journal mode, and can be damaged.
            let unread = try damageFinding(connection, path)
            let mode = try connection.prepare("PRAGMA journal_mode").first { $0.text(0) } ?? ""
            guard mode == "wal" else {
                return Finding(
                    .warn, Self.subject, "the journal mode is \(mode): a reader can lock the recorder out",
                    advice: "start the recorder, which sets the mode wal")
            }
            return unread
                ?? Finding(
                    .ok, Self.subject,
                    "schema \(RecorderSchema.version), journal mode wal, each commit waits for the disk")
        } catch {
            return Finding(.fail, Self.subject, sentence: "\(error)")
        }
    }

    /// The size of a file up to which all of it is read, bytes. It takes some seconds for each GB, and the log of the
    /// database grows meanwhile.
    private static let longestCheckedFile = 4 << 30

    /// Returns a finding about a file that was not read whole; nil for one without damage.
    /// - Throws: ``DatabaseFailure/damaged(path:detail:)``
    private func damageFinding(
        _ connection: SQLiteRecorderConnection, _ path: String
    ) throws(DatabaseFailure) -> Finding? {
        let bytes = PlaceCheck(path, subject: Self.subject, program: "recorder", key: "database.path").fileBytes
        guard bytes <= Self.longestCheckedFile else {
            return Finding(
                .ok, Self.subject,
                "\(Format.bytes(bytes)) are not read to find damage: run PRAGMA quick_check on a backup"
            )
        }
        let result = try connection.prepare("PRAGMA quick_check(1)").first { $0.text(0) } ?? ""
        guard result != "ok" else { return nil }
        throw .damaged(path: path, detail: result.split(separator: "\n").joined(separator: " "))
    }

    /// The free space below which a file of SQLite is reported, bytes.
    private static let littleSpace = 256 << 20

    private func spaceFinding(_ place: PlaceCheck) -> Finding? {
        guard let free = place.freeBytes else { return nil }
        let size = place.fileBytes
        let text = "\(Format.bytes(free)) free, the database has \(Format.bytes(size))"
        if free < PlaceCheck.minimumFreeBytes {
            return Finding(.fail, Self.subject, text, advice: "free some space")
        }
        guard free >= max(2 * size, Self.littleSpace) else {
            return Finding(
                .warn, Self.subject, text,
                advice: "free some space, or set retention.days; an erasure needs twice the size of the database")
        }
        return Finding(.ok, Self.subject, text)
    }

    // MARK: - A server

    private func serverFindings(_ address: PostgreSQLAddress) -> [Finding] {
        do throws(DatabaseFailure) {
            return try ServerFacts(address, now: .now).findings
        } catch {
            return [Finding(.fail, Self.subject, sentence: "\(error)")]
        }
    }

    // MARK: - Backups

    /// The age above which a required backup is reported, seconds.
    private static let oldBackupSeconds = 86_400.0

    private func backupFindings() -> [Finding] {
        guard recording.receipts.requiresBackup, let status = try? RecorderStatus(of: recording.database) else {
            return []
        }
        guard let last = status.lastBackup, let time = Timestamp(iso8601: last) else {
            return [
                Finding(
                    .warn, "backup", "required, but there is none: the vehicles keep all their records",
                    advice: "run odograph-recorder backup regularly")
            ]
        }
        guard Timestamp.now.seconds(since: time) < Self.oldBackupSeconds else {
            return [
                Finding(
                    .warn, "backup", "the newest is of \(last): the vehicles keep their records since then",
                    advice: "run odograph-recorder backup more often")
            ]
        }
        return [Finding(.ok, "backup", "the newest is of \(last)")]
    }
}
