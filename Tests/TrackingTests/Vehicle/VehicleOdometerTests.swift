import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The odometer with the vehicle's own distance")
struct VehicleOdometerTests {
    /// The result at one fix, as shares of the true distance.
    struct Result: Sendable {
        var trueMeters: Double
        var error: Double
        var bound: Double
        var isInside: Bool { abs(error) <= bound }
    }

    private static let roads: [SimulatedRoad] = [.motorway, .countryRoad, .cityGrid, .commute]
    private static let seeds: ClosedRange<UInt64> = 501...503

    /// Returns the results at the fixes after each 5 km.
    private static func results(of vehicle: EquippedVehicle) -> [Result] {
        var tracker = Tracker()
        var (results, next, told) = ([Result](), 5000.0, 0.0)
        for (input, truth) in zip(vehicle.inputs, vehicle.trueMeters) {
            _ = tracker.handle(input)
            #expect(tracker.odometerMeters >= told)
            told = tracker.odometerMeters
            guard case .fix = input, truth >= next else { continue }
            next = truth + 5000
            results.append(
                Result(
                    trueMeters: truth, error: told / truth - 1, bound: tracker.odometerErrorMeters / truth))
        }
        return results
    }

    private static func results(_ equipment: EquippedVehicle.Equipment, interval: Double = 1) -> [Result] {
        roads.flatMap { road in
            seeds.flatMap { seed in
                results(
                    of: EquippedVehicle(
                        on: road, seed: seed, seconds: road == .cityGrid ? 5400 : 2700, equipment: equipment,
                        interval: interval))
            }
        }
    }

    static let equipments: [(name: String, equipment: EquippedVehicle.Equipment)] = [
        ("J1939, 3 % too much", .init()),
        ("J1939, 3 % too little", .init(scale: 0.97)),
        ("OBD-II every 2 s", .init(tenthsBetweenSpeeds: 20, speedStep: 1 / 3.6)),
        ("counter of 5 m", .init(counterStep: 5, hasSpeed: false)),
    ]

    @Test(
        "With a distance that is 3 % off, the error after 20 km is at most 0.3 %, and the truth is within the bound",
        arguments: equipments.indices)
    func accuracy(index: Int) {
        let (name, equipment) = Self.equipments[index]
        let all = Self.results(equipment)
        let long = all.filter { $0.trueMeters >= 20_000 }
        #expect(long.count >= 12, "\(name): \(long.count)")
        let share = Double(long.count { abs($0.error) <= 0.003 }) / Double(long.count)
        let inside = Double(all.count(where: \.isInside)) / Double(all.count)
        let worst = long.map { abs($0.error) }.max() ?? 1
        #expect(share >= 0.95, "\(name): \(share) within 0.3 %, worst \(worst)")
        #expect(inside >= 0.95, "\(name): \(inside) inside")
        print("\(name): \(share) within 0.3 %, worst \(worst), \(inside) inside, \(long.count) of \(all.count)")
    }

    @Test("A counter that steps by 100 m makes the odometer no worse than the satellites alone")
    func coarseCounter() {
        let all = Self.results(.init(counterStep: 100, hasSpeed: false))
        let alone = Self.results(.init(hasSpeed: false))
        let (inside, median) = (
            Double(all.count(where: \.isInside)) / Double(all.count),
            { (list: [Result]) in
                list.map { abs($0.error) }.sorted()[list.count / 2]
            }
        )
        print("counter of 100 m: median \(median(all)), alone \(median(alone)), \(inside) inside")
        #expect(inside >= 0.95 && median(all) <= median(alone))
    }
}
