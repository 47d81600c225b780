public import OdographJSON

/// The reason why a text is no document of geofences as a whole. Nothing of such a text may be used.
public typealias GeoJSONError = JSONError
