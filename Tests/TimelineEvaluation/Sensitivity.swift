import OdographTracking

/// The change of the scores when one parameter of the movement or the timeline is a fifth smaller or larger, to find
/// parameters with a critical value.
struct Sensitivity {
    static let factors = [0.8, 1.2]

    private let phones: PhoneDrives
    private let days: LabelledDays
    private let rounds: DeliveryRounds

    init(folder: String) throws {
        phones = try PhoneDrives(folder: folder, isVerbose: false)
        days = try LabelledDays(folder: folder, isVerbose: false)
        rounds = try DeliveryRounds(folder: folder, isVerbose: false)
    }

    func report() {
        print(
            "rounds live, events | days accuracy, stop, move | phones mode, median of the boundaries, trips found / false"
        )
        line("as they are", ModelParameters())
        for figure in NamedFigure.all {
            for factor in Self.factors { line("\(figure.name) × \(factor)", figure.scaled(by: factor)) }
        }
    }

    private func line(_ name: String, _ figures: ModelParameters) {
        let rounds = rounds.scores(figures).all
        let days = days.scores(figures)
        let phones = phones.judged(by: figures)
        let boundaries = phones.boundaries
        let columns = [
            "\(text(rounds.live, 3)) \(text(rounds.events, 3))",
            "\(text(days.accuracy, 3)) \(text(days.stop, 3)) \(text(days.move, 3))",
            "\(text(phones.modeScore.right, 3)) \(text(boundaries.off.median, 0)) s "
                + "\(boundaries.found) / \(boundaries.falseTrips)",
        ]
        print("\(name)\(String(repeating: " ", count: max(44 - name.count, 0))) \(columns.joined(separator: " | "))")
    }
}

/// A parameter that can be varied.
struct NamedFigure {
    let name: String
    private let scale: (inout ModelParameters, Double) -> Void

    private init(_ path: WritableKeyPath<SegmentationParameters, Double>, _ name: String) {
        self.name = name
        scale = { $0.timeline[keyPath: path] *= $1 }
    }

    private init(movement path: WritableKeyPath<MovementParameters, Double>, _ name: String) {
        self.name = name
        scale = { $0.movement[keyPath: path] *= $1 }
    }

    func scaled(by factor: Double) -> ModelParameters {
        var figures = ModelParameters()
        scale(&figures, factor)
        return figures
    }

    static var all: [NamedFigure] { timeline + movement + bells + rates }

    private static var timeline: [NamedFigure] {
        [
            NamedFigure(\.movingThresholdMetersPerSecond, "stand"),
            NamedFigure(\.stoppedThresholdMetersPerSecond, "rest"),
            NamedFigure(\.walkLimitMetersPerSecond, "walk limit"), NamedFigure(\.runLimitMetersPerSecond, "run limit"),
            NamedFigure(\.fastWalkMetersPerSecond, "fast walk"),
            NamedFigure(\.rideMetersPerSecond, "ride"), NamedFigure(\.minimumStraightness, "least straightness"),
            NamedFigure(\.shortestSegmentSeconds, "shortest segment"),
            NamedFigure(\.certainSegmentSeconds, "certain segment"),
            NamedFigure(\.shortestProvenSegmentSeconds, "shortest proven segment"),
            NamedFigure(\.shortestSegmentMeters, "shortest segment, metres"),
            NamedFigure(\.shortestFastSeconds, "shortest fast"),
            NamedFigure(\.vehicleChangeProbability, "change of wheels"),
            NamedFigure(\.returnRadiusMeters, "return"),
            NamedFigure(\.boardingSeconds, "boarding"), NamedFigure(\.longestWindowSeconds, "longest window"),
            NamedFigure(\.baseStopRadiusMeters, "stay"),
        ]
    }

    private static var movement: [NamedFigure] {
        [
            NamedFigure(movement: \.likelihoodExponent, "temper"),
            NamedFigure(movement: \.repeatedMeasurementWeight, "repeated worth"),
            NamedFigure(movement: \.maximumRunningMetersPerSecond, "fastest run"),
            NamedFigure(movement: \.outlierProbability, "nonsense share"),
            NamedFigure(movement: \.cyclingChangeMetersPerSecond, "change of a ride"),
            NamedFigure(movement: \.drivingChangeMetersPerSecond, "change of a drive"),
            NamedFigure(movement: \.haltWeight, "halt"),
        ]
    }

    private static var bells: [NamedFigure] {
        var paths: [(WritableKeyPath<MovementParameters, MovementParameters.SpeedComponent>, String)] = [
            (\.stationary, "stand"), (\.walking, "walk"), (\.pausing, "pause"), (\.running, "run"),
            (\.cycling, "ride"), (\.crawling, "crawl"),
        ]
        for index in MovementParameters().driving.indices { paths.append((\.driving[index], "drive \(index + 1)")) }
        return paths.flatMap { path, name in
            let speed = NamedFigure(
                movement: path.appending(path: \.meanMetersPerSecond), "speed of \(name)")
            let spread = NamedFigure(
                movement: path.appending(path: \.deviationMetersPerSecond), "spread of \(name)")
            return MovementParameters()[keyPath: path].meanMetersPerSecond > 0 ? [speed, spread] : [spread]
        }
    }

    private static var rates: [NamedFigure] {
        MovementParameters().transitionRates.enumerated().map { index, rate in
            NamedFigure(movement: \.transitionRates[index].seconds, rate.name)
        }
    }
}
