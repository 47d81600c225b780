import OdographCivilTime
import OdographCrontab
import OdographJSON

/// Reads one object of a configuration, key by key, with type, range and default, and reports unknown keys at the end.
///
/// It continues after a mistake, so that all mistakes are reported together.
package struct SettingsReader {
    private let path: String
    private let members: [String: JSONValue]
    /// Whether messages may quote values. False where a value may be a secret by mistake.
    private let mayQuote: Bool
    private var knownKeys: Set<String> = []
    /// Keys that are not allowed, and the reason.
    private var forbiddenKeys: [String: String] = [:]
    package private(set) var issues: [ConfigurationIssue] = []

    /// - Parameters:
    ///   - value: the value at `path`; nil if there is none.
    ///   - path: the key path; empty for the document itself.
    ///   - mayQuote: whether messages may quote values.
    package init(_ value: JSONValue?, path: String, mayQuote: Bool = true) {
        self.path = path
        self.mayQuote = mayQuote
        switch value {
        case .object(let members)?: self.members = members
        case nil, .null?: members = [:]
        case let other?:
            members = [:]
            issues.append(
                ConfigurationIssue(
                    path: path, value: mayQuote && !other.holdsCredentials ? other.excerpt : nil,
                    problem: "write an object, { key: value, … }"))
        }
    }

    /// Whether a key has a value other than `null`.
    package func hasValue(_ key: String) -> Bool {
        members[key].map { $0 != .null } ?? false
    }

    /// Whether a key is present, possibly with `null`.
    package func hasKey(_ key: String) -> Bool {
        members[key] != nil
    }

    /// Reports a mistake at a key.
    package mutating func reject(_ key: String, _ problem: String) {
        issues.append(ConfigurationIssue(path: fullPath(of: key), value: excerpt(key), problem: problem))
    }

    /// Reports a mistake at an element of a key's list; with nil at the key.
    package mutating func reject(_ key: String, _ index: Int?, _ problem: String) {
        guard let index, case .array(let items)? = members[key], index < items.count else {
            return reject(key, problem)
        }
        issues.append(
            ConfigurationIssue(
                path: "\(fullPath(of: key))[\(index)]",
                value: mayQuote && !items[index].holdsCredentials ? items[index].excerpt : nil, problem: problem))
    }

    /// Returns the value of a key for a message; nil if it may contain a secret, because messages are logged.
    private func excerpt(_ key: String) -> String? {
        guard mayQuote, !key.namesSecret else { return nil }
        return members[key].flatMap { $0.holdsCredentials ? nil : $0.excerpt }
    }

    /// Reports a number that is out of range. Such a value is never a secret.
    private mutating func rejectNumber(_ key: String, _ problem: String) {
        issues.append(ConfigurationIssue(path: fullPath(of: key), value: members[key]?.excerpt, problem: problem))
    }

    /// Declares a key that is not allowed. Its value may be a secret and is not quoted.
    package mutating func forbid(_ key: String, _ reason: String) {
        forbiddenKeys[key] = reason
        if hasKey(key) { issues.append(ConfigurationIssue(path: fullPath(of: key), problem: reason)) }
    }

    /// Returns the value of a key; nil if it is absent or `null`.
    package mutating func value(_ key: String) -> JSONValue? {
        knownKeys.insert(key)
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    package mutating func bool(_ key: String, default fallback: Bool) -> Bool {
        switch value(key) {
        case nil: return fallback
        case .bool(let value)?: return value
        default:
            reject(key, "write true or false")
            return fallback
        }
    }

    package mutating func string(_ key: String) -> String? {
        switch value(key) {
        case nil: return nil
        case .string(let value)? where !value.isEmpty: return value
        default:
            reject(key, "write a string in quotes that is not empty")
            return nil
        }
    }

    /// Reads a number in a range.
    /// - Parameter allowsZero: Whether it can also be 0, for never.
    package mutating func number(
        _ key: String, default fallback: Double, in range: ClosedRange<Double>, allowsZero: Bool = false, unit: String
    ) -> Double {
        let orZero = allowsZero ? ", or 0" : ""
        let number: Double
        switch value(key) {
        case nil: return fallback
        case .integer(let value)?: number = Double(value)
        case .number(let value)?: number = value
        default:
            reject(key, "write a number of \(unit) from \(range.boundsText)\(orZero)")
            return fallback
        }
        guard range.contains(number) || allowsZero && number == 0 else {
            rejectNumber(key, "must be from \(range.boundsText) \(unit)\(orZero)")
            return fallback
        }
        return number
    }

    package mutating func integer(_ key: String, default fallback: Int, in range: ClosedRange<Int>, unit: String) -> Int
    {
        guard case .integer(let value)? = value(key) else {
            if hasValue(key) {
                reject(key, "write a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
            }
            return fallback
        }
        guard let narrow = Int(exactly: value), range.contains(narrow) else {
            rejectNumber(key, "must be from \(range.lowerBound) to \(range.upperBound) \(unit)")
            return fallback
        }
        return narrow
    }

    /// Reads an integer in a range; nil if it is absent.
    package mutating func optionalInteger(_ key: String, in range: ClosedRange<Int>, unit: String) -> Int? {
        let number = integer(key, default: range.lowerBound, in: range, unit: unit)
        return hasValue(key) ? number : nil
    }

    /// Reads a case of an enumeration.
    package mutating func choice<Choice>(
        _ key: String, default fallback: Choice
    ) -> Choice where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        guard let value = value(key) else { return fallback }
        if case .string(let word) = value, let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        reject(key, "write one of \(words)")
        return fallback
    }

    package mutating func strings(_ key: String) -> [String] {
        guard let value = value(key) else { return [] }
        guard case .array(let items) = value else {
            reject(key, "write a list of strings, [\"…\", …]")
            return []
        }
        return items.enumerated().compactMap { index, item in
            if case .string(let text) = item { return text }
            reject(key, index, "write a string in quotes")
            return nil
        }
    }

    /// Reads a string or a list of strings.
    /// - Returns: nil if the key is absent or a mistake was reported.
    package mutating func stringOrStrings(_ key: String) -> [String]? {
        guard case .array(let items)? = value(key) else { return string(key).map { [$0] } }
        guard !items.isEmpty else {
            reject(key, "an empty list; write null for no \(key)")
            return nil
        }
        let texts = strings(key)
        return texts.count == items.count ? texts : nil
    }

    /// Reads an expression of a schedule or a list of them, and reports each wrong one.
    /// - Returns: nil if the key is absent or a mistake was reported.
    package mutating func schedule(_ key: String) -> Schedule? {
        guard let texts = stringOrStrings(key) else { return nil }
        var isRight = true
        for (index, text) in texts.enumerated() {
            do throws(ScheduleError) {
                _ = try Schedule(text)
            } catch {
                reject(key, texts.count > 1 ? index : nil, error.description)
                isRight = false
            }
        }
        guard isRight else { return nil }
        do throws(ScheduleError) {
            return try Schedule(texts)
        } catch {
            reject(key, error.description)
            return nil
        }
    }

    /// Reads a nested object.
    /// - Parameter mayQuote: whether messages may quote its values.
    package mutating func object<Result>(
        _ key: String, mayQuote: Bool = true, _ read: (inout SettingsReader) -> Result
    ) -> Result {
        var reader = SettingsReader(value(key), path: fullPath(of: key), mayQuote: self.mayQuote && mayQuote)
        let result = read(&reader)
        issues += reader.allIssues()
        return result
    }

    /// Reads a list of objects.
    package mutating func objects<Result>(
        _ key: String, _ read: (inout SettingsReader) -> Result
    ) -> [Result] {
        guard let value = value(key) else { return [] }
        guard case .array(let items) = value else {
            reject(key, "write a list of objects, [{ … }, …]")
            return []
        }
        return items.enumerated().compactMap { index, item in
            var reader = SettingsReader(item, path: "\(fullPath(of: key))[\(index)]", mayQuote: mayQuote)
            // The keys of something that is no object are not missing.
            let result = reader.issues.isEmpty ? read(&reader) : nil
            issues += reader.allIssues()
            return result
        }
    }

    /// Returns all mistakes, unknown keys included. The value of an unknown key is not quoted: it may be a password
    /// with a misspelt key.
    package func allIssues() -> [ConfigurationIssue] {
        let unknown = members.keys.filter { !knownKeys.contains($0) && forbiddenKeys[$0] == nil }.sorted()
        return issues
            + unknown.map { key in
                ConfigurationIssue(
                    path: fullPath(of: key), value: members[key] == .null ? "null" : nil,
                    problem: "unknown key; \(advice(on: key))")
            }
    }

    private func advice(on key: String) -> String {
        let near = SpellingSuggestion.closestMatch(to: key, among: knownKeys.union(forbiddenKeys.keys)) ?? ""
        let meant = key.namesSecret && forbiddenKeys["password"] != nil && !knownKeys.contains(near) ? "password" : near
        if let reason = forbiddenKeys[meant] { return "if you mean \"\(meant)\": \(reason)" }
        return near.isEmpty ? "known keys: " + knownKeys.sorted().joined(separator: ", ") : "did you mean \"\(near)\"?"
    }

    private func fullPath(of key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }
}

extension ClosedRange<Double> {
    /// The bounds as text: `1 to 1000`.
    package var boundsText: String { "\(lowerBound.shortText) to \(upperBound.shortText)" }
}

extension Double {
    /// The shortest text, such as 1000 instead of 1000.0.
    package var shortText: String { Int64(exactly: self).map(String.init) ?? String(self) }
}

extension String {
    /// Whether a key of this name may contain a secret. A key that names a file does not.
    fileprivate var namesSecret: Bool {
        let name = lowercased()
        return !name.hasSuffix("_file") && ["pass", "pwd", "secret", "token"].contains { name.contains($0) }
    }
}

extension JSONValue {
    /// Whether the value contains a URL that may include a password, or a key that may contain a secret.
    fileprivate var holdsCredentials: Bool {
        switch self {
        case .string(let text): text.contains("://") && text.contains("@")
        case .array(let items): items.contains { $0.holdsCredentials }
        case .object(let members):
            members.contains { $0.key.namesSecret || $0.value.holdsCredentials }
        default: false
        }
    }

    /// The value as JSON for an error message, at most 60 characters.
    package var excerpt: String {
        let text = (try? JSONCoder.string(of: self)) ?? kindDescription
        return text.count <= 60 ? text : text.prefix(57) + "…"
    }
}
