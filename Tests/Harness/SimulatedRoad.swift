import Glibc

/// The kinds of roads, each as a sequence of pieces.
///
/// Radii and lengths follow the guidelines for such roads and town plans. Drivers slow down for bends and corners to a
/// lateral acceleration of 2.5 m/s², which passengers tolerate.
public enum SimulatedRoad: String, CaseIterable, Sendable {
    /// Blocks of 80 to 220 m, a 90° corner at three of ten crossings, a traffic light at one of four.
    case cityGrid
    /// Streets of an old town: short, bent and meeting at any angle.
    case oldTown
    /// Bends of 30 to 800 m radius, with few stops.
    case countryRoad
    /// Hairpins and short straights.
    case mountainRoad
    /// Bends of 700 to 4000 m radius at 22 to 36 m/s.
    case motorway
    /// A congested motorway: walking pace, stops, and free flow.
    case trafficJam
    /// A town grid with a stop of 20 to 180 s every few blocks, and a turn back now and then.
    case deliveryRound
    /// A drive from a town over country roads and motorway into another town.
    case commute

    /// A piece of road of one curvature.
    struct Piece {
        var lengthMeters: Double
        /// The curvature, radians per metre.
        var curvature = 0.0
        var limitMetersPerSecond: Double
        /// The time for which the vehicle stops at the end, seconds.
        var haltSeconds = 0.0
    }

    /// Returns the next pieces.
    /// - Parameter share: The elapsed share of the drive's time, 0 to 1.
    func pieces(at share: Double, using random: inout SplitMix64) -> [Piece] {
        switch self {
        case .cityGrid: Self.block(halts: 0.25, seconds: 5...60, using: &random)
        case .oldTown: Self.lane(using: &random)
        case .countryRoad: Self.bend(radius: 30...800, length: 30...250, limit: 12...27, straights: 0.3, using: &random)
        case .mountainRoad: Self.hairpin(using: &random)
        case .motorway:
            Self.bend(radius: 700...4000, length: 300...2000, limit: 22...36, straights: 0.3, using: &random)
        case .trafficJam: Self.queue(using: &random)
        case .deliveryRound: Self.round(using: &random)
        case .commute:
            switch share {
            case ..<0.25, 0.8...: Self.cityGrid.pieces(at: share, using: &random)
            case ..<0.45: Self.countryRoad.pieces(at: share, using: &random)
            default: Self.motorway.pieces(at: share, using: &random)
            }
        }
    }

    private static let sidewaysMetersPerSecondSquared = 2.5

    private static func arc(radians: Double, radius: Double, limit: Double) -> Piece {
        Piece(
            lengthMeters: abs(radians) * radius, curvature: (radians < 0 ? -1 : 1) / radius,
            limitMetersPerSecond: min(limit, (sidewaysMetersPerSecondSquared * radius).squareRoot()))
    }

    private static func sign(using random: inout SplitMix64) -> Double { Bool.random(using: &random) ? 1 : -1 }

    /// Returns a log-uniform random number: 10 to 20 is as likely as 100 to 200.
    private static func spread(_ range: ClosedRange<Double>, using random: inout SplitMix64) -> Double {
        exp(Double.random(in: log(range.lowerBound)...log(range.upperBound), using: &random))
    }

    private static func block(
        halts: Double, seconds: ClosedRange<Double>, using random: inout SplitMix64
    ) -> [Piece] {
        var street = Piece(
            lengthMeters: Double.random(in: 80...220, using: &random),
            limitMetersPerSecond: Double.random(in: 8...15, using: &random))
        if Double.random(in: 0..<1, using: &random) < halts {
            street.haltSeconds = Double.random(in: seconds, using: &random)
        }
        guard Double.random(in: 0..<1, using: &random) < 0.3 else { return [street] }
        return [street, arc(radians: sign(using: &random) * .pi / 2, radius: 10, limit: 10)]
    }

    private static func lane(using random: inout SplitMix64) -> [Piece] {
        var street = arc(
            radians: Double.random(in: -0.6...0.6, using: &random), radius: spread(60...300, using: &random), limit: 9)
        if Double.random(in: 0..<1, using: &random) < 0.2 {
            street.haltSeconds = Double.random(in: 3...40, using: &random)
        }
        let corner = arc(radians: Double.random(in: -1.8...1.8, using: &random), radius: 9, limit: 8)
        return Bool.random(using: &random) ? [street, corner] : [street]
    }

    private static func bend(
        radius: ClosedRange<Double>, length: ClosedRange<Double>, limit: ClosedRange<Double>, straights: Double,
        using random: inout SplitMix64
    ) -> [Piece] {
        let meters = spread(length, using: &random)
        let speed = Double.random(in: limit, using: &random)
        guard Double.random(in: 0..<1, using: &random) >= straights else {
            return [Piece(lengthMeters: 2 * meters, limitMetersPerSecond: speed)]
        }
        let radius = spread(radius, using: &random)
        // No bend of a road is a full circle.
        return [
            arc(radians: sign(using: &random) * min(meters / radius, 2), radius: radius, limit: speed)
        ]
    }

    private static func hairpin(using random: inout SplitMix64) -> [Piece] {
        let speed = Double.random(in: 9...16, using: &random)
        let straight = Piece(lengthMeters: spread(30...300, using: &random), limitMetersPerSecond: speed)
        let angle = Double.random(in: 0..<1, using: &random) < 0.3 ? Double.random(in: 2.3...3, using: &random) : 0.7
        return [
            straight,
            arc(radians: sign(using: &random) * angle, radius: spread(12...80, using: &random), limit: speed),
        ]
    }

    private static func queue(using random: inout SplitMix64) -> [Piece] {
        var piece = bend(radius: 700...4000, length: 10...150, limit: 1...8, straights: 0.3, using: &random)[0]
        if Double.random(in: 0..<1, using: &random) < 0.4 {
            piece.haltSeconds = Double.random(in: 3...60, using: &random)
        }
        return [piece]
    }

    private static func round(using random: inout SplitMix64) -> [Piece] {
        var pieces = block(halts: 0.3, seconds: 20...180, using: &random)
        if pieces[0].haltSeconds > 60, Bool.random(using: &random) {
            pieces.append(arc(radians: .pi, radius: 6, limit: 4))
        }
        return pieces
    }
}
