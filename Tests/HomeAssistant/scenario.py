"""Runs Home Assistant without its web page, and compares its entities with the topics of two vehicles.

Usage: scenario.py FOLDER BROKER_PORT ODOGRAPH AGENT_PID

van-1 is a real agent on a simulated drive. This program itself publishes the messages of van-2, so that they can contain
each unknown value. Home Assistant's own log must have no warning and no error.
"""
import asyncio
import json
import logging
import os
import signal
import socket
import sys
import time

import paho.mqtt.client as paho
from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component

FOLDER, PORT, ODOGRAPH, AGENT = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
# The bar for the time in which entities appear, and the patience for everything else, seconds.
BAR, PATIENCE = 5.0, 60.0
KINDS = {"position": "device_tracker", "speed": "sensor", "odometer": "sensor", "battery": "sensor",
         "moving": "binary_sensor", "online": "binary_sensor"}


# Complaints about the order of calls in Home Assistant's own code, which depends on how busy the machine is.
OWN_CODE = "homeassistant.helpers.frame"


class Complaints(logging.Handler):
    """Keeps the warnings and errors of Home Assistant."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        if record.name == OWN_CODE:
            return
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


class Topics:
    """The newest message of each topic, and a client to publish messages of van-2."""

    def __init__(self):
        self.payloads = {}
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _client, _data, message: self.payloads.update({message.topic: message.payload})
        self.client.connect("127.0.0.1", PORT)
        self.client.subscribe("fleet/acme/+/+", qos=1)
        self.client.loop_start()

    def location(self, vehicle):
        payload = self.payloads.get(f"fleet/acme/{vehicle}/location")
        return json.loads(payload)["location"] if payload else None

    def publish(self, channel, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.client.publish(f"fleet/acme/van-2/{channel}", text, qos=1, retain=True).wait_for_publish(PATIENCE)


def status(state, reason):
    return {"device_id": "van-2", "state": state, "reason": reason, "connection": 1, "boot_id": "", "version": "0.1.0",
            "timestamp": "2026-11-21T09:15:02.000Z"}


def record(coords=None, **others):
    location = {"uuid": "46b165f0-9c1e-8a3d-b0c5-0f2f6f0a9d11", "epoch": 1, "seq": 1,
                "timestamp": "2026-11-21T09:15:02.000Z", "age": 120, "is_moving": False, "sample": False, "mock": False,
                "odometer": 120345.2, "odometer_error": 18.1, "activity": {"type": "still", "confidence": 96}, **others}
    return {"device_id": "van-2", "location": location if coords is None else {**location, "coords": coords}}


def expected(location):
    """The states that the entities must have for a record, by the key of the component."""
    coords, battery = location.get("coords", {}), location.get("battery", {})
    speed = coords.get("speed", -1)
    level = battery.get("level")
    return {"speed": speed if speed >= 0 else None, "odometer": location.get("odometer"),
            "battery": None if level is None else round(level * 100),
            "moving": "on" if location["is_moving"] else "off"}


async def announce(*arguments):
    program = await asyncio.create_subprocess_exec(
        ODOGRAPH, "fleet", "announce", "homeassistant", *arguments, "--broker", f"mqtt://127.0.0.1:{PORT}", "--fleet",
        "acme", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    output, _ = await program.communicate()
    return output.decode().rstrip(), program.returncode


class Scenario:
    def __init__(self, hass, topics):
        self.hass, self.topics, self.faults = hass, topics, []

    def fail(self, text):
        self.faults.append(text)
        print(f"FAILED: {text}", flush=True)

    def state(self, vehicle, key):
        registry = entity_registry.async_get(self.hass)
        entity = registry.async_get_entity_id(KINDS[key], "mqtt", f"fleet/acme/{vehicle}/{key}")
        return self.hass.states.get(entity) if entity else None

    def states(self, vehicle):
        return {key: self.state(vehicle, key) for key in KINDS}

    def devices(self):
        return sorted(device.name for device in device_registry.async_get(self.hass).devices.values())

    async def wait(self, text, condition, patience=PATIENCE):
        """Returns the time until a condition is true, seconds."""
        start = time.monotonic()
        while True:
            found = condition()
            if found is True:
                return time.monotonic() - start
            if time.monotonic() - start > patience:
                self.fail(f"not within {patience:.0f} s: {text}: {found}")
                return None
            await asyncio.sleep(0.02)

    async def announce(self, *arguments):
        output, code = await announce(*arguments)
        print(output, flush=True)
        if code:
            self.fail(f"fleet announce homeassistant {arguments} ended with {code}")

    def agreement(self, vehicle):
        """True if all entities of a vehicle have the values of its newest record, else the difference."""
        location, states = self.topics.location(vehicle), self.states(vehicle)
        if location is None or None in states.values():
            return f"no record, or no {[key for key, state in states.items() if state is None]}"
        for key, value in expected(location).items():
            text = states[key].state
            if value is None:
                if text != STATE_UNKNOWN:
                    return f"{key} is {text}, not unknown"
            elif isinstance(value, str):
                if text != value:
                    return f"{key} is {text}, not {value}"
            elif text in (STATE_UNKNOWN, STATE_UNAVAILABLE) or abs(float(text) - value) > 1e-6:
                return f"{key} is {text}, not {value}"
        if "coords" not in location:
            return True
        coords, attributes = location["coords"], states["position"].attributes
        for attribute, key in (("latitude", "latitude"), ("longitude", "longitude"), ("gps_accuracy", "accuracy")):
            value = max(coords[key], 0) if key == "accuracy" else coords[key]
            if attributes.get(attribute) != value:
                return f"{attribute} is {attributes.get(attribute)}, not {value}"
        return True

    async def run(self, connected):
        for vehicle in ("van-1", "van-2"):
            await self.wait(f"the entities of {vehicle} with the values of its topics",
                            lambda vehicle=vehicle: self.agreement(vehicle), BAR - (time.monotonic() - connected))
        print(f"{time.monotonic() - connected:.2f} s after the connection all entities have the values of the topics",
              flush=True)
        for key, state in self.states("van-1").items():
            attributes = {name: state.attributes[name] for name in ("latitude", "longitude", "gps_accuracy")
                          if name in state.attributes}
            print(f"    {state.entity_id} = {state.state} {state.attributes.get('unit_of_measurement', '')} "
                  f"{attributes or ''}", flush=True)
        if self.devices() != ["van-1", "van-2"]:
            self.fail(f"the devices are {self.devices()}")
        await self.check_drive()
        await self.check_unknown_values()
        await self.check_connection()
        await self.check_removal()

    async def check_drive(self):
        """The values follow the drive."""
        for _ in range(10):
            before = self.topics.payloads.get("fleet/acme/van-1/location")
            await self.wait("a new record of van-1", lambda: before != self.topics.payloads["fleet/acme/van-1/location"])
            await self.wait("its values", lambda: self.agreement("van-1"))
        print("the entities followed 10 records of a drive", flush=True)

    async def check_unknown_values(self):
        coords = {"latitude": 40.5, "longitude": -3.5, "accuracy": 4.2, "speed": 13.9, "heading": 271.5}
        self.topics.publish("location", record(coords, battery={"level": 0.934, "is_charging": True}, is_moving=True))
        await self.wait("a complete record", lambda: self.agreement("van-2"))
        self.topics.publish("location", record({**coords, "accuracy": -1, "speed": -1, "heading": -1}))
        await self.wait("unknown accuracy, speed and battery", lambda: self.agreement("van-2"))
        self.topics.publish("location", record(odometer=120346.5))
        await self.wait("a record without coords", lambda: self.agreement("van-2"))
        place = self.state("van-2", "position")
        print(f"a record without coords: {place.entity_id} = {place.state}, speed = "
              f"{self.state('van-2', 'speed').state}", flush=True)
        for payload in ("{}", '{"location":null}', '{"location":{"coords":null,"battery":null}}', "[]", "null", "5", '"x"',
                        "no JSON", ""):
            for channel in ("location", "status"):
                self.topics.publish(channel, payload)
        self.topics.publish("status", status("online", "connected"))
        self.topics.publish("location", record(coords))
        await self.wait("a complete record after messages of other forms", lambda: self.agreement("van-2"))

    async def check_connection(self):
        def are(vehicle, online):
            states = self.states(vehicle)
            others = {state.state == STATE_UNAVAILABLE for key, state in states.items() if key != "online"}
            right = others == {not online} and states["online"].state == ("on" if online else "off")
            return right or {key: state.state for key, state in states.items()}

        self.topics.publish("status", status("offline", "connection_lost"))
        await self.wait("van-2 is unavailable after its last will", lambda: are("van-2", False))
        self.topics.publish("status", status("online", "connected"))
        await self.wait("van-2 is available again", lambda: are("van-2", True))
        os.kill(AGENT, signal.SIGTERM)
        seconds = await self.wait("van-1 is unavailable after the stop of its agent", lambda: are("van-1", False))
        if seconds is not None:
            print(f"{seconds:.2f} s after the stop of the agent its entities are unavailable, and it is not online",
                  flush=True)

    async def check_removal(self):
        await self.announce("--remove", "van-2")
        await self.wait("no entity of van-2", lambda: set(self.states("van-2").values()) == {None})
        if self.state("van-1", "position") is None:
            self.fail("the removal of van-2 removed van-1")
        await self.announce("van-2")
        seconds = await self.wait("the entities of van-2 again", lambda: self.agreement("van-2"), BAR)
        if seconds is not None:
            print(f"{seconds:.2f} s after a command all entities of the vehicle are in the running Home Assistant",
                  flush=True)
        await self.announce("--remove")
        await self.wait("no entity", lambda: {*self.states("van-1").values(), *self.states("van-2").values()} == {None})
        await self.wait("no device", lambda: self.devices() == [] or self.devices())
        print("after the removal there is no entity and no device", flush=True)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


async def start(complaints):
    """Returns Home Assistant with the MQTT integration, and the time at which it was connected."""
    hass = core.HomeAssistant(FOLDER)
    loader.async_setup(hass)
    hass.config.skip_pip = True
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await loader.async_get_custom_components(hass)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    web = {"server_host": ["127.0.0.1"], "server_port": free_port()}
    for domain, settings in (("homeassistant", {}), ("zone", {}), ("http", web)):
        if not await async_setup_component(hass, domain, {domain: settings}):
            raise SystemExit(f"the integration {domain} cannot be set up")
    await hass.async_start()
    entry = config_entries.ConfigEntry(
        data={"broker": "127.0.0.1", "port": PORT, "protocol": "5"}, options={}, domain="mqtt", title="mqtt",
        source=config_entries.SOURCE_USER, unique_id=None, version=1, minor_version=2, discovery_keys={},
        subentries_data=None)
    # Complaints about packages that this program does not need.
    complaints.lines.clear()
    begin = time.monotonic()
    await hass.config_entries.async_add(entry)
    if entry.state is not config_entries.ConfigEntryState.LOADED:
        raise SystemExit(f"the MQTT integration is not loaded: {entry.state} {entry.reason}")
    return hass, begin


async def main():
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    logging.getLogger().addHandler(logging.StreamHandler(open(os.path.join(FOLDER, "log"), "w", encoding="utf-8")))
    logging.getLogger("homeassistant").setLevel(logging.INFO)
    topics = Topics()
    while topics.location("van-1") is None:
        await asyncio.sleep(0.1)
    topics.publish("status", status("online", "connected"))
    topics.publish("location", record({"latitude": 40.5, "longitude": -3.5, "accuracy": 4.2, "speed": -1, "heading": -1}))
    output, code = await announce()
    print(output, flush=True)
    if code:
        return 1
    hass, connected = await start(complaints)
    scenario = Scenario(hass, topics)
    try:
        await scenario.run(connected)
    finally:
        await hass.async_stop(force=True)
    for line in complaints.lines:
        scenario.fail(f"Home Assistant says: {line}")
    return 1 if scenario.faults else 0


sys.exit(asyncio.run(main()))
