// browser.mjs FOLDER - the page in Chromium: what a reader does, and what must never happen. Screenshots go to FOLDER/shots. Rendering
// is by software, as on any machine without a graphics card.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from './chromium.mjs';

const folder = process.argv[2];
let checks = 0;
let failures = 0;
function check(what, ok, detail = '') {
  checks++;
  if (ok) return;
  failures++;
  console.error(`FAILED: ${what} ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`);
}

const problems = [];
const requests = [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

async function open(url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 700 },
    colorScheme: 'light',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  return page;
}
const settled = (page) => page.waitForFunction(() => geodisk.app.idle(), null, { timeout: 20000 });
const where = (page, name) => page.evaluate((n) => geodisk.app.where(geodisk.data.find(n)), name);
const chosen = (page) => page.evaluate(() => geodisk.data.names[geodisk.app.chosen]);
const titles = (locator) => locator.evaluateAll((list) => list.map((e) => e.title)); // whole names, of what is called shorter
const shot = (page, name) => page.screenshot({ path: join(folder, 'shots', `${name}.png`) });
const file = (name) => pathToFileURL(join(folder, name)).href;

/** The node is in the middle of the stage, to 1e-3 of its size. */
async function centred(page, name) {
  await settled(page);
  const box = await page.locator('#stage').boundingBox();
  const at = await where(page, name);
  const off = Math.hypot(at.x - box.width / 2, at.y - box.height / 2) / Math.min(box.width, box.height);
  check(`${name} is in the middle`, off < 1e-3, { off });
}

/** The node's colour is drawn where the page computes its place: the graphics card and the CPU agree. */
async function drawnWhereItIs(page, names) {
  const far = await page.evaluate((list) => {
    const { app, data } = geodisk;
    const gl = document.getElementById('canvas').getContext('webgl2');
    app.renderer.draw(app.view, true);
    const ratio = gl.canvas.width / gl.canvas.clientWidth;
    return list.map((name) => {
      const i = data.find(name);
      const at = app.where(i);
      const pixel = new Uint8Array(4);
      gl.readPixels(
        Math.round(at.x * ratio),
        gl.canvas.height - 1 - Math.round(at.y * ratio),
        1,
        1,
        gl.RGBA,
        gl.UNSIGNED_BYTE,
        pixel,
      );
      const k = data.branch[i];
      const b = k < 30 ? data.about.branches[k] : k === 30 ? data.about.other : data.about.trunk;
      const wanted = [1, 3, 5].map((c) => parseInt(b.light.slice(c, c + 2), 16));
      return [name, Math.max(...wanted.map((w, c) => Math.abs(w - pixel[c])))];
    });
  }, names);
  for (const [name, off] of far) check(`${name} is drawn at its place`, off < 40, { off });
}

// ---- the file itself ----

