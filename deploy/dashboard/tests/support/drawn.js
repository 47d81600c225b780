'use strict';

/**
 * The texts of the next frame of a layer, as an expression for the page.
 * @param {'fences' | 'trails' | 'vehicles'} layer
 */
const drawnTexts = (layer) => `(() => {
    const found = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) { found.push(text); fillText.call(this, text, ...place); };
    odograph.desk.map.layers.${layer}.invalidate();
    odograph.desk.map.layers.${layer}.frame();
    CanvasRenderingContext2D.prototype.fillText = fillText;
    return found;
})()`;

module.exports = { drawnTexts };
