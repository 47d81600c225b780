import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("A restart after an update to another version, or with a damaged saved state")
struct UpdateTests {
    private static let trip = TimelineEventRevision.Kind.inTransport

    @Test(
        "Without a saved state of this version the odometer comes from the newest record, and the timeline continues",
        arguments: [UpdatedVehicle.Damage.update, .snapshot], [true, false])
    func damaged(damage: UpdatedVehicle.Damage, isDelivered: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        await vehicle.run.pipeline.stop()
        if isDelivered { try await vehicle.deliver() }
        try await vehicle.restart(damage, afterSeconds: 30)
        let after = await vehicle.odometer
        let raised = vehicle.problems
        #expect(raised.map(\.code) == [.stateLost])
        let isOther = raised[0].text.contains(
            "form \(StateSnapshot.form + 1), this version reads \(StateSnapshot.form)")
        #expect(isOther == (damage == .update), "\(raised)")
        if isDelivered {
            #expect(after.meters == 0)
            #expect(raised[0].text.contains("odometer set"))
        } else {
            #expect(abs(after.meters - before.meters) <= 130 && after.errorMeters > 0)
            #expect(raised[0].text.contains(" m ± "))
        }
        try await vehicle.run.drive(seconds: 300, from: 630, at: UpdatedVehicle.start)
        if isDelivered {
            #expect(vehicle.problems.count == 1)
            await vehicle.run.pipeline.setOdometer(meters: before.meters)
        }
        #expect(vehicle.problems == [])
        let timeline = try await vehicle.timeline()
        #expect(timeline.map(\.type) == [Self.trip, .offTheGrid, Self.trip])
        #expect(timeline[1].reason == .powerOff)
        #expect(timeline[0].duration > 500)
    }

    @Test("If the snapshot is unreadable after a power cut, odometer and ordinal come from the journal")
    func damagedBeforeJournal() async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        try await vehicle.deliver()
        try await vehicle.restart(.snapshot, isStopped: false, afterSeconds: 30)
        let after = await vehicle.odometer
        #expect(abs(after.meters - before.meters) <= 130 && abs(after.errorMeters - before.errorMeters) <= 3)
        #expect(vehicle.run.ordinal > 600_000)
    }

    @Test("A damaged journal loses only its damaged entry, and the odometer is kept")
    func damagedJournal() async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        try await vehicle.restart(.journal, isStopped: false, afterSeconds: 30)
        let after = await vehicle.odometer
        #expect(abs(after.meters - before.meters) <= 260)
        #expect(vehicle.problems.map(\.code) == [.stateLost])
        try await vehicle.run.drive(seconds: 600, from: 630, at: UpdatedVehicle.start)
        #expect(vehicle.problems == [])
        #expect(try await vehicle.timeline().map(\.type) == [Self.trip])
    }

    @Test("If the journal is lost, the odometer comes from the newest record")
    func lostJournal() async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        try await vehicle.restart(.hole, isStopped: false, afterSeconds: 30)
        let after = await vehicle.odometer
        #expect(abs(after.meters - before.meters) <= 130 && abs(after.errorMeters - before.errorMeters) <= 3)
        #expect(vehicle.problems.map(\.code) == [.stateLost])
        try await vehicle.run.drive(seconds: 300, from: 630, at: UpdatedVehicle.start)
        let timeline = try await vehicle.timeline()
        #expect(timeline.map(\.type) == [Self.trip, .offTheGrid, Self.trip])
        #expect(timeline[0].duration > 500)
    }

    @Test("After an update in private time no position is recorded", arguments: [true, false])
    func inPrivate(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle(
            "{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }")
        try await vehicle.run.drive(seconds: 900, from: 0, at: UpdatedVehicle.start)
        let told = try await vehicle.locations()
        try await vehicle.restart(.update, isStopped: isStopped, afterSeconds: 30)
        #expect(await vehicle.run.pipeline.isPrivate)
        let before = await vehicle.odometer
        try await vehicle.run.drive(seconds: 600, from: 930, at: UpdatedVehicle.start)
        #expect(await vehicle.run.pipeline.lastLocation == nil)
        #expect(try await vehicle.locations() == told)
        let saved = String(decoding: try #require(try await vehicle.store.contents().snapshot), as: UTF8.self)
        #expect(!saved.contains("latitude"))
        let timeline = try await vehicle.timeline()
        #expect(timeline.allSatisfy { $0.startDate >= (told.last ?? $0.startDate) ? $0.waypoints == nil : true })
        #expect(await vehicle.odometer.meters > before.meters + 590 * 12)
    }

    @Test("The same version restores the whole state without a problem report", arguments: [true, false])
    func sameVersion(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 300, from: 0, at: UpdatedVehicle.start)
        try await vehicle.restart(nil, isStopped: isStopped, afterSeconds: 30)
        #expect(await vehicle.run.pipeline.stateLoss == nil)
        #expect(await vehicle.run.pipeline.counters.accepted >= 290)
    }
}
