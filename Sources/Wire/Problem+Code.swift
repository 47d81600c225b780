extension Problem {
    /// A kind of problem, for programs. `config/schemas/definitions.schema.json` contains the same list.
    public struct Code: OpenEnumeration {
        /// There is no connection to the broker.
        public static let brokerUnreachable = Self(rawValue: "broker_unreachable")
        /// A configuration document names brokers that the agent cannot use. It stays with the ones before.
        public static let brokerMoveFailed = Self(rawValue: "broker_move_failed")
        /// Several connections to the broker in a row ended soon after they began.
        public static let connectionUnstable = Self(rawValue: "connection_unstable")
        /// Another client uses the same client ID. The broker keeps only one of the two connections.
        public static let clientIDShared = Self(rawValue: "client_id_shared")
        /// Another agent is connected under the same name, with another client ID.
        public static let deviceShared = Self(rawValue: "device_shared")
        /// The broker does not accept or acknowledge a record. The record stays in the outbox and is sent again later.
        public static let publishRefused = Self(rawValue: "publish_refused")
        /// The broker refused a subscription.
        public static let subscriptionRefused = Self(rawValue: "subscription_refused")
        /// The source of positions ended with an error.
        public static let sourceFailed = Self(rawValue: "source_failed")
        /// The receiver provides no data.
        public static let sourceLost = Self(rawValue: "source_lost")
        /// The receiver repeats its position although it reports that the vehicle moves.
        public static let positionFrozen = Self(rawValue: "position_frozen")
        /// The vehicle moves, or moved when last seen, and has no position.
        public static let positionLost = Self(rawValue: "position_lost")
        /// Positions contradict the movement before, and it is not known yet which of them are right.
        public static let positionImplausible = Self(rawValue: "position_implausible")
        /// A source of the vehicle's signals is silent while the vehicle moves.
        public static let signalsLost = Self(rawValue: "signals_lost")
        /// Beacons are named, and Bluetooth advertisements cannot be received.
        public static let beaconsLost = Self(rawValue: "beacons_lost")
        /// Positions wait for their date.
        public static let timeUnknown = Self(rawValue: "time_unknown")
        /// The database cannot be written or read.
        public static let storeFailed = Self(rawValue: "store_failed")
        /// The database was damaged, and a new one was begun.
        public static let storeDamaged = Self(rawValue: "store_damaged")
        /// The database could be opened, but differs from the state that the last run left: it was deleted, or an
        /// earlier state was restored. Or a receipt, or the broker's message on `numbers`, has an epoch or numbers
        /// that this agent has not made.
        public static let storeInconsistent = Self(rawValue: "store_inconsistent")
        /// The disk accepted no records for so long that the oldest waiting records were dropped.
        public static let recordsGivenUp = Self(rawValue: "records_given_up")
        /// The database cannot be used yet. Records are kept in memory until it can.
        public static let storeUnusable = Self(rawValue: "store_unusable")
        /// The database file was deleted or replaced while the agent ran.
        public static let storeFileLost = Self(rawValue: "store_file_lost")
        /// The state of the last run is lost, or a part of it.
        public static let stateLost = Self(rawValue: "state_lost")
        /// The saved configuration cannot be read. All time is private until the broker sends it.
        public static let configurationUnreadable = Self(rawValue: "configuration_unreadable")
        /// Another saved document cannot be read.
        public static let documentUnreadable = Self(rawValue: "document_unreadable")
        /// The configuration in force is not saved.
        public static let configurationNotSaved = Self(rawValue: "configuration_not_saved")
        /// The geofences in force are not saved.
        public static let geofencesNotSaved = Self(rawValue: "geofences_not_saved")
        /// The saved geofences cannot be read.
        public static let geofencesDamaged = Self(rawValue: "geofences_damaged")

        /// A recorder has sent no receipt for an hour, and records wait for it.
        public static let receiptOverdue = Self(rawValue: "receipt_overdue")

        /// A new certificate of the vehicle cannot be used. The earlier one stays in use.
        public static let certificateRefused = Self(rawValue: "certificate_refused")

        /// Most of the traffic budget is used, or will be: records are published in long batches.
        public static let budgetLow = Self(rawValue: "budget_low")
        /// The traffic budget is used up: location records wait on the disk.
        public static let budgetExhausted = Self(rawValue: "budget_exhausted")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .brokerUnreachable, .brokerMoveFailed, .connectionUnstable, .clientIDShared, .deviceShared, .publishRefused,
            .subscriptionRefused, .sourceFailed, .sourceLost, .positionFrozen, .positionLost, .positionImplausible,
            .signalsLost, .beaconsLost, .timeUnknown, .storeFailed, .storeDamaged,
            .storeInconsistent, .recordsGivenUp, .storeUnusable, .storeFileLost, .stateLost, .configurationUnreadable,
            .documentUnreadable, .configurationNotSaved, .geofencesNotSaved, .geofencesDamaged,
            .receiptOverdue, .certificateRefused, .budgetLow, .budgetExhausted,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
