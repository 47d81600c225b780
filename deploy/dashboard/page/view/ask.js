(function (odograph) {
    'use strict';

    const { element, say, byID } = odograph.dom;

    /** A question that has to be answered before the page goes on. */
    class Ask {
        #resolve = () => {};

        constructor() {
            this.dialog = byID('ask');
            this.title = element('h2', { id: 'ask-title' });
            this.words = element('div', { class: 'ask-words' });
            this.no = element('button', { type: 'button', class: 'quiet', onclick: () => this.#end(false) }, 'Cancel');
            this.yes = element('button', { type: 'button', onclick: () => this.#end(true) });
            this.dialog.append(this.title, this.words, element('div', { class: 'choices' }, this.no, this.yes));
            this.dialog.addEventListener('cancel', () => this.#resolve(false));
        }

        /**
         * @param {{title: string, words?: Array<Node | string>, yes: string, no?: string}} question
         * @returns {Promise<boolean>} whether the answer is `yes`
         */
        ask({ title, words = [], yes, no = 'Cancel' }) {
            say(this.title, title);
            this.words.replaceChildren(...words);
            say(this.yes, yes);
            say(this.no, no);
            this.dialog.showModal();
            // Enter must not answer what nobody has read.
            this.no.focus();
            return new Promise((resolve) => { this.#resolve = resolve; });
        }

        #end(isYes) {
            this.dialog.close();
            this.#resolve(isYes);
        }
    }

    odograph.Ask = Ask;
})(globalThis.odograph ??= {});
