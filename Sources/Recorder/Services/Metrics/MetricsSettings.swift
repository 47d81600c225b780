/// The settings of the metrics.
package struct MetricsSettings: Hashable, Sendable {
    /// The file.
    package var path: String
    /// The time between two files, seconds.
    package var seconds = 15.0
}
