(function (odograph) {
    'use strict';

    /**
     * A question to one of those who may know the past.
     *
     * Each has a question of its own: what one answers closes no question to another.
     */
    class Question {
        /**
         * `told`: all that it knows. `silent`: there was no answer. `refused`: the answer was an error. `absent`: it is not
         * connected, and was not asked.
         * @type {'unasked' | 'asking' | 'told' | 'silent' | 'refused' | 'absent'}
         */
        state = 'unasked';
        /** When it was asked last, milliseconds since 1970. */
        askedAt = -Infinity;
        /** @type {?string} why it refuses */
        error = null;

        /** @param {number} now */
        begin(now) {
            Object.assign(this, { state: 'asking', askedAt: now, error: null });
        }

        /** @param {'unasked' | 'told' | 'silent' | 'refused' | 'absent'} state @param {?string} error */
        end(state, error = null) {
            Object.assign(this, { state, error });
        }

        /** Permits to ask again. What is being asked stays so. */
        reopen() {
            if (this.state !== 'asking') this.end('unasked');
        }

        /** @param {string} whom as `recorder` @returns {string} how it stands; empty if nobody was asked */
        words(whom) {
            switch (this.state) {
                case 'asking': return `Asking the ${whom} …`;
                case 'told': return `The ${whom} knows no more of this day.`;
                case 'silent': return whom === 'recorder' ? 'No recorder has answered.' : `The ${whom} has not answered.`;
                case 'refused': return `The ${whom} did not tell: ${this.error}.`;
                case 'absent': return `The ${whom} is not connected.`;
                default: return '';
            }
        }
    }

    odograph.Question = Question;
})(globalThis.odograph ??= {});
