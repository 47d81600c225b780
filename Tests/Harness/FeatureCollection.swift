/// Returns GeoJSON features as a FeatureCollection, with one line per feature.
public func featureCollection(_ features: [[UInt8]]) -> [UInt8] {
    Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8) + features.joined(separator: Array(",\n".utf8))
        + Array("\n]}\n".utf8)
}
