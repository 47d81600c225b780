"""Stores what vehicles publish with paho-mqtt and sqlite3, as a Python program would: what the recorder is measured
beside.

    record.py sqlite FILE PORT CLIENT COUNT

Takes COUNT messages of the session CLIENT; with COUNT 0 it makes the session. Tables, keys, and the rule that the first
record with a number stays are those of the recorder; a transaction has at most a thousand messages, and is on the disk
when it ends. Prints records, and seconds of processor time.
"""

import datetime
import json
import queue
import resource
import sqlite3
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

BATCH = 1000

INSERT_RECORD = """
INSERT INTO records (vehicle, epoch, seq, kind, received, payload, time, clock_untrusted, mock, event, subject, latitude,
    longitude, accuracy, altitude, speed, heading, is_moving, odometer, driver)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18
WHERE coalesce((SELECT last FROM runs WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?3 ORDER BY first DESC LIMIT 1), 0) < ?3
ON CONFLICT DO NOTHING
"""
UPDATE_LATEST = """
INSERT INTO latest (vehicle, kind, epoch, seq, time) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (vehicle, kind) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, time = excluded.time
WHERE (excluded.epoch, excluded.seq) > (latest.epoch, latest.seq)
"""
UPSERT_EVENT = """
INSERT INTO timeline_events (vehicle, event_id, last_update_date, revision, epoch, seq, withdrawn, is_provisional, type,
    start_date, end_date, duration, transport_mode, distance)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT (vehicle, event_id) DO UPDATE SET last_update_date = excluded.last_update_date, revision = excluded.revision,
    epoch = excluded.epoch, seq = excluded.seq, is_provisional = excluded.is_provisional, end_date = excluded.end_date,
    duration = excluded.duration, distance = excluded.distance
WHERE (excluded.last_update_date, excluded.revision, excluded.epoch, excluded.seq)
    > (timeline_events.last_update_date, timeline_events.revision, timeline_events.epoch, timeline_events.seq)
"""


class Database:
    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL").fetchall()
        self.connection.execute("PRAGMA synchronous = FULL")
        self.keys = {}

    def key(self, fleet, device, received):
        key = self.keys.get((fleet, device))
        if key is None:
            self.connection.execute(
                "INSERT INTO vehicles (fleet, device, first_seen, last_seen) VALUES (?1, ?2, ?3, ?3)"
                " ON CONFLICT DO NOTHING", (fleet, device, received))
            found = self.connection.execute("SELECT id FROM vehicles WHERE fleet = ? AND device = ?", (fleet, device))
            key = self.keys[fleet, device] = found.fetchone()[0]
        return key

    def write(self, batch):
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        latest, seen, runs = {}, {}, {}
        for topic, payload, received in batch:
            _, fleet, device, kind = topic.split("/")[:4]
            message = json.loads(payload)
            vehicle = self.key(fleet, device, received)
            seen[vehicle] = received
            if kind == "timeline":
                event = message["timeline_event"]
                place = event.get("location") or {}
                values = (event["last_update_date"], event["type"], event["event_id"], place.get("latitude"),
                          place.get("longitude"), place.get("accuracy"), None, None, None, None, None, None)
            else:
                event = message["location"]
                coords, fence = event["coords"], event.get("geofence") or {}
                values = (event["timestamp"], fence.get("action") or event.get("event"), fence.get("identifier"),
                          coords["latitude"], coords["longitude"], known(coords["accuracy"]), coords.get("altitude"),
                          known(coords["speed"]), known(coords["heading"]), int(event["is_moving"]), event["odometer"],
                          event.get("extras", {}).get("driver"))
            epoch, seq = event["epoch"], event["seq"]
            changed = run(INSERT_RECORD, (vehicle, epoch, seq, kind, received, payload, *values)).rowcount
            if changed != 1:
                continue
            if kind == "timeline":
                run(UPSERT_EVENT, (
                    vehicle, event["event_id"], event["last_update_date"], event["revision"], epoch, seq,
                    int(event["is_provisional"]), event["type"], event["start_date"], event["end_date"],
                    event["duration"], event.get("transport_mode"), event.get("distance_in_meters")))
            latest[vehicle, kind] = (vehicle, kind, epoch, seq, values[0])
            first, _ = runs.get((vehicle, epoch), (seq, seq))
            runs[vehicle, epoch] = (first, seq)
        for row in latest.values():
            run(UPDATE_LATEST, row)
        for (vehicle, epoch), (first, last) in runs.items():
            for table in ("runs", "covered"):
                extended = run(f"UPDATE {table} SET last = ? WHERE vehicle = ? AND epoch = ? AND last = ?",
                               (last, vehicle, epoch, first - 1))
                if extended.rowcount == 0:
                    run(f"INSERT INTO {table} (vehicle, epoch, first, last) VALUES (?, ?, ?, ?)",
                        (vehicle, epoch, first, last))
        for vehicle, received in seen.items():
            run("UPDATE vehicles SET last_seen = ? WHERE id = ?", (received, vehicle))
        run("COMMIT")


def known(value):
    return None if value < 0 else value


def main():
    _, path, port, name, count = sys.argv[1:]
    count = int(count)
    messages, ready = queue.SimpleQueue(), threading.Event()

    def on_connect(client, userdata, flags, reason, properties=None):
        if count == 0:
            client.subscribe("fleet/acme/#", 1)
        ready.set()

    subscribed = threading.Event()

    def on_message(client, userdata, message):
        now = datetime.datetime.now(datetime.timezone.utc)
        received = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
        messages.put((message.topic, message.payload.decode(), received))

    version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    client = mqtt.Client(*version, client_id=name, protocol=mqtt.MQTTv5)
    client.on_connect = on_connect
    client.on_message = on_message
    client.on_subscribe = lambda *arguments: subscribed.set()
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 86400
    properties.ReceiveMaximum = 65535
    client.connect("127.0.0.1", int(port), clean_start=False, properties=properties)
    client.loop_start()
    ready.wait()
    if count == 0:
        subscribed.wait()
        client.disconnect()
        client.loop_stop()
        return
    database = Database(path)
    stored = 0
    while stored < count:
        batch = [messages.get()]
        while len(batch) < min(BATCH, count - stored):
            try:
                batch.append(messages.get(timeout=0.25))
            except queue.Empty:
                break
        database.write(batch)
        stored += len(batch)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(stored, usage.ru_utime + usage.ru_stime)
    client.disconnect()
    client.loop_stop()


main()
