(function (odograph) {
    'use strict';

    /** The edge of a sprite and the half of its mark's, CSS pixels. */
    const edge = 30;
    const half = 8;
    /** Headings that a mark can have; 7.5 degrees are not to be seen on one so small. */
    const headings = 48;

    const shapes = {
        moving(pen) {
            pen.moveTo(0, -half - 1);
            pen.lineTo(half * 0.85, half);
            pen.lineTo(0, half * 0.5);
            pen.lineTo(-half * 0.85, half);
            pen.closePath();
        },
        parked(pen) {
            const [a, r] = [half * 0.85, 3];
            pen.moveTo(-a + r, -a);
            pen.arcTo(a, -a, a, a, r);
            pen.arcTo(a, a, -a, a, r);
            pen.arcTo(-a, a, -a, -a, r);
            pen.arcTo(-a, -a, a, -a, r);
            pen.closePath();
        },
        disc(pen) {
            pen.arc(0, 0, half * 0.9, 0, 2 * Math.PI);
        },
    };

    /** Signs within the marks, so that a condition is told by shape and not by colour alone. */
    const signs = {
        parked: [[-1.6, 4, -1.6, -4, 1.4, -4, 2.6, -2.8, 2.6, -1.2, 1.4, 0, -1.6, 0]],
        silent: [[0, -4, 0, 1], [0, 3.6, 0, 3.8]],
        off: [[0, -3.6, 0, 0, 2.4, 1.6]],
        // A power sign.
        stopped: [[0, -4.2, 0, -0.4], [-2.4, -2.6, -3.5, -0.4, -2.8, 2, -1, 3.3, 1, 3.3, 2.8, 2, 3.5, -0.4, 2.4, -2.6]],
    };

    const hollow = new Set(['silent', 'off', 'stopped', 'unknown']);

    /** Marks of vehicles, each drawn once and then copied: a thousand a frame are a thousand copies. */
    class Sprites {
        #made = new Map();

        /** @param {Object<string, string>} colors @param {number} scale device pixels of a CSS pixel */
        constructor(colors, scale) {
            this.colors = colors;
            this.scale = scale;
        }

        /**
         * @param {CanvasRenderingContext2D} pen in CSS pixels
         * @param {string} kind of the vehicle's condition
         * @param {?number} heading degrees; null: a disc, for an arrow would say a direction
         */
        draw(pen, kind, heading, x, y) {
            const turn = kind === 'moving' && heading !== null ? Math.round(heading / 360 * headings) % headings : -1;
            const key = `${kind}${turn}`;
            let sprite = this.#made.get(key);
            if (sprite === undefined) {
                sprite = this.#make(kind, turn);
                this.#made.set(key, sprite);
            }
            pen.drawImage(sprite, x - edge / 2, y - edge / 2, edge, edge);
        }

        #make(kind, turn) {
            const size = Math.ceil(edge * this.scale);
            const canvas = new OffscreenCanvas(size, size);
            const pen = canvas.getContext('2d');
            pen.scale(this.scale, this.scale);
            pen.translate(edge / 2, edge / 2);
            if (turn >= 0) pen.rotate(turn / headings * 2 * Math.PI);
            pen.lineJoin = pen.lineCap = 'round';
            const isHollow = hollow.has(kind);
            pen.beginPath();
            (kind === 'parked' ? shapes.parked : turn >= 0 ? shapes.moving : shapes.disc)(pen);
            pen.lineWidth = 4;
            pen.strokeStyle = this.colors.paper;
            pen.stroke();
            pen.fillStyle = isHollow ? this.colors.paper : this.colors[kind];
            pen.fill();
            if (isHollow) {
                pen.lineWidth = 2;
                pen.strokeStyle = this.colors[kind];
                pen.stroke();
            }
            this.#sign(pen, kind, isHollow);
            return canvas.transferToImageBitmap();
        }

        #sign(pen, kind, isHollow) {
            pen.lineWidth = 1.8;
            pen.strokeStyle = isHollow ? this.colors[kind] : this.colors.paper;
            for (const [x, y, ...rest] of signs[kind] ?? []) {
                pen.beginPath();
                pen.moveTo(x, y);
                for (let i = 0; i < rest.length; i += 2) pen.lineTo(rest[i], rest[i + 1]);
                pen.stroke();
            }
        }
    }

    odograph.Sprites = Sprites;
})(globalThis.odograph ??= {});
