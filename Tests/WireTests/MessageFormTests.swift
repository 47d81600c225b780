import OdographHarness
import OdographJSON
import Testing

@testable import OdographWire

@Suite("The bounds of messages from outside")
struct MessageFormTests {
    /// A message, the schema of its payload, and the members that the form has beyond the schema.
    struct Message: Sendable, CustomTestStringConvertible {
        var schema: String
        var form: MessageForm
        /// The definitions whose members the payload also has, with the members that have another form elsewhere.
        var definitions: [String: Set<String>] = [:]

        var testDescription: String { schema }

        static let all = [
            Message(schema: "location-message", form: LocationMessage.form),
            Message(schema: "timeline-message", form: TimelineMessage.form),
            Message(schema: "given-up-message", form: GivenUpMessage.form),
            Message(schema: "status-message", form: StatusMessage.form),
            Message(schema: "reported-message", form: ReportedMessage.form),
            Message(schema: "numbers-message", form: NumbersMessage.form),
            Message(schema: "receipt", form: Receipt.form),
            Message(
                schema: "response", form: CommandResponse.form,
                definitions: [
                    "get_status": [], "get_current_position": [], "get_locations": [], "get_timeline": [],
                    "get_odometer": [], "set_extras": [], "set_driver": [], "set_tag": [], "set_signals": [],
                    "get_configuration": [], "get_geofences": ["geofences", "inside"], "flush": [], "roll_call": [],
                    "renew_certificate": [],
                ]),
        ]
    }

    @Test("The bounds are those of the schemas, and each number and each list has some", arguments: Message.all)
    func schemas(message: Message) throws {
        var comparison = FormComparison()
        try comparison.compare(message.form, .reference("\(message.schema).schema.json", []), at: message.schema)
        for (definition, others) in message.definitions {
            try comparison.compare(
                message.form, .reference("\(message.schema).schema.json", ["definitions", definition]), at: definition,
                except: others)
        }
        #expect(comparison.differences == [], "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.bounds > 1)
    }

    @Test(
        "Text that is not strict JSON is refused, also in members that are not known",
        arguments: [
            #"{"x":"\x"}"#, #"{"x":01}"#, #"{"x":[1,]}"#, #"{"x":1,}"#, #"{"x":.5}"#, #"{"x":+1}"#, #"{"x":NaN}"#,
            #"{"x":1.}"#, #"{"x":'a'}"#, #"{x:1}"#, #"{"x":tru}"#, #"{"x":"\ud800"}"#, #"{"x":1e999}"#,
            "{\"x\":\"\t\"}",
            #"{"x":1} 2"#, #"{"x":1"#, "", "{\"x\":\"\u{1}\"}", #"{"x":"\u0000"}"#, #"{"\u0000":1}"#, "\u{FEFF}{}",
            #"{"state":"online","state":"offline"}"#, #"// no"#, #"{"x":1}/**/"#,
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ])
    func strict(text: String) {
        #expect(throws: MessageError.self) { try StatusMessage.form.check(Array(text.utf8)) }
    }

    @Test(
        "Other JSON is accepted",
        arguments: [
            #"{"x":"\\x"}"#, #" { "x" : [ 1 , 0.5e-3 , -0 , "ä\u00e4\ud83d\ude00" , null ] } "#, "[]", "7",
            #"{"state":7,"problems":{"a":[1]},"connection":"text"}"#, #"{"problems":[{"text":"\u0001"}]}"#,
        ])
    func lenient(text: String) throws {
        try StatusMessage.form.check(Array(text.utf8))
    }

