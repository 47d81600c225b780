(function (odograph) {
    'use strict';

    const { format } = odograph;

    /** The day of a vehicle that is played on the map. */
    class Playback {
        #frame = null;
        #last = 0;

        /** @param {FleetMap} map */
        constructor(map) {
            this.map = map;
            /** @type {?PastDay} */
            this.past = null;
            this.isPlaying = false;
            this.at = 0;
            this.player = new odograph.Player({
                onSeek: (at) => this.seek(at), onPlay: () => this.#toggle(), onClose: () => this.close(),
            });
        }

        /** @param {PastDay} past @param {Track} track with at least one position @param {Clock} clock of the vehicle */
        open(past, track, clock) {
            Object.assign(this, { past, track, clock });
            const { points } = track;
            this.map.showTrack(track);
            this.player.open(track, clock, track.isSimplified ? 'Simplified routes: no recorder told each position.' : '');
            this.map.revealAll(points, this.player.box.offsetHeight);
            this.seek(points[0].at);
        }

        close() {
            this.#pause();
            this.past = null;
            this.map.showTrack(null);
            this.map.frame(performance.now());
            this.player.close();
        }

        /** Closes if another day is looked at. @param {?PastDay} past */
        keep(past) {
            if (this.past !== null && this.past !== past) this.close();
        }

        /** Goes to an instant. @param {number} at */
        seek(at) {
            const { points } = this.track;
            this.at = Math.max(points[0].at, Math.min(points.at(-1).at, at));
            this.#show();
        }

        #toggle() {
            if (this.isPlaying) {
                this.#pause();
            } else {
                if (this.at >= this.track.points.at(-1).at) this.at = this.track.points[0].at;
                this.isPlaying = true;
                this.#last = performance.now();
                this.#frame = requestAnimationFrame((time) => this.#tick(time));
            }
            this.#show();
        }

        #pause() {
            this.isPlaying = false;
            cancelAnimationFrame(this.#frame);
        }

        #tick(time) {
            const end = this.track.points.at(-1).at;
            this.at = Math.min(end, this.at + Math.max(0, time - this.#last) * this.player.factor);
            this.#last = time;
            if (this.at >= end) this.#pause();
            else this.#frame = requestAnimationFrame((next) => this.#tick(next));
            this.#show();
        }

        #show() {
            const position = odograph.track.positionAt(this.track, this.at);
            const { track } = this.map.painters;
            track.position = position;
            const parts = [this.clock.time(this.at)];
            if (!position.isKnown) parts.push('not known');
            else if (position.speed !== null) parts.push(format.speed(position.speed));
            this.player.show({ at: this.at, words: parts.join(', '), isPlaying: this.isPlaying });
            this.map.drawMark();
        }
    }

    odograph.Playback = Playback;
})(globalThis.odograph ??= {});
