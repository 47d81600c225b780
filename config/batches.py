"""Reads batches: records(payload) returns the channel and the payload of each record, in the order of the numbers.

A payload that is no batch, or would need more than the bounds, is a ValueError."""
import itertools, json, re, zlib
from datetime import datetime, timedelta

MOST_DOCUMENT_BYTES, MOST_RECORDS, MOST_BYTES, MOST_RECORD_BYTES = 576 << 10, 100, 64 << 10, 256 << 10
CHANNELS = ("location", "geofence", "timeline", "given_up")
MASK = 2**64 - 1

def check(condition, problem):
    if not condition:
        raise ValueError(problem)

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

def column(count, form=None, *values):
    check(len(values) == count, "a column does not have a value for each record")
    if form == "v":
        return values
    check(form == "t" or type(form) is int and 0 <= form <= 15, "a column has an unknown form")
    check(all(type(value) is int for value in values), "a difference is no integer")
    sums = list(itertools.accumulate(values))
    check(all(abs(value) <= 2**52 for value in sums), "a sum of differences exceeds 2^52")
    if form == "t":
        times = (datetime(1970, 1, 1) + timedelta(milliseconds=value) for value in sums)
        return [time.isoformat(timespec="milliseconds") + "Z" for time in times]
    return [decimal(value, 10**form) for value in sums]

def rows(template, count):  # Makes one row at a time: all together could need more memory than there is.
    if isinstance(template, list):
        return column(count, *template)
    if not isinstance(template, dict) or not template:
        return itertools.repeat(template, count)
    columns = [rows(inner, count) for inner in template.values()]
    return (dict(zip(template, values)) for values in zip(*columns))

def unique(members):
    check(len(dict(members)) == len(members), "an object has a key twice")
    return dict(members)

def found(document):
    plain, tables = document.get("plain", []), document["tables"]
    check(type(plain) is list and type(tables) is list, "tables or plain is no array")
    for channel, seq, text in plain:
        yield seq, channel, text.encode()
    seed = document.get("seed")
    check(seed is None or re.fullmatch("[0-9a-fA-F]{32}", seed), "seed is not 32 hexadecimal digits")
    for table in tables:
        check(type(table["count"]) is int and 1 <= table["count"] <= MOST_RECORDS, "count is out of its range")
        for message in rows(table["records"], table["count"]):
            (name, record), = message.items()
            check(name != "device_id" and "epoch" not in record, "a template contains device_id or epoch")
            check(type(record["seq"]) is int, "a seq is no integer")
            if "uuid" not in record:
                record["uuid"] = uuid(seed, record["seq"])
            record["epoch"] = document["epoch"]
            message["device_id"] = document["device_id"]
            text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
            yield record["seq"], table["channel"], text.encode()

def records(payload):
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(payload, MOST_DOCUMENT_BYTES)
        check(inflater.eof and not inflater.unused_data, "the batch is incomplete or too large")
        document = json.loads(text.decode(), object_pairs_hook=unique)
        check(type(document["epoch"]) is int and type(document["device_id"]) is str, "no epoch or device_id")
        batch, size = [], 0
        for entry in found(document):
            check(type(entry[0]) is int and entry[1] in CHANNELS, "a record has no number or channel")
            batch.append(entry)
            size += len(entry[2])
            check(len(batch) <= MOST_RECORDS and len(entry[2]) <= MOST_RECORD_BYTES, "too many or too large records")
            check(len(batch) == 1 or size <= MOST_BYTES, "the batch is too large")
    except (zlib.error, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a batch: {error!r}")
    return [(channel, body) for _, channel, body in sorted(batch, key=lambda entry: entry[0])]
