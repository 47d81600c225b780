import OdographSettings
import OdographWire

extension ConfigurationLevels {
    /// The maximum number of reported errors of a document. A corrected document then reports the others.
    private static let maximumErrors = 20

    /// Returns the report of a level.
    /// - Parameters:
    ///   - newest: The newest document.
    ///   - name: The name of the level.
    ///   - inForce: The document in force; nil for none.
    static func reported(_ newest: Newest, name: String, inForce: ConfigurationDocument?)
        -> ReportedConfigurationLevel
    {
        var version: String?
        if case .document(let document) = newest { version = document.version }
        let isApplied = inForce?.hash == newest.hash
        return ReportedConfigurationLevel(
            level: name, version: version, hash: newest.hash, isApplied: isApplied,
            hashInForce: isApplied ? nil : inForce?.hash, versionInForce: isApplied ? nil : inForce?.version)
    }

    /// Returns the report of an error.
    static func reported(_ error: ConfigurationError, topic: String) -> [ReportedConfigurationError] {
        var errors = error.issues.prefix(maximumErrors).map {
            ReportedConfigurationError(
                topic: topic, path: $0.path.truncated(to: 240), value: $0.value, message: $0.problem.truncated(to: 500))
        }
        let more = error.issues.count - errors.count
        if more > 0 {
            errors.append(
                ReportedConfigurationError(topic: topic, path: "", value: nil, message: "and \(more) more errors"))
        }
        return errors
    }
}

extension String {
    /// Returns the text if it has at most this many Unicode scalars, otherwise its beginning with an ellipsis, which
    /// has exactly this many.
    fileprivate func truncated(to count: Int) -> String {
        unicodeScalars.count <= count ? self : String(unicodeScalars.prefix(count - 1)) + "…"
    }
}
