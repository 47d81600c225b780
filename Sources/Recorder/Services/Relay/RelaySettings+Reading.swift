import OdographSettings

extension RelaySettings {
    /// Reads the object `traccar`.
    /// - Parameter needsFleet: Whether there are several fleets, whose vehicles can have the same names.
    /// - Returns: Nil if there is no relay.
    init?(_ reader: inout SettingsReader, paths: PathResolver, needsFleet: Bool) {
        let isChosen = reader.hasValue("identifier")
        let identifier = reader.choice("identifier", default: Identifier.device)
        guard let service = WebService(&reader, key: "url", paths: paths) else { return nil }
        if needsFleet, !isChosen {
            reader.reject("identifier", "missing; with several fleets, write \"device\" or \"fleet-device\"")
        }
        self.init(service, identifier: identifier)
    }
}
