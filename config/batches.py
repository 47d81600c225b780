"""Reads batches: records(payload) yields the channel and the payload of each record, in the order of the numbers."""
import itertools, json, zlib
from datetime import datetime, timedelta

MOST_BYTES, MOST_RECORDS = 4 << 20, 10_000
MASK = 2**64 - 1

def mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31

def uuid(seed, seq):
    counter = seq * 0x9E3779B97F4A7C15 & MASK
    high = mixed(mixed(counter) ^ int(seed[:16], 16))
    low = mixed(mixed(high + int(seed[16:], 16) & MASK) ^ counter)
    digits = f"{high & ~0xF000 | 0x8000:016x}{low & ~(3 << 62) | 2 << 62:016x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

def decimal(scaled, power):
    return scaled // power if scaled % power == 0 else scaled / power

def column(form, *values):
    if form == "v":
        return values
    sums = itertools.accumulate(values)
    if form == "t":
        times = (datetime(1970, 1, 1) + timedelta(milliseconds=value) for value in sums)
        return [time.isoformat(timespec="milliseconds") + "Z" for time in times]
    return [decimal(value, 10**form) for value in sums]

def rows(template, count):
    if isinstance(template, list):
        return column(*template)
    if not isinstance(template, dict):
        return [template] * count
    columns = {key: rows(inner, count) for key, inner in template.items()}
    return [{key: values[row] for key, values in columns.items()} for row in range(count)]

def records(payload):
    inflater = zlib.decompressobj()
    try:
        document = json.loads(inflater.decompress(payload, MOST_BYTES))
    except zlib.error as error:
        raise ValueError(f"not a batch: {error}")
    if not inflater.eof or sum(table["count"] for table in document["tables"]) > MOST_RECORDS:
        raise ValueError("the batch is incomplete or too large")
    found = [(seq, channel, text) for channel, seq, text in document.get("plain", [])]
    for table in document["tables"]:
        for message in rows(table["records"], table["count"]):
            record, = message.values()
            if "uuid" not in record:
                record["uuid"] = uuid(document["seed"], record["seq"])
            record["epoch"] = document["epoch"]
            message["device_id"] = document["device_id"]
            text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            found.append((record["seq"], table["channel"], text))
    for _, channel, text in sorted(found, key=lambda entry: entry[0]):
        yield channel, text.encode()
