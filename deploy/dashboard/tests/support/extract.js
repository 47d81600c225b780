'use strict';
// An extract of a map that is made up: named streets in towns, of which each has a name and some squares.

/** A generator of numbers from 0 to 1 that are the same in each run (Lehmer). */
function random(seed) {
    let state = seed;
    return () => (state = state * 48271 % 2147483647) / 2147483647;
}

/**
 * @param {number} ways of the extract
 * @param {{latitude: number, longitude: number}} corner in the south-west
 * @returns {object} a FeatureCollection with the keys of OpenStreetMap
 */
function extractOf(ways, corner = { latitude: 40.2, longitude: -4 }) {
    const next = random(7);
    const features = [];
    // A way for each 110 m in both directions, as in a city.
    const columns = Math.ceil(Math.sqrt(ways / 2));
    const step = 0.001;
    const place = (kind, name, longitude, latitude) => features.push({ type: 'Feature', properties: { place: kind, name }, geometry: { type: 'Point', coordinates: [longitude, latitude] } });
    for (let index = 0; index < ways; index += 1) {
        const isNorth = index % 2 === 1;
        const [column, row] = [(index >> 1) % columns, Math.floor((index >> 1) / columns)];
        const [longitude, latitude] = [corner.longitude + column * step, corner.latitude + row * step];
        const highway = (isNorth ? column : row) % 40 === 0 ? 'primary' : (isNorth ? column : row) % 8 === 0 ? 'tertiary' : 'residential';
        const name = isNorth ? `Avenue ${column}` : `Street ${row}`;
        // Some points between the corners, so that the way is a little crooked.
        const coordinates = [0, 0.25, 0.5, 0.75, 1].map((share) => {
            const off = share % 1 === 0 ? 0 : (next() - 0.5) * step / 8;
            return isNorth ? [longitude + off, latitude + share * step] : [longitude + share * step, latitude + off];
        });
        features.push({ type: 'Feature', properties: { highway, name }, geometry: { type: 'LineString', coordinates } });
        if (isNorth && column % 50 === 25 && row % 50 === 25) place('suburb', `Suburb ${column / 25 | 0}-${row / 25 | 0}`, longitude, latitude);
        if (isNorth && column % 20 === 10 && row % 20 === 10) place('square', `Square ${column}-${row}`, longitude, latitude);
    }
    return { type: 'FeatureCollection', features };
}

module.exports = { extractOf };
