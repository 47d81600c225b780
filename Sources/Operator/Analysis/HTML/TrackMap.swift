import Odograph
import OdographCivilTime
import OdographTerminal
import OdographWire

/// A map of the track without a background, coloured by transport mode (dashed: unknown), with stops and a scale.
struct TrackMap {
    let points: [PlottedPoint]
    let timeline: TimelineIndex

    private static let width = 960.0
    private static let maximumHeight = 620.0
    private static let minimumHeight = 220.0
    private static let margin = 36.0
    /// The longest time between two records that are joined as a known segment, seconds: twice the default of
    /// `tracking.sampling.maximum_interval`. A moving vehicle has longer gaps only in private time and the like.
    private static let maximumGapSeconds = 600.0
    /// Metres per degree of a sphere with the Earth's mean radius (IUGG), which is accurate enough for a drawing.
    private static let metersPerDegree = 111_195.0

    var svg: String {
        guard let plane = Projection(points, timeline.events) else { return "" }
        var content = segments(plane)
        for (number, event) in timeline.stops.enumerated() {
            guard let location = event.location else { continue }
            let (x, y) = plane.pixel(latitude: location.latitude, longitude: location.longitude)
            let title =
                "stop \(number + 1): \(Format.time(event.startDate)), \(Format.duration(seconds: event.duration))"
            content +=
                "<g><title>\(Markup.escaped(title))</title><circle class=\"stop\" cx=\"\(Markup.number(x))\" cy=\"\(Markup.number(y))\" r=\"9\"/>"
                + Markup.text("\(number + 1)", x: x, y: y + 3.5, style: "stopNumber") + "</g>"
        }
        content += endMarkers(plane) + scaleBar(plane)
        return Markup.svg(content, width: Self.width, height: plane.height, name: "the track, north is up")
    }

    /// Returns one path per run of segments of the same category. A path begins where the previous one ends.
    private func segments(_ plane: Projection) -> String {
        var paths = ""
        var run: [(x: Double, y: Double)] = []
        var kind: TimelineEventCategory?
        for (place, next) in zip(points, points.dropFirst()) {
            var here = timeline.segmentCategory(from: place.time, to: next.time) ?? .unknown
            let isUntold = next.time.seconds(since: place.time) > Self.maximumGapSeconds
            if isUntold, here != .stationary, here != .offTheGrid { here = .unknown }
            if here != kind {
                paths += path(run, kind)
                run = [plane.pixel(latitude: place.latitude, longitude: place.longitude)]
                kind = here
            }
            run.append(plane.pixel(latitude: next.latitude, longitude: next.longitude))
        }
        return paths + path(run, kind)
    }

    private func path(_ run: [(x: Double, y: Double)], _ kind: TimelineEventCategory?) -> String {
        Markup.path(run, style: "track \((kind ?? .unknown).cssClass)")
    }

    private func endMarkers(_ plane: Projection) -> String {
        guard let first = points.first, let last = points.last else { return "" }
        return [(first, "start"), (last, "end")].map { place, word in
            let (x, y) = plane.pixel(latitude: place.latitude, longitude: place.longitude)
            let isRight = x > Self.width - 80
            return "<circle class=\"end\" cx=\"\(Markup.number(x))\" cy=\"\(Markup.number(y))\" r=\"13\"/>"
                + Markup.text(
                    word, x: isRight ? x - 16 : x + 16, y: y + (word == "start" ? -10 : 18),
                    anchor: isRight ? "end" : "start", style: "mark")
        }.joined()
    }

    private func scaleBar(_ plane: Projection) -> String {
        let meters = AxisTicks.roundNumber(atMost: 180 / plane.pixelsPerMeter)
        let length = meters * plane.pixelsPerMeter
        let (left, y) = (14.0, plane.height - 14)
        return Markup.line(left, y, left + length, y, style: "scale")
            + Markup.line(left, y - 4, left, y + 4, style: "scale")
            + Markup.line(left + length, y - 4, left + length, y + 4, style: "scale")
            + Markup.text(
                meters >= 1000 ? "\((meters / 1000).formatted(decimals: 0)) km" : "\(meters.formatted(decimals: 0)) m",
                x: left + length + 8, y: y + 4, anchor: "start")
            + "<path class=\"north\" d=\"M\(Self.width - 20) 34 l-6 14 l6 -4 l6 4 z\"/>"
            + Markup.text("N", x: Self.width - 20, y: 28)
    }

    /// An equirectangular projection around the track. It preserves directions and lengths well enough for one day.
    private struct Projection {
        let height: Double
        let pixelsPerMeter: Double
        private let origin: PlottedPoint
        private let cosine: Double
        private let offset: (x: Double, y: Double)

        init?(_ places: [PlottedPoint], _ events: [TimelineEventRevision]) {
            guard let first = places.first else { return nil }
            origin = first
            let latitudes = places.map(\.latitude)
            let middle = ((latitudes.min() ?? 0) + (latitudes.max() ?? 0)) / 2
            cosine = max(Self.cosine(degrees: middle), 0.01)
            var (west, east, south, north) = (0.0, 0.0, 0.0, 0.0)
            for place in places {
                let (x, y) = Self.meters(place.latitude, place.longitude, first, cosine)
                (west, east) = (min(west, x), max(east, x))
                (south, north) = (min(south, y), max(north, y))
            }
            // A minimum size, so that a vehicle that never moved is also drawn.
            let (breadth, length) = (max(east - west, 100), max(north - south, 100))
            pixelsPerMeter = min(
                (TrackMap.width - 2 * TrackMap.margin) / breadth,
                (TrackMap.maximumHeight - 2 * TrackMap.margin) / length)
            height = max(length * pixelsPerMeter + 2 * TrackMap.margin, TrackMap.minimumHeight)
            offset = (
                TrackMap.width / 2 - (east + west) / 2 * pixelsPerMeter,
                height / 2 + (north + south) / 2 * pixelsPerMeter
            )
        }

        func pixel(latitude: Double, longitude: Double) -> (x: Double, y: Double) {
            let (x, y) = Self.meters(latitude, longitude, origin, cosine)
            return (offset.x + x * pixelsPerMeter, offset.y - y * pixelsPerMeter)
        }

        /// Returns the offset from an origin. Across the antimeridian it is the shorter way.
        private static func meters(
            _ latitude: Double, _ longitude: Double, _ origin: PlottedPoint, _ cosine: Double
        ) -> (Double, Double) {
            let east = (longitude - origin.longitude + 540).truncatingRemainder(dividingBy: 360) - 180
            return (east * cosine * metersPerDegree, (latitude - origin.latitude) * metersPerDegree)
        }

        private static func cosine(degrees: Double) -> Double {
            // Taylor's series to the tenth power, accurate to 5e-7 up to 90°. One drawing does not justify a library.
            let x = degrees * .pi / 180
            let square = x * x
            return 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
        }
    }
}
