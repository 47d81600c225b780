import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("An update to another version, and a damaged saved state")
struct UpdateTests {
    private static let trip = TimelineEventRevision.Kind.inTransport

    @Test("Odometer and trip continue after an update during a trip", arguments: [true, false])
    func onTheWay(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        try await vehicle.restart(.update, isStopped: isStopped, afterSeconds: 30)
        let after = await vehicle.odometer
        // After a kill the state is that of the last commit.
        #expect(abs(after.meters - before.meters) <= (isStopped ? 0 : 130))
        #expect(abs(after.errorMeters - before.errorMeters) <= (isStopped ? 0.001 : 3))
        #expect(await vehicle.run.recorder.isMoving == true)
        let raised = vehicle.problems
        #expect(raised.map(\.code) == [.stateLost] && raised[0].text.contains("version 0.0.9"))
        try await vehicle.run.drive(seconds: 600, from: 630, at: UpdatedVehicle.start)
        #expect(vehicle.problems == [])
        let end = await vehicle.odometer
        #expect(abs(end.meters - 1230 * 12) < end.errorMeters)
        try await vehicle.run.stand(seconds: 400, at: 1229)
        let timeline = try await vehicle.timeline()
        #expect(timeline.map(\.type) == [Self.trip, .stationary])
        #expect(abs((timeline[0].distanceInMeters ?? 0) - 1230 * 12) < end.errorMeters)
        #expect(timeline[0].waypoints.map { ($0.first?.longitude ?? 0) < -2.999 } == true)
    }

    @Test("If the vehicle was moved during a long update, the trip ends, and the gap is published")
    func elsewhere() async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        try await vehicle.restart(.update, afterSeconds: 7200)
        try await vehicle.run.drive(seconds: 300, from: 3000, at: UpdatedVehicle.start)
        let timeline = try await vehicle.timeline()
        #expect(timeline.map(\.type) == [Self.trip, .offTheGrid, Self.trip])
        #expect(timeline[0].endDate == (try ScheduleFixture.time("2026-11-20T08:10:00Z")))
        #expect(timeline[1].reason == .powerOff && abs(timeline[1].duration - 7201) < 5)
    }

    @Test("A vehicle that is updated while parked stays parked, and nothing is published")
    func parked() async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 300, from: 0, at: UpdatedVehicle.start)
        try await vehicle.run.stand(seconds: 600, at: 299)
        let meters = await vehicle.odometer.meters
        try await vehicle.restart(.update, afterSeconds: 1200)
        let told = try await vehicle.store.statistics().newestSeq
        try await vehicle.run.stand(seconds: 600, at: 299)
        #expect(await vehicle.odometer.meters == meters)
        #expect(try await vehicle.store.statistics().newestSeq == told)
        #expect(try await vehicle.timeline().map(\.type) == [Self.trip, .stationary])
    }

    @Test(
        "Without a readable saved state the odometer comes from the newest record, and the timeline continues",
        arguments: [true, false])
    func damaged(isDelivered: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 600, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        await vehicle.run.recorder.stop()
        if isDelivered { try await vehicle.deliver() }
        try await vehicle.restart(.snapshot, afterSeconds: 30)
        let after = await vehicle.odometer
        let raised = vehicle.problems
        #expect(raised.map(\.code) == [.stateLost])
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
            await vehicle.run.recorder.setOdometer(meters: before.meters)
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

    @Test("A replay continues at its position after an update", arguments: [true, false])
    func ordinal(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 300, from: 0, at: UpdatedVehicle.start)
        try await vehicle.restart(.update, isStopped: isStopped, afterSeconds: 30)
        #expect(vehicle.run.ordinal > 300_000 && vehicle.run.ordinal <= 320_000)
    }

    @Test("After an update in private time no position is recorded; the odometer continues", arguments: [true, false])
    func inPrivate(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle(
            "{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }")
        try await vehicle.run.drive(seconds: 900, from: 0, at: UpdatedVehicle.start)
        let before = await vehicle.odometer
        let told = try await vehicle.locations()
        try await vehicle.restart(.update, isStopped: isStopped, afterSeconds: 30)
        #expect(await vehicle.run.recorder.isPrivate)
        #expect(abs(await vehicle.odometer.meters - before.meters) <= 130)
        try await vehicle.run.drive(seconds: 600, from: 930, at: UpdatedVehicle.start)
        #expect(await vehicle.run.recorder.lastLocation == nil)
        #expect(try await vehicle.locations() == told)
        let saved = String(decoding: try #require(try await vehicle.store.contents().snapshot), as: UTF8.self)
        #expect(!saved.contains("latitude"))
        let timeline = try await vehicle.timeline()
        #expect(timeline.allSatisfy { $0.startDate >= (told.last ?? $0.startDate) ? $0.waypoints == nil : true })
        #expect(await vehicle.odometer.meters > before.meters + 590 * 12)
    }

    @Test("A visit to a geofence continues after an update, with one entry and one exit")
    func visit() async throws {
        let center = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3 + 300 * 12 / 85_394))
        let yard = Geofence(
            identifier: "yard", shape: .circle(try Circle(center: center, radiusMeters: 200)), rule: GeofenceRule())
        let vehicle = try await UpdatedVehicle(geofences: GeofenceSet([yard]))
        try await vehicle.run.drive(seconds: 300, from: 0, at: UpdatedVehicle.start)
        try await vehicle.run.stand(seconds: 300, at: 299)
        try await vehicle.restart(.update, afterSeconds: 30)
        #expect(await vehicle.run.recorder.geofencesInside == ["yard"])
        try await vehicle.run.stand(seconds: 300, at: 299)
        try await vehicle.run.drive(seconds: 100, from: 300, at: UpdatedVehicle.start)
        let actions = try await vehicle.records().compactMap { $0.location.geofence }
        #expect(actions.map(\.action) == [.enter, .exit])
        #expect((actions.last?.dwell ?? 0) > 630)
    }

    @Test("The same version restores the whole state without a problem report", arguments: [true, false])
    func sameVersion(isStopped: Bool) async throws {
        let vehicle = try await UpdatedVehicle()
        try await vehicle.run.drive(seconds: 300, from: 0, at: UpdatedVehicle.start)
        try await vehicle.restart(nil, isStopped: isStopped, afterSeconds: 30)
        #expect(await vehicle.run.recorder.stateLoss == nil)
        #expect(await vehicle.run.recorder.counters.accepted >= 290)
    }
}
