'use strict';
// Programs that the tests start, each with a folder of its own, and ended with them.

const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');

const folders = [];
const children = new Set();

process.on('exit', () => {
    for (const child of children) signalAll(child, 'SIGKILL');
    for (const folder of folders) {
        try {
            fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
        } catch {
            // What a dying browser still writes is left to whoever tidies the system's temporary folder.
        }
    }
});

/** Signals a program and those that it has started. */
function signalAll(child, signal) {
    try {
        process.kill(-child.pid, signal);
    } catch {
        // They have ended meanwhile.
    }
}

/** @returns {string} a new folder that is removed in the end */
function temporaryFolder() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'odograph-dashboard.'));
    folders.push(folder);
    // The broker may run as another user.
    fs.chmodSync(folder, 0o755);
    return folder;
}

/** @returns {Promise<number>} a port of the loopback that nobody had a moment ago */
function freePort() {
    return new Promise((resolve, reject) => {
        const server = net.createServer().on('error', reject).listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

/** @returns {Promise<boolean>} whether somebody listens at a port of the loopback */
function isServed(port) {
    return new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => {
            socket.destroy();
            resolve(true);
        }).on('error', () => resolve(false));
    });
}

/** @param {string} command @param {string[]} values @returns {{child: object, said: () => string}} */
function start(command, values, options = {}) {
    const child = spawn(command, values, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
    let output = '';
    const keep = (data) => { output = (output + data).slice(-20000); };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => keep(`${command}: ${error.message}\n`));
    children.add(child);
    child.on('exit', () => children.delete(child));
    return { child, said: () => output };
}

/** Ends a program, by force after a while. */
async function stop({ child }, signal = 'SIGTERM') {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => { child.once('exit', resolve); });
    signalAll(child, signal);
    const timer = setTimeout(() => signalAll(child, 'SIGKILL'), 10000);
    await ended;
    clearTimeout(timer);
}

const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/**
 * Waits until something is the case; looks ten times a second.
 * @param {string} what for the error
 * @param {() => *} test may be asynchronous
 */
async function until(what, test, seconds = 30) {
    const end = Date.now() + seconds * 1000;
    let last;
    while (Date.now() < end) {
        try {
            last = await test();
            if (last) return last;
        } catch (error) {
            last = error;
        }
        await sleep(100);
    }
    throw new Error(`waited ${seconds} s in vain: ${what} (at last: ${last instanceof Error ? last.message : last})`);
}

module.exports = { temporaryFolder, freePort, isServed, start, stop, sleep, until };
