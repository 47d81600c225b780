(function (odograph) {
    'use strict';
    if (typeof L === 'undefined') return;

    /** With more vehicles the map is drawn at most every so many milliseconds; moving it draws it at once. */
    const manyVehicles = 200;
    const restMilliseconds = { few: 0, many: 200 };
    const trailRestMilliseconds = { few: 100, many: 1000 };
    /** The zoom at which streets can be told apart. */
    const streetZoom = 15;

    /** The map: Leaflet, and canvases for what is drawn on it. */
    class FleetMap {
        /**
         * @param {HTMLElement} place
         * @param {Settings} settings
         * @param {Theme} theme
         * @param {{onSelect: (vehicle: Vehicle) => void, onUserMove: () => void, onUserTouch: () => void}} wishes
         *     `onUserMove`: the user has moved the map; `onUserTouch`: perhaps
         */
        constructor(place, settings, theme, wishes) {
            this.map = L.map(place, {
                zoomControl: false, attributionControl: settings.attribution !== '', maxZoom: settings.maximumZoom, minZoom: 2,
                worldCopyJump: true, zoomAnimation: false, fadeAnimation: false,
                // Tiles are sharp at whole zooms only.
                zoomSnap: settings.tiles === null ? 0.25 : 1, zoomDelta: settings.tiles === null ? 0.5 : 1,
            }).setView([30, 0], 2);
            L.control.zoom({ position: 'bottomright' }).addTo(this.map);
            L.control.scale({ position: 'bottomleft', imperial: false }).addTo(this.map);
            this.painters = {
                fences: new odograph.FencePainter(theme), trails: new odograph.TrailPainter(theme),
                vehicles: new odograph.VehiclePainter(theme), track: new odograph.TrackPainter(theme),
            };
            // Few canvases, for all of them are put together anew whenever one has changed.
            this.ground = [new odograph.GroundPainter(theme), new odograph.BackgroundPainter(theme)];
            this.names = new odograph.NamePainter(theme, this.ground[1]);
            /** @type {?Addresses} */
            this.addresses = null;
            /** The address that the background gives a place; empty if it gives none. @type {(place: object) => string} */
            this.addressOf = (place) => this.addresses?.wordsOf(place) ?? '';
            this.layers = {
                fences: new odograph.CanvasLayer([...this.ground, this.painters.fences], 'fences', 410),
                trails: new odograph.CanvasLayer([this.painters.trails, this.painters.track], 'trails', 420),
                vehicles: new odograph.CanvasLayer([this.painters.vehicles, this.#fenceNames()], 'vehicles', 430),
                mark: new odograph.CanvasLayer([{ paint: (pen, view) => this.painters.track.paintMark(pen, view) }], 'mark', 440),
            };
            // Leaflet reads it as HTML, and it is text.
            this.map.attributionControl?.setPrefix('').addAttribution(settings.attribution.replace(/[<>&]/g, ''));
            if (settings.tiles !== null) this.#layTiles(settings);
            for (const name of ['fences', 'trails', 'vehicles']) this.layers[name].addTo(this.map);
            this.drawnAt = { vehicles: -Infinity, trails: -Infinity };
            /** Whether the user has chosen what to see. */
            this.isChosen = false;
            this.#listen(wishes);
        }

        /** Names of geofences, and then those of roads and places, are above all marks, where these leave room. */
        #fenceNames() {
            const { fences, vehicles } = this.painters;
            return { paint: (pen, view) => {
                fences.paintNames(pen, vehicles.space);
                this.names.paint(pen, view, vehicles.space);
            } };
        }

        #layTiles(settings) {
            const layer = L.tileLayer(settings.tiles, { maxZoom: settings.maximumZoom });
            layer.on('tileload', () => this.#showGround(false));
            layer.on('tileerror', () => {
                if (!this.map.getContainer().querySelector('.leaflet-tile-loaded:not([data-failed])')) this.#showGround(true);
            });
            // A tile that cannot be loaded is also marked as loaded.
            layer.on('tileerror', ({ tile }) => { tile.dataset.failed = ''; });
            layer.addTo(this.map);
            this.#showGround(false);
        }

        /** @param {boolean} isShown the plain ground, because there are no tiles */
        #showGround(isShown) {
            odograph.dom.byID('map-note').hidden = !isShown;
            if (this.ground[0].isHidden === !isShown) return;
            for (const painter of this.ground) painter.isHidden = !isShown;
            this.layers.fences.invalidate();
            this.layers.fences.frame();
        }

        /**
         * Loads the background that config.js names.
         * @param {string} file beside the page @param {() => void} onChange it is there
         */
        async loadBackground(file, onChange) {
            try {
                const answer = await fetch(file);
                const background = answer.ok ? odograph.background.readBackground(await answer.json()) : null;
                if (background === null) throw new Error('it is no file of deploy/dashboard/background');
                this.ground[1].background = background;
                this.addresses = new odograph.Addresses(background);
                this.layers.vehicles.invalidate();
                onChange();
                this.layers.fences.invalidate();
                this.layers.fences.frame();
            } catch (error) {
                console.warn(`${file} could not be loaded: ${error.message}`);
            }
        }

        #listen({ onSelect, onUserMove, onUserTouch }) {
            const { vehicles } = this.painters;
            this.map.on('click', ({ containerPoint: { x, y } }) => {
                if ('picking' in this.map.getContainer().dataset) return;
                const vehicle = vehicles.click(x, y);
                if (vehicle !== null) onSelect(vehicle);
            });
            this.map.on('mousemove', ({ containerPoint: { x, y } }) => {
                const vehicle = vehicles.hit(x, y);
                if (vehicle === vehicles.pointed) return;
                vehicles.pointed = vehicle;
                this.map.getContainer().style.cursor = vehicle === null ? '' : 'pointer';
                this.layers.vehicles.invalidate();
                this.layers.vehicles.frame();
            });
            this.map.on('dragstart', onUserMove);
            // Leaflet says of no movement who wished it: these are what a user wishes one with.
            for (const event of ['pointerdown', 'wheel', 'keydown', 'touchstart']) {
                this.map.getContainer().addEventListener(event, () => {
                    this.isChosen = true;
                    onUserTouch();
                }, { passive: true });
            }
        }

        /**
         * What there is to be drawn now.
         * @param {{entries: object[], fences: ?Fence[], selected: ?Vehicle, levels: ?Set<string>, trips: ?Array}} scene
         *     null: as before
         */
        show({ entries, fences, selected, levels, trips }) {
            const { painters } = this;
            painters.vehicles.entries = painters.trails.entries = entries;
            if (painters.vehicles.selected !== selected || fences !== null) this.layers.fences.invalidate();
            painters.vehicles.selected = painters.trails.selected = selected;
            painters.fences.levels = levels;
            if (fences !== null) painters.fences.fences = fences;
            // The track shows the trips better.
            painters.trails.trips = painters.track.track === null ? trips : [];
            this.invalidate();
        }

        /** Shows a track with its mark; null: none. A canvas that shows nothing would cost time with each frame. */
        showTrack(track) {
            Object.assign(this.painters.track, { track, position: null });
            if (track === null) this.layers.mark.remove();
            else this.layers.mark.addTo(this.map);
            this.invalidate();
            this.drawnAt = { vehicles: -Infinity, trails: -Infinity };
        }

        /** Draws the mark of the playback. */
        drawMark() {
            this.layers.mark.invalidate();
            this.layers.mark.frame();
        }

        /** Vehicles have moved. */
        invalidate() {
            this.layers.vehicles.invalidate();
            this.layers.trails.invalidate();
        }

        /** Draws what has changed. @param {number} now milliseconds @returns {boolean} whether something still waits */
        frame(now) {
            const size = this.painters.vehicles.entries.length > manyVehicles ? 'many' : 'few';
            this.layers.fences.frame();
            this.layers.mark.frame();
            const vehiclesWait = this.#drawAfter('vehicles', restMilliseconds[size], now);
            return this.#drawAfter('trails', trailRestMilliseconds[size], now) || vehiclesWait;
        }

        #drawAfter(name, rest, now) {
            if (now - this.drawnAt[name] < rest) return true;
            this.drawnAt[name] = now;
            this.layers[name].frame();
            return false;
        }

        /** The colours are others now. */
        recolor() {
            this.painters.vehicles.forgetSprites();
            for (const layer of Object.values(this.layers)) layer.invalidate();
            this.frame(Infinity);
            this.drawnAt = { vehicles: -Infinity, trails: -Infinity };
        }

        /** Shows all vehicles and geofences at once. */
        showAll() {
            this.#fit(odograph.overview.boxOf([...this.#places(), ...this.#fenceCorners()]));
        }

        /** @param {{left: number, top: number, right: number, bottom: number}} box on the map's square */
        #fit({ left, top, right, bottom }) {
            const corner = (x, y) => {
                const { latitude, longitude } = odograph.mercator.unproject(x, y);
                return [latitude, longitude];
            };
            if (left > right) return;
            const bounds = L.latLngBounds([corner(left, top), corner(right, bottom)]);
            this.map.fitBounds(bounds, { padding: [48, 48], maxZoom: 16, animate: false });
        }

        /**
         * Shows where the vehicles are, as long as the user has not chosen what to see. Geofences count only where there is
         * no vehicle: one of them can be on another continent.
         */
        keepAllInSight() {
            if (this.isChosen) return;
            const box = odograph.overview.overviewOf(this.#places()) ?? odograph.overview.overviewOf(this.#fenceCorners());
            if (box === null) return;
            if (!this.isFitted || !this.#isInSight(box)) this.#fit(box);
            this.isFitted = true;
        }

        #isInSight({ left, top, right, bottom }) {
            const { min, max } = this.map.getPixelBounds();
            const world = odograph.mercator.worldPixels(this.map.getZoom());
            return left * world >= min.x && top * world >= min.y && right * world <= max.x && bottom * world <= max.y;
        }

        /** Where the vehicles are. @returns {Array<{x: number, y: number}>} */
        #places() {
            const seen = this.painters.vehicles.entries.filter(({ vehicle, condition }) => vehicle.fix !== null && !condition.isPrivate);
            return seen.map(({ vehicle: { fix } }) => fix);
        }

        #fenceCorners() {
            return this.painters.fences.fences.flatMap(({ box: { left, top, right, bottom } }) => (
                [{ x: left, y: top }, { x: right, y: bottom }]));
        }

        /** Brings a place into the middle where it is near the edge or outside. */
        reveal({ latitude, longitude }, zoom = this.map.getZoom()) {
            const place = L.latLng(latitude, longitude);
            const inner = this.map.getBounds().pad(-0.15);
            if (zoom !== this.map.getZoom() || !inner.contains(place)) {
                this.isChosen = true;
                this.map.setView(place, zoom, { animate: false });
            }
        }

        /** Shows a place and the streets around it. @param {{latitude: number, longitude: number}} place */
        approach(place) {
            this.reveal(place, Math.max(this.map.getZoom(), streetZoom));
        }

        /**
         * Shows a way or a place as large as it goes.
         * @param {Array<{latitude: number, longitude: number}>} points @param {number} bottom what covers the map there, pixels
         */
        revealAll(points, bottom = 0) {
            this.isChosen = true;
            // Over the 180th meridian the short way.
            const nearFirst = (longitude) => longitude + 360 * Math.round((points[0].longitude - longitude) / 360);
            const box = L.latLngBounds(points.map(({ latitude, longitude }) => [latitude, nearFirst(longitude)]));
            this.map.fitBounds(box, {
                paddingTopLeft: [48, 48], paddingBottomRight: [48, 48 + bottom], maxZoom: 17, animate: false,
            });
        }

        /** @returns {{latitude: number, longitude: number}} the middle of the map */
        centre() {
            const { lat, lng } = this.map.getCenter().wrap();
            return { latitude: lat, longitude: lng };
        }

        /** Shows a geofence as large as it goes. @param {Fence} fence */
        revealFence({ box, meters, kind, latitude }) {
            const margin = kind === 'area' ? 0 : meters * odograph.mercator.pixelsPerMeter(latitude, 0) / odograph.mercator.worldPixels(0);
            this.isChosen = true;
            this.#fit({ left: box.left - margin, top: box.top - margin, right: box.right + margin, bottom: box.bottom + margin });
        }

        /** @param {number} pixels @param {{latitude: number}} place @returns {number} metres of them there */
        metersOf(pixels, { latitude }) {
            return pixels / odograph.mercator.pixelsPerMeter(latitude, this.map.getZoom());
        }

        /** @returns {{latitude: number, longitude: number}} the place so many pixels to the right and down */
        moved({ latitude, longitude }, by) {
            const { lat, lng } = this.map.layerPointToLatLng(this.map.latLngToLayerPoint([latitude, longitude]).add(by));
            return { latitude: lat, longitude: lng };
        }

        /** @returns {number} pixels between two places */
        pixelsBetween(one, other) {
            const [a, b] = [one, other].map(({ latitude, longitude }) => this.map.latLngToLayerPoint([latitude, longitude]));
            return a.distanceTo(b);
        }

        /** The room of the map on the page is another one now. */
        resize() {
            this.map.invalidateSize({ animate: false });
        }
    }

    odograph.FleetMap = FleetMap;
})(globalThis.odograph ??= {});
