import OdographCivilTime
import OdographHarness
import OdographLink
import Logging
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The configuration file")
struct AgentConfigurationTests {
    private static func load(_ text: String) throws -> AgentConfiguration {
        let folder = try TemporaryFolder()
        return try ConfigurationFile.load(try folder.write(text, to: "agent.json5"))
    }

    /// Returns the issues of a minimal document with some more members.
    private static func issues(_ more: String) throws -> [ConfigurationIssue] {
        let text = "{ fleet: \"acme\", device: \"van-7\", broker: { url: \"mqtt://localhost\" }, \(more) }"
        do {
            _ = try load(text)
            return []
        } catch let error as ConfigurationError {
            return error.issues
        }
    }

    @Test("A minimal document gets a default for every other setting")
    func least() throws {
        let configuration = try Self.load(
            "{ fleet: \"acme\", device: \"van-7\", broker: { url: \"mqtts://broker.example\" } }")
        #expect(configuration.address.topic(.location) == "fleet/acme/van-7/location")
        #expect(configuration.broker.url.port == 8883)
        #expect(configuration.source == .gpsd(Self.localGPSD))
        #expect(configuration.store.path == "/var/lib/odograph/agent.db")
        #expect(configuration.controlPath == "/var/lib/odograph/control.sock")
        #expect(configuration.logLevel == .info)
        #expect(configuration.tracking == TrackingSettings())
    }

    private static var localGPSD: GPSDSettings {
        var settings = GPSDSettings()
        settings.earliestDate = .init(millisecondsSinceEpoch: Build.earliestDateMilliseconds)
        return settings
    }

