/// The figures of the world that the core judges by: of people, of traffic and of receivers.
///
/// Nobody needs to set them; whoever wants to know what hangs on one of them can vary it.
public struct Figures: Hashable, Sendable {
    /// Of who or what moves, and how sure that is.
    public var movement = MovementFigures() {
        didSet { model = MovementModel(movement) }
    }
    /// Of stays, ways and legs.
    public var timeline = TimelineFigures()
    /// The movement's figures, tabulated.
    private(set) var model = MovementModel.standard

    /// The figures that hold.
    public init() {}
}
