import OdographJSON
import OdographModel
import OdographStore
import OdographTracking

/// The values that programs on the vehicle set: the driver and the vehicle's signals.
extension InputPipeline {
    /// The driver now; nil for none, and in private time.
    var driver: String? { intake.tracker.isPrivate ? nil : intake.drivers.current }

    /// The tag of records now; nil for none. In private time that a program began, the name of that time.
    var tag: String? {
        switch intake.tracker.schedule.rule {
        case let rule? where rule.mode == .tag: rule.tag
        case let rule? where rule.mode == .private: settings.schedule.programRule.map { _ in rule.tag }
        default: nil
        }
    }

    /// Whether the time is private.
    var isPrivate: Bool { intake.tracker.isPrivate }

    /// Sets the driver from now on.
    /// - Parameter isPersistent: Whether the driver stays after a restart.
    /// - Throws: `StoreError` if it cannot be saved and is to persist. The earlier driver then stays.
    func setDriver(_ driver: String?, isPersistent: Bool) throws {
        let now = intake.tracker.date(of: time.now)
        var log = intake.drivers
        log.set(driver, at: now, isPersistent: isPersistent)
        do {
            try save(log, as: DocumentName.drivers)
        } catch {
            guard !isPersistent else { throw error }
        }
        intake.drivers = log
    }

    /// Handles signals that a program reports.
    /// - Parameter isPersistent: Whether they are handled again after a restart.
    /// - Throws: `StoreError` if they cannot be saved and are to persist. They are then in force all the same.
    func receive(fromProgram values: VehicleSignals, isPersistent: Bool) throws {
        var signals = values
        signals.received = time.now
        receive(signals, ofProgram: true)
        let saved = SavedSignals(
            signals, persists: isPersistent, over: savedSignals, boot: time.boot)
        guard saved != nil || savedSignals != nil else { return }
        do {
            try save(saved, as: DocumentName.programSignals)
            savedSignals = saved
        } catch {
            guard !isPersistent else { throw error }
        }
    }

    /// Continues with what programs set in earlier runs. Called once, after ``restore(geofences:)``.
    func restoreProgramSettings(from documents: (_ name: String) -> SavedDocument) {
        let drivers = documents(DocumentName.drivers).parsed {
            try? JSONCoder.decode(DriverLog.self, from: $0)
        } onUnreadable: {
            problems.registry.raiseUnreadable(
                "the driver of set_driver", $0, effect: "records have no driver until the next set_driver",
                in: problems.logger)
        }
        if var drivers {
            drivers.beginRun(at: intake.tracker.date(of: time.now))
            intake.drivers = drivers
        }
        let signals = documents(DocumentName.programSignals).parsed {
            try? JSONCoder.decode(SavedSignals.self, from: $0)
        } onUnreadable: {
            problems.registry.raiseUnreadable(
                "the signals of set_signals", $0, effect: "they are not known until the next set_signals",
                in: problems.logger)
        }
        savedSignals = signals
        guard !usesVirtualTime, let restored = signals?.restored(at: time.now, boot: time.boot)
        else { return }
        receive(restored, ofProgram: true)
    }

    /// Takes the driver of an earlier run whose database was not readable at the start.
    func mergeRecoveredDrivers(_ documents: [String: [UInt8]]) {
        guard intake.drivers.isEmpty, let bytes = documents[DocumentName.drivers],
            var drivers = try? JSONCoder.decode(DriverLog.self, from: bytes)
        else { return }
        drivers.beginRun(at: intake.tracker.date(of: time.now))
        intake.drivers = drivers
    }

    private func save(_ value: (some Encodable)?, as name: String) throws {
        let bytes = try value.map { try JSONCoder.bytes(of: $0) }
        try store.assumeIsolated { store in
            if let bytes { try store.saveDocument(name, bytes) } else { try store.removeDocument(name) }
        }
    }
}
