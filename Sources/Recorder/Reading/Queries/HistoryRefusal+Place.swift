import OdographWire

extension HistoryRefusal {
    /// The refusal of a place that is not `next` of an answer to the same request.
    static let wrongPlace = HistoryRefusal(.invalid, "after must be \"next\" of an answer to the same request")
}
