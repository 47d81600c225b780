(function (odograph) {
    'use strict';
    if (typeof L === 'undefined') return;

    /**
     * What a painter needs to know of the map: a point of the map's square is at `x * world - left`, `y * world - top`.
     * @typedef {object} View
     * @property {number} world @property {number} left @property {number} top @property {number} width
     * @property {number} height @property {number} zoom
     */

    /** A canvas over the whole map, drawn by painters one over the other; it moves with the map. */
    odograph.CanvasLayer = L.Layer.extend({
        /**
         * @param {Array<{paint: (pen: CanvasRenderingContext2D, view: View) => void}>} painters
         * @param {string} pane @param {number} order of the pane
         */
        initialize(painters, pane, order) {
            this._painters = painters;
            this._paneName = pane;
            this._order = order;
            this._isDirty = true;
        },

        onAdd(map) {
            const pane = map.getPane(this._paneName) ?? map.createPane(this._paneName);
            pane.style.zIndex = this._order;
            pane.style.pointerEvents = 'none';
            this._canvas = L.DomUtil.create('canvas', '', pane);
            this._canvas.setAttribute('aria-hidden', 'true');
            this._pen = this._canvas.getContext('2d');
        },

        onRemove() {
            this._canvas.remove();
        },

        getEvents() {
            const draw = () => {
                this._isDirty = true;
                this.frame();
            };
            return { move: draw, viewreset: draw, resize: draw };
        },

        /** Something that the painter draws has changed. */
        invalidate() {
            this._isDirty = true;
        },

        /** Draws where something has changed. */
        frame() {
            if (!this._isDirty || !this._map) return;
            this._isDirty = false;
            const { x: width, y: height } = this._map.getSize();
            if (width === 0 || height === 0) return;
            const scale = Math.min(window.devicePixelRatio || 1, 2);
            const canvas = this._canvas;
            if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
                canvas.width = Math.round(width * scale);
                canvas.height = Math.round(height * scale);
                canvas.style.width = `${width}px`;
                canvas.style.height = `${height}px`;
            }
            L.DomUtil.setPosition(canvas, this._map.containerPointToLayerPoint([0, 0]));
            const zoom = this._map.getZoom();
            const corner = this._map.getPixelBounds().min;
            const view = {
                world: odograph.mercator.worldPixels(zoom), left: corner.x, top: corner.y, width, height, zoom, scale,
            };
            this._pen.setTransform(scale, 0, 0, scale, 0, 0);
            this._pen.clearRect(0, 0, width, height);
            for (const painter of this._painters) painter.paint(this._pen, view);
        },
    });
})(globalThis.odograph ??= {});
