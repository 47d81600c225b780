@testable import OdographJSON
import OdographWire

@testable import Odograph
@testable import OdographSettings

/// Rules that hold for any bytes that arrive as configuration documents. The fuzzer also checks them.
struct DocumentOracle {
    /// A broken rule.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// The largest size of the errors that one level may report, in bytes of JSON.
    private static let mostErrorBytes = 40_000

    /// A vehicle with a few settings in its own file.
    private let template: ConfigurationLevels

    init() throws {
        let local = try JSON5Parser.value(of: Array("{ heartbeat_interval: 100, extras: { a: { b: 1 } } }".utf8))
        var reader = SettingsReader(local, path: "tracking")
        let settings = TrackingSettings(&reader)
        let address = try DeviceAddress(fleet: "acme", device: "van-7")
        template = ConfigurationLevels(address: address, groups: ["vans"], local: local, settings: settings)
    }

    /// Checks the rules for documents that are separated by zero bytes and belong to all levels in turn.
    /// - Returns: The number of documents that applied.
    /// - Throws: ``Violation``.
    @discardableResult
    func check(_ input: [UInt8]) throws -> Int {
        let documents = input.split(separator: 0, maxSplits: 5, omittingEmptySubsequences: false).map { Array($0) }
        var levels = template
        var applied = 0
        for (index, document) in documents.enumerated() {
            if try take(document, at: levels.order[index % levels.order.count], &levels) { applied += 1 }
        }
        try checkOrder(Array(documents.prefix(template.order.count)))
        for level in levels.order { _ = levels.receive([], at: level) }
        try expect(levels.outcome.settings == template.outcome.settings, "withdrawn, and yet not as before")
        try expect(levels.outcome.levels.isEmpty && levels.outcome.errors.isEmpty, "withdrawn, and yet told of")
        return applied
    }

    private func take(_ document: [UInt8], at level: DownlinkLevel, _ levels: inout ConfigurationLevels) throws -> Bool
    {
        let before = levels.outcome
        let good = levels.lastValidDocument(at: level)
        _ = levels.receive(document, at: level)
        let isNewsAgain = levels.receive(document, at: level)
        try expect(!isNewsAgain, "the same is news again")
        let name = levels.address.topicComponent(for: level)
        guard let reported = levels.outcome.levels.first(where: { $0.level == name }) else {
            try expect(document.isEmpty, "a document is not told of")
            return false
        }
        let told = try JSONCoder.bytes(of: levels.outcome.errors).count
        try expect(told < Self.mostErrorBytes * levels.order.count, "\(told) bytes of errors")
        guard reported.isApplied else {
            try expect(!levels.outcome.errors.isEmpty, "refused without a word")
            try expect(levels.lastValidDocument(at: level) == good, "a bad document takes the good one's place")
            try expect(levels.outcome.settings == before.settings, "a bad document changes what is in force")
            try expect(levels.outcome.document == before.document, "a bad document changes what is told")
            return false
        }
        try checkWritten(levels, level)
        return true
    }

    /// Checks that the merged configuration and the level's document read back as the same.
    private func checkWritten(_ levels: ConfigurationLevels, _ level: DownlinkLevel) throws {
        let merged = try JSON5Parser.value(of: JSONCoder.bytes(of: levels.outcome.document))
        try expect(merged == levels.outcome.document, "the merged configuration reads back as another")
        var reader = SettingsReader(merged, path: "")
        let settings = reader.object("tracking", TrackingSettings.init)
        try expect(reader.allIssues().isEmpty, "the merged configuration is refused")
        try expect(settings == levels.outcome.settings, "the merged configuration means something else")
        guard let good = levels.lastValidDocument(at: level) else {
            throw Violation(description: "in force, and not kept")
        }
        var again = levels
        _ = again.receive(try JSONCoder.bytes(of: good.patch), at: level)
        try expect(again.outcome.settings == levels.outcome.settings, "the document written anew means something else")
        try expect(again.outcome.document == levels.outcome.document, "the document written anew merges to another")
    }

    /// Checks that the order in which the levels' documents arrive has no effect.
    private func checkOrder(_ documents: [[UInt8]]) throws {
        let addressed = Array(zip(template.order, documents))
        var (forth, back) = (template, template)
        for (level, document) in addressed { _ = forth.receive(document, at: level) }
        for (level, document) in addressed.reversed() { _ = back.receive(document, at: level) }
        try expect(forth.outcome.settings == back.outcome.settings, "the order makes a difference")
        try expect(forth.outcome.levels == back.outcome.levels, "the order makes a difference to what is told")
        try expect(forth.outcome.errors == back.outcome.errors, "the order makes a difference to the errors")
    }

    private func expect(_ holds: Bool, _ otherwise: String) throws {
        if !holds { throw Violation(description: otherwise) }
    }
}