for (const name of ['mammals.html', 'hostile.html']) {
  const text = readFileSync(join(folder, name), 'utf8');
  const urls = (text.match(/\b[a-z]+:\/\/[^\s"'`<>)]*/gi) ?? []).filter((url) => !url.startsWith('http://www.w3.org/'));
  check(`${name} has no URL but w3.org`, urls.length === 0, urls);
  for (const id of ['about', 'names', 'arrays']) {
    const start = text.indexOf(`id="${id}">`) + id.length + 5;
    const data = text.slice(start, text.indexOf('</script>\n', start));
    check(`${name}: no < in ${id}`, data.length > 20 && !data.includes('<'), data.slice(0, 80));
  }
}
check('\\u003c stands for <', readFileSync(join(folder, 'hostile.html'), 'utf8').includes('\\u003cimg src=x onerror'));

// ---- load, search, click ----

const page = await open(file('mammals.html'));
await settled(page);
await shot(page, '1-start');
check('title', (await page.title()) === 'mammals · geodisk');
check('history charts', (await page.locator('#charts figure').count()) === 2);
check('the root is in the middle', (await where(page, 'mammal.n.01')).r < 1e-3);
await drawnWhereItIs(page, ['mammal.n.01', 'carnivore.n.01', 'rodent.n.01', 'primate.n.02', 'ungulate.n.01']);

await page.click('#search');
await page.keyboard.type('dog');
const first = page.locator('#suggestions [role=option]').first();
check('the first suggestion', (await first.textContent()) === 'dogdog.n.01', await first.textContent());
await shot(page, '2-search');
await first.click();
await centred(page, 'dog.n.01');
check('chosen', (await chosen(page)) === 'dog.n.01');
check('called the same in the panel', (await page.textContent('#chosen-name')) === 'dog');
check(
  'as in the disk',
  await page.evaluate(() => geodisk.app.labels.shown.some((l) => l.node === geodisk.app.chosen && l.text === 'dog')),
);
check('with its name beside', (await page.textContent('#chosen-facts')).startsWith('dog.n.01 · radius'));
const reduced = execFileSync(process.env.GEODISK, ['graph', 'reduce', join(process.env.SOURCE_DIR, 'data/mammals.tsv'), '-q'], {
  encoding: 'utf8',
});
const above = reduced
  .split('\n')
  .filter((line) => line.startsWith('dog.n.01\t'))
  .map((line) => line.split('\t')[1]);
const shown = await titles(page.locator('#above-list .name'));
check('its parents', shown.join() === above.join() && above.length > 0, { shown, above });
const children = reduced.split('\n').filter((line) => line.endsWith('\tdog.n.01')).length;
check('its children', (await page.evaluate(() => geodisk.data.childCount(geodisk.app.chosen))) === children, { children });
const near = execFileSync(process.env.GEODISK, ['query', join(folder, 'mammals.safetensors'), 'dog.n.01', '--neighbours', '3', '--full'], {
  encoding: 'utf8',
});
const nearest = near
  .trim()
  .split('\n')
  .map((line) => line.split('\t'));
const listed = await titles(page.locator('#near-list .name'));
const figures = await page.locator('#near-list .figure').allTextContents();
nearest.forEach(([name, d], i) =>
  check('a near node', listed[i] === name && figures[i] === Number(d).toFixed(2), { got: [listed[i], figures[i]], name, d }),
);
const trail = await titles(page.locator('#trail button'));
check('the path to the root', trail[0] === 'mammal.n.01' && trail.at(-1) === 'dog.n.01' && trail.at(-2) === above[0], trail);
await shot(page, '3-dog');
await drawnWhereItIs(page, ['dog.n.01', 'carnivore.n.01', 'hunting_dog.n.01']);

const box = await page.locator('#stage').boundingBox();
const target = await where(page, 'feline.n.01');
await page.mouse.move(box.x + target.x, box.y + target.y);
await page.waitForSelector('#card:not([hidden])');
const card = await page.textContent('#card');
check(
  'the card',
  card.includes('feline.n.01') && card.includes('radius') && card.includes('carnivore') && card.includes('2 children'),
  card,
);
await shot(page, '4-card');
await page.mouse.click(box.x + target.x, box.y + target.y);
await centred(page, 'feline.n.01');
check('a click chooses', (await chosen(page)) === 'feline.n.01');

await page.goBack();
await page.waitForFunction(() => document.getElementById('chosen-name').textContent === 'dog');
await centred(page, 'dog.n.01');
await page.goForward();
await page.waitForFunction(() => document.getElementById('chosen-name').textContent === 'feline');
await centred(page, 'feline.n.01');

// ---- drag, wheel, link ----

const sample = ['mammal.n.01', 'dog.n.01', 'bat.n.01', 'whale.n.02', 'zebra.n.01', 'mouse.n.01'];
const distances = () =>
  page.evaluate(
    (names) =>
      names.flatMap((a) =>
        names.map((b) => {
          const [p, q] = [a, b].map((n) => geodisk.app.view.seen(geodisk.data.find(n)));
          return 2 * Math.asinh(Math.hypot(p.x - q.x, p.y - q.y) / Math.sqrt(p.gap * q.gap));
        }),
      ),
    sample,
  );
const before = await distances();
const grip = await where(page, 'big_cat.n.01');
const ends = { x: box.width * 0.3, y: box.height * 0.62 };
await page.mouse.move(box.x + grip.x, box.y + grip.y);
await page.mouse.down();
await page.mouse.move(box.x + ends.x, box.y + ends.y, { steps: 6 });
const follows = await where(page, 'big_cat.n.01');
check('what is dragged stays under the pointer', Math.hypot(follows.x - ends.x, follows.y - ends.y) < 1.5, follows);
for (const [x, y] of [
  [0.95, 0.5],
  [0.02, 0.1],
  [0.5, 0.98],
  [0.7, 0.3],
]) {
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y, { steps: 4 });
  const outside = await page.evaluate(() => geodisk.data.names.filter((_, i) => !(geodisk.app.where(i).r < 1)).length);
  check('all nodes stay inside the rim', outside === 0, { outside });
}
await page.waitForTimeout(120); // held still: no throw
await page.mouse.up();
await settled(page);
const after = await distances();
check(
  'a drag is an isometry',
  before.every((d, i) => Math.abs(d - after[i]) < 1e-6 * (1 + d)),
  { before, after },
);
await shot(page, '5-dragged');

const pole = await where(page, 'mammal.n.01');
const scale = await page.evaluate(() => geodisk.app.view.scale);
await page.mouse.move(box.x + pole.x, box.y + pole.y);
await page.mouse.wheel(0, -300);
await page.waitForFunction((s) => geodisk.app.view.scale > s, scale);
await settled(page);
const still = await where(page, 'mammal.n.01');
check('the wheel zooms about the pointer', Math.hypot(still.x - pole.x, still.y - pole.y) < 1, { pole, still });
await shot(page, '6-zoomed');

await page.keyboard.press('t');
await page.waitForFunction(() => location.hash.includes('theme=dark'));
await settled(page);
const link = page.url();
const places = await Promise.all(sample.map((name) => where(page, name)));
const other = await open(link);
await settled(other);
check('a link restores the chosen node', (await chosen(other)) === 'feline.n.01');
check('a link restores the theme', (await other.getAttribute('html', 'data-theme')) === 'dark');
for (const [i, name] of sample.entries()) {
  const at = await where(other, name);
  check(`a link restores the view: ${name}`, Math.hypot(at.x - places[i].x, at.y - places[i].y) < 0.01, { at, was: places[i] });
}
await shot(other, '7-link-dark');
await other.context().close();

// ---- the model's own distances; files ----

await page.keyboard.press('m');
await settled(page);
check('true distances', (await page.getAttribute('#depth', 'aria-pressed')) === 'true');
await centred(page, 'feline.n.01');
const own = await page.evaluate(() => {
  const { app, data } = geodisk;
  return [app.where(data.find('carnivore.n.01')).depth, data.radius(data.find('dog.n.01'))];
});
const query = (...words) =>
  Number(
    execFileSync(process.env.GEODISK, ['query', join(folder, 'mammals.safetensors'), ...words, '--full'], { encoding: 'utf8' })
      .trim()
      .split('\t')
      .at(-1),
  );
const wanted = query('feline.n.01', '--distance', 'carnivore.n.01');
check('distances are those of the library', Math.abs(own[0] - wanted) < 1e-9 * wanted, { own, wanted });
// The deepest node, far beyond what the digits of its coordinates alone tell: in the middle, its neighbours at their distances.
const deepest = await page.evaluate(() => {
  const { app, data } = geodisk;
  const node = data.names.reduce((best, _, i) => (data.radius(i) > data.radius(best) ? i : best), 0);
  app.go(node);
  return [data.names[node], data.radius(node)];
});
check('a model as deep as this', deepest[1] > 20, deepest);
await centred(page, deepest[0]);
const around = execFileSync(
  process.env.GEODISK,
  ['query', join(folder, 'mammals.safetensors'), deepest[0], '--neighbours', '5', '--full'],
  {
    encoding: 'utf8',
  },
);
for (const [name, d] of around
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))) {
  const { depth } = await where(page, name);
  check(`${name} seen from ${deepest[0]}`, Math.abs(depth - d) < 1e-9 * d, { depth, d });
}
await page.evaluate(() => geodisk.app.go(geodisk.data.find('feline.n.01')));
await centred(page, 'feline.n.01');
await shot(page, '8-true-distances');
await page.keyboard.press('m');
await settled(page);

