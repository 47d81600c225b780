/// The style sheet of the page, for light and dark mode.
///
/// People with red-green colour blindness can distinguish the category colours. Source: Okabe and Ito, "Color Universal
/// Design", 2008.
enum HTMLStyle {
    static let styleSheet = """
        :root { --ground: #ffffff; --panel: #f4f5f7; --ink: #1c2026; --faint: #69707c; --rule: #dcdfe4;
          --stationary: #8b93a1; --vehicle: #0072b2; --bicycle: #009e73; --foot: #e69f00; --transport: #8a5fc0;
          --grid-off: #d55e00; --unknown: #c3c8d0; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #14171c; --panel: #1d2128; --ink: #e8eaee; --faint: #98a0ad; --rule: #333944;
            --stationary: #7d8695; --vehicle: #56b4e9; --bicycle: #2cc79a; --foot: #f0b53a; --transport: #b494e4;
            --grid-off: #ee7f33; --unknown: #4b5360; }
        }
        body { margin: 0; background: var(--ground); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 40px; }
        h1 { font-size: 24px; margin: 0 0 12px; }
        h2 { font-size: 16px; margin: 28px 0 8px; }
        dl { display: flex; flex-wrap: wrap; gap: 8px 32px; margin: 0; }
        dt { color: var(--faint); font-size: 13px; }
        dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
        svg { display: block; width: 100%; height: auto; background: var(--panel); border-radius: 8px; }
        .label, .title, .mark, .stopNumber { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--faint); }
        .title { font-weight: 600; fill: var(--ink); }
        .mark { font-weight: 600; fill: var(--ink); paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
        .stopNumber { font-size: 10px; font-weight: 700; fill: var(--ground); }
        .grid { stroke: var(--rule); stroke-width: 1; }
        .axis { stroke: var(--faint); stroke-width: 1; }
        .scale { stroke: var(--ink); stroke-width: 1.5; }
        .north { fill: var(--ink); } .end { fill: none; stroke: var(--ink); stroke-width: 1.5; }
        .ground { fill: var(--rule); opacity: 0.35; }
        .stop { fill: var(--stationary); stroke: var(--panel); stroke-width: 1.5; }
        .stationary { --kind: var(--stationary); } .vehicle { --kind: var(--vehicle); }
        .bicycle { --kind: var(--bicycle); } .foot { --kind: var(--foot); }
        .transport { --kind: var(--transport); } .grid-off { --kind: var(--grid-off); }
        .unknown { --kind: var(--unknown); }
        .track { fill: none; stroke: var(--kind); stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
        .track.grid-off, .track.unknown { stroke-width: 1.5; stroke-dasharray: 2 5; }
        .fill { fill: var(--kind); }
        .curve { fill: none; stroke: var(--vehicle); stroke-width: 1.4; stroke-linejoin: round; }
        .curve.second { stroke: var(--bicycle); stroke-width: 2; }
        .band { fill: var(--bicycle); opacity: 0.2; stroke: none; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
        th { text-align: left; color: var(--faint); font-weight: 600; }
        th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
        td.c0 { border-left: 4px solid var(--kind); padding-left: 8px; } th.c0 { padding-left: 12px; }
        .c3, .c5 { text-align: right; }
        footer { margin-top: 28px; color: var(--faint); font-size: 13px; }
        @media (max-width: 640px) { .label, .title, .mark { font-size: 16px; } .stopNumber { font-size: 12px; } }
        @media print { svg { break-inside: avoid; } }
        """
}
