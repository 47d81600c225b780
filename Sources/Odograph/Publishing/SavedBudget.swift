import OdographCivilTime
import OdographJSON
import OdographWire

/// The count of the traffic in the database of an agent that does not run.
package enum SavedBudget {
    /// Returns the state of the budget at the end of the last run.
    /// - Parameter documents: The documents of the database, by name.
    /// - Returns: the state; nil if there was no budget, or the count cannot be read.
    package static func state(in documents: [String: [UInt8]]) -> BudgetState? {
        guard let bytes = documents[DocumentName.linkBudget],
            let memory = try? JSONCoder.decode(LinkBudget.Memory.self, from: bytes), memory.limit > 0
        else { return nil }
        var settings = MonthlyBudget()
        settings.bytes = memory.limit
        return LinkBudget(settings, zone: .utc, memory: memory).state
    }
}