const save = async (button) => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
};
const svg = await save('#save-svg');
const shapes = await page.evaluate((text) => {
  const doc = new DOMParser().parseFromString(text, 'image/svg+xml');
  return {
    broken: doc.querySelectorAll('parsererror').length,
    circles: doc.querySelectorAll('circle').length,
    paths: doc.querySelectorAll('path').length,
    texts: [...doc.querySelectorAll('text')].map((t) => t.textContent),
  };
}, svg.content.toString());
check(
  'an SVG is saved',
  svg.name === 'mammals.svg' &&
    shapes.broken === 0 &&
    shapes.circles > 1000 &&
    shapes.paths > 1000 &&
    shapes.texts.includes('feline'),
  { ...shapes, texts: shapes.texts.length },
);
const png = await save('#save-png');
check(
  'a PNG is saved',
  png.name === 'mammals.png' && png.content.subarray(1, 4).toString() === 'PNG' && png.content.length > 20000,
  png.content.length,
);

// ---- keys only ----

const keys = await open(file('mammals.html'), { reducedMotion: 'reduce' });
await settled(keys);
for (let i = 0; i < 6 && (await keys.evaluate(() => document.activeElement.id)) !== 'search'; i++)
  await keys.keyboard.press('Tab');
check('Tab reaches the search', (await keys.evaluate(() => document.activeElement.id)) === 'search');
await keys.keyboard.type('whal');
await keys.keyboard.press('ArrowDown');
const [second] = await titles(keys.locator('#suggestions [aria-selected=true] .name'));
await keys.keyboard.press('Enter');
await centred(keys, second);
check('Enter chooses the suggestion', (await chosen(keys)) === second);
await keys.keyboard.press('u');
await settled(keys);
const parent = await keys.evaluate((n) => geodisk.data.names[geodisk.data.parent[geodisk.data.find(n)]], second);
check('u goes to the parent', (await chosen(keys)) === parent, parent);
const middle = await where(keys, parent);
await keys.keyboard.down('ArrowRight'); // held for as long as frames take to come, on a busy machine too
for (let waits = 0; waits < 100 && (await where(keys, parent)).x > middle.x - 30; waits++) await keys.waitForTimeout(50);
await keys.keyboard.up('ArrowRight');
await settled(keys);
const moved = await where(keys, parent);
check('an arrow moves the eye', moved.x < middle.x - 20 && Math.abs(moved.y - middle.y) < 2, { middle, moved });
await keys.keyboard.press('+');
await settled(keys);
check('+ zooms', (await keys.evaluate(() => geodisk.app.view.scale)) > 1.2);
await keys.keyboard.press('d');
await settled(keys);
check('d goes to a child', (await keys.evaluate(() => geodisk.data.names[geodisk.data.parent[geodisk.app.chosen]])) === parent);
await keys.keyboard.press('Home');
await centred(keys, 'mammal.n.01');
await keys.keyboard.press('Escape');
check('Escape chooses nothing', await keys.isHidden('#chosen'));
await shot(keys, '9-keys');
await keys.context().close();

