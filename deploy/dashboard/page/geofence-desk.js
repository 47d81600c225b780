(function (odograph) {
    'use strict';

    const { byID, set } = odograph.dom;
    const { readSet, identifierOf } = odograph.geofenceSet;
    const { disputesOf, merged, plainChoices } = odograph.geofenceMerge;
    const { readFence } = odograph.geofences;

    /** The radius of a new circle, pixels of the map. */
    const newPixels = 60;
    /** So near to the first corner a click ends an area, and so near to another one it is the same, pixels. */
    const [reach, samePixels] = [12, 4];
    const fewestCorners = 3;
    /** The second click of a double click comes within this time, milliseconds. */
    const doubleClickMilliseconds = 600;
    /** Names in the order of the list of vehicles: van-2 before van-10. */
    const { byName } = odograph.roster;
    /** A topic that no vehicle listens to: who may publish there may publish geofences. See `#askRights`. */
    const rightsLevel = 'rights:geofences';
    const refusal = 'This login may not change geofences: the broker refuses it. A login with the role operator may.';

    /** Without a keyboard its keys are no help, and the words would cover a small map. */
    const isTouched = () => window.matchMedia('(pointer: coarse)').matches;
    const centreWords = () => (isTouched() ? 'Tap the centre of the circle.'
        : 'Click the centre of the circle, or move the map under the cross and press Enter. Escape gives it up.');

    /** @param {number} length corners that there are @returns {string} what to do */
    function cornerWords(length) {
        const [touch, key] = isTouched() ? ['Tap', 'Undo'] : ['Click', 'Backspace'];
        const next = length < fewestCorners ? `${touch} corner ${length + 1} of the area`
            : `${touch} the next corner, or the dot of the first one to finish`;
        return [
            next, isTouched() ? '.' : ', or move the map under the cross and press Enter.',
            length === 0 ? '' : ` ${key} takes the last corner back.`, isTouched() ? '' : ' Escape gives it up.',
        ].join('');
    }

    /** The editor put together: a draft of the set of one level, the map, the list, and what others do meanwhile. */
    class GeofenceDesk {
        /** Counts what is drawn differently. */
        version = 0;
        #mayWrite = new Map();
        /** Identifiers that the documents of each topic have had since the page was opened. */
        #sentBefore = new Map();
        #corners = [];
        #zoomTimer = null;

        /**
         * @param {{fleet: Fleet, map: FleetMap, picker: PlacePicker, ask: Ask, link: () => Link, onChange: () => void, onClose: () => void}} parts
         */
        constructor(parts) {
            Object.assign(this, parts);
            this.button = byID('geofences-button');
            this.box = byID('editor');
            this.handles = new odograph.FenceHandles(this.map.map, () => this.#edited());
            this.editor = new odograph.GeofenceEditor(this.box, {
                onClose: () => this.close(), onLevel: (key) => this.#changeLevel(key), onNew: (kind) => this.#begin(kind),
                onUndo: () => this.#undo(), onRedo: () => this.#edit(() => this.draft.redo()),
                onChoose: (id) => this.#choose(id), onEdit: (act) => this.#edit(act), onShow: () => this.#reveal(),
                onLook: (place) => this.map.reveal(place), moved: (place, by) => this.map.moved(place, by),
                onReview: () => this.#turn('review'), onBack: () => this.#turn('edit'), onDiscard: () => this.#discard(),
                onSend: () => this.#send(), onChoice: (id, version) => this.#decide(id, version), onMerge: () => this.#merge(),
            });
            this.#reset();
            window.addEventListener('beforeunload', (event) => { if (this.isChanged) event.preventDefault(); });
            document.addEventListener('keydown', (event) => this.#key(event));
            this.map.map.on('dblclick', () => this.#keepName());
        }

        #reset() {
            Object.assign(this, {
                isOpen: false, fleetName: '', level: '', draft: null, mode: 'edit', note: '', isBad: false, disputes: [], choices: new Map(),
                rival: '', other: null, sent: null, wantsFocus: false, wantsName: false,
            });
        }

        get isChanged() {
            return this.draft !== null && this.draft.changes > 0;
        }

        get #topic() {
            return `${this.fleet.settings.root}/${this.fleetName}/${this.level}/geofences`;
        }

        /** Opens the set of a level. @param {string} fleetName @param {string} level */
        open(fleetName, level) {
            this.#endPicking();
            Object.assign(this, { isOpen: true, fleetName, level, mode: 'edit', sent: null, disputes: [], choices: new Map(), other: null });
            this.#take(this.fleet.fences.documentOf(fleetName, level));
            set(this.button, 'aria-pressed', 'true');
            this.#askRights();
            this.#redraw();
            this.wantsFocus = true;
        }

        /** Begins with the document of the broker. */
        #take({ payload }) {
            const isReadable = readSet(payload) !== null;
            this.draft = this.#draftOf(isReadable ? payload : '');
            this.#say(isReadable ? '' : 'The set at the broker is no GeoJSON. What you send replaces it.', !isReadable);
            if (!isReadable) this.draft.base = payload;
        }

        #draftOf(payload) {
            const topic = this.#topic;
            if (!this.#sentBefore.has(topic)) this.#sentBefore.set(topic, new Set());
            return new odograph.GeofenceDraft(payload, this.#sentBefore.get(topic), () => this.#others());
        }

        /** @returns {Promise<boolean>} whether it is closed: changes are not given up without a question */
        async close() {
            if (!this.isOpen || !await this.#mayGiveUp()) return !this.isOpen;
            this.#endPicking();
            this.#reset();
            this.handles.show(null);
            set(this.button, 'aria-pressed', 'false');
            this.#redraw();
            this.onClose();
            return true;
        }

        async #mayGiveUp() {
            if (!this.isChanged) return true;
            return this.ask.ask({
                title: 'Give up the changes?', words: [`${this.draft.changes} of the geofences of ${this.levelWords} were changed and not sent.`],
                yes: 'Give up', no: 'Go on editing',
            });
        }

        async #changeLevel(key) {
            const [fleetName, level] = JSON.parse(key);
            if (await this.#mayGiveUp()) this.open(fleetName, level);
            else this.onChange();
        }

        async #discard() {
            if (await this.#mayGiveUp()) this.open(this.fleetName, this.level);
        }

        /**
         * Whether the login may publish geofences. Only the broker knows: it is asked by a message that nobody gets, on a
         * topic to which the same rule applies.
         */
        async #askRights() {
            const { fleetName } = this;
            if (this.#mayWrite.has(fleetName)) return;
            const outcome = await this.link().write(`${this.fleet.settings.root}/${fleetName}/${rightsLevel}/geofences`, '', false);
            if (outcome !== 'unknown') this.#mayWrite.set(fleetName, outcome === 'done');
            if (outcome === 'refused') this.#say(refusal, true);
            this.onChange();
        }

        /** A session begins: the login can be another one. */
        forgetRights() {
            this.#mayWrite.clear();
            if (this.isOpen) this.#askRights();
        }

        #say(note, isBad = false) {
            Object.assign(this, { note, isBad });
        }

        #redraw() {
            this.version += 1;
            this.handles.show(this.mode === 'edit' && this.#mayWrite.get(this.fleetName) !== false ? this.draft : null);
            this.handles.showStart(this.#corners[0] ?? null);
            this.onChange();
        }

        #edited() {
            this.#forgetNote();
            this.#redraw();
        }

        /** What was said of the work before is over; a warning stays. */
        #forgetNote() {
            if (this.sent !== null) this.sent.isOver = true;
            if (!this.isBad) this.#say('');
        }

        #edit(act) {
            act();
            this.draft.pause();
            this.#edited();
        }

        #choose(id) {
            // A new name has changed the identifier while the old one was clicked.
            if (!this.draft.features.some((feature) => identifierOf(feature) === id)) return;
            this.draft.chosen = id;
            this.#reveal();
            this.#redraw();
        }

        #reveal() {
            const { feature } = this.draft;
            if (feature === null) return;
            const fence = readFence(feature, this.level);
            if (fence !== null) this.map.revealFence(fence);
        }

        #turn(mode) {
            this.#endPicking();
            if (mode === 'review') this.#forgetNote();
            this.mode = mode;
            this.#redraw();
        }

        /** Identifiers of the other levels: of two equal ones, that of the later level is in force. */
        #others() {
            return new Set(this.fleet.fences.all().map(({ id }) => id));
        }

        /** @param {'circle' | 'area'} kind */
        #begin(kind) {
            this.#endPicking();
            this.#forgetNote();
            byID('map').focus();
            if (kind === 'area') this.#pickCorner();
            else {
                this.#pick(centreWords(), (place) => {
                    this.#finish(() => this.draft.addCircle(place, this.map.metersOf(newPixels, place)));
                });
            }
            this.#redraw();
        }

        /** A double click is two clicks here, and must not zoom. */
        #pick(words, onPlace) {
            clearTimeout(this.#zoomTimer);
            this.#zoomTimer = null;
            this.map.map.doubleClickZoom.disable();
            this.picker.begin(words, onPlace);
        }

        #endPicking() {
            this.#corners = [];
            if (!this.picker.isActive) return;
            this.picker.end();
            // The click that has ended it can be the first one of two.
            this.#zoomTimer = setTimeout(() => {
                this.#zoomTimer = null;
                this.map.map.doubleClickZoom.enable();
            }, doubleClickMilliseconds);
        }

        /** What is drawn gets its name next. */
        #finish(add) {
            this.#endPicking();
            this.wantsName = true;
            this.#edit(add);
        }

        /** The second click of a double click has taken the focus from the name. */
        #keepName() {
            if (this.#zoomTimer === null || !this.isOpen) return;
            this.wantsName = true;
            this.onChange();
        }

        #pickCorner() {
            this.#pick(cornerWords(this.#corners.length), (place) => this.#putCorner(place));
        }

        #putCorner(place) {
            const corners = this.#corners;
            const isAt = (corner, pixels) => corner !== undefined && this.map.pixelsBetween(corner, place) < pixels;
            if (corners.length >= fewestCorners && isAt(corners[0], reach)) this.#finish(() => this.draft.addArea(corners));
            else if (!isAt(corners[0], samePixels) && !isAt(corners.at(-1), samePixels)) this.#setCorners([...corners, place]);
        }

        #setCorners(corners) {
            this.#corners = corners;
            this.#redraw();
            this.#pickCorner();
        }

        /** @returns {boolean} whether there was a corner to take back */
        #dropCorner() {
            if (this.#corners.length === 0) return false;
            this.#setCorners(this.#corners.slice(0, -1));
            return true;
        }

        #undo() {
            if (!this.#dropCorner()) this.#edit(() => this.draft.undo());
        }

        /** While corners are clicked, the focus is on the map. */
        #key(event) {
            if (event.defaultPrevented || event.target.matches('input, select, textarea')) return;
            const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
            if ((isUndo || event.key === 'Backspace') && this.#dropCorner()) event.preventDefault();
        }

        /** Ends what a person draws. @returns {boolean} whether there was something */
        cancel() {
            if (!this.isOpen || !this.picker.isActive) return false;
            this.#endPicking();
            this.#redraw();
            return true;
        }

        async #send() {
            const { draft } = this;
            const [payload, topic] = [draft.payload, this.#topic];
            this.mode = 'sending';
            this.#say('Sending…');
            this.onChange();
            const found = await this.link().retained(topic, draft.base !== '');
            if (draft !== this.draft) return;
            if (found === null) return this.#fail('There is no connection to the broker. Nothing was sent.');
            if (found !== draft.base && this.#dispute(draft.features, found)) return;
            const outcome = await this.link().write(topic, payload);
            if (draft !== this.draft) return;
            if (outcome === 'refused') return this.#fail(refusal);
            if (outcome === 'unknown') draft.noteSent(draft.features);
            if (outcome === 'unknown') return this.#fail('The broker has not confirmed it. It may have it, or not: send it again.');
            this.sent = { base: draft.set.features, before: draft.base, own: draft.features, payload };
            draft.rebase(payload, draft.features);
            this.mode = 'edit';
            this.#redraw();
        }

        #fail(words) {
            this.#say(words, true);
            this.#turn('edit');
        }

        /**
         * Lets the person choose between two versions, if they differ.
         * @param {object[]} own @param {string} found what the broker has
         * @returns {boolean} whether they differ
         */
        #dispute(own, found) {
            const other = readSet(found);
            if (other === null) {
                this.#fail('Meanwhile somebody has published a document that is no GeoJSON. Nothing was sent.');
                return true;
            }
            const disputes = disputesOf(this.draft.set.features, own, other.features);
            this.rival = this.#rival();
            if (disputes.length === 0) return false;
            Object.assign(this, { mode: 'conflict', disputes, choices: plainChoices(disputes), other: { payload: found, features: other.features, own } });
            this.#say(`${this.rival} has changed this set meanwhile. Nothing was sent.`, true);
            this.#redraw();
            return true;
        }

        /** Who has published the set that the broker has. */
        #rival() {
            return this.fleet.fences.documentOf(this.fleetName, this.level).sender ?? 'somebody else';
        }

        #decide(id, version) {
            this.choices = new Map(this.choices).set(id, version);
            this.onChange();
        }

        #merge() {
            const { other: { payload, features, own }, disputes, choices, draft } = this;
            draft.rebase(payload, merged(own, features, disputes, choices));
            Object.assign(this, { other: null, sent: null, mode: draft.changes > 0 ? 'review' : 'edit' });
            this.#say(draft.changes > 0 ? '' : 'The set is as the broker has it.');
            this.#redraw();
        }

        /** Looks whether somebody else has changed the set, and how far what was sent is in force. */
        look() {
            if (!this.isOpen) return;
            const { payload } = this.fleet.fences.documentOf(this.fleetName, this.level);
            if (payload !== this.draft.base && this.mode === 'edit' && readSet(payload) !== null) this.#meet(payload);
            if (this.sent?.payload === this.draft.base && !this.sent.isOver && this.mode === 'edit') this.#tellRollout();
        }

        #meet(payload) {
            const { draft, sent } = this;
            if (this.isChanged) {
                this.#say(`${this.#rival()} has changed this set since you opened it. You see both versions when you send yours.`, true);
                return;
            }
            // Two who send at once: who is first at the broker is told that the other has not seen it.
            const lost = sent === null ? [] : disputesOf(sent.base, sent.own, readSet(payload).features).filter(({ changedBy }) => changedBy !== 'other');
            if (lost.length > 0) {
                this.sent = null;
                // Its changes are to be sent once more.
                draft.rebase(sent.before, sent.own);
                this.#dispute(sent.own, payload);
                this.#say(`${this.rival} has replaced the set that you have sent, and your changes are not in it.`, true);
                return;
            }
            this.#say(`${this.#rival()} has changed this set; this is the new one.`);
            const { chosen } = draft;
            this.draft = this.#draftOf(payload);
            this.draft.chosen = chosen;
            this.sent = null;
            this.#redraw();
        }

        #tellRollout() {
            const hash = odograph.sha256(this.sent.payload);
            const vehicles = [...this.fleet.vehicles.values()].filter((vehicle) => (
                vehicle.fleet === this.fleetName && odograph.condition.levelsOf(vehicle).includes(this.level)));
            const confirmed = vehicles.filter(({ reported }) => reported?.geofences.levels.some((entry) => entry.level === this.level && entry.hash === hash));
            const isOne = vehicles.length === 1;
            const group = this.level.startsWith('group:') ? ` of ${this.levelWords}` : '';
            this.#say(`Sent. ${confirmed.length} of ${vehicles.length} vehicle${isOne ? '' : 's'}${group} report${isOne ? 's' : ''} it.`);
        }

        get levelWords() {
            if (this.level === 'all') return 'all vehicles';
            return this.level.startsWith('group:') ? `the group ${this.level.slice(6)}` : this.level;
        }

        /** The levels to choose from. */
        #levels() {
            const several = this.fleet.fleetNames.size > 1;
            const option = (fleetName, level, words) => ({ value: JSON.stringify([fleetName, level]), words: several ? `${fleetName}: ${words}` : words });
            const fleets = [...new Set([...this.fleet.fleetNames, this.fleetName])].sort(byName);
            const vehicles = [...this.fleet.vehicles.values()].sort((one, other) => byName(one.fleet, other.fleet) || byName(one.name, other.name));
            const groups = fleets.flatMap((name) => odograph.roster.groupNames(vehicles.filter(({ fleet }) => fleet === name))
                .map((group) => option(name, `group:${group}`, group)));
            return [
                { label: 'All vehicles', options: fleets.map((name) => option(name, 'all', 'All vehicles')) },
                { label: 'Groups', options: groups },
                { label: 'Vehicles', options: vehicles.map(({ fleet, name }) => option(fleet, name, name)) },
            ].filter(({ options }) => options.length > 0);
        }

        /** @param {boolean} isCovered a vehicle's panel lies over it */
        show(isCovered) {
            this.box.hidden = !this.isOpen || isCovered;
            if (!this.isOpen) return;
            this.look();
            if (this.wantsFocus && !isCovered) this.box.focus();
            this.wantsFocus = false;
            this.editor.showLevels(this.#levels(), JSON.stringify([this.fleetName, this.level]));
            this.editor.show({
                mode: this.mode, note: this.note, isBad: this.isBad, mayWrite: this.#mayWrite.get(this.fleetName) ?? null, draft: this.draft,
                singles: this.fleet.fences.singlesOf(this.fleetName, this.level), disputes: this.disputes, choices: this.choices,
                rival: this.rival, level: this.levelWords, hasCorners: this.#corners.length > 0,
            });
            if (this.wantsName && !isCovered) this.editor.focusName();
            this.wantsName = false;
        }

        /** The geofences as the map shows them: those of the draft in place of the set's. @param {Fence[]} fences @returns {Fence[]} */
        overlay(fences) {
            if (!this.isOpen) return fences;
            const singles = new Set(this.fleet.fences.singlesOf(this.fleetName, this.level).map(({ id }) => id));
            const others = fences.filter(({ fleet, level, id }) => fleet !== this.fleetName || level !== this.level || singles.has(id));
            const drawn = (features, more) => features.map((feature) => ({ fence: readFence(feature, this.level), id: identifierOf(feature) }))
                .filter(({ fence }) => fence !== null).map(({ fence, id }) => ({ ...fence, fleet: this.fleetName, isChosen: id === this.draft.chosen, ...more }));
            const own = drawn(this.other?.own ?? this.draft.features, {});
            const rivals = this.mode === 'conflict' ? drawn(this.other.features.filter((feature) => (
                this.disputes.some(({ id }) => id === identifierOf(feature)))), { isOther: true, isChosen: false }) : [];
            return [...others, ...own, ...rivals, ...this.#begun()];
        }

        /** The corners that a person has clicked so far. */
        #begun() {
            if (this.#corners.length === 0) return [];
            const line = this.#corners.map(({ longitude, latitude }) => [longitude, latitude]);
            const feature = { id: 'new area', geometry: { type: 'LineString', coordinates: line.length === 1 ? [...line, ...line] : line }, properties: { corridor: 0.1, name: ' ' } };
            return [{ ...readFence(feature, this.level), fleet: this.fleetName, isChosen: true }];
        }
    }

    odograph.GeofenceDesk = GeofenceDesk;
})(globalThis.odograph ??= {});
