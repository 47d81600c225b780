#!/usr/bin/python3
# Usage: recorder.py DATABASE HOST PORT ROOT/FLEET CLIENT_ID [USER PASSWORD_FILE CA_FILE]
import batches, json, sqlite3, sys
import paho.mqtt.client as mqtt

path, host, port, fleet_topic, client_id, *login = sys.argv[1:]
channels = ["location/#", "geofence/#", "timeline/#", "given_up", "batch", "status", "reported"]
db = sqlite3.connect(path)
db.executescript("""PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS record (fleet, device, epoch, seq, kind, body, received DEFAULT CURRENT_TIMESTAMP,
                                       PRIMARY KEY (fleet, device, epoch, seq));
    CREATE TABLE IF NOT EXISTS report (fleet, device, kind, body, PRIMARY KEY (fleet, device, kind, body));
    CREATE TABLE IF NOT EXISTS refused (topic, payload, error, PRIMARY KEY (topic, payload));""")

def store(fleet, device, kind, body):
    message = json.loads(body, parse_constant=int)  # int raises an error for NaN, which is not JSON.
    if kind in ("status", "reported"):
        return db.execute("INSERT INTO report VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", (fleet, device, kind, body))
    record = message[{"timeline": "timeline_event", "given_up": "given_up"}.get(kind, "location")]
    row = (fleet, device, record["epoch"], record["seq"], kind, body)
    batches.check(all(type(number) is int and 0 < number < 2**53 for number in row[2:4]), "not the number of a record")
    db.execute("INSERT OR IGNORE INTO record (fleet, device, epoch, seq, kind, body) VALUES (?, ?, ?, ?, ?, ?)", row)

def on_message(client, userdata, message):  # paho sends the PUBACK after this function has returned.
    try:
        with db:  # Commits at the end of the block. An sqlite3.Error ends the program without a PUBACK.
            fleet, device, kind = message.topic.split("/")[1:4]
            alone = [(kind, message.payload)]
            for channel, body in batches.records(message.payload) if kind == "batch" else alone:
                store(fleet, device, channel, body.decode())
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        with db:
            db.execute("INSERT INTO refused VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                       (message.topic, message.payload[:4096], repr(error)))

def on_connect(client, userdata, flags, code, *properties):
    print(mqtt.connack_string(code), flags, flush=True)
    client.subscribe([(f"{fleet_topic}/+/{channel}", 1) for channel in channels])

def on_subscribe(client, userdata, identifier, codes, *properties):  # Codes are numbers, or objects with a value.
    print("subscribed", flush=True) if {getattr(code, "value", code) for code in codes} == {1} else sys.exit("no QoS 1")

version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []  # paho 2, paho 1
client = mqtt.Client(*version, client_id=client_id, clean_session=False)
client.on_connect, client.on_message, client.on_subscribe = on_connect, on_message, on_subscribe
if login:
    client.username_pw_set(login[0], open(login[1]).read().strip())
    client.tls_set(login[2])
client.connect(host, int(port))
client.loop_forever()
