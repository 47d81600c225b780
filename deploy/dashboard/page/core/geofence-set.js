(function (odograph) {
    'use strict';

    const { isObject, parse } = odograph.records;

    /** What the schema `geofence` allows. */
    const bounds = Object.freeze({
        leastRadius: 5, mostMeters: 20003931, mostLongitude: 540, mostName: 512, mostIdentifierBytes: 256,
    });
    /** The longest identifier that is made of a name. */
    const mostLetters = 64;
    /** Rings with more sides are not examined for crossings: the vehicles do it, and report. */
    const mostSides = 400;

    /**
     * A set of geofences as its document has it: what the page does not know stays as it is.
     * @typedef {object} GeofenceSet
     * @property {object} members of the document, without `features`
     * @property {object[]} features of GeoJSON
     */

    /** @param {object} feature @returns {string} its identifier; empty if it has none */
    function identifierOf(feature) {
        const id = feature.id ?? feature.properties?.identifier ?? '';
        return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
    }

    /** @param {object} feature @returns {string} what people call it */
    function nameOf(feature) {
        const name = feature.properties?.name;
        return typeof name === 'string' && name !== '' ? name : identifierOf(feature);
    }

    /** Without what is too long, and without a dash at the end. */
    const cut = (text, length) => text.slice(0, length).replace(/-+$/, '');

    /**
     * @param {string} name
     * @returns {string} an identifier of small letters, digits and dashes; empty where the name has none of them
     */
    function slugOf(name) {
        const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
        return cut(plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), mostLetters);
    }

    /** @param {string} name with letters or digits @param {Set<string>} taken @returns {string} an identifier that nobody has */
    function freeIdentifier(name, taken) {
        const slug = slugOf(name);
        for (let number = 1; ; number += 1) {
            const end = number === 1 ? '' : `-${number}`;
            const id = cut(slug, mostLetters - end.length) + end;
            if (!taken.has(id)) return id;
        }
    }

    /** @param {string} payload of a set's topic; empty: there is none @returns {?GeofenceSet} null: it is no set */
    function readSet(payload) {
        if (payload === '') return { members: { type: 'FeatureCollection' }, features: [] };
        const document = parse(payload);
        if (document === null || !Array.isArray(document.features) || !document.features.every(isObject)) return null;
        const { features, ...members } = document;
        return { members, features };
    }

    /** @param {GeofenceSet} set @returns {string} the payload; without geofences an empty set, which a broker retains */
    function writeSet({ members, features }) {
        return JSON.stringify({ ...members, type: 'FeatureCollection', features });
    }

    /** A value as a text that does not depend on the order of keys. */
    function canonical(value) {
        if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
        if (!isObject(value)) return JSON.stringify(value ?? null);
        return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
    }

    const isSame = (one, other) => one === other || canonical(one) === canonical(other);

    /** @param {object[]} features @returns {Map<string, object>} by identifier; of two equal ones the first counts */
    function byIdentifier(features) {
        const found = new Map();
        for (const feature of features) if (!found.has(identifierOf(feature))) found.set(identifierOf(feature), feature);
        return found;
    }

    /**
     * @param {object[]} before @param {object[]} after
     * @returns {{added: object[], changed: Array<{before: object, after: object}>, removed: object[]}}
     */
    function differenceOf(before, after) {
        const [old, now] = [byIdentifier(before), byIdentifier(after)];
        return {
            added: [...now].filter(([id]) => !old.has(id)).map(([, feature]) => feature),
            changed: [...now].filter(([id, feature]) => old.has(id) && !isSame(old.get(id), feature))
                .map(([id, feature]) => ({ before: old.get(id), after: feature })),
            removed: [...old].filter(([id]) => !now.has(id)).map(([, feature]) => feature),
        };
    }

    const isLine = (line) => Array.isArray(line) && line.every(Array.isArray);

    /**
     * The rings or the one line of a feature; a circle has its centre.
     * @returns {Array<Array<number[]>>} empty where the coordinates are none of its type
     */
    function linesOf({ geometry }) {
        const { type, coordinates } = isObject(geometry) ? geometry : {};
        const areas = (list) => (Array.isArray(list) && list.every((rings) => Array.isArray(rings) && rings.every(isLine)) ? list.flat() : []);
        switch (type) {
            case 'Point': return isLine([coordinates]) ? [[coordinates]] : [];
            case 'LineString': return isLine(coordinates) ? [coordinates] : [];
            case 'Polygon': return areas([coordinates]);
            case 'MultiPolygon': return areas(coordinates);
            default: return [];
        }
    }

    const metersWords = (meters) => (Number.isFinite(meters) ? `${Math.round(meters * 10) / 10} m` : 'unknown');

    /** @param {object} feature @returns {string} its shape and size, as `Circle, radius 150 m` */
    function shapeWords(feature) {
        const type = linesOf(feature).length === 0 ? null : feature.geometry.type;
        const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
        switch (type) {
            case 'Point': return `Circle, radius ${metersWords(feature.properties?.radius)}`;
            case 'LineString': return `Corridor, ${metersWords(2 * feature.properties?.corridor)} wide`;
            case 'Polygon':
            case 'MultiPolygon':
                return `Area, ${count(linesOf(feature).reduce((sum, ring) => sum + Math.max(0, ring.length - 1), 0), 'point')}`;
            default: return 'Unknown shape';
        }
    }

    /** @param {object} feature @returns {string} as `shapeWords`, with its place: two versions can be told apart */
    function fullWords(feature) {
        const positions = linesOf(feature).flat();
        const middle = (index) => positions.reduce((sum, position) => sum + position[index], 0) / positions.length;
        const place = positions.length === 0 ? '' : ` at ${middle(1).toFixed(5)}, ${middle(0).toFixed(5)}`;
        return `${nameOf(feature)}: ${shapeWords(feature)}${place}`;
    }

    /** What a person has changed about a geofence, in words. */
    function changeWords({ before, after }) {
        const words = [];
        if (nameOf(before) !== nameOf(after)) words.push(`name ${nameOf(before)} → ${nameOf(after)}`);
        if (shapeWords(before) !== shapeWords(after)) words.push(`${shapeWords(before)} → ${shapeWords(after)}`);
        if (!isSame(before.geometry, after.geometry)) words.push('moved');
        if (words.length === 0) words.push('other properties');
        return `${nameOf(after)}: ${words.join('; ')}`;
    }

    const crosses = (a, b, c, d) => {
        const side = ([ax, ay], [bx, by], [x, y]) => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
        return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
    };

    /** Whether sides of a ring cross each other. */
    function isCrossed(ring) {
        if (ring.length > mostSides) return false;
        for (let one = 0; one + 1 < ring.length; one += 1) {
            for (let other = one + 2; other + 1 < ring.length; other += 1) {
                if (crosses(ring[one], ring[one + 1], ring[other], ring[other + 1])) return true;
            }
        }
        return false;
    }

    const isPosition = (position) => Array.isArray(position) && Number.isFinite(position[0]) && Number.isFinite(position[1])
        && Math.abs(position[0]) <= bounds.mostLongitude && Math.abs(position[1]) <= 90;

    function areaFault(feature) {
        for (const ring of linesOf(feature)) {
            const distinct = new Set(ring.map((position) => position.join()));
            if (ring.length < 4 || distinct.size < 3) return 'an area needs three points';
            if (isCrossed(ring)) return 'the sides of the area cross each other';
        }
        return null;
    }

    /** @param {object} feature @returns {?string} why a vehicle would refuse it, as far as the page can tell */
    function faultOf(feature) {
        const id = identifierOf(feature);
        const { radius, corridor, name } = feature.properties ?? {};
        if (id === '') return 'it has no identifier';
        if (new TextEncoder().encode(id).length > bounds.mostIdentifierBytes) return 'the identifier is too long';
        if (typeof name === 'string' && name.length > bounds.mostName) return 'the name is too long';
        const positions = linesOf(feature).flat();
        if (positions.length === 0) return 'its shape is unknown';
        if (!positions.every(isPosition)) return 'a place is not on earth';
        switch (feature.geometry?.type) {
            case 'Point':
                return radius >= bounds.leastRadius && radius <= bounds.mostMeters ? null
                    : `the radius is less than ${bounds.leastRadius} m, or more than the earth has`;
            case 'LineString': return corridor > 0 && corridor <= bounds.mostMeters ? null : 'the corridor has no width';
            default: return areaFault(feature);
        }
    }

    odograph.geofenceSet = {
        identifierOf, nameOf, slugOf, freeIdentifier, readSet, writeSet, byIdentifier, differenceOf, isSame, linesOf, shapeWords,
        fullWords, changeWords, faultOf,
    };
})(globalThis.odograph ??= {});
