// chromium.mjs - drives Chromium by its own protocol through two pipes (--remote-debugging-pipe): what browser.mjs needs of a browser,
// with what Debian packages and nothing else. Names and meaning are those that Playwright has made known.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE = 30000; // milliseconds, for whatever is waited for

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Messages to the browser and from it, each ended by a NUL byte. */
class Connection {
  constructor(process) {
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    this.output = process.stdio[3];
    let text = '';
    process.stdio[4].setEncoding('utf8').on('data', (piece) => {
      const parts = (text + piece).split('\0');
      text = parts.pop();
      for (const part of parts) this.take(JSON.parse(part));
    });
    process.on('exit', (code) => {
      for (const { fail } of this.waiting.values()) fail(new Error(`the browser ended with ${code}`));
    });
  }

  take(message) {
    if (message.id === undefined) {
      for (const listener of [...this.listeners]) listener(message);
      return;
    }
    const { done, fail, method } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) fail(new Error(`${method}: ${message.error.message}`));
    else done(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, method });
      this.output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }
}

/** Asks until the answer is neither undefined nor false. */
async function until(what, ask, timeout = PATIENCE) {
  for (const end = Date.now() + timeout; ; await sleep(30)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

/** What a key is to the page: [code, number, text]. */
function keyOf(key) {
  const named = { Tab: 9, Enter: 13, Escape: 27, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
  if (key in named) return { key, code: key, windowsVirtualKeyCode: named[key], text: key === 'Enter' ? '\r' : undefined };
  const letter = /^[a-z]$/i.test(key);
  return { key, code: letter ? `Key${key.toUpperCase()}` : '', windowsVirtualKeyCode: letter ? key.toUpperCase().charCodeAt(0) : 0, text: key };
}

class Keyboard {
  constructor(page) {
    this.page = page;
  }
  down(key) {
    const what = keyOf(key);
    return this.page.send('Input.dispatchKeyEvent', { type: what.text === undefined ? 'rawKeyDown' : 'keyDown', ...what });
  }
  up(key) {
    return this.page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...keyOf(key), text: undefined });
  }
  async press(key) {
    await this.down(key);
    await this.up(key);
  }
  async type(text) {
    for (const key of text) await this.press(key);
  }
}

class Mouse {
  constructor(page) {
    this.page = page;
    [this.x, this.y, this.buttons] = [0, 0, 0];
  }
  event(type, more = {}) {
    return this.page.send('Input.dispatchMouseEvent', { type, x: this.x, y: this.y, buttons: this.buttons, ...more });
  }
  async move(x, y, { steps = 1 } = {}) {
    const [fromX, fromY] = [this.x, this.y];
    for (let k = 1; k <= steps; k++) {
      this.x = fromX + ((x - fromX) * k) / steps;
      this.y = fromY + ((y - fromY) * k) / steps;
      await this.event('mouseMoved', { button: this.buttons ? 'left' : 'none' });
    }
  }
  down() {
    this.buttons = 1;
    return this.event('mousePressed', { button: 'left', clickCount: 1 });
  }
  up() {
    this.buttons = 0;
    return this.event('mouseReleased', { button: 'left', clickCount: 1 });
  }
  async click(x, y) {
    await this.move(x, y);
    await this.down();
    await this.up();
  }
  wheel(deltaX, deltaY) {
    return this.event('mouseWheel', { deltaX, deltaY });
  }
}

/** The elements that a selector finds at the time; one of them is waited for. */
class Locator {
  constructor(page, selector) {
    Object.assign(this, { page, selector });
  }
  first() {
    return this;
  }
  count() {
    return this.page.evaluate((s) => document.querySelectorAll(s).length, this.selector);
  }
  evaluateAll(script) {
    return this.page.evaluate(`(${script})([...document.querySelectorAll(${JSON.stringify(this.selector)})])`);
  }
  allTextContents() {
    return this.evaluateAll((list) => list.map((e) => e.textContent));
  }
  async one(script) {
    const found = await until(this.selector, () =>
      this.page.evaluate(`[document.querySelector(${JSON.stringify(this.selector)})].map((e) => e && [(${script})(e)])[0] ?? undefined`),
    );
    return found[0];
  }
  textContent() {
    return this.one((e) => e.textContent);
  }
  boundingBox() {
    return this.one((e) => {
      const { x, y, width, height } = e.getBoundingClientRect();
      return { x, y, width, height };
    });
  }
  async click() {
    await this.one((e) => e.scrollIntoViewIfNeeded());
    const { x, y, width, height } = await this.boundingBox();
    await this.page.mouse.click(x + width / 2, y + height / 2);
  }
}

class Page {
  constructor(context, targetId, sessionId) {
    Object.assign(this, { owner: context, targetId, sessionId, handlers: [] });
    this.keyboard = new Keyboard(this);
    this.mouse = new Mouse(this);
    this.touchscreen = {
      tap: async (x, y) => {
        await this.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
        await this.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      },
    };
  }
  send(method, params) {
    return this.owner.connection.send(method, params, this.sessionId);
  }
  context() {
    return this.owner;
  }
  on(event, handler) {
    this.handlers.push([event, handler]);
  }
  tell(event, what) {
    for (const [name, handler] of this.handlers) if (name === event) handler(what);
  }

  /** What the browser says about this page. */
  hear({ method, params }) {
    if (method === 'Runtime.consoleAPICalled')
      this.tell('console', {
        type: () => params.type,
        text: () => params.args.map((a) => a.value ?? a.description ?? '').join(' '),
      });
    else if (method === 'Log.entryAdded') this.tell('console', { type: () => params.entry.level, text: () => params.entry.text });
    else if (method === 'Runtime.exceptionThrown')
      this.tell('pageerror', params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Network.requestWillBeSent') this.tell('request', { url: () => params.request.url });
    else if (method === 'Page.loadEventFired') this.loaded = true;
    else if (method === 'Page.navigatedWithinDocument' && params.frameId === this.targetId) this.address = params.url;
    else if (method === 'Page.frameNavigated' && params.frame.id === this.targetId)
      this.address = params.frame.url + (params.frame.urlFragment ?? '');
  }

  async evaluate(script, argument) {
    const expression = typeof script === 'function' ? `(${script})(${JSON.stringify(argument)})` : script;
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async goto(url) {
    this.loaded = false;
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await until(`${url} to load`, () => this.loaded);
  }
  async go(by) {
    const { currentIndex, entries } = await this.send('Page.getNavigationHistory');
    await this.send('Page.navigateToHistoryEntry', { entryId: entries[currentIndex + by].id });
  }
  url() {
    return this.address;
  }
  goBack() {
    return this.go(-1);
  }
  goForward() {
    return this.go(1);
  }
  waitForFunction(script, argument, { timeout = PATIENCE } = {}) {
    return until(String(script), async () => Boolean(await this.evaluate(script, argument)), timeout);
  }
  waitForSelector(selector) {
    return until(selector, async () => (await this.locator(selector).count()) > 0);
  }
  waitForTimeout(ms) {
    return sleep(ms);
  }
  async waitForEvent(event) {
    if (event !== 'download') throw new Error(`${event} is not waited for`);
    const number = this.owner.downloads.length;
    const download = await until('a download', () => this.owner.downloads[number]?.completed && this.owner.downloads[number]);
    return { suggestedFilename: () => download.name, path: async () => download.path };
  }
  locator(selector) {
    return new Locator(this, selector);
  }
  click(selector) {
    return this.locator(selector).click();
  }
  async fill(selector, text) {
    await this.click(selector);
    await this.evaluate((s) => document.querySelector(s).select(), selector);
    await this.send('Input.insertText', { text });
  }
  textContent(selector) {
    return this.locator(selector).textContent();
  }
  getAttribute(selector, name) {
    return this.locator(selector).one(`(e) => e.getAttribute(${JSON.stringify(name)})`);
  }
  isHidden(selector) {
    return this.evaluate((s) => {
      const e = document.querySelector(s);
      return e === null || e.getClientRects().length === 0 || getComputedStyle(e).visibility === 'hidden';
    }, selector);
  }
  title() {
    return this.evaluate(() => document.title);
  }
  async screenshot({ path }) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
}

/** Pages that share nothing with those of other contexts. */
class Context {
  constructor(browser, id, options) {
    Object.assign(this, { browser, id, options, connection: browser.connection, pages: [], downloads: [] });
    this.folder = mkdtempSync(join(browser.folder, 'downloads-'));
    this.connection.listeners.push((message) => this.hear(message));
  }
  hear({ method, params, sessionId }) {
    if (method === 'Browser.downloadWillBegin' && this.pages.some((page) => page.targetId === params.frameId))
      this.downloads.push({ guid: params.guid, name: params.suggestedFilename, path: join(this.folder, params.guid) });
    if (method === 'Browser.downloadProgress' && params.state === 'completed')
      for (const download of this.downloads) download.completed ||= download.guid === params.guid;
    for (const page of this.pages) if (page.sessionId === sessionId) page.hear({ method, params });
  }
  async newPage() {
    const { viewport = { width: 1280, height: 720 }, colorScheme = 'light', reducedMotion = 'no-preference' } = this.options;
    const { targetId } = await this.connection.send('Target.createTarget', { url: 'about:blank', browserContextId: this.id });
    const { sessionId } = await this.connection.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    this.pages.push(page);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    await page.send('Emulation.setDeviceMetricsOverride', {
      ...viewport,
      deviceScaleFactor: this.options.deviceScaleFactor ?? 1,
      mobile: this.options.isMobile ?? false,
    });
    if (this.options.hasTouch) await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: colorScheme },
        { name: 'prefers-reduced-motion', value: reducedMotion },
      ],
    });
    return page;
  }
  newCDPSession(page) {
    return { send: (method, params) => page.send(method, params) };
  }
  async close() {
    await this.connection.send('Target.disposeBrowserContext', { browserContextId: this.id });
  }
}

class Browser {
  constructor(process, folder) {
    Object.assign(this, { process, folder, connection: new Connection(process) });
  }
  async newContext(options = {}) {
    const { browserContextId } = await this.connection.send('Target.createBrowserContext', { disposeOnDetach: true });
    const context = new Context(this, browserContextId, options);
    await this.connection.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      browserContextId,
      downloadPath: context.folder,
      eventsEnabled: true,
    });
    return context;
  }
  async close() {
    const ended = new Promise((done) => this.process.on('exit', done));
    await this.connection.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

export const chromium = {
  async launch({ executablePath, args = [] }) {
    const folder = mkdtempSync(join(tmpdir(), 'geodisk-chromium-'));
    const quiet = ['--headless=new', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--mute-audio'];
    const process = spawn(executablePath, [...quiet, `--user-data-dir=${join(folder, 'profile')}`, '--remote-debugging-pipe', ...args], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    return new Browser(process, folder);
  },
};
