import OdographWire

extension ConfigurationLevels {
    /// Returns the manifest's content after a start.
    func manifestHashes(after reading: ConfigurationManifest.ReadResult)
        -> ConfigurationManifest.LevelHashes
    {
        var listed: ConfigurationManifest.LevelHashes = [:]
        if case .levels(let levels) = reading { listed = levels }
        for level in order {
            if lostDocuments.uncertain.contains(level) {
                listed[level.storageName] = [ConfigurationManifest.unknownHash]
            } else if !lostDocuments.contains(level) {
                listed[level.storageName] = lastValidDocument(at: level).map { [$0.hash] }
            } else if listed[level.storageName] == nil {
                listed[level.storageName] = [ConfigurationManifest.unknownHash]
            }
        }
        return listed
    }
}
