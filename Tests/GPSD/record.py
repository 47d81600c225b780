"""Sends receivers' logs to a gpsd, and records its reports with their arrivals."""

import json
import socket
import subprocess
import threading
import time

# The members of a report that the agent reads.
MEMBERS = {
    "class", "device", "mode", "time", "lat", "lon", "alt", "altMSL", "altHAE", "eph", "epx", "epy", "eps", "speed",
    "track",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(port):
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"gpsd does not listen at port {port}")


def short(line):
    """A report without what the agent does not read, and without what differs each time."""
    report = json.loads(line)
    if report["class"] in ("DEVICE", "DEVICES", "WATCH"):
        raise ValueError
    if report["class"] == "VERSION":
        return line
    kept = {name: value for name, value in report.items() if name in MEMBERS}
    kept["device"] = "/dev/ttyS0"
    return json.dumps(kept, separators=(",", ":"))


def record(root, chunks):
    """Returns the lines of a recording: the milliseconds of the arrival, a space, and the report.

    root: the folder of the Debian whose gpsd is used.
    chunks: pairs of the seconds after the start and the bytes that the receiver sends then.
    """
    feed = socket.socket()
    feed.bind(("127.0.0.1", 0))
    feed.listen(1)
    port = free_port()
    command = ["chroot", root, "gpsd", "-N", "-b", "-S", str(port), f"tcp://127.0.0.1:{feed.getsockname()[1]}"]
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    is_done = threading.Event()

    def send():
        receiver, _ = feed.accept()
        receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # gpsd probes the type of each new source for a while, and drops the input of that time.
        time.sleep(1)
        start = time.monotonic()
        try:
            for seconds, data in chunks:
                time.sleep(max(0, start + seconds - time.monotonic()))
                receiver.sendall(data)
        except OSError:
            pass
        time.sleep(1.5)
        is_done.set()
        receiver.close()

    threading.Thread(target=send, daemon=True).start()
    lines, rest, begin = [], b"", time.monotonic()
    try:
        with connect(port) as client:
            client.sendall(b'?WATCH={"enable":true,"json":true};\n')
            client.settimeout(0.2)
            while not is_done.is_set():
                try:
                    data = client.recv(65536)
                except TimeoutError:
                    continue
                if not data:
                    break
                *whole, rest = (rest + data).split(b"\n")
                milliseconds = int((time.monotonic() - begin) * 1000)
                for line in whole:
                    try:
                        lines.append(f"{milliseconds} {short(line.decode().strip())}\n")
                    except (ValueError, KeyError):
                        pass
    finally:
        daemon.kill()
        daemon.wait()
        feed.close()
    return lines


def paced(path, seconds_a_line=0.004):
    """The chunks of a raw log. Comment lines before its content are skipped."""
    lines = open(path, "rb").read().split(b"\n")
    while lines and lines[0].startswith(b"#"):
        lines.pop(0)
    return [(number * seconds_a_line, line + b"\n") for number, line in enumerate(lines)]
