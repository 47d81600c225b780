import Logging
import OdographCivilTime
import OdographJSON
import OdographLink
import OdographModel
import OdographPositioning
import OdographStore
import OdographThreads
import OdographTracking
import OdographWire

/// The traffic budget: counts what the client reports, and holds records back.
extension Publisher {
    /// The part of the budget after which the count is saved, as its reciprocal. A crash forgets at most this part.
    private static let partsOfBudget: Int64 = 1024
    /// The range of that part, bytes. Each save writes to the disk.
    private static let rangeOfPart = Int64(4096)...65_536

    /// Returns the bytes of a budget after which the count is saved.
    static func savedBytes(of budget: MonthlyBudget) -> Int64 {
        min(max(budget.bytes / partsOfBudget, rangeOfPart.lowerBound), rangeOfPart.upperBound)
    }

    /// The state of the budget; nil if there is none.
    var budgetState: BudgetState? { budget?.state }

    /// Applies the settings of the budget.
    func updateBudget(_ settings: MonthlyBudget, zone: ZoneRules) {
        guard settings.isOn else {
            clearSavedLimit()
            guard budget != nil else { return }
            budget = nil
            client.countTraffic(reportBytes: nil)
            return applyBudget()
        }
        if budget == nil { budget = LinkBudget(settings, zone: zone, memory: savedBudget() ?? LinkBudget.Memory()) }
        budget?.settings = settings
        budget?.zone = zone
        client.countTraffic(reportBytes: Self.savedBytes(of: settings))
        checkBudget()
    }

    /// Counts bytes that the client reports.
    func handleTraffic(_ bytes: Int64) {
        budget?.add(bytes, at: clock.now())
        saveBudget()
        applyBudget()
    }

    /// Begins a period of the budget if it is time.
    func checkBudget() {
        guard let former = budget?.memory else { return }
        budget?.update(at: clock.now())
        if budget?.memory != former { saveBudget() }
        applyBudget()
    }

    /// Notes that everything that may be sent is sent.
    func endBudgetRelease() {
        guard budget?.memory.isReleasing == true else { return }
        budget?.endRelease()
        saveBudget()
        applyBudget()
    }

    /// Adds the count of an earlier run, when its database becomes readable.
    func mergeRecoveredBudget(_ documents: [String: [UInt8]]) {
        guard let bytes = documents[DocumentName.linkBudget],
            let recovered = try? JSONCoder.decode(LinkBudget.Memory.self, from: bytes)
        else { return }
        budget?.merge(recovered, at: clock.now())
        saveBudget()
        applyBudget()
    }

    private func savedBudget() -> LinkBudget.Memory? {
        let saved: SavedDocument
        do {
            let bytes = try store.assumeIsolated { try $0.document(DocumentName.linkBudget) }
            saved = bytes.map { .found($0) } ?? .absent
        } catch {
            saved = .unreadable("\(error)")
        }
        return saved.parsed {
            try? JSONCoder.decode(LinkBudget.Memory.self, from: $0)
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the saved count of the traffic", reason, effect: "the count begins again", in: logger)
        }
    }

    /// Notes that the saved count belongs to no budget, so that the status of a stopped agent does not show it.
    private func clearSavedLimit() {
        guard let bytes = try? store.assumeIsolated({ try $0.document(DocumentName.linkBudget) }),
            var memory = try? JSONCoder.decode(LinkBudget.Memory.self, from: bytes), memory.limit != 0
        else { return }
        memory.limit = 0
        save(memory)
    }

    private func saveBudget() {
        guard let memory = budget?.memory else { return }
        save(memory)
    }

    private func save(_ memory: LinkBudget.Memory) {
        attempt("cannot save the count of the traffic") {
            let bytes = try JSONCoder.bytes(of: memory)
            try store.assumeIsolated { try $0.saveDocument(DocumentName.linkBudget, bytes) }
        }
    }

    /// Gives the flow control and the operator what the budget says.
    private func applyBudget() {
        let gate = budget?.gate ?? BudgetGate()
        raiseBudgetProblems(gate.step)
        guard gate != flowControl.gate else { return }
        flowControl.updateGate(gate)
        flowControl.updateEncoding(gate.encoding(encoding))
        workSignal.send()
    }

    private func raiseBudgetProblems(_ step: BudgetGate.Step) {
        guard let budget, step > .normal else {
            problems.clear(.budgetLow)
            problems.clear(.budgetExhausted)
            return
        }
        let text = BudgetProblemText(budget)
        if step == .exhausted {
            problems.raise(.budgetExhausted, text.exhausted, at: .warning, in: logger)
            problems.clear(.budgetLow)
        } else {
            problems.raise(.budgetLow, text.low, at: .warning, in: logger)
            problems.clear(.budgetExhausted)
        }
    }
}

/// The texts of the problems `budget_low` and `budget_exhausted`. They have no current numbers: each change of a text
/// would publish the status again.
struct BudgetProblemText {
    private let limit: String
    private let end: String

    init(_ budget: LinkBudget) {
        limit = "\((Double(budget.settings.bytes) / 1e6).rounded(toDecimals: 1)) MB"
        end = budget.memory.end.map { "until \($0.iso8601)" } ?? "until the next period"
    }

    /// The text of `budget_low`.
    var low: String {
        "80 % of the traffic budget of \(limit) are used, or the traffic of the last seven days would exceed it; the "
            + "agent publishes in batches of \(Int(BudgetGate.longIntervalSeconds / 60)) min \(end); raise "
            + "tracking.monthly_budget, or record fewer positions"
    }

    /// The text of `budget_exhausted`.
    var exhausted: String {
        "the traffic budget of \(limit) is used up; location records wait on the disk \(end), and only timeline and "
            + "geofence events, status, problems and answers are sent; raise tracking.monthly_budget to send them now"
    }
}