// ---- a link with a node only: the way there turns nothing ----

const short = await open(`${file('mammals.html')}#node=dog.n.01`);
await centred(short, 'dog.n.01');
const flown = await page.evaluate(() => {
  const { view } = geodisk.app;
  const start = view.state();
  view.set({ anchor: geodisk.data.about.root, motion: new start.motion.constructor(), scale: 1 });
  const p = view.seen(geodisk.data.find('dog.n.01'));
  view.set(start);
  return Math.atan2(p.y, p.x);
});
const back = await where(short, 'mammal.n.01');
const stageBox = await short.locator('#stage').boundingBox();
const seenAt = Math.atan2(stageBox.height / 2 - back.y, back.x - stageBox.width / 2);
check('a flight does not turn the space', Math.abs(Math.sin((seenAt - flown - Math.PI) / 2)) < 1e-6, { seenAt, flown });
await short.context().close();

// ---- touch, on a phone ----

const phone = await open(file('mammals.html'), {
  viewport: { width: 390, height: 780 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
});
await settled(phone);
const glass = await phone.locator('#stage').boundingBox();
const spot = await where(phone, 'rodent.n.01');
await phone.touchscreen.tap(glass.x + spot.x, glass.y + spot.y);
await centred(phone, 'rodent.n.01');
const touch = await phone.context().newCDPSession(phone);
const fingers = (a, b) => [a, b].map(([x, y], id) => ({ x: glass.x + x, y: glass.y + y, id }));
await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers([150, 180], [240, 180]) });
for (let k = 1; k <= 4; k++)
  await touch.send('Input.dispatchTouchEvent', {
    type: 'touchMove',
    touchPoints: fingers([150 - 12 * k, 180], [240 + 12 * k, 180]),
  });