    @Test("Relative paths begin at the file's folder")
    func relativePaths() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "a", device: "b", store: { path: "db/agent.db" }, source: { replay: { file: "/x/drive.jsonl" } },
              broker: { url: "mqtts://localhost", password_file: "secret", tls: { ca_file: "ca.pem" } } }
            """, to: "agent.json5")
        let configuration = try ConfigurationFile.load(path)
        #expect(configuration.store.path == folder.file("db/agent.db"))
        #expect(configuration.controlPath == folder.file("db/control.sock"))
        #expect(configuration.broker.passwordFile == folder.file("secret"))
        #expect(configuration.broker.tls.caFile == folder.file("ca.pem"))
        #expect(configuration.source == .replay(ReplaySettings(path: "/x/drive.jsonl", speedFactor: 1)))
    }

    @Test(
        "A wrong type, an unknown key and a value out of range are refused with their path",
        arguments: [
            ("trackng: {}", "trackng", "did you mean \"tracking\"?"),
            ("zzz: 1", "zzz", "known keys: broker, certificate, control"),
            ("tracking: 5", "tracking", "write an object"),
            ("tracking: { enabled: 1 }", "tracking.enabled", "write true or false"),
            (
                "tracking: { desired_accuracy: \"5\" }", "tracking.desired_accuracy",
                "a number of metres from 1 to 10000"
            ),
            ("tracking: { desired_accuracy: 0 }", "tracking.desired_accuracy", "must be from 1 to 10000 metres"),
            ("tracking: { stationary: { speed: 11 } }", "tracking.stationary.speed", "must be from 0.1 to 10"),
            ("tracking: { stationary: [] }", "tracking.stationary", "write an object"),
            ("tracking: { extras: 1 }", "tracking.extras", "write an object"),
            (
                "tracking: { sampling: { minimum_interval: 60, maximum_interval: 30 } }",
                "tracking.sampling.maximum_interval", "must not be shorter"
            ),
            ("store: { synchronous: \"off\" }", "store.synchronous", "write one of \"full\", \"normal\""),
            ("store: { path: \"\" }", "store.path", "that is not empty"),
            ("source: { gpsd: { port: 0 } }", "source.gpsd.port", "must be from 1 to 65535"),
            ("source: { gpsd: { port: 1.5 } }", "source.gpsd.port", "whole number"),
            ("source: { gpsd: {}, replay: { file: \"x\" } }", "source.replay", "only one source is allowed"),
            ("source: { replay: {} }", "source.replay.file", "missing"),
            ("source: { simulator: { speed: \"fast\" } }", "source.simulator.speed", "or \"max\""),
            ("groups: \"vans\"", "groups", "write a list of strings"),
            ("groups: [5]", "groups[0]", "write a string in quotes"),
            ("groups: [\"a b\"]", "groups", "is not a name"),
            ("groups: [\(String(repeating: "\"a\",", count: 65))]", "groups", "more than 64 groups"),
            (
                "tracking: { extras: { a: \"\(String(repeating: "x", count: 65_536))\" } }", "tracking.extras",
                "longer than 65536 bytes"
            ),
            ("root: \"a/b\"", "root", "is not a name"),
            ("log: { level: \"loud\" }", "log.level", "write one of \"trace\""),
        ])
    func refused(more: String, path: String, problem: String) throws {
        let issues = try Self.issues(more)
        #expect(issues.count == 1, "\(issues)")
        #expect(issues.first?.path == path)
        #expect(issues.first?.problem.contains(problem) == true, "\(issues)")
    }

    @Test(
        "A mistake in the broker's settings is refused with its path",
        arguments: [
            ("{}", "broker.url", "missing"), ("{ url: \"http://x\" }", "broker.url", "unknown scheme"),
            ("{ url: \"mqtt://broker.example\" }", "broker.url", "allow_insecure: true"),
            ("{ url: \"mqtts://u:p@x\" }", "broker.url", "no user or password"),
            ("{ url: \"mqtts://x\", password: \"hunter2\" }", "broker.password", "password_file"),
            ("{ url: \"mqtts://x\", keep_alive: 1 }", "broker.keep_alive", "from 5 to 65535 seconds"),
            (
                "{ url: \"mqtts://x\", keep_alive_maximum: 4 }", "broker.keep_alive_maximum", "from 5 to 65535 seconds"
            ),
            ("{ url: \"mqtts://x\", rate: { messages: 0 } }", "broker.rate.messages", "from 1 to 1000000 messages"),
            (
                "{ url: \"mqtts://x\", maximum_in_flight_bytes: 1 }", "broker.maximum_in_flight_bytes",
                "from 1000 to 1000000000 bytes"
            ),
            ("{ url: \"mqtts://x\", protocol: \"4\" }", "broker.protocol", "\"3.1.1\""),
            ("{ url: \"mqtts://x\", tls: { key_file: \"k\" } }", "broker.tls.certificate_file", "go together"),
        ])
    func broker(document: String, path: String, problem: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load("{ fleet: \"a\", device: \"b\", broker: \(document) }")
        }
        #expect(error?.issues.map(\.path) == [path])
        #expect(error?.issues.first?.problem.contains(problem) == true, "\(String(describing: error))")
    }

    @Test("A password in the file is not repeated in the error")
    func passwordInFile() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load("{ fleet: \"a\", device: \"b\", broker: { url: \"mqtts://x\", password: \"hunter2\" } }")
        }
        #expect(error?.description.contains("hunter2") == false)
        let inURL = #expect(throws: ConfigurationError.self) {
            try Self.load("{ fleet: \"a\", device: \"b\", broker: { url: \"mqtts://u:hunter2@x\" } }")
        }
        #expect(inURL?.description.contains("hunter2") == false)
    }

    @Test("All mistakes are reported together")
    func together() throws {
        let issues = try Self.issues("store: { path: 5, maximum_size: 0 }, trackng: {}, groups: 1, log: []")
        #expect(issues.count == 5, "\(issues)")
    }

    @Test("Names that are not valid in a topic are refused", arguments: ["a b", "a/b", "a+", "", "all", "ä"])
    func names(name: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load("{ fleet: \"a\", device: \"\(name)\", broker: { url: \"mqtt://localhost\" } }")
        }
        #expect(error?.issues.map(\.path) == ["device"])
    }

    @Test("The document of a configuration reads back as the same configuration")
    func writing() throws {
        let configuration = try Self.load(
            """
            { root: "r", fleet: "a", device: "b", groups: ["x", "y"], log: { level: "debug" },
              broker: { url: "mqtt://10.0.0.1:1884", allow_insecure: true, username: "u", password_file: "/p",
                client_id: "c", keep_alive: 30, keep_alive_maximum: 900, protocol: "3.1.1", maximum_in_flight: 9,
                maximum_in_flight_bytes: 65536, maximum_message_bytes: 131072, rate: { messages: 90, bytes: 400000 },
                reconnect: { minimum: 2, maximum: 3 },
                tls: { ca_file: "/ca", ca_folder: "/cas", certificate_file: "/c", key_file: "/k", alpn: "mqtt" } },
              source: { gpsd: { host: "h", port: 1, device: "/dev/x", silence: 5, change_rate: true, moving_cycle: 2,
                standing_cycle: 3, standing_poll: 5 } },
              vehicle: { bluetooth: { adapter: "hci1" } },
              store: { path: "/s", synchronous: "normal", maximum_size: 2.5 }, control: { path: "/c.sock" },
              tracking: { enabled: false, desired_accuracy: 50, heartbeat_interval: 0, provider_change_delay: 1,
                stationary: { distance: 20, interval: 30, speed: 0.5 }, filter: { maximum_speed: 50, maximum_age: 5 },
                sampling: { minimum_interval: 1, distance: 2, heading: 3, maximum_interval: 4, halts: false },
                timeline: { update_interval: 7, shortest_stop: 0, vehicle: "TRAM", gap: 60, waypoint_tolerance: 1,
                  maximum_waypoints: 9 }, driving: { braking: 0.4, idling: 300, speed_limit: 36.1 },
                beacons: { exit_after: 30, minimum_rssi: -80, known: {
                  a: { ibeacon: { uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", major: 1, minor: 65535 } },
                  b: { ibeacon: { uuid: "f7826da64fa24e988024bc5b71e0893e" } },
                  c: { eddystone: { namespace: "edd1ebeac04e5defa017", instance: "0bdb87539b67" } },
                  d: { address: "aa:bb:*" }, e: { name: "Ramp*" } } },
                commit_interval: 5, retention: 6, extras: { a: [1, 2.5, "x", null, { b: true }] } } }
            """)
        let again = try Self.load(try configuration.document())
        #expect(try again.document() == configuration.document())
        #expect(again.broker == configuration.broker)
        #expect(again.source == configuration.source)
        #expect(again.store == configuration.store)
        #expect(again.vehicle == configuration.vehicle && again.vehicle.bluetooth?.adapter == "hci1")
        #expect(again.tracking.beacons.known.count == 5)
        #expect(again.tracking == configuration.tracking)
        #expect(again.tracking.core.timeline.vehicle == .tram)
    }

    @Test(
        "An interval that is 0 for never is otherwise at least a second: the agent would not come to rest",
        arguments: [
            ("tracking.heartbeat_interval", "tracking: { heartbeat_interval: VALUE }"),
            ("source.gpsd.standing_poll", "source: { gpsd: { standing_poll: VALUE } }"),
        ])
    func shortestIntervals(path: String, text: String) throws {
        for value in ["0", "0.0", "1"] {
            #expect(try Self.issues(text.replacing("VALUE", with: value)) == [])
        }
        for value in ["1e-9", "0.5"] {
            #expect(try Self.issues(text.replacing("VALUE", with: value)).map(\.path) == [path])
        }
    }

    @Test("A limit of driving is off at 0, and on at the least value above it", arguments: [0, 0.5, 1])
    func limitsOfDriving(value: Double) throws {
        let configuration = try Self.load(
            """
            { fleet: "a", device: "b", broker: { url: "mqtt://localhost" },
              tracking: { driving: { idling: \(value), speed_limit: \(value) } } }
            """)
        let rule = try #require(configuration.tracking.core.driving)
        let expected: Double? = value > 0 ? value : nil
        #expect(rule.idlingSeconds == expected && rule.speedLimitMetersPerSecond == expected)
    }

    @Test(
        "The document of another source reads back as the same source",
        arguments: [
            "{ replay: { file: \"/x\", speed: \"max\", longest_pause: 5, device: \"/dev/x\" } }",
            "{ replay: { file: \"/x\" } }",
            "{ simulator: { seed: 4, latitude: 1.5, longitude: -2.5, speed: 3, rate: 10, duration: 60 } }",
        ])
    func writingSources(source: String) throws {
        let configuration = try Self.load(
            "{ fleet: \"a\", device: \"b\", broker: { url: \"mqtt://localhost\" }, source: \(source) }")
        #expect(try Self.load(try configuration.document()).source == configuration.source)
    }

    @Test("A file that is not a configuration is refused")
    func noDocument() throws {
        let folder = try TemporaryFolder()
        for bytes in [[], [0], [UInt8](0...255), [UInt8](repeating: UInt8(ascii: "["), count: 900_000)] {
            let path = try folder.write(bytes, to: "x")
            let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.load(path) }
            #expect(error?.issues.count == 1)
        }
        for path in ["/dev/zero", folder.path, folder.file("none")] {
            let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.load(path) }
            #expect(error?.description.hasPrefix(path) == true)
        }
    }
}
