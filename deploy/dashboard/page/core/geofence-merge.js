(function (odograph) {
    'use strict';

    const { byIdentifier, isSame, fullWords } = odograph.geofenceSet;

    /**
     * A geofence of which two versions exist, since two persons have changed a set at once.
     * @typedef {object} Dispute
     * @property {string} id
     * @property {?object} own @property {?object} other null: it is not in this version
     * @property {'own' | 'other' | 'both'} changedBy who has changed it since the version that both began with
     * @property {string} ownWords @property {string} otherWords
     */

    const words = (feature, old) => (feature !== null ? fullWords(feature) : old === null ? 'not there' : 'removed');
    const isEqual = (one, other) => (one === null || other === null ? one === other : isSame(one, other));

    /**
     * @param {object[]} base the features that both began with @param {object[]} own @param {object[]} other
     * @returns {Dispute[]} the geofences of which the two versions differ
     */
    function disputesOf(base, own, other) {
        const [before, mine, theirs] = [base, own, other].map(byIdentifier);
        return [...new Set([...theirs.keys(), ...mine.keys()])].flatMap((id) => {
            const versions = [before, mine, theirs].map((set) => set.get(id) ?? null);
            const [old, ownOne, otherOne] = versions;
            if (isEqual(ownOne, otherOne)) return [];
            const changedBy = isEqual(old, otherOne) ? 'own' : isEqual(old, ownOne) ? 'other' : 'both';
            return [{ id, own: ownOne, other: otherOne, changedBy, ownWords: words(ownOne, old), otherWords: words(otherOne, old) }];
        });
    }

    /**
     * One set of two versions.
     * @param {object[]} own @param {object[]} other @param {Dispute[]} disputes
     * @param {Map<string, 'own' | 'other'>} choices by identifier, for all of the disputes
     * @returns {object[]} in the order of the other's set, then what only the own one has
     */
    function merged(own, other, disputes, choices) {
        const disputed = new Map(disputes.map((dispute) => [dispute.id, dispute]));
        const chosen = (id) => disputed.get(id)[choices.get(id)];
        const theirs = byIdentifier(other);
        const kept = [...theirs].map(([id, feature]) => (disputed.has(id) ? chosen(id) : feature));
        const added = [...byIdentifier(own)].filter(([id]) => !theirs.has(id)).map(([id]) => chosen(id));
        return [...kept, ...added].filter((feature) => feature !== null);
    }

    /** @param {Dispute[]} disputes @returns {Map<string, 'own' | 'other'>} what needs no person: whoever alone has changed one */
    function plainChoices(disputes) {
        return new Map(disputes.filter(({ changedBy }) => changedBy !== 'both').map(({ id, changedBy }) => [id, changedBy]));
    }

    odograph.geofenceMerge = { disputesOf, merged, plainChoices };
})(globalThis.odograph ??= {});
