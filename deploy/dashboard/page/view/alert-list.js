(function (odograph) {
    'use strict';

    const { element, mark, say, set, byID } = odograph.dom;

    const kinds = {
        silent: 'mark-silent', refused: 'sign-behind', battery: 'sign-battery', overspeed: 'sign-speed', geofence: 'sign-fence',
        driving: 'sign-speed', beacon: 'sign-fence', tow: 'sign-speed', gap: 'sign-behind', problem: 'sign-problem',
        certificate: 'sign-certificate', 'no-position': 'mark-unknown', service: 'sign-service',
    };

    /** The list of alerts, which opens from a button of the top. */
    class AlertList {
        #shown = '';
        #fences = '';

        /**
         * @param {{onSelect: (alert: Alert) => void, onAcknowledge: (keys: string[]) => void, onAcknowledgeAll: (keys: string[]) => void,
         *     onToggle: () => void,
         *     onFence: (id: string, isChosen: boolean) => void, onBeacons: (isChosen: boolean) => void, onNotify: (isWanted: boolean) => void}} wishes
         */
        constructor(wishes) {
            this.wishes = wishes;
            this.alerts = [];
            this.button = byID('alerts-button');
            this.count = byID('alerts-count');
            this.box = byID('alerts');
            this.list = element('ul', { class: 'alert-list' });
            this.empty = element('p', { class: 'soft' }, 'Nothing needs attention.');
            this.all = element('button', { type: 'button', class: 'minor', onclick: () => wishes.onAcknowledgeAll(
                this.alerts.filter(({ isAcknowledged }) => !isAcknowledged).map(({ key }) => key)) }, 'Acknowledge all');
            this.withOld = element('input', { type: 'checkbox', onchange: () => this.#draw() });
            this.notify = element('input', { type: 'checkbox', onchange: ({ target }) => wishes.onNotify(target.checked) });
            this.beacons = element('input', { type: 'checkbox', onchange: ({ target }) => wishes.onBeacons(target.checked) });
            this.note = element('p', { class: 'soft', role: 'status' });
            this.failure = element('p', { class: 'bad', role: 'status', hidden: true });
            this.fences = element('div', { class: 'fence-choices' });
            const close = element('button', { type: 'button', class: 'plain', 'aria-label': 'Close the alerts', title: 'Close',
                onclick: wishes.onToggle }, '✕');
            this.box.append(
                element('header', {}, element('h2', {}, 'Alerts'), this.all, close), this.failure, this.empty, this.list,
                element('div', { class: 'alert-options' },
                    element('label', {}, this.withOld, ' Show acknowledged ones'),
                    element('label', {}, this.notify, ' Notify me in the browser'), this.note,
                    element('label', {}, this.beacons, ' Alert when a beacon comes aboard or leaves'),
                    element('details', {}, element('summary', {}, 'Geofences that alert'), this.fences)));
            this.button.addEventListener('click', wishes.onToggle);
        }

        get isShown() {
            return !this.box.hidden;
        }

        /** @param {boolean} isShown @param {boolean} isByKey whether the focus goes with it */
        open(isShown, isByKey = false) {
            this.box.hidden = !isShown;
            set(this.button, 'aria-expanded', isShown ? 'true' : 'false');
            if (isShown) this.box.focus();
            else if (isByKey) this.button.focus();
        }

        /** Says why an acknowledgement has failed. @param {string} words empty for nothing */
        tell(words) {
            this.failure.hidden = words === '';
            say(this.failure, words);
        }

        /** @param {{isWanted: boolean, words: string}} notification whether the browser notifies, and if not, why */
        showNotification({ isWanted, words }) {
            this.notify.checked = isWanted;
            say(this.note, words);
        }

        /** @param {boolean} isChosen whether beacons alert */
        showBeacons(isChosen) {
            this.beacons.checked = isChosen;
        }

        /** @param {Array<Alert & {isAcknowledged: boolean}>} alerts @param {number} now */
        show(alerts, now) {
            Object.assign(this, { alerts, now });
            const open = alerts.filter(({ isAcknowledged }) => !isAcknowledged).length;
            say(this.count, open > 99 ? '99+' : String(open));
            set(this.button, 'data-open', open > 0 ? '' : null);
            this.#draw();
        }

        /** @param {Map<string, string>} names by identifier @param {Set<string>} chosen */
        showFences(names, chosen) {
            const key = JSON.stringify([[...names], [...chosen]]);
            if (key === this.#fences) return;
            this.#fences = key;
            const ids = [...names].sort(([, one], [, other]) => one.localeCompare(other));
            this.fences.replaceChildren(...(ids.length === 0 ? [element('p', { class: 'soft' }, 'There are none.')] : ids.map(([id, name]) => {
                const box = element('input', { type: 'checkbox', onchange: ({ target }) => this.wishes.onFence(id, target.checked) });
                box.checked = chosen.has(id);
                return element('label', {}, box, ` ${name}`);
            })));
        }

        #draw() {
            const shown = this.alerts.filter(({ isAcknowledged }) => !isAcknowledged || this.withOld.checked);
            this.empty.hidden = shown.length > 0;
            this.all.hidden = !this.alerts.some(({ isAcknowledged }) => !isAcknowledged);
            if (!this.isShown) return;
            const key = JSON.stringify(shown.map((alert) => [alert.key, alert.words, alert.isAcknowledged, alert.recorded?.acknowledgement, this.#time(alert)]));
            if (key === this.#shown) return;
            this.#shown = key;
            const focused = [...this.list.querySelectorAll('button')].indexOf(document.activeElement);
            this.list.replaceChildren(...shown.map((alert) => this.#item(alert)));
            if (focused >= 0) {
                const buttons = this.list.querySelectorAll('button');
                (buttons[Math.min(focused, buttons.length - 1)] ?? this.box).focus();
            }
        }

        #time({ at }) {
            return odograph.format.timeOrDay(at, this.now);
        }

        #item(alert) {
            const { key, kind, name, words, isAcknowledged, recorded } = alert;
            const { person, at } = recorded?.acknowledgement ?? {};
            const time = at ? `, ${odograph.format.timeOrDay(at, this.now)}` : '';
            const open = element('button', { type: 'button', class: 'alert-open', onclick: () => this.wishes.onSelect(alert) },
                element('span', { class: 'name' }, name), element('span', { class: 'heard' }, this.#time(alert)),
                element('span', { class: 'words' }, words),
                person === undefined ? null : element('span', { class: 'words' }, `Acknowledged by ${person}${time}`));
            const done = isAcknowledged ? null : element('button', {
                type: 'button', class: 'plain', 'aria-label': `Acknowledge: ${name}, ${words}`, title: 'Acknowledge',
                onclick: () => this.wishes.onAcknowledge([key]),
            }, '✓');
            return element('li', { 'data-alert': kind, class: isAcknowledged ? 'acknowledged' : null },
                element('span', { class: 'alert-kind', title: odograph.alertWords.kindWords[kind] }, mark(kinds[kind]),
                    element('span', { class: 'hidden' }, odograph.alertWords.kindWords[kind])), open, done);
        }
    }

    odograph.AlertList = AlertList;
})(globalThis.odograph ??= {});
