import Glibc
import OdographHarness
import OdographJSON
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

/// A folder with files like those of the kernel's power supplies.
private struct SupplyFolder {
    let folder: TemporaryFolder
    var supply: BatteryReader { BatteryReader(folder: folder.path) }

    init(_ supplies: [String: [String: String]]) throws {
        folder = try TemporaryFolder()
        for (name, attributes) in supplies { try write(name, attributes) }
    }

    func write(_ name: String, _ attributes: [String: String]) throws {
        mkdir(folder.file(name), 0o700)
        for (attribute, value) in attributes { try folder.write(value + "\n", to: "\(name)/\(attribute)") }
    }
}

@Suite("The battery of the machine")
struct BatteryReaderTests {
    @Test(
        "The level comes from the percentage, else from energy or charge, and is from 0 to 1",
        arguments: [
            (["capacity": "87"], 0.87), (["capacity": "104"], 1), (["capacity": "-3"], 0),
            (["energy_now": "30", "energy_full": "40"], 0.75), (["charge_now": "10", "charge_full": "40"], 0.25),
            (["energy_now": "50", "energy_full": "40"], 1),
            (["capacity": "?", "charge_now": "1", "charge_full": "2"], 0.5),
            (["charge_now": "1", "charge_full": "0"], nil), ([:], nil),
        ] as [([String: String], Double?)])
    func level(attributes: [String: String], level: Double?) throws {
        let folder = try SupplyFolder(["BAT0": attributes.merging(["type": "Battery"]) { $1 }])
        #expect(folder.supply.battery()?.level == level)
    }

    @Test(
        "A battery counts as charging except while it discharges or its status is unknown",
        arguments: [
            ("Charging", true), ("Full", true), ("Not charging", true), ("Discharging", false), ("Unknown", false),
        ])
    func charging(status: String, isCharging: Bool) throws {
        let folder = try SupplyFolder(["BAT0": ["type": "Battery", "capacity": "50", "status": status]])
        #expect(folder.supply.battery() == Battery(level: 0.5, isCharging: isCharging))
    }

    @Test("The first battery by name is used; mains, a mouse's battery and a battery without a level are ignored")
    func choice() throws {
        let folder = try SupplyFolder([
            "AC": ["type": "Mains", "capacity": "1"],
            "ADP": ["type": "Battery", "scope": "Device", "capacity": "2"],
            "BAT0": ["type": "Battery", "scope": "System"],
            "BAT1": ["type": "Battery", "scope": "System", "capacity": "30"],
            "BAT2": ["type": "Battery", "capacity": "40"],
        ])
        #expect(folder.supply.battery()?.level == 0.3)
        #expect(BatteryReader(folder: folder.folder.file("none")).battery() == nil)
    }

    @Test("The battery is read once a minute, and records contain it until it is removed")
    func recorded() async throws {
        let folder = try SupplyFolder(["BAT0": ["type": "Battery", "capacity": "93", "status": "Charging"]])
        let start = "2026-11-20T08:00:00Z"
        let fixture = try await PipelineFixture(
            "{ sampling: { minimum_interval: 0, distance: 1 } }", at: try ScheduleFixture.moment(start),
            power: folder.supply)
        func reading() async throws -> BatteryReading? {
            let newest = try await fixture.store.unacknowledged(limit: 10_000).last { $0.kind == .location }
            return try JSONCoder.decode(LocationMessage.self, from: try #require(newest).payload).location.battery
        }
        try await fixture.drive(seconds: 20, from: 0, at: start)
        #expect(try await reading() == BatteryReading(level: 0.93, isCharging: true))
        try folder.write("BAT0", ["capacity": "91", "status": "Discharging"])
        try await fixture.drive(seconds: 30, from: 20, at: start)
        #expect(try await reading() == BatteryReading(level: 0.93, isCharging: true))
        try await fixture.drive(seconds: 30, from: 50, at: start)
        #expect(try await reading() == BatteryReading(level: 0.91, isCharging: false))
        for attribute in ["type", "capacity", "status"] { unlink(folder.folder.file("BAT0/\(attribute)")) }
        try await fixture.drive(seconds: 61, from: 80, at: start)
        #expect(try await reading() == nil)
        await fixture.pipeline.stop()
    }
}
