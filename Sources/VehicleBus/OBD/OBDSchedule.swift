/// Decides which parameter is requested when.
///
/// The rate is bounded: one request at a time, at most three a second, so that the bus and its control units are not
/// disturbed. Speed and engine are requested every second, the others every 10 s. A vehicle that does not answer, or
/// that has rested for ten minutes, is asked for speed and engine only, one of them every 5 s or more. Otherwise
/// requests could keep its control units awake.
struct OBDSchedule {
    /// The interval of speed and engine, milliseconds.
    static let fastMilliseconds: Int64 = 1000
    /// The interval of the other parameters, milliseconds.
    static let slowMilliseconds: Int64 = 10_000
    /// The shortest interval between two requests, milliseconds.
    static let minimumGapMilliseconds: Int64 = 300
    /// The interval of requests to a vehicle that does not answer, milliseconds.
    static let unansweredMilliseconds: Int64 = 10_000
    /// The interval of requests while the vehicle rests, milliseconds.
    static let restingMilliseconds: Int64 = 5000
    /// The time without speed and engine after which the vehicle rests, milliseconds.
    static let restingAfterMilliseconds: Int64 = 600_000
    /// The parameters that show whether the vehicle is in use. An electric vehicle has no speed of an engine.
    static let fast: [OBDParameter] = [.engineSpeed, .vehicleSpeed]
    /// The number of requests in a row without an answer after which the vehicle does not answer.
    static let maximumUnanswered = 6
    /// The number of requests of one parameter without an answer after which the vehicle does not have it.
    static let maximumUnansweredOfParameter = 3

    private var dueUptimes: [OBDParameter: Int64] = [:]
    private var unanswered: [OBDParameter: Int] = [:]
    private var unansweredInRow = 0
    private var outstanding: OBDParameter?
    private var nextUptime: Int64
    /// The latest values of the fast parameters.
    private var values: [OBDParameter: Double] = [:]
    /// The uptime since which the values are 0, milliseconds; nil while one is not.
    private var stillSince: Int64?

    /// Begins with the first request at once.
    init(uptimeMilliseconds: Int64) {
        nextUptime = uptimeMilliseconds
        stillSince = uptimeMilliseconds
    }

    /// The uptime of the next request, milliseconds.
    var dueUptimeMilliseconds: Int64 { nextUptime }

    /// Whether the vehicle has answered none of the last requests. Another addressing may help.
    var isUnanswered: Bool { unansweredInRow >= Self.maximumUnanswered }

    /// Returns the parameter to request now, if one is due. The request before it counts as unanswered if it has no
    /// answer yet.
    mutating func next(at uptime: Int64) -> OBDParameter? {
        guard uptime >= nextUptime else { return nil }
        closeOutstanding()
        let parameter = mostOverdue(of: parameters(at: uptime))
        outstanding = parameter
        dueUptimes[parameter] =
            uptime + (Self.fast.contains(parameter) ? Self.fastMilliseconds : Self.slowMilliseconds)
        nextUptime = max(uptime + Self.minimumGapMilliseconds, uptimeAfterRequest(at: uptime))
        return parameter
    }

    /// Handles an answer.
    mutating func receive(_ answer: OBDAnswer, at uptime: Int64) {
        if isUnanswered {
            // The control units were off, so what they have is unknown.
            unanswered = [:]
            nextUptime = min(nextUptime, uptime + Self.minimumGapMilliseconds)
        }
        unansweredInRow = 0
        unanswered[answer.parameter] = 0
        if outstanding == answer.parameter { outstanding = nil }
        guard Self.fast.contains(answer.parameter) else { return }
        let wasResting = isResting(at: uptime)
        values[answer.parameter] = answer.value
        if values.values.contains(where: { $0 > 0 }) {
            stillSince = nil
            if wasResting { nextUptime = min(nextUptime, uptime + Self.minimumGapMilliseconds) }
        } else if stillSince == nil {
            stillSince = uptime
        }
    }

    private func isResting(at uptime: Int64) -> Bool {
        stillSince.map { uptime - $0 >= Self.restingAfterMilliseconds } ?? false
    }

    private mutating func closeOutstanding() {
        guard let parameter = outstanding else { return }
        outstanding = nil
        unansweredInRow += 1
        unanswered[parameter, default: 0] += 1
    }

    /// The parameters that the vehicle may have.
    private var candidates: [OBDParameter] {
        OBDParameter.allCases.filter {
            Self.fast.contains($0) || unanswered[$0, default: 0] < Self.maximumUnansweredOfParameter
        }
    }

    private func parameters(at uptime: Int64) -> [OBDParameter] {
        guard isUnanswered || isResting(at: uptime) else { return candidates }
        let answered = Self.fast.filter { unanswered[$0, default: 0] < Self.maximumUnansweredOfParameter }
        return answered.isEmpty ? Self.fast : answered
    }

    private func mostOverdue(of parameters: [OBDParameter]) -> OBDParameter {
        parameters.min { dueUptimes[$0, default: .min] < dueUptimes[$1, default: .min] } ?? .engineSpeed
    }

    private func uptimeAfterRequest(at uptime: Int64) -> Int64 {
        if isUnanswered { return uptime + Self.unansweredMilliseconds }
        if isResting(at: uptime) { return uptime + Self.restingMilliseconds }
        return candidates.map { dueUptimes[$0, default: .min] }.min() ?? uptime
    }
}
