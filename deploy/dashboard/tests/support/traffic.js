'use strict';
// A large fleet, made up: every vehicle drives in a circle and tells its position once a second, retained.

/**
 * @param {object} client of MQTT.js @param {number} vehicles
 * @returns {Promise<{sent: number, stop: () => void}>} after all have spoken once
 */
async function drive(client, vehicles) {
    const traffic = { sent: 0, stop: () => clearInterval(timer) };
    const began = Date.now();
    let next = 0;
    const send = () => {
        const index = next % vehicles;
        const lap = Math.floor(next / vehicles);
        client.publish(`fleet/acme/van-${index + 1}/location`, message(index, lap), { qos: 0, retain: true });
        next += 1;
        traffic.sent += 1;
    };
    // Evenly over the second, as vehicles that know nothing of each other would.
    const timer = setInterval(() => {
        const due = (Date.now() - began) / 1000 * vehicles;
        for (let burst = 0; next < due && burst < vehicles; burst += 1) send();
    }, 5);
    while (traffic.sent < vehicles) await new Promise((resolve) => { setTimeout(resolve, 50); });
    return traffic;
}

function message(index, lap) {
    // Rings around a centre, one in ten parked.
    const isMoving = index % 10 !== 0;
    const radius = 0.01 + (index % 100) * 0.0012;
    const angle = index * 2.399 + (isMoving ? lap * 0.00012 / radius : 0);
    return JSON.stringify({
        device_id: `van-${index + 1}`,
        location: {
            uuid: `00000000-0000-4000-8000-${String(index * 1e6 + lap).padStart(12, '0')}`, epoch: 1, seq: lap + 1,
            timestamp: new Date().toISOString(), age: 5, is_moving: isMoving, sample: false, mock: true,
            odometer: 120000 + lap * 13, odometer_error: 18.1,
            coords: {
                latitude: 40.4168 + Math.sin(angle) * radius, longitude: -3.7038 + Math.cos(angle) * radius * 1.3, accuracy: 4.2,
                speed: isMoving ? 13.4 : 0, heading: ((-angle * 180 / Math.PI) % 360 + 360) % 360, altitude: 667,
            },
            activity: { type: isMoving ? 'in_vehicle' : 'still', confidence: 96 },
            battery: { level: 0.15 + (index % 80) / 100, is_charging: false },
        },
    });
}

module.exports = { drive };
