import Glibc

/// Returns a number to the power of another.
public func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// Returns the processor time of this thread, seconds. All measured work runs on it, without the machine's other load.
public func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Returns the median of runs, seconds.
public func median(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<runs {
        let start = seconds()
        try body()
        times.append(seconds() - start)
    }
    return times.sorted()[runs / 2]
}

/// Prints a value with its name and unit.
public func line(_ name: String, _ value: Double, _ unit: String) {
    let rounded = value >= 100 ? value.rounded() : (value * 10).rounded() / 10
    print(name.padded(58), rounded, unit)
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

/// Returns the resident memory of this process, bytes; see proc_pid_statm(5).
public func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
}
