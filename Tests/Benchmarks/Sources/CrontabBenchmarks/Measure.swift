import CAllocations
import Glibc

/// Runs an operation many times in nine samples, and prints the median cost and the allocations of one operation.
func measure(_ name: String, bar nanoseconds: Int?, operations: Int, _ operation: (Int) -> Void) {
    var samples: [Double] = []
    var allocations = 0
    for _ in 0..<9 {
        let blocks = odograph_allocations()
        let start = monotonicNanoseconds()
        for index in 0..<operations { operation(index) }
        samples.append(Double(monotonicNanoseconds() - start) / Double(operations))
        allocations = odograph_allocations() - blocks
    }
    let blocksEach = (Double(allocations) / Double(operations) * 10).rounded() / 10
    samples.sort()
    let median = samples[4]
    let verdict = nanoseconds.map { median <= Double($0) ? "within \($0)" : "OVER \($0)" } ?? ""
    let padding = String(repeating: " ", count: max(1, 64 - name.count))
    print(
        "\(name)\(padding)\((median * 10).rounded() / 10) ns (\(samples[0].rounded())-\(samples[8].rounded()))  "
            + "\(blocksEach) blocks  \(verdict)"
    )
}

/// Uses a result, so that the compiler must compute it.
@inline(never)
func keep(_ value: Bool) {
    withExtendedLifetime(value) {}
}

private func monotonicNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
