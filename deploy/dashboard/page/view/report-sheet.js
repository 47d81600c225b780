(function (odograph) {
    'use strict';

    const { element, say, set } = odograph.dom;

    /** Characters; a longer text of a table breaks into lines, as a list of vehicles. */
    const longText = 40;

    const choice = (label, options, onchange) => {
        const select = element('select', { onchange }, options.map(({ value, words }) => element('option', { value }, words)));
        return { select, node: element('label', { class: 'field' }, element('span', {}, label), select) };
    };

    /** The page's reports: a form, and a table that can be printed. */
    class ReportSheet {
        /** @param {HTMLElement} box @param {{onClose: () => void, onRun: (wish: object) => void, onStop: () => void, onSave: () => void}} wishes */
        constructor(box, wishes) {
            Object.assign(this, { box, wishes });
            this.kind = choice('Report', odograph.report.kinds.map(({ id, words }) => ({ value: id, words })), () => this.#adapt());
            this.of = choice('Of', [], () => {});
            this.period = choice('Period', [{ value: 'date', words: 'Day' }, { value: 'month', words: 'Month' }], () => this.#adapt());
            this.date = element('input', { type: 'date', required: true });
            this.month = element('input', { type: 'month', required: true });
            this.odometer = element('input', { type: 'checkbox', checked: true });
            this.withOdometer = element('label', { class: 'check' }, this.odometer, ' With the odometer');
            this.run = element('button', { type: 'submit', class: 'main' }, 'Make the report');
            this.stop = element('button', { type: 'button', class: 'minor', hidden: true, onclick: wishes.onStop }, 'Stop');
            this.note = element('p', { class: 'soft', role: 'status' });
            this.print = element('button', { type: 'button', class: 'minor', onclick: () => window.print() }, 'Print');
            this.save = element('button', { type: 'button', class: 'minor', onclick: wishes.onSave }, 'CSV');
            this.tools = element('p', { class: 'actions', hidden: true }, this.print, this.save);
            this.result = element('div', { class: 'report-result' });
            const dates = [['Day', this.date], ['Month', this.month]].map(([label, input]) => element('label', { class: 'field' }, element('span', {}, label), input));
            [this.dateField, this.monthField] = dates;
            box.append(element('header', {}, element('h2', { id: 'reports-title' }, 'Reports'),
                element('button', { type: 'button', class: 'plain', 'aria-label': 'Close the reports', title: 'Close', onclick: wishes.onClose }, '✕')),
            element('form', { onsubmit: (event) => this.#submit(event) }, this.kind.node, this.of.node, this.period.node, ...dates, this.withOdometer, this.run, this.stop),
            this.note, this.tools, this.result);
            this.#adapt();
        }

        #adapt() {
            const isMonth = this.period.select.value === 'month';
            [this.dateField.hidden, this.monthField.hidden] = [isMonth, !isMonth];
            [this.date.disabled, this.month.disabled] = [isMonth, !isMonth];
            this.withOdometer.hidden = this.kind.select.value !== 'distances';
        }

        #submit(event) {
            event.preventDefault();
            this.wishes.onRun({
                kind: this.kind.select.value, of: this.of.select.value, value: this.period.select.value === 'month' ? this.month.value : this.date.value,
                hasOdometer: this.odometer.checked,
            });
        }

        /** @param {Array<{value: string, words: string}>} options @param {string} chosen @param {string} today */
        open(options, chosen, today) {
            this.of.select.replaceChildren(...options.map(({ value, words }) => element('option', { value }, words)));
            this.of.select.value = chosen;
            if (this.date.value === '') [this.date.value, this.month.value] = [today, today.slice(0, 7)];
            [this.date.max, this.month.max] = [today, today.slice(0, 7)];
            this.box.hidden = false;
            this.box.focus();
        }

        /** @param {string} words @param {{isBusy?: boolean, isBad?: boolean}} state */
        tell(words, { isBusy = false, isBad = false } = {}) {
            say(this.note, words);
            set(this.note, 'class', isBad ? 'bad' : 'soft');
            [this.run.disabled, this.stop.hidden] = [isBusy, !isBusy];
        }

        /** @param {?{title: string, subtitle: string, columns: Array<{words: string, isNumber: boolean}>, rows: Cell[][], total: Cell[]}} table null: none */
        show(table) {
            this.tools.hidden = table === null;
            if (table === null) {
                this.result.replaceChildren();
                return;
            }
            const { title, subtitle, columns, rows, total } = table;
            const classOf = (words, index) => (columns[index].isNumber ? 'number' : words.length > longText ? 'long' : null);
            const cells = (row, tag) => row.map(odograph.report.wordsOf).map((words, index) => element(index === 0 ? 'th' : tag, { scope: index === 0 ? 'row' : null, class: classOf(words, index) }, words));
            this.result.replaceChildren(element('h3', {}, title), element('p', { class: 'soft' }, subtitle),
                element('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': title }, element('table', {},
                    element('thead', {}, element('tr', {}, columns.map(({ words, isNumber }) => element('th', { scope: 'col', class: isNumber ? 'number' : null }, words)))),
                    element('tbody', {}, rows.map((row) => element('tr', {}, cells(row, 'td')))),
                    element('tfoot', {}, element('tr', {}, cells(total, 'td'))))));
        }
    }

    odograph.ReportSheet = ReportSheet;
})(globalThis.odograph ??= {});
