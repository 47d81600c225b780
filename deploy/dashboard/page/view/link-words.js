(function (odograph) {
    'use strict';

    const { element, say, set, byID } = odograph.dom;

    /** What the page says of its connection: a small word that is always there, and a band where it is lost. */
    class LinkWords {
        /** @param {() => void} onRetry */
        constructor(onRetry) {
            this.pill = byID('link');
            this.band = byID('alert');
            this.sentence = element('span');
            // A screen reader hears the sentence once, and no seconds counted down.
            this.count = element('span', { class: 'soft', 'aria-hidden': 'true' });
            this.retry = element('button', { type: 'button', onclick: onRetry }, 'Try now');
            this.state = { kind: 'connecting' };
        }

        /** @param {{kind: string, since?: number, retryAt?: number, words?: string}} state @param {number} now */
        show(state, now) {
            const words = { online: 'Live', connecting: 'Connecting', lost: 'Not connected', refused: 'Refused' };
            this.state = state;
            set(this.pill, 'data-state', state.kind);
            say(this.pill.querySelector('.words'), words[state.kind]);
            set(document.body, 'data-stale', state.kind === 'online' ? null : '');
            const { kind, since } = state;
            if (kind === 'lost' || kind === 'refused' || (kind === 'connecting' && since)) {
                const lost = since === undefined ? 'The broker cannot be reached.'
                    : `No connection to the broker since ${odograph.format.time(since)}. The page shows the data of that time.`;
                say(this.sentence, kind === 'refused' ? state.words : lost);
                if (this.band.hidden) {
                    this.band.hidden = false;
                    this.band.replaceChildren(this.sentence, ' ', this.count, ' ', this.retry);
                }
            } else {
                this.band.hidden = true;
            }
            this.tick(now);
        }

        /** Counts down. @param {number} now */
        tick(now) {
            const { kind, retryAt } = this.state;
            if (this.band.hidden) return;
            const seconds = retryAt === undefined ? 0 : Math.ceil((retryAt - now) / 1000);
            const words = kind === 'connecting' || seconds <= 0 ? 'Connecting …' : `Next attempt in ${seconds} s.`;
            // Who was refused is not let in by waiting.
            say(this.count, kind === 'refused' ? '' : words);
        }
    }

    odograph.LinkWords = LinkWords;
})(globalThis.odograph ??= {});
