(function (odograph) {
    'use strict';

    const {
        identifierOf, nameOf, slugOf, freeIdentifier, readSet, writeSet, differenceOf, linesOf, shapeWords, faultOf,
    } = odograph.geofenceSet;

    /** Steps that can be undone. */
    const mostSteps = 200;
    /** Digits of a degree that are kept: 1 cm. */
    const digits = 7;
    const rounded = (degrees) => Number(degrees.toFixed(digits));
    const position = ({ latitude, longitude }) => [rounded(longitude), rounded(latitude)];

    /** A feature with other coordinates; heights of positions that stay are kept. */
    const withCoordinates = (feature, coordinates) => ({ ...feature, geometry: { ...feature.geometry, coordinates } });

    /** A position with another place and the same height. */
    const placedAt = (old, place) => [...position(place), ...old.slice(2)];

    /** Gives each line of a feature another one. */
    function mapLines(feature, make) {
        // What cannot be read is not changed.
        if (linesOf(feature).length === 0) return feature;
        const { type, coordinates } = feature.geometry;
        let index = -1;
        const next = (line) => make(line, index += 1);
        switch (type) {
            case 'Point': return withCoordinates(feature, next([coordinates])[0]);
            case 'LineString': return withCoordinates(feature, next(coordinates));
            case 'Polygon': return withCoordinates(feature, coordinates.map(next));
            case 'MultiPolygon': return withCoordinates(feature, coordinates.map((rings) => rings.map(next)));
            default: return feature;
        }
    }

    const isRing = ({ geometry }) => geometry?.type === 'Polygon' || geometry?.type === 'MultiPolygon';
    /** What a geofence is called that nobody has named. */
    const kindOf = ({ geometry }) => ({ Point: 'Circle', LineString: 'Corridor' })[geometry?.type] ?? 'Area';
    /** The fewest points that a line of a feature has. */
    const fewestPoints = (feature) => (isRing(feature) ? 3 : feature.geometry?.type === 'LineString' ? 2 : 1);

    /**
     * The points of a line that can be moved: a ring ends where it begins.
     * @param {object} feature @param {number} line @returns {number[][]}
     */
    function pointsOf(feature, line) {
        const positions = linesOf(feature)[line] ?? [];
        return isRing(feature) ? positions.slice(0, -1) : positions;
    }

    /** Gives a line of a feature other points. */
    function withPoints(feature, line, make) {
        return mapLines(feature, (positions, index) => {
            if (index !== line) return positions;
            const points = make(isRing(feature) ? positions.slice(0, -1) : [...positions]);
            return isRing(feature) ? [...points, points[0]] : points;
        });
    }

    /** A set of geofences while a person changes it. Each change can be undone. */
    class GeofenceDraft {
        #steps = [];
        #undone = [];
        #lastKey = null;
        #sent;
        #others;
        /** Identifiers of geofences that were removed, and those that a person has written. */
        #removed = new Set();
        #written = new Set();

        /**
         * @param {string} payload that the broker has, or an empty one; a valid set
         * @param {Set<string>} sent identifiers that documents of this level have had; the draft adds those that it sees
         * @param {() => Set<string>} others identifiers of the other levels
         */
        constructor(payload, sent = new Set(), others = () => new Set()) {
            [this.#sent, this.#others] = [sent, others];
            this.rebase(payload, readSet(payload).features);
            /** The identifier of the geofence that is looked at. @type {?string} */
            this.chosen = null;
        }

        /** Takes another document as the one that was there before the changes. @param {string} payload @param {object[]} features */
        rebase(payload, features) {
            this.base = payload;
            this.set = readSet(payload);
            this.features = features;
            this.noteSent(this.set.features);
            [this.#steps, this.#undone, this.#lastKey] = [[], [], null];
        }

        /** Vehicles may have these geofences: their identifiers stay. @param {object[]} features */
        noteSent(features) {
            for (const feature of features) this.#sent.add(identifierOf(feature));
        }

        get difference() {
            return differenceOf(this.set.features, this.features);
        }

        /** The number of geofences that are added, changed or removed. */
        get changes() {
            const { added, changed, removed } = this.difference;
            return added.length + changed.length + removed.length;
        }

        get payload() {
            return writeSet({ members: this.set.members, features: this.features });
        }

        /** What a vehicle would refuse of what was changed. @returns {Array<{id: string, name: string, words: string}>} */
        get faults() {
            const { added, changed } = this.difference;
            const fault = (feature, words) => ({ id: identifierOf(feature), name: this.#fullName(feature), words });
            const faults = [...added, ...changed.map(({ after }) => after)]
                .map((feature) => fault(feature, faultOf(feature))).filter(({ words }) => words !== null);
            const seen = new Set();
            for (const feature of this.features) {
                const id = identifierOf(feature);
                if (seen.has(id)) faults.push(fault(feature, `the set has the identifier ${id} twice`));
                seen.add(id);
            }
            return faults;
        }

        /** The name of a geofence, with its identifier where another one has the same name. */
        #fullName(feature) {
            const name = nameOf(feature);
            if (name === '') return shapeWords(feature);
            const isShared = this.features.some((other) => other !== feature && nameOf(other) === name);
            return isShared ? `${name} (${identifierOf(feature)})` : name;
        }

        /** @returns {?object} the feature that is looked at */
        get feature() {
            return this.features.find((feature) => identifierOf(feature) === this.chosen) ?? null;
        }

        get canUndo() { return this.#steps.length > 0; }
        get canRedo() { return this.#undone.length > 0; }

        /** One change. @param {object[]} features @param {?string} key changes with the same key one after the other are one step */
        #change(features, key = null) {
            if (key === null || key !== this.#lastKey) {
                this.#steps.push({ features: this.features, chosen: this.chosen });
                if (this.#steps.length > mostSteps) this.#steps.shift();
            }
            this.#lastKey = key;
            this.#undone = [];
            this.features = features;
        }

        /** The next change is a step of its own. */
        pause() {
            this.#lastKey = null;
        }

        #swap(from, to) {
            const step = from.pop();
            if (step === undefined) return;
            to.push({ features: this.features, chosen: this.chosen });
            [this.features, this.chosen, this.#lastKey] = [step.features, step.chosen, null];
        }

        undo() { this.#swap(this.#steps, this.#undone); }
        redo() { this.#swap(this.#undone, this.#steps); }

        /** Changes the feature that is looked at. */
        #replace(make, key = null) {
            const before = this.feature;
            if (before === null) return;
            const after = make(before);
            this.#change(this.features.map((feature) => (feature === before ? after : feature)), key);
        }

        /**
         * What a new geofence cannot be called: events of the past with the identifier of another one would get its name.
         * @param {?object} own the geofence that gets a name
         */
        #taken(own) {
            const present = this.features.filter((feature) => feature !== own);
            return {
                ids: new Set([...this.#others(), ...this.#sent, ...this.#removed, ...present.map(identifierOf)]),
                names: new Set(present.map(nameOf)),
            };
        }

        /** @param {object} feature a new one @param {?object} own itself in the draft @returns {string} as `Circle 2` */
        #freeName(feature, own = null) {
            const { ids, names } = this.#taken(own);
            let number = 1;
            const name = () => `${kindOf(feature)} ${number}`;
            while (ids.has(slugOf(name())) || names.has(name())) number += 1;
            return name();
        }

        #add(geometry, more) {
            const name = this.#freeName({ geometry });
            const feature = { type: 'Feature', id: slugOf(name), geometry, properties: { ...more, name } };
            this.#change([...this.features, feature]);
            this.chosen = feature.id;
        }

        /** @param {{latitude: number, longitude: number}} place @param {number} radius metres */
        addCircle(place, radius) {
            this.#add({ type: 'Point', coordinates: position(place) }, { radius: Math.round(radius) });
        }

        /** @param {Array<{latitude: number, longitude: number}>} places three or more */
        addArea(places) {
            const points = places.map(position);
            this.#add({ type: 'Polygon', coordinates: [[...points, points[0]]] }, {});
        }

        remove() {
            const { chosen } = this;
            if (this.feature === null) return;
            this.#removed.add(chosen);
            this.#change(this.features.filter((feature) => identifierOf(feature) !== chosen));
            this.chosen = null;
        }

        /** Names the geofence; the identifier of a new one follows. @param {string} name empty: none, or that of a new one */
        rename(name) {
            const { feature } = this;
            if (feature === null) return;
            if (!this.isNew || this.#written.has(this.chosen)) this.#setName(name);
            else this.#setName(name === '' ? this.#freeName(feature, feature) : name, this.#identifierFor(name, feature));
        }

        /** @param {string} name @param {?string} id null: it stays */
        #setName(name, id = null) {
            this.#replace((feature) => {
                const { name: _, ...properties } = feature.properties ?? {};
                const named = { ...feature, properties: name === '' ? properties : { ...properties, name } };
                return id === null ? named : { ...named, id };
            });
            this.chosen = id ?? this.chosen;
        }

        /** A name without Latin letters and digits makes no identifier. */
        #identifierFor(name, feature) {
            if (slugOf(name) === '') return slugOf(this.#freeName(feature, feature));
            return freeIdentifier(name, this.#taken(feature).ids);
        }

        /** Whether the identifier can still be another one: it was in no document yet. */
        get isNew() {
            return !this.#sent.has(this.chosen);
        }

        /** @param {string} id of a new geofence, which a person has written: its name does not change it any more */
        identify(id) {
            if (!this.isNew || id === '') return;
            this.#replace((feature) => ({ ...feature, id }));
            this.#written.add(id);
            this.chosen = id;
        }

        /** @param {number} meters the radius of a circle, or half the width of a corridor @param {?string} key */
        resize(meters, key = null) {
            this.#replace((feature) => {
                // An area has no width.
                if (isRing(feature)) return feature;
                const word = feature.geometry.type === 'Point' ? 'radius' : 'corridor';
                return { ...feature, properties: { ...feature.properties, [word]: Math.round(meters * 10) / 10 } };
            }, key);
        }

        /** @param {number} line @param {number} index @param {{latitude: number, longitude: number}} place @param {?string} key */
        movePoint(line, index, place, key = null) {
            this.#replace((feature) => withPoints(feature, line, (points) => (
                points.map((old, other) => (other === index ? placedAt(old, place) : old)))), key);
        }

        /** Puts a point after another one, in the middle of the side, or at a place. */
        insertPoint(line, index, place = null) {
            this.#replace((feature) => withPoints(feature, line, (points) => {
                const [one, other] = [points[index], points[(index + 1) % points.length]];
                const middle = { longitude: (one[0] + other[0]) / 2, latitude: (one[1] + other[1]) / 2 };
                return points.toSpliced(index + 1, 0, position(place ?? middle));
            }));
        }

        /** @returns {boolean} whether there are enough others */
        canRemovePoint(line) {
            return this.feature !== null && pointsOf(this.feature, line).length > fewestPoints(this.feature);
        }

        removePoint(line, index) {
            if (!this.canRemovePoint(line)) return;
            this.#replace((feature) => withPoints(feature, line, (points) => points.toSpliced(index, 1)));
        }

        /** Moves all of the geofence. @param {{latitude: number, longitude: number}} by degrees @param {?string} key */
        shift({ latitude, longitude }, key = null) {
            this.#replace((feature) => mapLines(feature, (line) => line.map((old) => (
                placedAt(old, { longitude: old[0] + longitude, latitude: Math.max(-90, Math.min(90, old[1] + latitude)) })))), key);
        }
    }

    odograph.GeofenceDraft = GeofenceDraft;
    odograph.geofencePoints = { pointsOf, isRing };
})(globalThis.odograph ??= {});
