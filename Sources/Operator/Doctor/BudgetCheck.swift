import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// Checks the traffic budget of the running agent.
struct BudgetCheck {
    private static let subject = "budget"

    /// Returns the finding.
    /// - Parameter answer: the agent's answer to `get_status`; nil if no agent runs.
    /// - Returns: nil if the budget is not known, or there is none.
    static func finding(agent answer: CommandResponse?) -> Finding? {
        guard let value = answer?.members["budget"], let budget = try? JSONCoder.decode(BudgetState.self, from: value)
        else { return nil }
        return budget.step == .normal
            ? Finding(.ok, subject, budget.text)
            : Finding(.warn, subject, budget.text, advice: "raise tracking.monthly_budget, or record fewer positions")
    }
}
