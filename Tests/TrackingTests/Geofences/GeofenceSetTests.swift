import OdographCrontab
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("A set of geofences")
struct GeofenceSetTests {
    private func fences(_ count: Int) throws -> [Geofence] {
        try (0..<count).map { number in
            var fence = Geofence(
                identifier: "fence \(number) \(String(repeating: "x", count: number % 40))",
                shape: FenceScene.circle(radiusMeters: Double(10 + number)))
            fence.rule.name = "the place \(number)"
            if number.isMultiple(of: 3) { fence.rule.extras = "{\"n\":\(number)}" }
            if number.isMultiple(of: 5) { fence.rule.speedLimitMetersPerSecond = Double(number) }
            if number.isMultiple(of: 7) { fence.rule.loiteringDelaySeconds = Double(number) }
            if number.isMultiple(of: 2) { fence.rule.schedule = try schedule(number) }
            // The last text of the last record is empty.
            if number % 3 == 2 { fence.rule.significance = "" }
            return fence
        }
    }

    /// Returns one of more than 256 schedules, so that their indices need more than a byte.
    /// Some have two expressions.
    private func schedule(_ number: Int) throws -> Schedule {
        let first = "\(number % 60) \(number / 60) * * *"
        return try Schedule(number.isMultiple(of: 4) ? [first, "* 23 * * 0"] : [first])
    }

    private func check(_ set: GeofenceSet, _ fences: [Geofence]) {
        #expect(set.count == fences.count)
        for fence in fences {
            let slot = set.slot(of: fence.identifier)
            #expect(slot != nil)
            #expect(slot.flatMap(set.identifier) == fence.identifier)
            #expect(slot.flatMap(set.rule) == fence.rule)
        }
        #expect(set.slot(of: "no such fence") == nil)
    }

    @Test(
        "Geofences are found by identifier with their rules, also after removals, and the identity ignores the order"
    )
    func change() throws {
        var random = SplitMix64(seed: 5)
        let fences = try fences(500)
        var set = GeofenceSet(fences)
        check(set, fences)
        #expect(set.identity == GeofenceSet(fences.shuffled(using: &random)).identity)
        let kept = fences.enumerated().filter { !$0.offset.isMultiple(of: 3) }.map(\.element)
        for (number, fence) in fences.enumerated() where number.isMultiple(of: 3) { set.remove(fence.identifier) }
        check(set, kept)
        #expect(set.identity == GeofenceSet(kept).identity)
        set.compact()
        check(set, kept)
        for fence in kept { set.remove(fence.identifier) }
        #expect(set.count == 0 && set.identity == 0)
    }

    @Test("Geofences of another set keep their rules, also if that set has its schedules in another order")
    func adding() throws {
        let fences = try fences(1200)
        let other = GeofenceSet(fences)
        var set = GeofenceSet(fences[1100...].reversed())
        other.forEachSlot { slot in set.add(slot, of: other) }
        check(set, fences)
        #expect(set.identity == other.identity)
        #expect(set.add(other.index.slotLimit, of: other) == nil)
    }

    @Test("Serialized bytes are read back, and any damage is detected")
    func bytes() throws {
        let fences = try fences(60)
        var set = GeofenceSet(fences)
        set.remove(fences[7].identifier)
        let (attributes, index) = set.serialized()
        let again = try GeofenceSet(attributes: attributes, index: index)
        check(again, fences.enumerated().filter { $0.offset != 7 }.map(\.element))
        #expect(again.identity == set.identity)
        for place in attributes.indices {
            var damaged = attributes
            damaged[place] ^= 0x10
            // The file's own checksum does not cover the identity.
            if (8..<16).contains(place) { continue }
            #expect(throws: GeofenceSetError.self) { try GeofenceSet(attributes: damaged, index: index) }
        }
        for count in stride(from: 0, to: attributes.count, by: 7) {
            #expect(throws: GeofenceSetError.self) {
                try GeofenceSet(attributes: Array(attributes[..<count]), index: index)
            }
        }
        #expect(throws: GeofenceSetError.self) {
            try GeofenceSet(attributes: attributes, index: Array(index.dropLast()))
        }
    }
}
