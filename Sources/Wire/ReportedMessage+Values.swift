extension TrackingState {
    /// A treatment of positions while the schedule is closed.
    public struct OffScheduleMode: OpenEnumeration {
        /// No records are made.
        public static let stop = Self(rawValue: "stop")
        /// All records are made, with a tag.
        public static let tag = Self(rawValue: "tag")
        /// The odometer and the times continue, without positions.
        public static let `private` = Self(rawValue: "private")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.stop, .tag, .private]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension LedgerRange {
    /// A kind of record.
    public struct Kind: OpenEnumeration {
        /// A location record.
        public static let location = Self(rawValue: "location")
        /// A location record of a geofence event.
        public static let geofence = Self(rawValue: "geofence")
        /// A revision of a timeline event.
        public static let timeline = Self(rawValue: "timeline")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.location, .geofence, .timeline]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A reason why records do not exist.
    public struct Reason: OpenEnumeration {
        /// The database was full: every second of the older locations was removed.
        public static let thinned = Self(rawValue: "thinned")
        /// The database was full: the oldest records were removed.
        public static let quota = Self(rawValue: "quota")
        /// The records were older than the retention time.
        public static let retention = Self(rawValue: "retention")
        /// The disk took no records.
        public static let notStored = Self(rawValue: "not_stored")
        /// Several of the reasons above.
        public static let merged = Self(rawValue: "merged")
        /// The records did not exist.
        public static let neverAssigned = Self(rawValue: "never_assigned")
        /// The database returned to an earlier state: the records may be published or lost.
        public static let possiblyLost = Self(rawValue: "possibly_lost")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .thinned, .quota, .retention, .notStored, .merged, .neverAssigned, .possiblyLost,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
