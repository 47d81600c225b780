/// The model parameters of the core: of people, traffic and receivers.
///
/// The defaults are meant for production; other values serve to study a parameter's effect.
public struct ModelParameters: Hashable, Sendable {
    /// The parameters of movement and of the confidence of activities.
    public var movement = MovementParameters() {
        didSet { movementModel = MovementModel(movement) }
    }
    /// The parameters of stops, trips and segments.
    public var timeline = SegmentationParameters()
    /// The movement model with these parameters.
    private(set) var movementModel = MovementModel.standard

    /// Creates the default parameters.
    public init() {}
}
