/// Builds HTML and SVG markup.
package enum Markup {
    /// Escapes external text, so that it contains no markup.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a page without scripts, which needs no network.
    /// - Parameters:
    ///   - title: The title and first heading, as text.
    ///   - content: The markup below the heading.
    package static func page(title: String, _ content: String) -> String {
        let name = escaped(title)
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(name)</title>
            <style>
            \(HTMLStyle.styleSheet)
            </style>
            </head>
            <body>
            <main>
            <h1>\(name)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
    }

    /// Formats a coordinate of a drawing, to a tenth of a pixel.
    package static func number(_ value: Double) -> String { value.formatted(decimals: 1) }

    package static func text(
        _ text: String, x: Double, y: Double, anchor: String = "middle", style: String = "label"
    ) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped(text))</text>"
    }

    package static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) -> String {
        "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
    }

    /// Returns a path through points; empty if there are fewer than two.
    package static func path(_ points: [(x: Double, y: Double)], style: String) -> String {
        guard let first = points.first, points.count > 1 else { return "" }
        var path = "M\(number(first.x)) \(number(first.y))"
        for point in points.dropFirst() { path += "L\(number(point.x)) \(number(point.y))" }
        return "<path class=\"\(style)\" d=\"\(path)\"/>"
    }

    /// Returns a drawing with a name for screen readers.
    package static func svg(_ content: String, width: Double, height: Double, name: String) -> String {
        """
        <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-label="\(escaped(name))">
        \(content)
        </svg>

        """
    }
}