await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
await settled(phone);
const pinched = await phone.evaluate(() => geodisk.app.view.scale);
check('two fingers zoom', pinched > 1.5 && pinched < 3, { pinched });
await shot(phone, '10-phone');
check('the page does not scroll sideways', await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
await phone.context().close();

// ---- a small graph on a phone: all its names, in smaller type, and none over a node ----

const pocket = await open(file('club.html'), { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, reducedMotion: 'reduce' });
await settled(pocket);
const names = await pocket.evaluate(() => {
  const { app, data } = geodisk;
  const places = [...Array(data.n).keys()].map((i) => app.where(i));
  const { shown } = app.labels;
  const covers = (label, at) => {
    const left = label.x;
    const right = label.x + app.labels.width(label);
    return at.x > left && at.x < right && Math.abs(at.y - label.y) < 0.5 * label.size;
  };
  return {
    missing: data.n - shown.length,
    smallest: Math.min(...shown.map((label) => label.size)),
    over: shown.filter((label) => places.some((at) => covers(label, at))).map((label) => label.text),
  };
});
check('all names on a phone', names.missing === 0 && names.smallest >= 8, names);
check('names leave the nodes free', names.over.length === 0, names);
await shot(pocket, '11-pocket');
await pocket.context().close();

// ---- a network: all edges, communities, neighbours, its barycenter in the middle ----

const club = await open(file('club.html'), { reducedMotion: 'reduce' });
await settled(club);
check('no more than its communities', (await club.textContent('#branches-title')) === 'Communities');
const facts = await club.evaluate(() => {
  const { app, data } = geodisk;
  const shown = app.labels.shown.map((label) => label.text);
  return {
    network: data.about.network,
    root: data.about.root,
    edges: app.renderer.drawnEdges,
    leftOut: app.renderer.leftOut,
    all: data.about.edges,
    labels: shown.length,
    nodes: data.n,
    listed: [...document.querySelectorAll('#branch-list .name')].every((e) => shown.includes(e.textContent)),
  };
});
check('all its edges', facts.network && facts.edges === facts.all && facts.all === 78 && facts.leftOut === 0, facts);
check('all names of a small graph', facts.labels === facts.nodes && facts.nodes === 34, facts);
check('the panel calls nodes as the disk does', facts.listed, facts);
check('nothing is left out', await club.isHidden('#edges-note'));
await shot(club, '12-club');
await club.evaluate(() => geodisk.app.go(geodisk.data.find('member 33 of the club that broke apart')));
await settled(club);
check('no path to a root', (await club.isHidden('#trail')) && (await club.isHidden('#above')));
check('its neighbours', (await club.textContent('#below-title')) === 'Neighbours');
const joined = await titles(club.locator('#below-list .name'));
check('hubs first', joined[0] === 'member 32 of the club that broke apart' && joined.length === 8, joined);
check('its edges', (await club.textContent('#chosen-facts')) === '17 edges', await club.textContent('#chosen-facts'));
check('they stand out', (await club.evaluate(() => geodisk.app.renderer.lists.marked.count)) === 17);
const cut = await club.locator('#below-list .name').first().textContent();
check('long names are cut in the middle', cut === 'member 32 … that broke apart', cut);
check('alike in the disk', await club.evaluate((text) => geodisk.app.labels.shown.some((l) => l.text === text), cut));
await shot(club, '13-member');
await club.keyboard.press('u');
check('nothing is above', (await chosen(club)) === 'member 33 of the club that broke apart');
await club.keyboard.press('d');
await settled(club);
check('d goes to the greatest neighbour', (await chosen(club)) === 'member 32 of the club that broke apart');
await club.keyboard.press('Home');
await settled(club);
const heart = await club.evaluate(() => {
  const { app, data } = geodisk;
  const box = document.getElementById('stage').getBoundingClientRect();
  return data.names.reduce(([x, y], _, i) => [x + app.where(i).x / data.n / box.width, y + app.where(i).y / data.n / box.height], [0, 0]);
});
check('Home shows all around the middle', Math.hypot(heart[0] - 0.5, heart[1] - 0.5) < 0.15, heart);
const [file1] = await Promise.all([club.waitForEvent('download'), club.click('#save-svg')]);
const saved = readFileSync(await file1.path(), 'utf8');
check('the file has all edges', (saved.match(/<path /g) ?? []).length >= 78);
const edge = Number(saved.match(/width="(\d+)" height/)[1]);
check('and room for its names', edge >= Number(saved.match(/height="(\d+)"/)[1]), edge);
await club.context().close();

// ---- a training of very many epochs ----

const epochs = Array.from({ length: 400000 }, (_, k) => ({ epoch: k, lr: 0.1, loss: 2 + 1 / (1 + k), radius: Math.sqrt(k) }));
const about = readFileSync(join(folder, 'mammals.html'), 'utf8').replace(
  /"history":(null|"(\\.|[^"\\])*")/,
  () => `"history":${JSON.stringify(JSON.stringify(epochs))}`,
);
writeFileSync(join(folder, 'long.html'), about);
const long = await open(file('long.html'));
await settled(long);
check('a long history has its charts', (await long.locator('#charts figure').count()) === 2);
check('the last epoch is told', (await long.textContent('#charts figure')).includes('in epoch 400000'));
check('with few points', (await long.getAttribute('#charts path.line', 'd')).length < 20000);
await long.context().close();

