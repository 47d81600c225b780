// Stands for the parts of Node.js that a browser has no use for: sockets, and its own WebSocket.
module.exports = {};
