// The types of the public interface: an importer of Odograph gets the records (Wire), the instants in them (CivilTime)
// and the database errors without importing these modules.
@_exported import OdographCivilTime
@_exported import enum OdographJSON.JSONValue
@_exported import enum OdographStore.StoreError
@_exported import OdographWire
