import Logging
import OdographCivilTime
import OdographLink
import OdographThreads

/// The writing of what was read.
extension FleetRecorder {
    /// Writes the batch. After an error, ends the connection.
    func commit() {
        guard !batch.entries.isEmpty else { return }
        do throws(DatabaseFailure) {
            try write()
        } catch {
            interrupt(error)
        }
    }

    /// Writes all that is received, before the end.
    func writeAll() throws(DatabaseFailure) {
        while let (vehicle, message) = intake.next(at: .now, isLast: true) {
            read(message, of: vehicle, at: .now)
            if batch.isFull { try write() }
        }
        if !batch.entries.isEmpty { try write() }
    }

    func write() throws(DatabaseFailure) {
        let database = try openedDatabase()
        do throws(DatabaseFailure) {
            let stored = try database.records.write(
                batch.entries, refused: intake.refused, observers: database.observers)
            counters.count(stored, of: batch.entries)
            intake.forgetRefused()
        } catch {
            // Opening again finds the file at the path if it was replaced, and makes it if it was deleted.
            self.database = nil
            counters.countDatabaseError()
            throw error
        }
        receipts.commit(batch.entries)
        planReceipts()
        batch.removeAll()
    }

    /// Writes the last batch. After an error of the open database it is opened again: the file at the path can be
    /// another one by now, or none.
    func writeLast() throws(DatabaseFailure) {
        let wasOpen = database != nil
        do throws(DatabaseFailure) {
            try writeAll()
        } catch {
            guard wasOpen else { throw error }
            try writeAll()
        }
    }

    /// Tries to write the batch until it succeeds, or until ``stop()``.
    func recover() async {
        var backoff = Backoff(
            minimumSeconds: patience.minimumSeconds, maximumSeconds: patience.maximumSeconds, resetSeconds: .infinity,
            floorSeconds: patience.minimumSeconds / 2)
        var generator = SystemRandomNumberGenerator()
        while !isStopping, !Task.isCancelled {
            await wait(seconds: backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator))
            guard !isStopping else { return }
            do throws(DatabaseFailure) {
                try write()
                failure = nil
                logger.notice("the database can be used again")
                hooks.begin()
                planReading()
                return
            } catch {
                // The next attempt finds the same, or another reason.
                failure = error
            }
        }
    }

    /// Waits; ``stop()`` ends the wait.
    func wait(seconds: Double) async {
        let pause = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
        self.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
    }
}
