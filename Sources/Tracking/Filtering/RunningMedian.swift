import Glibc

/// Returns a median after another value, by stochastic approximation (Robbins and Monro 1951): an outlier moves it by
/// no more than any other value.
/// - Parameters:
///   - median: the median so far, > 0; 0 before the first value.
///   - step: the step, as a share of the median; > 0.
func runningMedian(_ median: Double, after value: Double, step: Double) -> Double {
    median > 0 ? median * exp(value > median ? step : -step) : value
}
