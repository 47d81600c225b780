import Glibc

/// Checks the place of the configuration of a service.
package enum ConfigurationPlaceCheck {
    /// Returns whether the user of the service can read a file that this user has read.
    /// - Parameter user: The user of the service, if it is not this one.
    package static func finding(_ path: String, user: ServiceUser?) -> Finding {
        guard let user, let obstacle = user.obstacle(to: path, R_OK) else { return Finding(.ok, "configuration", path) }
        return Finding(
            .fail, "configuration", "\(path): the service's user \(user.name) cannot read it: \(obstacle)",
            advice: "give the folder the mode 755, and the file 644")
    }
}
