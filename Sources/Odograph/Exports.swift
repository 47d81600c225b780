// The types of the public interface: an importer of Odograph gets the records (Wire), the instants in them (CivilTime),
// the settings, the geofences and the database errors without importing these modules.
@_exported import enum OdographBeacons.BeaconPattern
@_exported import struct OdographBeacons.BeaconRule
@_exported import OdographCivilTime
@_exported import struct OdographCrontab.Schedule
@_exported import struct OdographCrontab.ScheduleError
@_exported import struct OdographGeodesy.Circle
@_exported import struct OdographGeodesy.Coordinate
@_exported import struct OdographGeodesy.Corridor
@_exported import struct OdographGeodesy.Polygon
@_exported import enum OdographGeodesy.Shape
@_exported import enum OdographGeodesy.ShapeError
@_exported import enum OdographJSON.JSONValue
@_exported import struct OdographLink.BrokerURL
@_exported import enum OdographLink.ProtocolPreference
@_exported import struct OdographLink.RateLimits
@_exported import struct OdographLink.TLSSettings
@_exported import struct OdographModel.ClockReading
@_exported import struct OdographModel.Fix
@_exported import enum OdographModel.FixRate
@_exported import struct OdographModel.Geofence
@_exported import struct OdographModel.GeofenceRule
@_exported import enum OdographModel.SourceState
@_exported import enum OdographModel.TransportMode
@_exported import protocol OdographPositioning.AgentClock
@_exported import protocol OdographPositioning.PositionSource
@_exported import struct OdographPositioning.SourceCounters
@_exported import struct OdographPositioning.SourceEvent
@_exported import class OdographPositioning.SystemAgentClock
@_exported import OdographSettings
@_exported import enum OdographStore.StoreError
@_exported import enum OdographStore.StoreSynchronous
@_exported import struct OdographTracking.FilterRule
@_exported import struct OdographTracking.OffScheduleRule
@_exported import struct OdographTracking.SamplingRule
@_exported import struct OdographTracking.StationaryRule
@_exported import struct OdographTracking.TimelineRule
@_exported import struct OdographTracking.TrackingConfiguration
@_exported import struct OdographTracking.TrackingSchedule
@_exported import OdographWire
