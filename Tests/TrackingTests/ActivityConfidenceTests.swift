import OdographModel
import Testing

@testable import OdographTracking

@Suite struct ActivityConfidenceTests {
    private let figures = MovementParameters()

    @Test(
        "A share of the probability is published as the matching confidence",
        arguments: [(0.0, 0), (0.5, 33), (0.8, 57), (0.9, 70), (0.95, 80), (0.99, 93), (1.0, 99)])
    func percent(share: Double, percent: Int) {
        #expect(figures.confidencePercent(ofShare: share) == percent)
    }

    @Test("The confidence rises with the model's certainty and never exceeds it")
    func order() {
        let percents = (0...1000).map { figures.confidencePercent(ofShare: Double($0) / 1000) }
        #expect(zip(percents, percents.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(percents.indices.filter { $0 >= 500 }.allSatisfy { percents[$0] <= ($0 + 5) / 10 })
        #expect(percents.allSatisfy { 0...99 ~= $0 })
    }

    @Test("Only halts on wheels have a reduced weight", arguments: MovementState.allCases)
    func weight(movement: MovementState) {
        let isStandOnWheels = movement == .drivingHalt || movement == .cyclingHalt
        #expect((figures.activityWeight(of: movement) < 1) == isStandOnWheels)
    }

    @Test("A person who has stopped walking is soon still, and one who walks is not")
    func pause() {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 120, metersPerSecond: 1.3)
        #expect(kind(after: track) == .walking)
        track.stand(seconds: 15)
        #expect(kind(after: track) == .still)
    }

    @Test("At an even chance of a vehicle and a bicycle a ride is not mistaken for standing")
    func ride() {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 30, metersPerSecond: 5)
        #expect([.onBicycle, .inVehicle].contains(kind(after: track)))
    }

    private func kind(after track: Track) -> Activity.Kind? {
        var tracker = Tracker()
        for fix in track.fixes { _ = tracker.handle(.fix(fix)) }
        return track.fixes.last.flatMap { tracker.currentLocation(at: $0.received)?.activity.kind }
    }
}
