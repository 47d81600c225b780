(function (odograph) {
    'use strict';

    const { element, say, set, byID } = odograph.dom;

    /** How many times faster than the vehicle the playback can be. */
    const rates = [10, 60, 300];

    /** The bar below the map that plays a day. */
    class Player {
        /** @param {{onSeek: (at: number) => void, onPlay: () => void, onClose: () => void}} wishes */
        constructor({ onSeek, onPlay, onClose }) {
            this.box = byID('player');
            this.button = element('button', { type: 'button', class: 'plain', onclick: onPlay });
            this.slider = element('input', {
                type: 'range', step: 1000, 'aria-label': 'Time', oninput: ({ target }) => onSeek(Number(target.value)),
            });
            this.words = element('span', { class: 'words' });
            this.rate = element('select', { 'aria-label': 'Speed of the playback' },
                rates.map((rate) => element('option', { value: rate, selected: rate === 60 }, `${rate}×`)));
            this.note = element('span', { class: 'soft note' });
            this.graph = new odograph.SpeedGraph(onSeek);
            this.box.append(this.button, this.slider, this.words, this.rate, element('button', {
                type: 'button', class: 'plain', 'aria-label': 'Close the playback', title: 'Close the playback', onclick: onClose,
            }, '✕'), this.graph.node, this.graph.key, this.note);
            // The map's scale and buttons stand above it, however tall it is.
            new ResizeObserver(() => document.body.style.setProperty('--player', `${this.box.offsetHeight}px`)).observe(this.box);
        }

        /** How many times faster than the vehicle. */
        get factor() {
            return Number(this.rate.value);
        }

        /** @param {Track} track @param {Clock} clock of the vehicle @param {string} note */
        open(track, clock, note) {
            const [from, to] = [track.points[0].at, track.points.at(-1).at];
            this.graph.open(track, clock);
            this.box.hidden = false;
            set(document.body, 'data-player', '');
            this.slider.min = from;
            this.slider.max = to;
            say(this.note, note);
        }

        close() {
            this.box.hidden = true;
            set(document.body, 'data-player', null);
        }

        /** @param {{at: number, words: string, isPlaying: boolean}} state */
        show({ at, words, isPlaying }) {
            if (Number(this.slider.value) !== at) this.slider.value = at;
            set(this.slider, 'aria-valuetext', words);
            say(this.words, words);
            this.graph.show(at);
            say(this.button, isPlaying ? '❚❚' : '▶');
            const label = isPlaying ? 'Pause' : 'Play';
            set(this.button, 'aria-label', label);
            set(this.button, 'title', label);
        }
    }

    odograph.Player = Player;
})(globalThis.odograph ??= {});
