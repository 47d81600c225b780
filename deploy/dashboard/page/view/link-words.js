(function (odograph) {
    'use strict';

    const { element, say, set, byID } = odograph.dom;

    /** What the page says of its connection: a small word that is always there, and a band where it is lost. */
    class LinkWords {
        /** @param {{onRetry: () => void, onSignIn: () => void}} wishes */
        constructor({ onRetry, onSignIn }) {
            this.pill = byID('link');
            this.band = byID('alert');
            this.sentence = element('span');
            // A screen reader hears the sentence once, and no seconds counted down.
            this.count = element('span', { class: 'soft', 'aria-hidden': 'true' });
            this.retry = element('button', { type: 'button', onclick: () => (
                this.state.kind === 'asked' || this.state.kind === 'refused' ? onSignIn() : onRetry()) });
            this.state = { kind: 'connecting' };
        }

        /** @param {{kind: string, since?: number, retryAt?: number, words?: string}} state @param {number} now */
        show(state, now) {
            const words = {
                online: 'Live', connecting: 'Connecting', lost: 'Not connected', asked: 'Not signed in', refused: 'Refused',
            };
            this.state = state;
            set(this.pill, 'data-state', state.kind);
            say(this.pill.querySelector('.words'), words[state.kind]);
            set(document.body, 'data-stale', state.kind === 'online' ? null : '');
            const { kind, since } = state;
            const isLogin = kind === 'asked' || kind === 'refused';
            if (kind === 'lost' || isLogin || (kind === 'connecting' && since)) {
                const lost = since === undefined ? 'The broker cannot be reached.'
                    : `No connection to the broker since ${odograph.format.time(since)}. The page shows the data of that time.`;
                say(this.sentence, isLogin ? state.words : lost);
                say(this.retry, isLogin ? 'Sign in' : 'Try now');
                set(this.band, 'data-calm', kind === 'asked' ? '' : null);
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
            // Who has to sign in is not let in by waiting.
            say(this.count, kind === 'refused' || kind === 'asked' ? '' : words);
        }
    }

    odograph.LinkWords = LinkWords;
})(globalThis.odograph ??= {});
