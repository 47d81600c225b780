/// The figures of the world that the core judges by: of people, of traffic and of receivers.
///
/// Nobody needs to set them; whoever wants to know what hangs on one of them can vary it.
public struct ModelParameters: Hashable, Sendable {
    /// Of who or what moves, and how sure that is.
    public var movement = MovementParameters() {
        didSet { movementModel = MovementModel(movement) }
    }
    /// Of stays, ways and legs.
    public var timeline = SegmentationParameters()
    /// The movement's figures, tabulated.
    private(set) var movementModel = MovementModel.standard

    /// The figures that hold.
    public init() {}
}
