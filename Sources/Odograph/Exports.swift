// What the agent's interface speaks in comes with it: whoever imports Odograph has its records (Wire) and the instants in
// them (CivilTime), and need not know of those rooms.
@_exported import CivilTime
@_exported import Wire
