// MQTT.js as one script for the page: its client for browsers, and nothing of its command line.
module.exports = require('mqtt/lib/connect');
