/// The settings of the metrics.
package struct MetricsSettings: Hashable, Sendable {
    /// The file.
    package var path: String
    /// The time between two files, seconds.
    package var seconds: Double

    /// - Parameters: As the properties of the same names.
    package init(path: String, seconds: Double = 15) { (self.path, self.seconds) = (path, seconds) }
}
