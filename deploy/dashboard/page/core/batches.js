(function (odograph) {
    'use strict';

    const [mostBytes, mostRecords] = [4 << 20, 10000];
    const mask = (1n << 64n) - 1n;

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

    function column([form, ...values]) {
        if (form === 'v') return values;
        let sum = 0;
        const sums = values.map((difference) => (sum += difference));
        if (form === 't') return sums.map((milliseconds) => new Date(milliseconds).toISOString());
        return sums.map((scaled) => scaled / Number(`1e${form}`));
    }

    function rows(template, count) {
        if (Array.isArray(template)) return column(template);
        if (typeof template !== 'object' || template === null) return Array(count).fill(template);
        const columns = Object.entries(template).map(([key, inner]) => [key, rows(inner, count)]);
        return Array.from({ length: count }, (_, row) => Object.fromEntries(columns.map(([key, of]) => [key, of[row]])));
    }

    /** @param {Uint8Array} payload @returns {Promise<Array<{channel: string, seq: number, message: object}>>} */
    async function decode(payload) {
        const reader = new Blob([payload]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
        const [decoder, parts] = [new TextDecoder(), []];
        for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
            if ((size += part.value.length) > mostBytes) throw new Error('the batch is too long');
            parts.push(decoder.decode(part.value, { stream: true }));
        }
        const { device_id, epoch, seed, tables, plain = [] } = JSON.parse(parts.join(''));
        const records = plain.map(([channel, seq, text]) => ({ channel, seq, message: JSON.parse(text) }));
        for (const { channel, count, records: template } of tables) {
            if (!(records.length + count <= mostRecords)) throw new Error('the batch has too many records');
            for (const message of rows(template, count)) {
                const [record] = Object.values(message);
                record.uuid ??= uuid(seed, record.seq);
                records.push({ channel, seq: record.seq, message: { device_id, ...message } });
                record.epoch = epoch;
            }
        }
        return records.sort((a, b) => a.seq - b.seq);
    }

    odograph.batches = { decode };
})(globalThis.odograph ??= {});
