#!/usr/bin/python3
# Usage: ask.py HOST PORT ROOT FLEET USER PASSWORD_FILE CA_FILE REQUEST
import json, signal, sys, uuid
import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

host, port, root, fleet, user, password_file, ca_file, request = sys.argv[1:]
request = json.loads(request)  # with several recorders of a fleet also "recorder"
topics = f"{root}/history:{fleet}/{user}"
answers = f"{topics}/answer/{uuid.uuid4().hex}"  # a topic for this program only
asked = {}  # the identifier of the request, and the number of its parts so far


def ask(client):
    asked.update(id=uuid.uuid4().hex, parts=0)
    properties = Properties(PacketTypes.PUBLISH)
    properties.ResponseTopic = answers
    properties.CorrelationData = asked["id"].encode()
    client.publish(f"{topics}/request/{asked['id']}", json.dumps(request), qos=1, properties=properties)
    signal.alarm(60)  # no recorder answers


def on_message(client, userdata, message):
    if getattr(message.properties, "CorrelationData", b"") != asked["id"].encode():
        return
    answer = json.loads(message.payload)
    asked["parts"] += 1
    if answer["status"] == "error":
        sys.exit(answer["error"])
    if answer["part"] != asked["parts"]:
        sys.exit("the broker has dropped a part; ask again")
    for row in answer["rows"]:
        print(json.dumps(row))
    if answer["is_last"] and "next" in answer:
        request["after"] = answer["next"]
        ask(client)
    elif answer["is_last"]:
        client.disconnect()


version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []  # paho 2, paho 1
client = mqtt.Client(*version, protocol=mqtt.MQTTv5)
client.username_pw_set(user, open(password_file).read().strip())
client.tls_set(ca_file)
client.on_connect = lambda client, *_: client.subscribe(answers, qos=1)
client.on_subscribe = lambda client, *_: ask(client)
client.on_message = on_message
client.connect(host, int(port))
client.loop_forever()
