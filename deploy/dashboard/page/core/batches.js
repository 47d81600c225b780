(function (odograph) {
    'use strict';

    /**
     * What a batch can mean at most: records; bytes of all their payloads, if there are several; bytes of one payload; bytes
     * of the document. A hostile message of a few hundred bytes can mean gigabytes, so nothing is made before it is known to
     * be within these limits.
     */
    const limits = Object.freeze({ records: 100, bytes: 64 << 10, recordBytes: 256 << 10, documentBytes: 576 << 10, depth: 64 });
    /** The greatest number of decimals and the greatest sum of a column: doubles have them exactly. */
    const [mostDecimals, mostSum] = [15, 2 ** 52];
    const channels = new Set(['location', 'geofence', 'timeline', 'given_up']);
    const mask = (1n << 64n) - 1n;
    const encoder = new TextEncoder();

    const { isObject } = odograph.records;

    const isSeed = (value) => typeof value === 'string' && /^[0-9a-fA-F]{32}$/.test(value);

    function check(isRight, words) {
        if (!isRight) throw new Error(words);
    }

    function mixed(value) {
        const first = ((value ^ (value >> 30n)) * 0xBF58476D1CE4E5B9n) & mask;
        const second = ((first ^ (first >> 27n)) * 0x94D049BB133111EBn) & mask;
        return second ^ (second >> 31n);
    }

    function uuid(seed, seq) {
        const counter = (BigInt(seq) * 0x9E3779B97F4A7C15n) & mask;
        const high = mixed(mixed(counter) ^ BigInt(`0x${seed.slice(0, 16)}`));
        const low = mixed(mixed((high + BigInt(`0x${seed.slice(16)}`)) & mask) ^ counter);
        return [(high & ~0xF000n) | 0x8000n, (low & ~(3n << 62n)) | (2n << 62n)]
            .map((half) => half.toString(16).padStart(16, '0')).join('')
            .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    }

    /** The values of a column of differences. */
    function sums(differences) {
        let sum = 0;
        return differences.map((difference) => {
            check(Number.isSafeInteger(difference), 'a column has a difference that is no integer');
            sum += difference;
            check(Math.abs(sum) <= mostSum, 'a sum of differences exceeds 2^52');
            return sum;
        });
    }

    function column([form, ...values]) {
        if (form === 'v') return values;
        if (form === 't') return sums(values).map((milliseconds) => new Date(milliseconds).toISOString());
        check(Number.isInteger(form) && form >= 0 && form <= mostDecimals, 'a column has no known form');
        return sums(values).map((scaled) => scaled / Number(`1e${form}`));
    }

    /** @returns {(row: number) => *} what a place of the template means in each record */
    function reader(template, count, depth = 1) {
        check(depth <= limits.depth, 'a record is nested too deeply');
        if (Array.isArray(template)) {
            check(template.length === count + 1, 'a column has not one value for each record');
            const values = column(template);
            return (row) => values[row];
        }
        if (!isObject(template)) return () => template;
        const members = Object.entries(template).map(([key, inner]) => [key, reader(inner, count, depth + 1)]);
        return (row) => Object.fromEntries(members.map(([key, read]) => [key, read(row)]));
    }

    /** Adds the records of a table; each is made only after the one before it was counted. */
    function addTable({ channel, count, records: template }, { device_id: deviceID, epoch, seed }, found) {
        check(channels.has(channel), 'channel is not one of records');
        check(Number.isInteger(count) && count >= 1 && count <= limits.records, 'count is not from 1 to 100');
        const [[name, record] = [], ...others] = isObject(template) ? Object.entries(template) : [];
        check(isObject(record) && others.length === 0, 'a template is not an object with one object');
        check(name !== 'device_id' && !Object.hasOwn(record, 'epoch'), 'a template contains device_id or epoch');
        const isComputed = !Object.hasOwn(record, 'uuid');
        check(!isComputed || seed !== undefined, 'uuid and seed are both missing');
        const read = reader(record, count);
        for (let row = 0; row < count; row += 1) {
            const values = read(row);
            check(Number.isSafeInteger(values.seq), 'a seq is no integer');
            if (isComputed) values.uuid = uuid(seed, values.seq);
            found.add(channel, values.seq, JSON.stringify({ device_id: deviceID, [name]: { ...values, epoch } }));
        }
    }

    /** The records of a batch, within the limits. */
    class Found {
        records = [];
        #bytes = 0;

        add(channel, seq, payload) {
            const bytes = encoder.encode(payload).length;
            this.#bytes += bytes;
            check(bytes <= limits.recordBytes, 'a record of the batch is too long');
            check(this.records.length === 0 || this.#bytes <= limits.bytes, 'the records of the batch are too long');
            check(this.records.length < limits.records, 'the batch has too many records');
            this.records.push({ channel, seq, payload });
        }
    }

    /** @param {Uint8Array} payload @param {number} most bytes @returns {Promise<string>} the text; rejected if it is longer */
    async function expand(payload, most) {
        const stream = new Blob([payload]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
        const [decoder, parts] = [new TextDecoder('utf-8', { fatal: true }), []];
        for (let size = 0, part = await stream.read(); !part.done; part = await stream.read()) {
            size += part.value.length;
            if (size > most) {
                await stream.cancel();
                throw new Error('the document of the batch is too long');
            }
            parts.push(decoder.decode(part.value, { stream: true }));
        }
        return parts.join('') + decoder.decode();
    }

    /**
     * Reads a batch.
     * @param {Uint8Array} payload of a message
     * @returns {Promise<Array<{channel: string, seq: number, payload: string}>>} the records as the payloads of messages of
     *     their own, in the order of their numbers; rejected for what is no batch, or exceeds a limit
     */
    async function decode(payload) {
        const document = JSON.parse(await expand(payload, limits.documentBytes));
        check(isObject(document) && typeof document.device_id === 'string' && Number.isSafeInteger(document.epoch),
            'device_id or epoch is missing');
        const { plain = [], tables = [], seed } = document;
        check(seed === undefined || isSeed(seed), 'seed is not 32 hexadecimal digits');
        const found = new Found();
        for (const [channel, seq, text, ...others] of plain) {
            check(channels.has(channel) && Number.isSafeInteger(seq) && typeof text === 'string' && others.length === 0,
                'an element of plain is not channel, seq and payload');
            found.add(channel, seq, text);
        }
        for (const table of tables) addTable(table, document, found);
        return found.records.sort((one, other) => one.seq - other.seq);
    }

    odograph.batches = { limits, decode, expand };
})(globalThis.odograph ??= {});
