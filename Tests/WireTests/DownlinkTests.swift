import OdographCivilTime
import Testing
import OdographWire

@Suite("Topics to devices")
struct DownlinkTests {
    @Test(
        "Each level has its topic",
        arguments: [
            (DownlinkLevel.all, DownlinkChannel.config, "fleet/acme/all/config"),
            (.group("vans"), .geofences, "fleet/acme/group:vans/geofences"),
            (.device, .command, "fleet/acme/van-7/command"),
        ])
    func topics(level: DownlinkLevel, channel: DownlinkChannel, topic: String) throws {
        #expect(try DeviceAddress(fleet: "acme", device: "van-7").topic(level, channel) == topic)
    }

    @Test("The levels go from all over the groups, in their order, to the device")
    func order() {
        #expect(
            DeviceAddress.subscribedLevels(groups: ["vans", "north"]) == [
                .all, .group("vans"), .group("north"), .device,
            ])
    }
}
