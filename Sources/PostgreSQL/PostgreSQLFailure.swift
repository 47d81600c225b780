/// An error of PostgreSQL, or of the connection to it.
package struct PostgreSQLFailure: Error, Hashable, Sendable {
    /// The address of the database, without a password.
    package let database: String
    /// The beginning of the statement, or another name of what failed.
    package let operation: String
    /// The code of five characters (SQLSTATE); empty for an error of the connection.
    package let code: String
    /// The message of the server or of the client library, one line.
    package let message: String

    /// The kinds of errors for which programs act differently.
    package enum Kind: Hashable, Sendable {
        /// There is no connection, or it has ended, or the server does not write at present.
        case unavailable
        /// There is no space.
        case full
        /// A page is damaged.
        case damaged
        /// The login, its password or its rights are wrong, or there is no such database.
        case refused
        /// Another session holds a lock for too long.
        case locked
        /// A value cannot be stored: its type or the length of an index entry does not permit it.
        case refusedValue
        /// Any other error.
        case other
    }

    /// The kind of the error. Source of the codes: appendix A of PostgreSQL's manual.
    package var kind: Kind {
        switch code {
        // 25006: the server is read-only, such as one that another one replaces.
        case "", "25006": .unavailable
        case "53100": .full
        case "XX001", "XX002": .damaged
        case "55P03": .locked
        case "54000": .refusedValue
        case _ where code.hasPrefix("22"): .refusedValue
        case "28000", "28P01", "3D000", "42501": .refused
        // 08 is the connection, 57P the administrator's stop of the server, 53 are its resources.
        case _ where code.hasPrefix("08") || code.hasPrefix("57P") || code.hasPrefix("53"): .unavailable
        default: .other
        }
    }
}
