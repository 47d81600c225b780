(function (odograph) {
    'use strict';

    const { element, say } = odograph.dom;

    /** How long the button says that it has copied, milliseconds. */
    const saidMilliseconds = 2000;

    /** Copies a text. The browser's clipboard is there in secure contexts only. @returns {Promise<boolean>} */
    async function copy(text) {
        try {
            await navigator.clipboard.writeText(text);
            return true;
        } catch {
            const box = element('textarea', { class: 'hidden', 'aria-hidden': 'true' });
            box.value = text;
            document.body.append(box);
            box.select();
            const isCopied = document.execCommand('copy');
            box.remove();
            return isCopied;
        }
    }

    /** The terms and words of the present. Rows stay while their words change, so that buttons can be pressed. */
    class NowList {
        #rows = new Map();
        #terms = '';
        #place = '';

        constructor() {
            this.node = element('dl');
            this.link = element('a', { title: 'Open in a map program (geo: link)' }, 'Open');
            this.button = element('button', { type: 'button', class: 'minor', title: 'Copy the position', onclick: () => (
                this.#copy()) }, 'Copy');
        }

        async #copy() {
            const { button } = this;
            const isCopied = await copy(this.#place.replace(',', ', '));
            say(button, isCopied ? 'Copied' : 'Not possible');
            setTimeout(() => say(button, 'Copy'), saidMilliseconds);
            button.focus();
        }

        /** @param {Array<{term: string, words: string, place?: string}>} lines */
        show(lines) {
            const terms = JSON.stringify(lines.map(({ term }) => term));
            if (terms !== this.#terms) {
                this.#terms = terms;
                this.#rows = new Map(lines.map((line) => [line.term, this.#row(line)]));
                this.node.replaceChildren(...[...this.#rows.values()].map(({ node }) => node));
            }
            for (const { term, words, place } of lines) {
                say(this.#rows.get(term).words, words);
                if (place === undefined) continue;
                this.#place = place;
                this.link.href = `geo:${place}`;
            }
        }

        #row({ term, place }) {
            const words = element('span');
            const tools = place === undefined ? null : element('span', { class: 'tools-of-place' }, this.button, this.link);
            return { words, node: element('div', {}, element('dt', {}, term), element('dd', {}, words, ' ', tools)) };
        }
    }

    odograph.NowList = NowList;
})(globalThis.odograph ??= {});
