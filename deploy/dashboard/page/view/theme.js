(function (odograph) {
    'use strict';

    const names = ['paper', 'ground', 'grid', 'ink', 'soft', 'line', 'accent', 'moving', 'parked', 'silent', 'private',
        'off', 'stopped', 'unknown', 'fence', 'fence-group', 'fence-device',
        'speed-0', 'speed-1', 'speed-2', 'speed-3', 'speed-4', 'road', 'road-major', 'road-edge', 'water', 'green'];

    /** The style sheet's colours, for what is drawn on canvases; they change between light and dark. */
    class Theme {
        /** @param {() => void} onChange */
        constructor(onChange) {
            this.#read();
            window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
                this.#read();
                onChange();
            });
        }

        #read() {
            const style = getComputedStyle(document.documentElement);
            /** @type {Object<string, string>} */
            this.colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
            this.font = style.getPropertyValue('--font').trim() || 'sans-serif';
        }
    }

    odograph.Theme = Theme;
})(globalThis.odograph ??= {});
