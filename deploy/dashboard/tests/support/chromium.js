'use strict';
// Headless Chromium, spoken to in its own protocol.

const fs = require('node:fs');
const path = require('node:path');
const WebSocket = require('ws');
const { temporaryFolder, start, stop, until } = require('./processes.js');

/** Where screenshots are kept. */
const artefacts = process.env.ODOGRAPH_SCREENSHOTS;

class Chromium {
    /** @param {string[]} more of its options */
    static async start(more = []) {
        const browser = new Chromium();
        const profile = temporaryFolder();
        const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
        browser.process = start('chromium', ['--headless=new', '--remote-debugging-port=0', '--disable-gpu',
            `--user-data-dir=${profile}`, '--no-first-run', '--disable-dev-shm-usage', '--disable-extensions',
            '--disable-background-networking', '--disable-component-update', '--enable-precise-memory-info', ...sandbox, ...more,
            'about:blank'], { env: { ...process.env, HOME: profile, TZ: process.env.TZ ?? 'Europe/Madrid' } });
        const file = path.join(profile, 'DevToolsActivePort');
        const [port, route] = await until('the browser is there', () => {
            if (browser.process.child.exitCode !== null) throw new Error(browser.process.said());
            const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
            return lines.length === 2 ? lines : null;
        }, 60);
        browser.socket = new WebSocket(`ws://127.0.0.1:${port}${route}`, { perMessageDeflate: false });
        await new Promise((resolve, reject) => browser.socket.once('open', resolve).once('error', reject));
        browser.calls = new Map();
        browser.pages = new Map();
        browser.socket.on('message', (data) => browser.#receive(JSON.parse(data)));
        return browser;
    }

    call(method, parameters = {}, sessionId = undefined) {
        this.count = (this.count ?? 0) + 1;
        const id = this.count;
        this.socket.send(JSON.stringify({ id, method, params: parameters, sessionId }));
        return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject, method }));
    }

    #receive({ id, method, params, result, error, sessionId }) {
        if (id === undefined) {
            this.pages.get(sessionId)?.receive(method, params);
            return;
        }
        const { resolve, reject, method: asked } = this.calls.get(id);
        this.calls.delete(id);
        if (error) reject(new Error(`${asked}: ${error.message}`));
        else resolve(result);
    }

    /** @returns {Promise<Page>} */
    async open(address, { width = 1280, height = 800, isDark = false, isPhone = false } = {}) {
        const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', newWindow: true, width, height });
        const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
        const page = new Page(this, sessionId, targetId);
        this.pages.set(sessionId, page);
        for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'Accessibility']) await page.call(`${domain}.enable`);
        // The page's workers wait until what they do is watched, too.
        await page.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
        await page.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: isPhone });
        await page.dark(isDark);
        await page.call('Page.navigate', { url: address });
        await page.until('the page has started', 'document.readyState === "complete" && !!odograph.desk');
        return page;
    }

    async end() {
        await stop(this.process);
    }
}

class Page {
    constructor(browser, session, target) {
        Object.assign(this, { browser, session, target, errors: [], requests: [] });
    }

