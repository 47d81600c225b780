import FoundationEssentials
import Glibc
import OdographModel
import OdographTracking

/// The short form of the evaluation: in each part the figures that a change could make worse unnoticed, with the values
/// that the agent reached. A figure on the wrong side of its limit is an error.
///
/// A limit is what was measured, rounded to the side that allows it. It is no aim: the aims are in the whole
/// evaluation.
struct Floors {
    private let folder: String
    private var broken = 0

    /// - Parameter folder: The folder of the corpora.
    init(folder: String) { self.folder = folder }

    /// Measures and prints each figure.
    /// - Returns: The number of figures beyond their limits.
    static func report(folder: String) throws -> Int {
        var floors = Floors(folder: folder)
        row("what", "now", bar: "limit")
        try floors.timelines()
        floors.halts()
        try floors.captures()
        floors.odometer()
        try floors.copies()
        try floors.labels()
        try floors.geofences()
        return floors.broken
    }

    private mutating func check(_ what: String, _ value: Double, atLeast limit: Double, decimals: Int = 0) {
        check(what, value, isMet: value >= limit, "≥ \(text(limit, decimals))", decimals)
    }

    private mutating func check(_ what: String, _ value: Double, atMost limit: Double, decimals: Int = 0) {
        check(what, value, isMet: value <= limit, "≤ \(text(limit, decimals))", decimals)
    }

    private mutating func check(_ what: String, _ value: Double, isMet: Bool, _ limit: String, _ decimals: Int) {
        // More decimals where they decide.
        row(what, isMet ? text(value, decimals) : "\(text(value, decimals + 2))  WORSE", bar: limit)
        if !isMet { broken += 1 }
    }

    // MARK: - Parts

    private mutating func timelines() throws {
        let invariants = try Invariants(folder: folder + "/drives/", isVerbose: false)
        for change in Perturbation.all.prefix(1) + Perturbation.taxis.prefix(1) {
            let result = invariants.result(of: change, seeds: 1)
            check("rules broken, \(change.name)", Double(result.counts.values.reduce(0, +)), atMost: 0)
            guard change.name == Perturbation.all[0].name else { continue }
            check("  share of time unknown (%)", 100 * result.share(of: "unknown"), atMost: 0.026, decimals: 3)
            check("  share of time off the grid (%)", 100 * result.share(of: "off"), atMost: 36.62, decimals: 2)
        }
    }

    private mutating func halts() {
        for scene in Halts.scenes {
            let faults = Halts(isVerbose: false).faults(of: scene, aboard: .car)
            check("\(scene.name), mounted: faults", Double(faults.total), atMost: scene.limit)
            guard let limit = scene.carriedLimit else { continue }
            let carried = Halts(isVerbose: false).faults(of: scene, aboard: nil)
            check("  the same, carried", Double(carried.total), atMost: limit)
        }
    }

    /// Where the sum is outside the bound, the odometer has counted distance within a stop.
    private mutating func captures() throws {
        let recordings = try RecordedTimelines(folder: folder)
        for (vehicle, moved, short) in [(nil, 2.0, 0.0), (TransportMode.car, 4, 1)] {
            let result = recordings.result(aboard: vehicle)
            let faults = result.faults
            let name = "all recordings\(vehicle == nil ? "" : ", mounted")"
            check("\(name): touching events of one kind", Double(faults.touching), atMost: 0)
            check("  trips below 10 m", Double(faults.shortTransports), atMost: 0)
            check("  trips without waypoints", Double(faults.bareTrips), atMost: 0)
            check("  events below 10 s", Double(faults.shortEvents), atMost: short)
            check("  stops that move", Double(faults.movedStops), atMost: moved)
            check("  sums of events outside the odometer's bound", Double(faults.wrongSums), atMost: 0)
            check("  most by which a sum is longer (m)", result.excess.max() ?? .nan, atMost: 0.1, decimals: 1)
        }
    }

