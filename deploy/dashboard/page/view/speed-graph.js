(function (odograph) {
    'use strict';

    const { element, say, set } = odograph.dom;
    const { bands, bandOf, bandWords, unknownWords, hasUnknown, profileOf } = odograph.speeds;

    const svgSpace = 'http://www.w3.org/2000/svg';
    const [columns, height] = [400, 100];

    function svg(tag, attributes) {
        const node = document.createElementNS(svgSpace, tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
        return node;
    }

    /** The speed of a day as a graph under the map, in the colours of the way. A click goes to its instant. */
    class SpeedGraph {
        /** @param {(at: number) => void} onSeek */
        constructor(onSeek) {
            this.drawing = svg('svg', { viewBox: `0 0 ${columns} ${height}`, preserveAspectRatio: 'none', role: 'img' });
            this.scale = element('span', { class: 'scale', 'aria-hidden': 'true' });
            const item = (name, words) => element('li', {}, element('span', { class: `speed-${name}`, 'aria-hidden': 'true' }), words);
            this.unknown = item('unknown', unknownWords);
            this.key = element('ul', { class: 'speed-key', 'aria-label': 'Colours of the way' },
                bands.map((_, band) => item(band, bandWords(band))), this.unknown);
            this.node = element('div', { class: 'speed-graph' }, this.drawing, this.scale);
            this.drawing.addEventListener('click', ({ clientX }) => {
                const { left, width } = this.drawing.getBoundingClientRect();
                onSeek(this.profile.from + (this.profile.to - this.profile.from) * (clientX - left) / width);
            });
        }

        /** @param {Track} track @param {Clock} clock of the vehicle */
        open(track, clock) {
            this.profile = profileOf(track, columns);
            const { values, top, greatest } = this.profile;
            const paths = bands.map(() => '');
            values.forEach((value, column) => {
                if (value === null) return;
                const tall = Math.max(1, value / top * height);
                paths[bandOf(value)] += `M${column} ${height}v${-tall.toFixed(1)}h1v${tall.toFixed(1)}z`;
            });
            this.hand = svg('line', { class: 'hand', y1: 0, y2: height, 'vector-effect': 'non-scaling-stroke' });
            this.drawing.replaceChildren(...paths.map((path, band) => svg('path', { class: `speed-${band}`, d: path })), this.hand);
            this.unknown.hidden = !hasUnknown(track.points);
            const notKnown = 'Speed: not known';
            const words = greatest === null ? notKnown : `Speed: at most ${odograph.format.speed(greatest.speed)} at ${clock.shortTime(greatest.at)}`;
            set(this.drawing, 'aria-label', words);
            // A scale without a speed would look as if the vehicle had stood still.
            say(this.scale, greatest === null ? notKnown : odograph.format.speed(top));
        }

        /** @param {number} at the instant of the playback */
        show(at) {
            const { from, to } = this.profile;
            const x = ((at - from) / Math.max(1, to - from) * columns).toFixed(1);
            set(this.hand, 'x1', x);
            set(this.hand, 'x2', x);
        }
    }

    odograph.SpeedGraph = SpeedGraph;
})(globalThis.odograph ??= {});