    @Test(
        "An error names the place and the bound",
        arguments: [
            (
                #"{"timeline_event":{"driving":{"acceleration":9223372036854775807}}}"#,
                "timeline_event.driving.acceleration is not from 0 to 1000000000"
            ),
            (
                #"{"timeline_event":{"waypoints":[{},{"speed":1e308}]}}"#,
                "timeline_event.waypoints.[1].speed is not from -1 to 1000"
            ),
            (#"{"timeline_event":{"revision":0}}"#, "timeline_event.revision is not from 1 to 9007199254740991"),
            (
                #"{"timeline_event":{"beacons":[\#(Array(repeating: "\"b\"", count: 65).joined(separator: ","))]}}"#,
                "timeline_event.beacons has more than 64 elements"
            ),
            (
                #"{"timeline_event":{"driver":"\#(String(repeating: "ä", count: 201))"}}"#,
                "timeline_event.driver is longer than 200 characters"
            ),
        ])
    func reasons(text: String, reason: String) {
        #expect { try TimelineMessage.form.check(Array(text.utf8)) } throws: { "\($0)" == reason }
    }

    /// A vehicle logs the sentence.
    @Test(
        "The error of a receipt is a sentence with the place, also if the receipt has the wrong members",
        arguments: [
            (#"[]"#, "the message has another type"), (#"{"database_id":"a"}"#, "revision is missing"),
            (#"{"database_id":7}"#, "database_id has another type"),
            (#"{"database_id":"a","revision":1,"interval":9,"epochs":[{"epoch":1}]}"#, "epochs.[0].through is missing"),
            (
                #"{"database_id":"a","revision":1,"interval":9,"epochs":[{"epoch":1,"through":2,"safe":3}]}"#,
                "epochs.[0] is wrong: safe is at most through, and below the first missing number"
            ),
            (
                #"""
                {"database_id":"a","revision":1,"interval":9,"epochs":[{"epoch":2,"through":2},{"epoch":1,"through":2}]}
                """#,
                "the message is wrong: epochs are ascending, each at most once"
            ),
        ])
    func receipts(text: String, reason: String) {
        #expect { try Receipt(message: Array(text.utf8)) } throws: { "\($0)" == reason }
    }

    @Test("A text of the greatest length is accepted, in characters of any size")
    func longest() throws {
        for character in ["a", "ä", "€", "🚚"] {
            let driver = String(repeating: character, count: 200)
            try TimelineMessage.form.check(Array(#"{"timeline_event":{"driver":"\#(driver)"}}"#.utf8))
        }
    }

    @Test("A report that would end a program by its counts is refused")
    func counts() throws {
        let report = #"{"geofences":{"levels":[{"count":9223372036854775807,"single_count":1}]}}"#
        #expect {
            _ = try ReportedMessage(message: Array(report.utf8))
        } throws: {
            "\($0)" == "geofences.levels.[0].count is not from 0 to 1000000000"
        }
    }
}

/// Compares a form with the schemas of the contract.
struct FormComparison {
    /// A schema, with the file of its references.
    struct Schema {
        var value: JSONValue
        var file: String

        static func reference(_ file: String, _ path: [String]) throws -> Schema {
            var value = try JSONCoder.decode(
                JSONValue.self, from: FileContents.bytes("\(Corpora.projectRoot)/config/schemas/\(file)"))
            for key in path { value = try #require(value[key], "\(file) has no \(key)") }
            return Schema(value: value, file: file)
        }
    }

    private(set) var differences: [String] = []
    /// The number of compared bounds.
    private(set) var bounds = 0

    mutating func compare(
        _ form: MessageForm, _ schema: @autoclosure () throws -> Schema, at path: String,
        except others: Set<String> = []
    ) throws {
        let parts = try Self.parts(of: schema())
        try compareNumber(form, parts, path)
        for part in parts {
            if case .integer(let most)? = part.value["maxLength"] {
                bounds += 1
                if case .text(Int(most)) = form { continue }
                differences.append("\(path): the schema has maxLength \(most)")
            }
            if part.value["enum"] != nil {
                bounds += 1
                if case .text(let most) = form, most <= 64 { continue }
                differences.append("\(path): an enumeration without a bound")
            }
            if let items = part.value["items"], case .object = items {
                bounds += 1
                guard case .list(let element, let most) = form, part.value["maxItems"] == .integer(Int64(most)) else {
                    differences.append("\(path): maxItems is \(String(describing: part.value["maxItems"]))")
                    continue
                }
                try compare(element, Schema(value: items, file: part.file), at: path + "[]")
            }
            if case .object(let members)? = part.value["properties"], !path.hasSuffix(".configuration") {
                try compare(form, members, part.file, path, except: others)
            }
            if let additional = part.value["additionalProperties"], case .object = additional {
                guard case .map(let element) = form else {
                    differences.append("\(path): no map")
                    continue
                }
                try compare(element, Schema(value: additional, file: part.file), at: path + ".*")
            }
        }
    }

    private mutating func compare(
        _ form: MessageForm, _ members: [String: JSONValue], _ file: String, _ path: String, except others: Set<String>
    ) throws {
        guard case .object(let known) = form else {
            differences.append("\(path): no object")
            return
        }
        for (name, value) in members where !others.contains(name) {
            guard let member = known.all.first(where: { $0.name == Array(name.utf8) }) else {
                differences.append("\(path).\(name): not in the form")
                continue
            }
            try compare(member.form, Schema(value: value, file: file), at: "\(path).\(name)")
        }
    }

    private mutating func compareNumber(_ form: MessageForm, _ parts: [Schema], _ path: String) throws {
        let numbers = parts.filter { [.string("number"), .string("integer")].contains($0.value["type"]) }
        guard !numbers.isEmpty else { return }
        bounds += 1
        let constants = parts.compactMap { $0.value["const"]?.double }
        let lower = try (numbers.map { try #require($0.value["minimum"]?.double, "\(path)") } + constants).min()
        let upper = try (numbers.map { try #require($0.value["maximum"]?.double, "\(path)") } + constants).max()
        if case .number(let range) = form, range.lowerBound == lower, range.upperBound == upper { return }
        differences.append("\(path): from \(lower ?? .nan) to \(upper ?? .nan) in the schema, \(form) in the form")
    }

    /// Returns a schema and those that it refers to.
    private static func parts(of schema: Schema) throws -> [Schema] {
        var parts = [schema]
        if case .string(let reference)? = schema.value["$ref"] {
            let halves = reference.split(separator: "#", omittingEmptySubsequences: false)
            let path = halves.count > 1 ? halves[1].split(separator: "/").map(String.init) : []
            parts += try Self.parts(of: .reference(halves[0].isEmpty ? schema.file : String(halves[0]), path))
        }
        for key in ["allOf", "anyOf"] {
            guard case .array(let others)? = schema.value[key] else { continue }
            for other in others where other["if"] == nil {
                parts += try Self.parts(of: Schema(value: other, file: schema.file))
            }
        }
        return parts
    }
}
