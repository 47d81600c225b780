"""Drains an outbox with paho-mqtt and sqlite3, as a Python program would: what the agent is measured beside.

    drain.py DATABASE PORT WINDOW BATCH TOPIC

At most WINDOW messages (or the broker's Receive Maximum) are unacknowledged; what is acknowledged is deleted BATCH at a
time, with synchronous=FULL. Prints records, seconds, and seconds of processor time.
"""

import queue
import resource
import sqlite3
import sys
import threading
import time

import paho.mqtt.client as mqtt


def main():
    path, port, window, batch, topic = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    database = sqlite3.connect(path, isolation_level=None)
    for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
        database.execute("PRAGMA " + setting).fetchall()

    acknowledged = queue.SimpleQueue()
    connected = threading.Event()

    def on_connect(client, userdata, flags, reason, properties=None):
        userdata["window"] = min(window, getattr(properties, "ReceiveMaximum", window))
        connected.set()

    def on_publish(client, userdata, identifier, *reasons):
        acknowledged.put(identifier)

    settings = {"window": window}
    version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    client = mqtt.Client(*version, client_id="drain", userdata=settings, protocol=mqtt.MQTTv5)
    client.max_inflight_messages_set(65535)
    client.on_connect = on_connect
    client.on_publish = on_publish
    client.connect("127.0.0.1", port)
    client.loop_start()
    connected.wait()

    in_flight = {}
    waiting = []
    total = 0

    def processor_seconds():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    start, before = time.monotonic(), processor_seconds()
    rows, last = [], 0
    has_more = True
    deleted = database.cursor()

    def delete():
        deleted.execute("BEGIN IMMEDIATE")
        deleted.executemany("DELETE FROM outbox WHERE seq = ?", waiting)
        deleted.execute("COMMIT")
        waiting.clear()

    while has_more or in_flight:
        while has_more and len(in_flight) < settings["window"]:
            if not rows:
                read = "SELECT seq, payload FROM outbox WHERE seq > ? AND payload IS NOT NULL ORDER BY seq LIMIT 1000"
                rows = database.execute(read, (last,)).fetchall()[::-1]
                if not rows:
                    has_more = False
                    break
            row = rows.pop()
            last = row[0]
            identifier = client.publish(topic, row[1], qos=1).mid
            in_flight[identifier] = row[0]
            total += 1
        identifiers = [acknowledged.get()] if in_flight else []
        while not acknowledged.empty():
            identifiers.append(acknowledged.get())
        for identifier in identifiers:
            waiting.append((in_flight.pop(identifier),))
        if len(waiting) >= batch:
            delete()
    if waiting:
        delete()
    print(total, time.monotonic() - start, processor_seconds() - before)
    client.disconnect()
    client.loop_stop()


main()
