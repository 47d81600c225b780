(function (odograph) {
    'use strict';

    /**
     * What the page says above the list, because somebody waits for it or would miss it.
     * @param {{wanted: ?string, isSettled: boolean, lacksFleet: boolean, vehicles: Iterable<Vehicle>}} situation `wanted`:
     *     the vehicle that the address names and that is not known; `isSettled`: what the broker retains has come;
     *     `lacksFleet`: somebody wants to see geofences, and no fleet is known
     * @returns {string} empty: nothing
     */
    function notesOf({ wanted, isSettled, lacksFleet, vehicles }) {
        const notes = [];
        if (wanted !== null && isSettled) notes.push(`The address names ${wanted}, and no vehicle of this name is known.`);
        if (lacksFleet) {
            notes.push('No fleet is known yet. To draw geofences before the first vehicle, set "fleet" in config.js.');
        }
        const silent = [...vehicles].filter(({ fix, status, reported }) => fix !== null && status === null && reported === null).length;
        if (silent > 0 && isSettled) {
            notes.push(`${silent} vehicle${silent === 1 ? ' has' : 's have'} a position and no status. A broker with a short `
                + 'queue drops retained messages (mosquitto: max_queued_messages).');
        }
        return notes.join(' ');
    }

    odograph.notesOf = notesOf;
})(globalThis.odograph ??= {});
