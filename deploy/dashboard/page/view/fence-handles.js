(function (odograph) {
    'use strict';
    if (typeof L === 'undefined') return;

    const { linesOf } = odograph.geofenceSet;
    const { pointsOf } = odograph.geofencePoints;

    /** Points of a geofence that get a handle; one with more is moved as a whole. */
    const mostHandles = 150;
    /** Pixels that an arrow key moves a point, and with the shift key. */
    const [step, fineStep] = [10, 1];
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

    /**
     * @param {KeyboardEvent} event
     * @returns {?[number, number]} pixels to the right and down; null for another key
     */
    function stepOf({ key, shiftKey }) {
        const arrow = arrows[key];
        return arrow === undefined ? null : arrow.map((part) => part * (shiftKey ? fineStep : step));
    }

    /** What can be taken hold of on the map to change a geofence: its points, its size, and all of it. */
    class FenceHandles {
        #markers = [];
        #isDragging = false;
        #start = null;

        /** @param {L.Map} map @param {() => void} onChange the draft has changed */
        constructor(map, onChange) {
            Object.assign(this, { map, onChange, draft: null });
            map.createPane('handles').style.zIndex = 650;
        }

        /** @param {?GeofenceDraft} draft null: no handles */
        show(draft) {
            this.draft = draft;
            if (this.#isDragging) return;
            const focused = document.activeElement?.dataset?.handle;
            for (const marker of this.#markers) marker.remove();
            this.#markers = [];
            if (draft?.feature && linesOf(draft.feature).length > 0) this.#add(draft.feature);
            if (focused !== undefined) document.querySelector(`[data-handle="${focused}"]`)?.focus();
        }

        /** A dot at the first corner of an area that is drawn: a click there ends it. @param {?{latitude: number, longitude: number}} place */
        showStart(place) {
            this.#start?.remove();
            this.#start = place === null ? null : L.marker([place.latitude, place.longitude], {
                pane: 'handles', interactive: false, keyboard: false, icon: L.divIcon({ className: 'handle start', iconSize: [18, 18] }),
            }).addTo(this.map);
        }

        #add(feature) {
            const lines = linesOf(feature);
            const count = lines.reduce((sum, line) => sum + line.length, 0);
            if (feature.geometry.type === 'Point') this.#addCircle(feature);
            else if (count <= mostHandles) lines.forEach((_, line) => this.#addLine(feature, line));
            if (feature.geometry.type !== 'Point') this.#addWhole(lines.flat());
        }

        /**
         * @param {string} id of the handle @param {[number, number]} at latitude and longitude
         * @param {{kind: string, words: string, onMove: (place: {latitude: number, longitude: number}, key: string) => void,
         *     onRemove?: () => void, onPress?: () => void}} handle
         */
        #handle(id, [latitude, longitude], { kind, words, onMove, onRemove, onPress }) {
            const marker = L.marker([latitude, longitude], {
                pane: 'handles', draggable: onMove !== undefined, keyboard: true, autoPan: true,
                icon: L.divIcon({ className: `handle ${kind}`, iconSize: [20, 20] }),
            }).addTo(this.map);
            const node = marker.getElement();
            node.dataset.handle = id;
            node.setAttribute('role', 'button');
            node.setAttribute('aria-label', words);
            node.title = words;
            const place = ({ lat, lng }) => ({ latitude: lat, longitude: lng });
            if (onMove !== undefined) {
                marker.on('dragstart', () => { this.#isDragging = true; });
                marker.on('drag', () => this.#do(() => onMove(place(marker.getLatLng()), `drag ${id}`)));
                marker.on('dragend', () => {
                    this.#isDragging = false;
                    this.draft.pause();
                    this.onChange();
                });
            }
            if (onPress !== undefined) marker.on('click', () => this.#do(onPress));
            node.addEventListener('keydown', (event) => {
                const by = stepOf(event);
                const isRemoval = event.key === 'Delete' || event.key === 'Backspace';
                if (by !== null && onMove !== undefined) {
                    const to = this.map.layerPointToLatLng(this.map.latLngToLayerPoint(marker.getLatLng()).add(by));
                    this.#do(() => onMove(place(to), `key ${id}`));
                } else if (isRemoval && onRemove !== undefined) this.#do(onRemove);
                else if ((event.key === 'Enter' || event.key === ' ') && onPress !== undefined) this.#do(onPress);
                else return;
                event.preventDefault();
                event.stopPropagation();
            });
            this.#markers.push(marker);
        }

        #do(act) {
            act();
            this.onChange();
        }

        #addCircle(feature) {
            const [longitude, latitude] = feature.geometry.coordinates;
            const radius = feature.properties?.radius ?? 0;
            this.#handle('0 0', [latitude, longitude], {
                kind: 'whole', words: 'Centre of the circle. The arrow keys move it.',
                onMove: (place, key) => this.draft.movePoint(0, 0, place, key),
            });
            const east = longitude + radius / (111195 * Math.max(0.01, Math.cos(latitude * Math.PI / 180)));
            this.#handle('radius', [latitude, east], {
                kind: 'size', words: 'Radius of the circle. The arrow keys change it.',
                onMove: (place, key) => this.draft.resize(Math.max(5, this.map.distance([latitude, longitude], [place.latitude, place.longitude])), key),
            });
        }

        #addLine(feature, line) {
            const points = pointsOf(feature, line);
            const isRing = odograph.geofencePoints.isRing(feature);
            points.forEach(([longitude, latitude], index) => {
                this.#handle(`${line} ${index}`, [latitude, longitude], {
                    kind: 'point', words: `Point ${index + 1} of ${points.length}. The arrow keys move it, Delete removes it.`,
                    onMove: (place, key) => this.draft.movePoint(line, index, place, key),
                    onRemove: () => this.draft.removePoint(line, index),
                });
                const next = points[index + 1] ?? (isRing ? points[0] : null);
                if (next === null) return;
                this.#handle(`after ${line} ${index}`, [(latitude + next[1]) / 2, (longitude + next[0]) / 2], {
                    kind: 'middle', words: `Add a point after point ${index + 1}`, onPress: () => this.draft.insertPoint(line, index),
                });
            });
        }

        #addWhole(positions) {
            const middle = (index) => {
                const [least, most] = positions.reduce(([low, high], one) => [Math.min(low, one[index]), Math.max(high, one[index])], [Infinity, -Infinity]);
                return (least + most) / 2;
            };
            let [longitude, latitude] = [middle(0), middle(1)];
            this.#handle('whole', [latitude, longitude], {
                kind: 'whole', words: 'The whole geofence. The arrow keys move it.',
                onMove: (place, key) => {
                    this.draft.shift({ latitude: place.latitude - latitude, longitude: place.longitude - longitude }, key);
                    [longitude, latitude] = [place.longitude, place.latitude];
                },
            });
        }
    }

    odograph.FenceHandles = FenceHandles;
    odograph.stepOf = stepOf;
})(globalThis.odograph ??= {});
