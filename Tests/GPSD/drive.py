"""The sentences of a simulated receiver in a vehicle: 30 s of driving, a halt of 25 s, and 25 s of driving."""

import math
import random

# The drives by name: bits per second, and the order of the sentences. N/5 is one that comes every fifth second.
DRIVES = {
    # The order of some modems: the position without a speed comes first, and what follows belongs to the next second.
    "gga-first": (9600, ["GSV", "VTG", "GSA", "GGA", "RMC"]),
    # A slow line: a report waits for the sentences before it, every fifth second for longer.
    "slow": (4800, ["GGA", "GSA", "GSV/5", "RMC", "VTG", "ZDA"]),
    "rmc-first": (115200, ["RMC", "VTG", "GGA", "GSA", "GSV/5", "GLL"]),
}
SECONDS = 80


def sentence(body):
    check = 0
    for letter in body:
        check ^= ord(letter)
    return f"${body}*{check:02X}\r\n"


def speed(second):
    """The speed in m/s."""
    if second < 55:
        return max(0, min(14, second, 14 - 2 * (second - 23)))
    return min(12, 1.5 * (second - 55))


def angle(degrees, digits, hemispheres):
    whole, minutes = divmod(round(abs(degrees) * 60 * 1e5) / 1e5, 60)
    return f"{int(whole):0{digits}d}{minutes:08.5f},{hemispheres[degrees < 0]}"


def body(kind, second, place, metres_a_second, course):
    clock = f"09{second // 60:02d}{second % 60:02d}.00"
    knots, heading = metres_a_second / 0.514444, f"{course:.1f}" if metres_a_second > 0 else ""
    match kind:
        case "GGA":
            return [f"GPGGA,{clock},{place},1,08,0.9,667.0,M,46.9,M,,"]
        case "RMC":
            return [f"GPRMC,{clock},A,{place},{knots:.2f},{heading},271126,,,A"]
        case "VTG":
            return [f"GPVTG,{heading},T,,M,{knots:.2f},N,{knots * 1.852:.2f},K,A"]
        case "GLL":
            return [f"GPGLL,{place},{clock},A,A"]
        case "ZDA":
            return [f"GPZDA,{clock},27,11,2026,00,00"]
        case "GSA":
            return ["GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2"]
        case "GSV":
            satellites = [f"{number:02d},40,{number * 40:03d},35" for number in range(1, 9)]
            return [f"GPGSV,2,{part + 1},08," + ",".join(satellites[part * 4:part * 4 + 4]) for part in range(2)]


def chunks(name):
    """Pairs of the seconds after the start and the sentence that is complete then."""
    bits_a_second, order = DRIVES[name]
    noise = random.Random(7)
    result, metres = [], 0
    for second in range(SECONDS):
        metres += speed(second)
        course = 40
        north, east = metres * math.cos(math.radians(course)), metres * math.sin(math.radians(course))
        latitude = 40.42 + (north + noise.gauss(0, 1)) / 111_132
        longitude = -3.7 + (east + noise.gauss(0, 1)) / (111_320 * math.cos(math.radians(40.42)))
        place = angle(latitude, 2, "NS") + "," + angle(longitude, 3, "EW")
        seconds = float(second)
        for entry in order:
            kind, _, interval = entry.partition("/")
            if interval and second % int(interval):
                continue
            for text in body(kind, second, place, speed(second), course):
                data = sentence(text).encode()
                # A byte is ten bits on the line.
                seconds += len(data) * 10 / bits_a_second
                result.append((seconds, data))
    return result
