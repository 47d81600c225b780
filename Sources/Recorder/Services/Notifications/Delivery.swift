/// The result of an attempt to deliver a notification to all its receivers.
struct Delivery: Hashable, Sendable {
    /// The result for all together.
    var result: DeliveryResult
    /// The recipients of e-mails that need no further attempt.
    var done: Set<String>
    /// The recipients that refuse the notification while others have it, each with the reason.
    var refusals: [String] = []

    init(_ result: DeliveryResult, done: Set<String> = []) { (self.result, self.done) = (result, done) }
}
