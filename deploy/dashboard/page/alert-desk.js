(function (odograph) {
    'use strict';

    /** Acknowledged alerts that the browser keeps. */
    const mostKept = 2000;
    /** Notifications that one look at the fleet gives at most; further ones are counted in the last. */
    const mostNotifications = 3;
    /** How far back a recorder is asked for its alerts, milliseconds. */
    const pastMilliseconds = 3 * 86400000;
    /** The times between two questions to a recorder, while somebody looks at the list and else, milliseconds. */
    const [lookMilliseconds, restMilliseconds] = [60000, 300000];
    /** Alerts of a fleet that a recorder is asked for, the newest ones. */
    const mostRecorded = 1000;
    /** Alerts that one request acknowledges. */
    const mostTogether = 50;
    /** What the broker has retained arrives in this time after a connection, and is no news, milliseconds. */
    const settlingMilliseconds = 10000;

    /** The alerts put together: what needs attention, the list, what the browser keeps, and notifications. */
    class AlertDesk {
        /** When the recorders of a fleet were asked for their alerts. @type {Map<string, number>} */
        #askedAt = new Map();

        /**
         * @param {{onSelect: (alert: Alert) => void, onChange: () => void, ask: (fleet: string, request: object) =>
         *     Promise<{rows: ?object[], error: ?string}>, confirm: (question: object) => Promise<boolean>}} wishes `ask`: asks the
         *     recorders of a fleet; `confirm`: asks the person
         */
        constructor({ onSelect, onChange, ask, confirm }) {
            Object.assign(this, { onChange, ask, confirm });
            this.recorded = new odograph.RecordedAlerts();
            this.settledAt = Infinity;
            const kept = odograph.memory.read('acknowledged', []);
            this.alerts = new odograph.Alerts(Array.isArray(kept) ? kept.filter((pair) => Array.isArray(pair)) : []);
            const fences = odograph.memory.read('alerting geofences', []);
            this.chosenFences = new Set(Array.isArray(fences) ? fences.map(String) : []);
            this.areBeaconsChosen = odograph.memory.read('alerting beacons', false) === true;
            this.list = new odograph.AlertList({
                onSelect: (alert) => this.#open(alert, onSelect), onAcknowledge: (keys) => this.#acknowledge(keys),
                onAcknowledgeAll: (keys) => this.#acknowledgeAll(keys), onToggle: () => this.toggle(),
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
            this.#askedAt.clear();
        }

        /** Asks the recorders for their alerts when it is time to. @param {Iterable<string>} fleets @param {number} now */
        refresh(fleets, now) {
            const wait = this.isShown ? lookMilliseconds : restMilliseconds;
            for (const fleet of fleets) {
                if (now - (this.#askedAt.get(fleet) ?? -Infinity) < wait) continue;
                this.#askedAt.set(fleet, now);
                this.#fetch(fleet, now);
            }
        }

        async #fetch(fleet, now) {
            const iso = (at) => new Date(at).toISOString();
            // The clock of this machine may be behind.
            const { rows } = await this.ask(fleet, {
                kind: 'alerts', from: iso(now - pastMilliseconds), to: iso(now + 3600000), limit: mostRecorded,
            });
            if (rows === null) return;
            this.recorded.replace(fleet, rows);
            this.onChange();
        }

        /** Opens or closes the list. @param {boolean} isByKey */
        toggle(isByKey = false) {
            this.list.open(!this.list.isShown, isByKey);
            this.list.tell('');
            this.onChange();
        }

        /** @param {object[]} entries of the fleet @param {{now: number, fenceNames: Map<string, string>}} circumstances */
        show(entries, { now, fenceNames }) {
            const { chosenFences, areBeaconsChosen } = this;
            const recorded = this.recorded.all();
            const { alerts, fresh } = this.alerts.read(entries, { now, fenceNames, chosenFences, areBeaconsChosen, recorded });
            this.shown = new Map(alerts.map((alert) => [alert.key, alert]));
            this.list.showFences(fenceNames, chosenFences);
            this.list.show(alerts, now);
            if (this.isNotifying && now >= this.settledAt) this.#notify(fresh);
        }

        /** The list would cover the vehicle that it opens. */
        #open(alert, onSelect) {
            if (this.isShown) this.toggle();
            onSelect(alert);
        }

        #isKept(key) {
            return Boolean(this.shown.get(key)?.recorded);
        }

        /** Asks first if the alerts are also those of others: nobody can take it back. */
        async #acknowledgeAll(keys) {
            const kept = keys.filter((key) => this.#isKept(key)).length;
            const own = keys.length - kept;
            const alerts = (count) => `${count} alert${count === 1 ? '' : 's'}`;
            const isWanted = kept === 0 || await this.confirm({
                title: `Acknowledge ${alerts(kept)} for everybody?`,
                words: own === 0 ? [] : [`And ${alerts(own)} in this browser only.`], yes: 'Acknowledge all',
            });
            if (isWanted) this.#acknowledge(keys);
        }

        #acknowledge(keys) {
            const isKept = (key) => this.#isKept(key);
            this.alerts.acknowledge(keys.filter((key) => !isKept(key)), Date.now());
            odograph.memory.write('acknowledged', this.alerts.toSave(mostKept));
            this.onChange();
            const identifiers = new Map();
            for (const { vehicle: { fleet }, recorded } of keys.filter(isKept).map((key) => this.shown.get(key))) {
                identifiers.set(fleet, [...identifiers.get(fleet) ?? [], recorded.id]);
            }
            for (const [fleet, alerts] of identifiers) this.#acknowledgeRecorded(fleet, alerts);
        }

        /** A recorder keeps who has acknowledged its alerts, for all pages. */
        async #acknowledgeRecorded(fleet, identifiers) {
            for (let first = 0; first < identifiers.length; first += mostTogether) {
                const alerts = identifiers.slice(first, first + mostTogether);
                const { rows, error } = await this.ask(fleet, { kind: 'acknowledge', alerts });
                if (rows !== null) this.recorded.update(fleet, rows);
                this.list.tell(rows !== null ? '' : `Not acknowledged: ${error ?? 'no recorder has answered'}.`);
                this.onChange();
                if (rows === null) return;
            }
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
            fresh.slice(0, mostNotifications).forEach((alert, index) => {
                const { key, name, words } = alert;
                const more = index === mostNotifications - 1 && fresh.length > mostNotifications
                    ? ` (and ${fresh.length - mostNotifications} more alerts)` : '';
                const notification = new Notification(name, { body: `${words}${more}`, tag: key });
                notification.onclick = () => {
                    window.focus();
                    this.list.wishes.onSelect(alert);
                };
            });
        }
    }

    odograph.AlertDesk = AlertDesk;
})(globalThis.odograph ??= {});
