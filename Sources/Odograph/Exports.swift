// What the agent's interface speaks in comes with it: whoever imports Odograph has its records (Wire), the instants in
// them (CivilTime), the JSON of a user in them, and the errors of its database, and need not know of those rooms.
@_exported import CivilTime
@_exported import enum OdographJSON.JSONValue
@_exported import enum Store.StoreError
@_exported import Wire
