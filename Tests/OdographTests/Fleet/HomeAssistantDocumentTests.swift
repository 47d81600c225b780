import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("The discovery document for Home Assistant")
struct HomeAssistantDocumentTests {
    private static func document(
        root: String = "fleet", fleet: String = "acme", device: String = "van-7", version: String? = "0.1.0"
    ) throws -> HomeAssistantDocument {
        HomeAssistantDocument(
            address: try DeviceAddress(root: root, fleet: fleet, device: device), agentVersion: version)
    }

    private static func members(_ document: HomeAssistantDocument) throws -> [String: JSONValue] {
        try JSONCoder.decode([String: JSONValue].self, from: document.payload())
    }

    private func faults(_ document: JSONValue) throws -> [String] {
        try ContractValidator.running().errors(
            schema: "homeassistant-device", payload: try JSONCoder.string(of: document))
    }

    @Test("The document of a vehicle is that of the golden file")
    func golden() throws {
        let path = Corpora.projectRoot + "/Tests/Recorded/homeassistant-device.json"
        let golden = try JSONCoder.decode(JSONValue.self, from: Array(FileContents.text(path).utf8))
        let written = try JSONCoder.decode(JSONValue.self, from: Self.document().payload())
        let text = try JSONCoder.prettyString(of: written)
        #expect(written == golden, "\(text)")
        #expect(try Self.document().topic(prefix: "homeassistant") == "homeassistant/device/fleet-acme/van-7/config")
    }

    @Test("The document fits the schema of Home Assistant")
    func fits() throws {
        for version in ["0.1.0", nil] {
            #expect(try faults(.object(Self.members(Self.document(version: version)))) == [])
        }
    }

    private struct Fault: CustomTestStringConvertible, Sendable {
        let component: String
        let key: String
        let value: JSONValue?
        var testDescription: String { "\(component).\(key)" }
    }

    private static let wrong: [Fault] = [
        Fault(component: "position", key: "state_topic", value: .string("fleet/acme/van-7/location")),
        Fault(component: "position", key: "json_attributes_topic", value: nil),
        Fault(component: "position", key: "source_type", value: .string("satellite")),
        Fault(component: "speed", key: "unit_of_measurement", value: .string("m")),
        Fault(component: "speed", key: "unique_id", value: nil),
        Fault(component: "speed", key: "state_class", value: .string("total_increasing")),
        Fault(component: "odometer", key: "state_topic", value: .string("fleet/acme/+/location")),
        Fault(component: "odometer", key: "platform", value: nil),
        Fault(component: "battery", key: "unit_of_measurement", value: nil),
        Fault(component: "moving", key: "value_template", value: .string("true")),
        Fault(component: "online", key: "qos", value: .integer(3)),
    ]

    @Test("The schema refuses what Home Assistant refuses or will refuse", arguments: wrong)
    private func refused(fault: Fault) throws {
        var members = try Self.members(Self.document())
        guard case .object(var components)? = members["components"],
            case .object(var component)? = components[fault.component]
        else { throw HarnessError("the document has no component \(fault.component)") }
        component[fault.key] = fault.value
        components[fault.component] = .object(component)
        members["components"] = .object(components)
        #expect(try faults(.object(members)) != [])
    }

    @Test("Vehicles of different roots, fleets and names have different topics")
    func topics() throws {
        let names = ["a", "b", "a-b", "a_b", "a_", "_b", "-b", "a-", "a_2d", "a_2db", "a_5fb", "2db"]
        var (topics, count): (Set<String>, Int) = ([], 0)
        for root in names {
            for fleet in names {
                for device in names {
                    topics.insert(
                        try Self.document(root: root, fleet: fleet, device: device).topic(prefix: "homeassistant"))
                    count += 1
                }
            }
        }
        #expect(topics.count == count)
        let allowed = #/[A-Za-z0-9_-]+/device/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+/config/#
        #expect(topics.allSatisfy { $0.wholeMatch(of: allowed) != nil })
    }

    @Test("Vehicles of different roots, fleets and names are different devices with different entities")
    func identifiers() throws {
        var (identifiers, count): (Set<String>, Int) = ([], 0)
        for (root, fleet, device) in [("a", "b", "c"), ("a_b", "c", "c"), ("a", "b_c", "c"), ("a", "b", "b_c")] {
            let members = try Self.members(Self.document(root: root, fleet: fleet, device: device))
            guard case .object(let parts)? = members["device"], case .object(let components)? = members["components"]
            else { throw HarnessError("the document has no device") }
            identifiers.insert(try JSONCoder.string(of: parts["identifiers"] ?? .null))
            for case .object(let component) in components.values {
                identifiers.insert(try JSONCoder.string(of: component["unique_id"] ?? .null))
            }
            count += 1 + components.count
        }
        #expect(identifiers.count == count && count == 28)
    }

    @Test("A version from a vehicle is short and printable in the document")
    func version() throws {
        let hostile = "\u{1b}[31m\"}\n" + String(repeating: "x", count: 1000)
        guard case .object(let device)? = try Self.members(Self.document(version: hostile))["device"],
            case .string(let version)? = device["sw_version"]
        else { throw HarnessError("the document has no version") }
        #expect(version.count == 64)
        #expect(version == version.printable)
    }

    @Test(
        "A prefix is one or more names",
        arguments: [
            ("homeassistant", true), ("ha/discovery", true), ("a_b-1", true), ("", false), ("/ha", false),
            ("ha/", false), ("ha//x", false), ("+", false), ("ha/#", false), ("h a", false), ("h\u{0}", false),
        ])
    func prefix(_ prefix: String, isRight: Bool) {
        let accepted: Void? = try? HomeAssistantDocument.check(prefix: prefix)
        #expect((accepted != nil) == isRight)
    }
}
