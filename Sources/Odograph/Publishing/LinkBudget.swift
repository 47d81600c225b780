import OdographCivilTime
import OdographModel
import OdographSettings
import OdographWire

/// The count of the traffic in a period of the budget, and the step that follows from it. It uses no clock and no
/// network.
struct LinkBudget {
    /// The part that survives a restart.
    struct Memory: Codable, Hashable {
        /// The bytes of a period that is over.
        struct Former: Codable, Hashable {
            var start: Timestamp
            var bytes: Int64
        }

        /// The bytes of a day of UTC.
        struct Day: Codable, Hashable {
            /// Days since 1970-01-01.
            var day: Int64
            var bytes: Int64
        }

        /// The beginning of the period; nil while the time is not known.
        var start: Timestamp?
        /// The end of the period; nil while the time is not known.
        var end: Timestamp?
        /// The bytes since the beginning.
        var bytes: Int64 = 0
        /// The limit to which the step belongs.
        var limit: Int64 = 0
        var step = BudgetGate.Step.normal
        var isReleasing = false
        /// The period before, in case a wrong clock began this one too early.
        var former: Former?
        /// The present day and the seven before it, as far as there was traffic.
        var days: [Day] = []

        /// The memory without counts that no agent can have stored. It comes from a file.
        var plausible: Memory {
            let counts = Int64(0)...1 << 60
            func clamped(_ bytes: Int64) -> Int64 { min(max(bytes, counts.lowerBound), counts.upperBound) }
            var copy = self
            copy.bytes = clamped(bytes)
            copy.days = days.suffix(16).map { Day(day: $0.day, bytes: min(clamped($0.bytes), 1 << 56)) }
            return copy
        }

        /// The period; nil while the time is not known.
        var period: BudgetPeriod? {
            guard let start, let end else { return nil }
            return BudgetPeriod(start: start, end: end)
        }
    }

    /// The part of the budget from which records are published in batches.
    private static let lowShare = 0.8
    /// The number of whole days whose mean is the trend: a week, because days of the week differ.
    private static let trendDays: Int64 = 7
    private static let millisecondsOfDay: Int64 = 86_400_000
    /// How far the clock may lie before the period without a doubt about the period, seconds.
    private static let toleratedJumpSeconds = 86_400.0
    /// The time before which a clock is certainly not set.
    private static let earliest = Timestamp(millisecondsSinceEpoch: Build.earliestDateMilliseconds)

    /// The settings. A change of the limit applies at once, also downwards.
    var settings: MonthlyBudget
    /// The time zone in which a period begins.
    var zone: ZoneRules
    private(set) var memory: Memory
    /// The mean of the last seven days applied to the rest of the period, with the bytes so far. nil while the time is
    /// not known.
    private(set) var expectedBytes: Int64?

    init(_ settings: MonthlyBudget, zone: ZoneRules, memory: Memory = Memory()) {
        self.settings = settings
        self.zone = zone
        self.memory = memory.plausible
    }

    /// Which records the budget allows.
    var gate: BudgetGate { BudgetGate(step: memory.step, isReleasing: memory.isReleasing) }

    /// The state for operators.
    var state: BudgetState {
        let step: BudgetState.Step =
            switch memory.step {
            case .normal: .normal
            case .low: .low
            case .exhausted: .exhausted
            }
        return BudgetState(
            bytes: memory.bytes, limit: settings.bytes, overshoot: max(memory.bytes - settings.bytes, 0), step: step,
            from: memory.start, until: memory.end)
    }

    /// Counts bytes.
    mutating func add(_ bytes: Int64, at now: ClockReading) {
        update(at: now)
        memory.bytes += bytes
        if isUsable(now) {
            let day = Self.day(of: now.systemTime)
            memory.days.removeAll { !(day - Self.trendDays...day).contains($0.day) }
            if let index = memory.days.firstIndex(where: { $0.day == day }) {
                memory.days[index].bytes += bytes
            } else {
                memory.days.append(Memory.Day(day: day, bytes: bytes))
            }
        }
        update(at: now)
    }

    /// Adds the count of an earlier run, whose database has become readable.
    mutating func merge(_ recovered: Memory, at now: ClockReading) {
        guard memory.start == nil || recovered.start == memory.start else { return }
        memory.bytes += recovered.plausible.bytes
        memory.days += recovered.plausible.days
        update(at: now)
    }

    /// Notes that all records that have waited are sent.
    mutating func endRelease() { memory.isReleasing = false }

    /// Begins a period if it is time, and decides the step.
    mutating func update(at now: ClockReading) {
        let former = memory.step
        if isUsable(now) { updatePeriod(at: now.systemTime) }
        if memory.limit != settings.bytes {
            memory.limit = settings.bytes
            memory.step = .normal
        }
        memory.step = max(memory.step, step(at: now))
        if memory.step == .exhausted {
            memory.isReleasing = false
        } else if former == .exhausted {
            memory.isReleasing = true
        }
    }

    /// Whether the clock may decide the period. One that is not synchronised may only move it forwards.
    private func isUsable(_ now: ClockReading) -> Bool {
        now.isSystemTimeTrusted || now.systemTime >= max(memory.start ?? Self.earliest, Self.earliest)
    }

    private mutating func updatePeriod(at now: Timestamp) {
        let present = BudgetPeriod(containing: now, firstDay: settings.firstDay, zone: zone)
        guard let known = memory.period else { return begin(present, keeping: memory.bytes) }
        if now >= known.end {
            memory.former = Memory.Former(start: known.start, bytes: memory.bytes)
            memory.step = .normal
            begin(present, keeping: 0)
        } else if now >= known.start {
            // The first day or the time zone is another.
            if present != known { begin(present, keeping: memory.bytes) }
        } else if known.start.seconds(since: now) > Self.toleratedJumpSeconds {
            // A wrong clock began the period. Its bytes belong to the present one.
            let earlier = memory.former.flatMap { $0.start == present.start ? $0.bytes : nil } ?? 0
            memory.former = nil
            begin(present, keeping: memory.bytes + earlier)
        }
    }

    private mutating func begin(_ period: BudgetPeriod, keeping bytes: Int64) {
        (memory.start, memory.end) = (period.start, period.end)
        memory.bytes = bytes
    }

    private mutating func step(at now: ClockReading) -> BudgetGate.Step {
        expectedBytes = isUsable(now) ? expectedBytes(at: now.systemTime) : nil
        if memory.bytes >= settings.bytes { return .exhausted }
        let isMuch = Double(memory.bytes) >= Double(settings.bytes) * Self.lowShare
        return isMuch || expectedBytes ?? 0 > settings.bytes ? .low : .normal
    }

    private func expectedBytes(at now: Timestamp) -> Int64? {
        guard let end = memory.end else { return nil }
        let today = Self.day(of: now)
        let week = memory.days.filter { (today - Self.trendDays..<today).contains($0.day) }
        let perDay = Double(week.reduce(0) { $0 + $1.bytes }) / Double(Self.trendDays)
        let rest = max(end.seconds(since: now), 0) / 86_400
        return memory.bytes + Int64(min(perDay * rest, 1e18))
    }

    private static func day(of time: Timestamp) -> Int64 {
        let (quotient, remainder) = time.millisecondsSinceEpoch.quotientAndRemainder(dividingBy: millisecondsOfDay)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
