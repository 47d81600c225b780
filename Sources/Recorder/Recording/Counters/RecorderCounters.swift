import OdographCivilTime
import OdographThreads
import OdographWire

/// The counters of a recorder since its start. All threads may use them.
package final class RecorderCounters: Sendable {
    /// The values at a moment.
    struct Values: Sendable {
        /// Whether this recorder writes the database.
        var isActive = false
        var isConnected = false
        /// The committed messages, also those that were stored before.
        var messages = 0
        /// The new records of each kind.
        var records: [UplinkChannel: Int] = [:]
        var rejected = 0
        /// The messages of vehicles that have sent too much.
        var refused: [IntakeRefusal: Int] = [:]
        var batches = 0
        var databaseErrors = 0
        var receipts = 0
        var silentVehicles = 0
        /// The time from the fix to its arrival, of positions that were live, and of others.
        var (liveLag, backlogLag) = (Histogram(), Histogram())
        /// The time from the arrival of a batch's first message to the end of its commit.
        var commitDelay = Histogram(bounds: Histogram.commitBounds)
        /// The lag of the newest arrived position of each vehicle, seconds, and when it arrived.
        var lags: [DeviceAddress: (seconds: Double, arrival: ContinuousClock.Instant)] = [:]
    }

    /// More vehicles than any fleet has. The memory stays bounded if a client invents names.
    private static let maximumVehicles = 100_000
    /// The time after which the lag of a vehicle does not count any more.
    private static let lagLifetime = Duration.seconds(3600)

    private let values = Lock(Values())

    /// Creates counters of zero.
    init() {}

    /// The values. Lags that are too old are removed.
    func current() -> Values {
        let oldest = ContinuousClock.now - Self.lagLifetime
        return values.withLock { values in
            values.lags = values.lags.filter { $0.value.arrival >= oldest }
            return values
        }
    }

    func setActive(_ isActive: Bool) { values.withLock { $0.isActive = isActive } }
    func setConnected(_ isConnected: Bool) { values.withLock { $0.isConnected = isConnected } }
    func setSilent(_ count: Int) { values.withLock { $0.silentVehicles = count } }
    func countDatabaseError() { values.withLock { $0.databaseErrors += 1 } }
    func countRefused(_ reason: IntakeRefusal) { values.withLock { $0.refused[reason, default: 0] += 1 } }
    func countReceipts(_ count: Int) { values.withLock { $0.receipts += count } }

    /// Counts a committed batch.
    func count(_ stored: StoredBatch, of entries: [BatchEntry]) {
        guard let first = entries.first else { return }
        let (delay, now) = (Timestamp.now.seconds(since: first.received), ContinuousClock.now)
        values.withLock { values in
            values.batches += 1
            values.messages += entries.count
            values.rejected += stored.rejected
            values.records.merge(stored.records, uniquingKeysWith: +)
            values.commitDelay.add(max(delay, 0))
            for position in stored.positions {
                if position.isBacklog {
                    values.backlogLag.add(position.lagSeconds)
                } else {
                    values.liveLag.add(position.lagSeconds)
                }
                guard values.lags.count < Self.maximumVehicles || values.lags[position.vehicle] != nil else { continue }
                values.lags[position.vehicle] = (position.lagSeconds, now)
            }
        }
    }
}