    private mutating func odometer() {
        let driving = OutlierFixes().result(of: .init(seconds: 1, tellsSpeed: true, isParked: false), runs: 60).watch
        check("outliers on a drive: fixes inside the bound (%)", 100 * driving.insideShare, atLeast: 98.4, decimals: 1)
        let parked = OutlierFixes().result(of: .init(seconds: 1, tellsSpeed: true, isParked: true), runs: 60).watch
        check("outliers while parked: most gained (m)", parked.worstGainMeters, atMost: 0, decimals: 1)
        for (speed, limit) in [(1.4, 1.3), (12, 0.6)] {
            let noise = WhiteNoise().result(speed, 5, tellsAccuracy: true).0
            check(
                "noise 5 m at \(text(speed, 1)) m/s: |mean error| (%)", abs(100 * noise.meanError), atMost: limit,
                decimals: 2)
            check("  ends inside the bound, of \(noise.ends.count)", Double(noise.endsInside), atLeast: 30)
        }
        for seconds in [10.0, 60] {
            let errors = StraightRoads(folder: folder).straight(30, tellsSpeed: true, everySeconds: seconds).map(
                \.error)
            check(
                "straight at 30 m/s, a fix in \(text(seconds, 0)) s: |mean error| (%)", abs(100 * errors.mean),
                atMost: 0.1, decimals: 2)
        }
        let queue = CreepingQueues().result(0.7...2, tellsSpeed: true, isPhone: false).0
        check("queue at 0.7–2 m/s: |mean error| (%)", abs(100 * queue.meanError), atMost: 0.5, decimals: 1)
        check("  fixes inside the bound (%)", 100 * queue.insideShare, atLeast: 98, decimals: 1)
        let phone = CreepingQueues().result(0.7...2, tellsSpeed: true, isPhone: true).0
        check("the same, a phone: |mean error| (%)", abs(100 * phone.meanError), atMost: 2, decimals: 1)
        check("  fixes inside the bound (%)", 100 * phone.insideShare, atLeast: 94, decimals: 1)
        let receivers = FaultyReceivers(days: 3)
        for (row, seconds, accuracy, limit) in FaultyReceivers.floors {
            let result = receivers.result(row, everySeconds: seconds, accuracy)
            check(
                "\(row.name), \(seconds) s, eph \(accuracy.rawValue): |mean error| (%)",
                abs(100 * result.meanError), atMost: limit, decimals: 2)
            check("  moments inside the bound (%)", 100 * result.insideShare, atLeast: 95, decimals: 1)
            check("  gained while parked (m)", result.gains.max() ?? .nan, atMost: 20)
        }
    }

    private mutating func copies() throws {
        let drives = try AllDrives(folder: folder)
        let copies = Copies(drives: drives.recorded + drives.simulated.suffix(20), isVerbose: false)
        for copy in Copies.all {
            let shifts = copies.shifts(of: copy)
            check("\(copy.name): drives with other events", Double(copies.count - shifts.count), atMost: 0)
            check("  largest shift (s)", shifts.max() ?? 0, atMost: copy.bar, decimals: 1)
        }
        let thinning = Thinning(drives: drives, isVerbose: false)
        // Positions that share a date are one fix. With each of them a fix, a loss of a tenth moved the ends by 10.5 s.
        for (loss, (lost, p95, most)) in zip(Thinning.all, [(1.0, 14.7, 133.0), (2, 34, 99)]) {
            let result = thinning.result(of: thinning.usual, loss)
            check("\(loss.name): trips lost, of \(result.count)", Double(result.count - result.kept), atMost: lost)
            check("  ends moved by, p95 (s)", result.shifts.quantile(0.95), atMost: p95, decimals: 1)
            check("  most (s)", result.shifts.max() ?? .nan, atMost: most)
        }
    }

    private mutating func labels() throws {
        let phones = try PhoneDrives(folder: folder + "/drives/", isVerbose: false)
        let boundaries = phones.boundaries
        check("phone trips found, of \(boundaries.count)", Double(boundaries.found), atLeast: Double(boundaries.count))
        check("  false", Double(boundaries.falseTrips), atMost: 0)
        check("  right mode, of the time", phones.modeScore.right, atLeast: 0.972, decimals: 3)
        let rounds = try DeliveryRounds(folder: folder + "/drives/", isVerbose: false).scores(.init()).all
        // The labels know walks of less than ten metres to a door. No such trip is published.
        check("delivery rounds: right by events, of the fixes", rounds.events, atLeast: 0.896, decimals: 3)
        let days = try LabelledDays(folder: folder + "/drives/", isVerbose: false).scores(.init())
        check("labelled days: accuracy", days.accuracy, atLeast: 0.907, decimals: 3)
        check("  stop F1", days.stop, atLeast: 0.933, decimals: 3)
        check("  move F1", days.move, atLeast: 0.846, decimals: 3)
    }

    private mutating func geofences() throws {
        let places = try Places(folder: folder + "/drives/", isVerbose: false)
        for radius in [100.0, 200] {
            let visits = try places.visits(ofMeters: radius)
            check(
                "circles of \(text(radius, 0)) m: enters and exits of all phones", Double(visits.reduce(0, +)),
                atMost: 10)
        }
    }
}
