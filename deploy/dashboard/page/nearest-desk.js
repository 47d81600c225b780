(function (odograph) {
    'use strict';
    if (typeof L === 'undefined') return;

    const { byID, set } = odograph.dom;

    /** Which vehicles are nearest to a place: one that is clicked, the middle of the map, or that of the open vehicle. */
    class NearestDesk {
        /** @param {{map: FleetMap, picker: PlacePicker, onSelect: (vehicle: Vehicle) => void, onChange: () => void, onClose: () => void}} parts */
        constructor(parts) {
            Object.assign(this, parts);
            this.isOpen = false;
            this.button = byID('nearest-button');
            this.box = byID('nearest');
            this.list = new odograph.NearestList(this.box, {
                onClose: () => this.close(), onCentre: () => this.#move(this.map.centre()), onSelect: (vehicle) => this.onSelect(vehicle),
            });
            this.marker = L.marker([0, 0], { keyboard: false, interactive: false, icon: L.divIcon({ className: 'place-mark', iconSize: [22, 22] }) });
        }

        /** @param {?Vehicle} vehicle that is open; it is not its own neighbour */
        open(vehicle) {
            Object.assign(this, { isOpen: true, wantsFocus: true });
            set(this.button, 'aria-pressed', 'true');
            this.#move(vehicle?.fix ?? this.map.centre(), vehicle?.fix ? vehicle : null);
            this.pick();
        }

        /** Waits for a click, as long as it is open. */
        pick() {
            this.picker.begin('Click a place, or move the map under the cross and press Enter.', (place) => this.#move(place));
        }

        #move(place, vehicle = null) {
            Object.assign(this, { place, vehicle });
            this.marker.setLatLng([place.latitude, place.longitude]).addTo(this.map.map);
            this.onChange();
        }

        close() {
            if (!this.isOpen) return;
            this.isOpen = false;
            this.picker.end();
            this.marker.remove();
            set(this.button, 'aria-pressed', 'false');
            this.onChange();
            this.onClose();
        }

        /** @param {boolean} isCovered a vehicle's panel lies over it @param {object[]} rows of the list @param {number} now */
        show(isCovered, rows, now) {
            this.box.hidden = !this.isOpen || isCovered;
            if (this.box.hidden) return;
            const { place: { latitude, longitude }, vehicle } = this;
            const address = this.map.addressOf(this.place) || `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
            const at = vehicle === null ? address : vehicle.name;
            const others = rows.filter((entry) => entry.vehicle !== vehicle);
            this.list.show({ words: `To ${at}`, rows: odograph.nearest.nearestOf(others, this.place), now });
            if (this.wantsFocus) this.box.focus();
            this.wantsFocus = false;
        }
    }

    odograph.NearestDesk = NearestDesk;
})(globalThis.odograph ??= {});