// ---- names are data ----

const hostile = await open(file('hostile.html'), { reducedMotion: 'reduce' });
await settled(hostile);
await hostile.evaluate(() => geodisk.app.go(0));
await settled(hostile);
const evil = '<img src=x onerror=window.hacked=1>';
check('a name stays text', (await chosen(hostile)) === evil, await chosen(hostile));
check('the title stays text', (await hostile.textContent('#title')) === '<b>title</b>');
const spots = await where(hostile, '</script><script>window.hacked=1</script>');
const ground = await hostile.locator('#stage').boundingBox();
await hostile.mouse.move(ground.x + spots.x, ground.y + spots.y);
await hostile.waitForSelector('#card:not([hidden])');
check('its card too', (await hostile.textContent('#card')).includes('</script><script>window.hacked=1</script>'));
await hostile.fill('#search', 'img');
await hostile.waitForSelector('#suggestions:not([hidden])');
check(
  'no element came of it',
  (await hostile.evaluate(() => [window.hacked, document.images.length, document.scripts.length].join())) === ',0,2',
);
await shot(hostile, '11-names');

check('no messages', problems.length === 0, problems);
const strange = requests.filter((url) => !/^(file|blob|data):/.test(url));
check('no network', strange.length === 0, strange);
await browser.close();
console.log(`${checks} checks, ${failures} failures; rendering by software; screenshots in ${join(folder, 'shots')}`);
process.exitCode = failures > 0 ? 1 : 0;
