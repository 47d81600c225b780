import OdographModel
import OdographTracking
import OdographWire
import Testing

@Suite("The values of the core and of the contract")
struct CoreValuesTests {
    /// Returns what is wrong in a contract's list of the values of an enumeration, whose texts go to the wire as they
    /// are.
    private static func difference<Core: CaseIterable & RawRepresentable<String>>(
        _ core: Core.Type, _ wire: any OpenEnumeration.Type
    ) -> Set<String> {
        Set(core.allCases.map(\.rawValue)).symmetricDifference(wire.spellings)
    }

    @Test("Each value that the core can have is a known one of the contract")
    func known() {
        #expect(Self.difference(VehicleSignals.Source.self, VehicleReading.Source.self) == [])
        #expect(Self.difference(DrivingEvent.Kind.self, DrivingReading.Kind.self) == [])
        #expect(Self.difference(BeaconEvent.Action.self, BeaconReading.Action.self) == [])
    }
}

extension OpenEnumeration {
    fileprivate static var spellings: [String] { knownValues.map(\.rawValue) }
}
