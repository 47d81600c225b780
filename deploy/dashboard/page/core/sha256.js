(function (odograph) {
    'use strict';

    // FIPS 180-4. The browser's own is there in secure contexts only, and a page from a broker in the house is none.

    /** The fractional parts of the roots of the first 64 primes, as the standard derives its constants. */
    function fractions(count, root) {
        const words = [];
        for (let candidate = 2; words.length < count; candidate += 1) {
            let isPrime = true;
            for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) {
                if (candidate % divisor === 0) isPrime = false;
            }
            if (isPrime) words.push(root(candidate));
        }
        return Uint32Array.from(words, (value) => Math.floor((value - Math.floor(value)) * 2 ** 32));
    }

    const rounds = fractions(64, Math.cbrt);
    const start = fractions(8, Math.sqrt);
    const rotate = (word, count) => (word >>> count) | (word << (32 - count));

    /** @param {Uint8Array} bytes @returns {DataView} with a one, zeros and the length in bits behind them */
    function padded(bytes) {
        const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
        new Uint8Array(view.buffer).set(bytes);
        view.setUint8(bytes.length, 0x80);
        view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
        return view;
    }

    function schedule(view, offset, words) {
        for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(offset + i * 4);
        for (let i = 16; i < 64; i += 1) {
            const a = words[i - 15];
            const b = words[i - 2];
            words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3))
                + (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10));
        }
    }

    function compress(state, words) {
        let [a, b, c, d, e, f, g, h] = state;
        for (let i = 0; i < 64; i += 1) {
            const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
                + rounds[i] + words[i]) | 0;
            const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
            [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
        }
        [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
    }

    /**
     * @param {string} text
     * @returns {string} SHA-256 of its UTF-8 bytes, hexadecimal, as `sha256sum` gives it
     */
    function sha256(text) {
        const view = padded(new TextEncoder().encode(text));
        const state = Uint32Array.from(start);
        const words = new Uint32Array(64);
        for (let offset = 0; offset < view.byteLength; offset += 64) {
            schedule(view, offset, words);
            compress(state, words);
        }
        return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
    }

    odograph.sha256 = sha256;
})(globalThis.odograph ??= {});