    async #watch(session) {
        this.browser.pages.set(session, this);
        for (const domain of ['Runtime', 'Network']) await this.browser.call(`${domain}.enable`, {}, session);
        await this.browser.call('Runtime.runIfWaitingForDebugger', {}, session);
    }

    receive(method, parameters) {
        if (method === 'Target.attachedToTarget') {
            // A worker can end before it is watched.
            this.#watch(parameters.sessionId).catch(() => {});
        } else if (method === 'Runtime.exceptionThrown') {
            const { text, exception } = parameters.exceptionDetails;
            this.errors.push(`${text} ${exception?.description ?? ''}`);
        } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(parameters.type)) {
            this.errors.push(parameters.args.map(({ value, description }) => value ?? description).join(' '));
        } else if (method === 'Log.entryAdded' && parameters.entry.level === 'error') {
            this.errors.push(`${parameters.entry.text} ${parameters.entry.url ?? ''}`);
        } else if (method === 'Network.requestWillBeSent') {
            // A picture within the page asks nobody, as that of a field for a date; neither does the script of a worker.
            if (!/^(data|blob):/.test(parameters.request.url)) this.requests.push(parameters.request.url);
        } else if (method === 'Network.webSocketCreated') {
            this.requests.push(parameters.url);
        }
    }

    call(method, parameters) {
        return this.browser.call(method, parameters, this.session);
    }

    /** @param {string} expression @returns {Promise<*>} its value, as JSON has it */
    async evaluate(expression) {
        const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
            expression, returnByValue: true, awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
        return result.value;
    }

    /**
     * Waits until an expression is true. The page draws what has changed with its next frame, so this also waits for that:
     * what a test reads next is what a person sees.
     */
    async until(what, expression, seconds = 30) {
        const value = await until(what, () => this.evaluate(expression), seconds);
        await this.evaluate('new Promise((resolve) => { requestAnimationFrame(() => resolve(true)); })');
        return value;
    }

    /** Reloads the page, and waits until the old document is gone: until then it would answer. */
    async reload() {
        await this.evaluate('globalThis.isOld_ = true');
        await this.call('Page.reload');
        // Between the two documents there is none that could answer.
        await until('the new document', () => this.evaluate('globalThis.isOld_ === undefined').catch(() => false));
    }

    text(selector) {
        return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
    }

    dark(isDark) {
        const features = [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }];
        return this.call('Emulation.setEmulatedMedia', { features });
    }

    /** A key as a person presses it. */
    async key(key, { code = key, text } = {}) {
        const codes = { Enter: 13, Escape: 27, Tab: 9, ArrowDown: 40, ArrowUp: 38, Home: 36, End: 35, ' ': 32, '/': 191 };
        const common = { key, code, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0) };
        await this.call('Input.dispatchKeyEvent', { type: 'keyDown', text: text ?? (key === 'Enter' ? '\r' : undefined), ...common });
        await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
    }

    async type(text) {
        for (const letter of text) await this.key(letter, { text: letter });
    }

    /**
     * Lets the page save files.
     * @returns {Promise<(count: number) => Promise<[name: string, text: string][]>>} waits for so many files, and gives them in the order of their names
     */
    async saving() {
        const folder = temporaryFolder();
        await this.call('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
        // The browser first makes an empty file of the final name, and moves the whole one there.
        return (count) => until(`${count} saved files`, () => {
            const names = fs.readdirSync(folder).filter((name) => !name.endsWith('.crdownload')).sort();
            const files = names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]).filter(([, text]) => text !== '');
            return files.length === count && files;
        });
    }

    /**
     * A click in the middle of an element: once it stands still for two frames and nothing covers it. What the page hears
     * meanwhile can move it, and a click beside it would do nothing.
     */
    async click(selector) {
        const { x, y } = await this.until(`${selector} stands still and is free`, `(async () => {
            const node = document.querySelector(${JSON.stringify(selector)});
            node?.scrollIntoView({ block: 'nearest' });
            const first = node?.getBoundingClientRect();
            if (!first || first.width === 0) return null;
            await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
            const box = node.getBoundingClientRect();
            if (box.left !== first.left || box.top !== first.top) return null;
            const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
            return node.contains(document.elementFromPoint(middle.x, middle.y)) ? middle : null;
        })()`);
        await this.clickAt(x, y);
    }

    /**
     * Presses the first element of a selector that is there and enabled, and waits for it.
     * @param {string} selector
     * @param {string|RegExp} words the text of the element; by default any
     */
    press(selector, words = /(?:)/) {
        const isIt = words instanceof RegExp ? `${words}.test(textContent)` : `textContent === ${JSON.stringify(words)}`;
        return this.until(`${selector} with ${words}`, `(() => {
            const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find(({ textContent, disabled }) => ${isIt} && !disabled);
            found?.click();
            return found !== undefined;
        })()`);
    }

    async clickAt(x, y) {
        for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) {
            await this.call('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
        }
    }

    async screenshot(name) {
        if (!artefacts) return;
        const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
        fs.mkdirSync(artefacts, { recursive: true });
        fs.writeFileSync(path.join(artefacts, `${name}.png`), Buffer.from(data, 'base64'));
    }

    /** @returns {Promise<Array<{role: string, name: string}>>} what a screen reader is told of */
    async accessible() {
        const { nodes } = await this.call('Accessibility.getFullAXTree');
        return nodes.filter(({ ignored }) => !ignored).map(({ role, name, properties }) => ({
            role: role?.value, name: name?.value ?? '', properties: properties ?? [],
        }));
    }

    close() {
        return this.browser.call('Target.closeTarget', { targetId: this.target });
    }
}

module.exports = { Chromium };
