(function (odograph) {
    'use strict';

    /** Acknowledged alerts that the browser keeps. */
    const mostKept = 2000;
    /** Notifications that one look at the fleet gives at most; further ones are counted in the last. */
    const mostNotifications = 3;
    /** What the broker has retained arrives in this time after a connection, and is no news, milliseconds. */
    const settlingMilliseconds = 10000;

    /** The alerts put together: what needs attention, the list, what the browser keeps, and notifications. */
    class AlertDesk {
        /** @param {{onSelect: (vehicle: Vehicle) => void, onChange: () => void}} wishes */
        constructor({ onSelect, onChange }) {
            this.onChange = onChange;
            this.settledAt = Infinity;
            const kept = odograph.memory.read('acknowledged', []);
            this.alerts = new odograph.Alerts(Array.isArray(kept) ? kept.filter((pair) => Array.isArray(pair)) : []);
            const fences = odograph.memory.read('alerting geofences', []);
            this.chosenFences = new Set(Array.isArray(fences) ? fences.map(String) : []);
            this.areBeaconsChosen = odograph.memory.read('alerting beacons', false) === true;
            this.list = new odograph.AlertList({
                onSelect, onAcknowledge: (keys) => this.#acknowledge(keys), onToggle: () => this.toggle(),
                onFence: (id, isChosen) => this.#choose(id, isChosen), onBeacons: (isChosen) => this.#chooseBeacons(isChosen),
                onNotify: (isWanted) => this.#wantNotifications(isWanted),
            });
            this.isNotifying = odograph.memory.read('notifications', false) === true && this.#permission() === 'granted';
            this.list.showNotification({ isWanted: this.isNotifying, words: '' });
            this.list.showBeacons(this.areBeaconsChosen);
        }

        get isShown() {
            return this.list.isShown;
        }

        /** A session with the broker begins. @param {number} now */
        settle(now) {
            this.settledAt = now + settlingMilliseconds;
        }

        /** Opens or closes the list. @param {boolean} isByKey */
        toggle(isByKey = false) {
            this.list.open(!this.list.isShown, isByKey);
            this.onChange();
        }

        /** @param {object[]} entries of the fleet @param {{now: number, fenceNames: Map<string, string>}} circumstances */
        show(entries, { now, fenceNames }) {
            const { chosenFences, areBeaconsChosen } = this;
            const { alerts, fresh } = this.alerts.read(entries, { now, fenceNames, chosenFences, areBeaconsChosen });
            this.list.showFences(fenceNames, chosenFences);
            this.list.show(alerts, now);
            if (this.isNotifying && now >= this.settledAt) this.#notify(fresh);
        }

        #acknowledge(keys) {
            this.alerts.acknowledge(keys, Date.now());
            odograph.memory.write('acknowledged', this.alerts.toSave(mostKept));
            this.onChange();
        }

        #choose(id, isChosen) {
            if (isChosen) this.chosenFences.add(id);
            else this.chosenFences.delete(id);
            odograph.memory.write('alerting geofences', [...this.chosenFences]);
            this.onChange();
        }

        #chooseBeacons(isChosen) {
            this.areBeaconsChosen = isChosen;
            odograph.memory.write('alerting beacons', isChosen);
            this.onChange();
        }

        /** A browser has notifications in secure contexts only. */
        #permission() {
            return typeof Notification === 'undefined' || !window.isSecureContext ? 'missing' : Notification.permission;
        }

        async #wantNotifications(isWanted) {
            let permission = this.#permission();
            if (isWanted && permission === 'default') permission = await Notification.requestPermission();
            this.isNotifying = isWanted && permission === 'granted';
            odograph.memory.write('notifications', this.isNotifying);
            const reasons = {
                missing: 'This browser notifies only for pages over https or of this machine.',
                denied: 'The browser has forbidden notifications of this page. Allow them in its settings.',
            };
            const words = isWanted && !this.isNotifying ? reasons[permission] ?? 'The browser has not allowed notifications.' : '';
            this.list.showNotification({ isWanted: this.isNotifying, words });
        }

        #notify(fresh) {
            fresh.slice(0, mostNotifications).forEach(({ key, name, words, vehicle }, index) => {
                const more = index === mostNotifications - 1 && fresh.length > mostNotifications
                    ? ` (and ${fresh.length - mostNotifications} more alerts)` : '';
                const notification = new Notification(name, { body: `${words}${more}`, tag: key });
                notification.onclick = () => {
                    window.focus();
                    this.list.wishes.onSelect(vehicle);
                };
            });
        }
    }

    odograph.AlertDesk = AlertDesk;
})(globalThis.odograph ??= {});
