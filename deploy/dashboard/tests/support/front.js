'use strict';
// A server of the page's files before a broker's websockets listener. Mosquitto needs 0.3 s for each file, so that a page
// of its own takes 1.6 s to open; one test opens it there.

const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.txt': 'text/plain' };

class Front {
    #sockets = new Set();

    /** @param {string} folder of the page @param {number} webPort of the broker's websockets listener @returns {Promise<Front>} */
    static async start(folder, webPort) {
        const front = new Front();
        front.server = http.createServer(({ url }, response) => {
            const { pathname } = new URL(url, 'http://front');
            const file = path.join(folder, pathname === '/' ? 'index.html' : path.normalize(pathname));
            const content = fs.existsSync(file) ? fs.readFileSync(file) : null;
            response.writeHead(content === null ? 404 : 200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
            response.end(content);
        });
        front.server.on('connection', (socket) => front.#keep(socket));
        front.server.on('upgrade', (request, socket, head) => front.#pass(request, socket, head, webPort));
        await new Promise((resolve) => { front.server.listen(0, '127.0.0.1', resolve); });
        front.port = front.server.address().port;
        return front;
    }

    /** Gives a websocket to the broker: what it says, and its end. */
    #pass({ url, rawHeaders }, socket, head, webPort) {
        const broker = net.connect(webPort, '127.0.0.1', () => {
            const lines = [];
            for (let index = 0; index < rawHeaders.length; index += 2) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
            broker.write(`GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
            broker.write(head);
            broker.pipe(socket).pipe(broker);
        });
        this.#keep(broker);
        broker.on('close', () => socket.destroy());
        socket.on('close', () => broker.destroy());
    }

    #keep(socket) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    }

    async end() {
        const closed = new Promise((resolve) => { this.server.close(resolve); });
        for (const socket of this.#sockets) socket.destroy();
        await closed;
    }
}

module.exports = { Front };
