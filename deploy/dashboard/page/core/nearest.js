(function (odograph) {
    'use strict';

    /** The mean radius of the earth, metres. */
    const radiusMeters = 6371008.8;
    /** Vehicles that the list has. */
    const mostNearest = 50;
    const radians = (degrees) => degrees * Math.PI / 180;

    /**
     * The distance in a straight line.
     * @param {{latitude: number, longitude: number}} one @param {{latitude: number, longitude: number}} other
     * @returns {number} metres
     */
    function metersBetween(one, other) {
        const [north, east] = [radians(other.latitude - one.latitude), radians(other.longitude - one.longitude)];
        const part = Math.sin(north / 2) ** 2
            + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * Math.sin(east / 2) ** 2;
        return 2 * radiusMeters * Math.asin(Math.min(1, Math.sqrt(part)));
    }

    /**
     * The vehicles by their distance from a place. A vehicle that is private has none.
     * @param {Array<{vehicle: Vehicle, name: string, condition: Condition}>} entries
     * @param {{latitude: number, longitude: number}} place
     * @returns {Array<{vehicle: Vehicle, name: string, condition: Condition, meters: number}>}
     */
    function nearestOf(entries, place) {
        return entries.filter(({ vehicle, condition }) => vehicle.fix !== null && !condition.isPrivate)
            .map((entry) => ({ ...entry, meters: metersBetween(place, entry.vehicle.fix) }))
            .sort((one, other) => one.meters - other.meters || (one.vehicle.key < other.vehicle.key ? -1 : 1))
            .slice(0, mostNearest);
    }

    odograph.nearest = { metersBetween, nearestOf };
})(globalThis.odograph ??= {});
