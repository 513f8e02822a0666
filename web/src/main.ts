// main.ts - puts the page together: what is chosen and pointed at, when to draw, flights, the address, the buttons.
import { Data, NONE, readPage } from './data';
import { Flight, View, fittingScale } from './view';
import { Renderer } from './renderer';
import { Labels } from './labels';
import { Panel } from './panel';
import { Picker } from './pick';
import { Search } from './search';
import { Input } from './input';
import { Theme, makeTheme, systemTheme } from './theme';
import { Isometry, ORIGIN, depthOf } from './disk';
import { readAddress, writeAddress } from './address';
import { download, fileName, makePng, makeSvg } from './save';
import { byId, plural } from './dom';
import { Bench, benchPan } from './bench';

const SETTLE = 160; // ms without motion until all is drawn in full
const DEEP = 0.6; // a model that fits the disk only by a smaller scale opens unfolded

export class App {
  readonly view: View;
  readonly renderer: Renderer;
  private readonly labels: Labels;
  private readonly panel: Panel;
  private readonly input: Input;
  private readonly stage = byId<HTMLElement>('stage');
  private readonly card = byId<HTMLElement>('card');
  private theme: Theme;
  private themeChosen = false;
  chosen = -1;
  private family = new Set<number>(); // above and directly below the chosen node: their names come first
  private pointed = -1;
  private flight: Flight | null = null;
  private flightStart = 0;
  private scheduled = false;
  private restTimer = 0;
  private drawn = { version: -1, atRest: false };
  private lastFrame = 0;
  private lastMoving = false;
  private framesSince = 0;
  private size = { width: 0, height: 0, ratio: 0 };
  private readonly fit: number; // the scale that shows most of the model's own space from the root
  private home = 1; // the scale that shows most of the picture
  private readonly picker: Picker;
  bench: Bench | null = null;
  adaptive = true; // draws less where frames take too long

  constructor(readonly data: Data) {
    this.theme = makeTheme(data.about, systemTheme());
    this.view = new View(data);
    this.picker = new Picker(this.view);
    this.renderer = new Renderer(byId<HTMLCanvasElement>('canvas'), data, this.theme);
    this.labels = new Labels(byId<HTMLCanvasElement>('labels'), data);
    this.panel = new Panel(
      data,
      this.theme,
      (node) => this.go(node),
      (node) => this.pointAt(node),
    );
    new Search(
      data,
      byId<HTMLInputElement>('search'),
      byId('suggestions'),
      () => this.theme,
      (node) => {
        this.stage.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
        this.go(node);
      },
    );
    this.input = new Input(
      this.stage,
      this.view,
      {
        moved: () => this.request(),
        grabbed: () => this.endFlight(),
        clicked: (x, y, touch) => this.click(x, y, touch),
        hovered: (x, y) => this.hover(x, y),
        left: () => this.pointAt(-1),
        key: (key) => this.key(key),
      },
      calm,
    );
    this.fit = fittingScale(data, data.about.root >= 0 ? data.point(data.about.root) : ORIGIN);
    this.setDepth(this.fit < DEEP ? this.fit : 1);
    for (const id of ['depth', 'depth-note']) byId(id).hidden = this.fit >= DEEP;
    this.buttons();
    new ResizeObserver(() => this.resize()).observe(this.stage);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      if (!this.themeChosen) this.setTheme(systemTheme());
    });
    addEventListener('popstate', () => this.restore());
    byId<HTMLCanvasElement>('canvas').addEventListener('webglcontextlost', () => location.reload());
    this.setTheme(systemTheme());
    this.reset();
    this.restore();
    this.resize();
    this.address(false);
  }

  // ---- drawing ----

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = Math.min(3, devicePixelRatio || 1);
    if (width === 0 || height === 0 || (width === this.size.width && height === this.size.height && ratio === this.size.ratio))
      return;
    this.size = { width, height, ratio };
    const margin = Math.min(width, height) < 500 ? 8 : 22;
    this.view.cx = width / 2;
    this.view.cy = height / 2;
    this.view.radius = Math.max(40, Math.min(width, height) / 2 - margin);
    this.view.version++;
    this.renderer.resize(width, height, ratio);
    this.labels.resize(width, height, ratio);
    const [stage, tools] = [this.stage, byId('tools')].map((e) => e.getBoundingClientRect());
    const [x0, y0] = [tools.left - stage.left, tools.top - stage.top];
    this.labels.taken = [{ x0, y0, x1: x0 + tools.width, y1: y0 + tools.height }];
    const disk = byId('disk');
    disk.style.width = disk.style.height = `${2 * this.view.radius}px`;
    disk.style.left = `${this.view.cx - this.view.radius}px`;
    disk.style.top = `${this.view.cy - this.view.radius}px`;
    this.draw(true);
  }

  request(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.scheduled = false;
    const started = performance.now();
    const since = Math.min(100, now - this.lastFrame);
    this.lastFrame = now;
    if (this.flight !== null) {
      const duration = this.flight.duration;
      const t = duration > 0 ? Math.min(1, Math.max(0, (now - this.flightStart) / duration)) : 1; // a frame may have begun before
      this.flight.to(t);
      if (t >= 1) this.flight = null;
    }
    this.bench?.step(this.view, now);
    this.input.advance(this.lastMoving ? since : 16);
    const moving = this.flight !== null || this.input.active() || this.bench !== null;
    if (this.lastMoving && moving && this.adaptive) this.adapt(since);
    this.lastMoving = moving;
    this.draw(false);
    if (moving) this.request();
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => this.rest(), SETTLE);
    this.bench?.spent(performance.now() - started);
  }

  /** Draws less while moving where frames take too long. */
  private adapt(ms: number): void {
    if (++this.framesSince < 4) return;
    const { renderer } = this;
    const before = renderer.detail;
    if (ms > 26) renderer.detail = Math.max(0.001, before * (ms > 60 ? 0.25 : 0.6));
    else if (ms < 19 && before < 1) renderer.detail = Math.min(1, before * 1.25);
    if (before !== renderer.detail) this.framesSince = 0;
  }

  private draw(atRest: boolean): void {
    const { view, labels, theme } = this;
    if (atRest) {
      this.renderer.settle(view);
      labels.survey(view, this.renderer.frame.places);
    }
    const more = this.renderer.draw(view, atRest);
    if (more) this.restTimer = window.setTimeout(() => this.draw(true), 30);
    const first: number[] = [];
    if (this.pointed >= 0) first.push(this.pointed);
    if (this.chosen >= 0) first.push(this.chosen);
    labels.draw(view, theme, first, this.family, !atRest);
    for (const node of first)
      labels.ring(view, view.seen(node), this.data.below[node], node === this.chosen ? theme.accentCss : theme.ink);
    this.drawn = { version: view.version, atRest: atRest && !more };
  }

  /** Nothing has moved for a while: all in full, and the address follows. */
  private rest(): void {
    if (this.input.active() || this.flight !== null || this.bench !== null) return;
    if (!this.drawn.atRest || this.drawn.version !== this.view.version) this.draw(true);
    this.showScale();
    this.address(false);
  }

  // ---- choosing and pointing ----

  /** Chooses a node and flies to it. */
  go(node: number): void {
    if (!(node >= 0 && node < this.data.n)) return;
    this.choose(node);
    this.input.stop();
    this.flight = new Flight(this.view, node, this.view.scale, calm());
    this.flightStart = performance.now();
    this.pointAt(-1);
    this.request();
  }

  private choose(node: number): void {
    if (node !== this.chosen) this.address(true);
    this.setChosen(node);
  }

  private setChosen(node: number): void {
    this.chosen = node;
    this.panel.show(node);
    const { data } = this;
    const path = node >= 0 ? data.pathTo(node) : [];
    const joined = node < 0 ? [] : data.about.network ? data.neighboursOf(node) : data.childrenOf(node);
    this.family = new Set(path.concat(joined.slice(0, 12)));
    const pairs: [number, number][] = path.slice(1).map((step, k) => [step, path[k]]);
    if (data.about.network) for (const other of joined) pairs.push([node, other], [other, node]);
    this.renderer.emphasise(pairs);
  }

  private endFlight(): void {
    this.flight = null;
    this.card.hidden = true;
  }

  private pointAt(node: number): void {
    if (node < 0) this.card.hidden = true;
    if (node === this.pointed) return;
    this.pointed = node;
    this.stage.classList.toggle('pointing', node >= 0);
    if (!this.scheduled && this.drawn.version === this.view.version) this.draw(this.drawn.atRest);
  }

  private labelAt(x: number, y: number): number {
    const hit = this.labels.shown.find((l) => Math.abs(y - l.y) < 0.6 * l.size && x > l.x && x < l.x + this.labels.width(l));
    return hit?.node ?? -1;
  }

  private at(x: number, y: number): number {
    const node = this.picker.at(x, y);
    return node >= 0 ? node : this.labelAt(x, y);
  }

  private hover(x: number, y: number): void {
    if (this.flight !== null || this.input.active()) return;
    const node = this.at(x, y);
    this.pointAt(node);
    if (node < 0) return;
    this.card.replaceChildren(...this.panel.card(node));
    this.card.hidden = false;
    const { clientWidth: width, clientHeight: height } = this.stage;
    const { offsetWidth: w, offsetHeight: h } = this.card;
    this.card.style.left = `${x + 18 + w < width ? x + 18 : Math.max(4, x - 18 - w)}px`;
    this.card.style.top = `${Math.max(4, Math.min(y + 14, height - h - 6))}px`;
  }

  private click(x: number, y: number, touch: boolean): void {
    const node = this.at(x, y);
    if (node >= 0) this.go(node);
    else if (touch) this.pointAt(-1);
  }

  // ---- commands ----

  /** Back to the root (or the origin), all in sight. */
  private reset(): void {
    const { root } = this.data.about;
    this.view.set({ anchor: root, motion: this.view.motion.inverse().after(this.view.motion), scale: this.home });
  }

  private goHome(): void {
    const { root } = this.data.about;
    if (root < 0) {
      this.reset();
      this.request();
      return;
    }
    this.choose(root);
    this.flight = new Flight(this.view, root, this.home, calm());
    this.flightStart = performance.now();
    this.request();
  }

  /** Draws every node at `depth` times its distance from the root: 1 is the model's own space. */
  private setDepth(depth: number): void {
    this.data.setDepth(depth);
    this.home = depth === 1 ? this.fit : 1;
    this.renderer.reload();
    this.view.version++;
    byId('depth').setAttribute('aria-pressed', String(depth === 1));
    byId('depth-note').textContent =
      depth === 1
        ? 'True distances: the space is moved by its own isometries.'
        : `Unfolded: distances from the ${this.data.about.root >= 0 ? 'root' : this.data.about.network ? 'middle' : 'origin'} are drawn ${depth.toPrecision(2)} times as long, so that deep branches open. Figures are true.`;
  }

  /** Between the model's own space and the unfolded picture; what is in the middle stays there. */
  private toggleDepth(): void {
    this.endFlight();
    const middle = this.chosen >= 0 ? this.chosen : this.renderer.frame.nearest;
    this.setDepth(this.data.depth === 1 ? this.fit : 1);
    const { ar, ai } = this.view.motion;
    const size = Math.hypot(ar, ai);
    this.view.set({ anchor: middle, motion: new Isometry(ar / size, ai / size, 0, 0), scale: this.home });
    this.request();
  }

  private scaleTo(scale: number): void {
    this.view.scale = scale;
    this.view.version++;
    this.request();
  }

  private zoom(factor: number): void {
    this.endFlight();
    this.view.zoom(factor);
    this.request();
  }

  /** The next or previous node among those with the same parent. */
  private sibling(step: number): number {
    const { data, chosen } = this;
    if (chosen < 0 || data.parent[chosen] === NONE) return -1;
    const all = data.childrenOf(data.parent[chosen]);
    const at = all.indexOf(chosen);
    return at < 0 ? -1 : all[(at + step + all.length) % all.length];
  }

  private key(key: string): boolean {
    const { data, chosen } = this;
    const visit = (node: number | undefined): void => {
      if (node !== undefined && node >= 0 && node !== NONE) this.go(node);
    };
    const commands: Record<string, () => void> = {
      '+': () => this.zoom(1.25),
      '=': () => this.zoom(1.25),
      '-': () => this.zoom(0.8),
      '0': () => this.scaleTo(this.home),
      '1': () => this.scaleTo(1),
      Home: () => this.goHome(),
      '/': () => byId('search').focus(),
      u: () => visit(chosen >= 0 ? data.parent[chosen] : -1),
      d: () =>
        visit(chosen < 0 ? data.about.root : (data.about.network ? data.neighboursOf(chosen) : data.childrenOf(chosen))[0]),
      n: () => visit(this.sibling(1)),
      p: () => visit(this.sibling(-1)),
      Enter: () => visit(this.renderer.frame.nearest),
      t: () => this.toggleTheme(),
      m: () => {
        if (this.fit < DEEP) this.toggleDepth();
      },
      '?': () => byId<HTMLDetailsElement>('help').toggleAttribute('open'),
      Escape: () => {
        this.choose(-1);
        this.pointAt(-1);
        this.request();
      },
    };
    const command = commands[key];
    if (command === undefined) return false;
    command();
    return true;
  }

  private buttons(): void {
    const on = (id: string, action: () => void): void => byId(id).addEventListener('click', action);
    on('zoom-in', () => this.zoom(1.4));
    on('zoom-out', () => this.zoom(1 / 1.4));
    on('go-home', () => this.goHome());
    on('depth', () => this.toggleDepth());
    on('theme', () => this.toggleTheme());
    on('save-png', () => void this.png().then((blob) => download(fileName(this.data, 'png'), blob)));
    on('save-svg', () => download(fileName(this.data, 'svg'), new Blob([this.svg()], { type: 'image/svg+xml' })));
    on('copy-link', () => void this.copyLink());
  }

  png(): Promise<Blob> {
    const layers = ['canvas', 'labels'].map((id) => byId<HTMLCanvasElement>(id));
    return makePng(this.view, this.theme, layers, Math.min(3, devicePixelRatio || 1), () => {
      this.draw(true);
      return this.labels.reach(this.view);
    });
  }

  svg(): string {
    this.draw(true);
    const { edgeOrder: order, edgeLength: length } = this.renderer;
    const reach = this.labels.reach(this.view);
    return makeSvg(this.data, this.view, this.theme, { order, length }, this.labels.shown, reach, this.chosen);
  }

  private async copyLink(): Promise<void> {
    this.address(false);
    const button = byId('copy-link');
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'The link is in the address bar';
    }
    setTimeout(() => (button.textContent = 'Copy link'), 1800);
  }

  // ---- theme and address ----

  private toggleTheme(): void {
    this.themeChosen = true;
    this.setTheme(this.theme.name === 'dark' ? 'light' : 'dark');
    this.address(false);
  }

  private setTheme(name: 'light' | 'dark'): void {
    this.theme = makeTheme(this.data.about, name);
    document.documentElement.dataset.theme = name;
    this.renderer.setTheme(this.theme);
    this.panel.setTheme(this.theme);
    this.panel.show(this.chosen);
    if (this.drawn.version >= 0) this.draw(true);
  }

  private showScale(): void {
    const scale = this.view.scale;
    byId('scale').textContent =
      Math.abs(scale - 1) < 1e-9 ? 'Poincaré disk' : `scale ${scale < 10 ? scale.toPrecision(2) : scale.toFixed(0)}`;
    const { leftOut } = this.renderer;
    byId('edges-note').hidden = leftOut === 0;
    byId('edges-note').textContent = `${plural(leftOut, 'edge is', 'edges are')} left out here: too close to others to be told apart.`;
  }

  private address(push: boolean): void {
    const text = writeAddress(this.data, {
      state: this.view.state(),
      depth: this.data.depth,
      chosen: this.chosen,
      theme: this.themeChosen ? this.theme.name : null,
    });
    try {
      if (text !== location.hash) history.replaceState(null, '', text);
      if (push) history.pushState(null, '', text); // what follows goes here, so that "back" finds what was before
    } catch {
      // some browsers allow it only so often, or not for files
    }
  }

  private restore(): void {
    const { state, depth, chosen, theme } = readAddress(this.data, location.hash);
    if (depth > 0 && depth !== this.data.depth) this.setDepth(depth);
    if (theme !== null) {
      this.themeChosen = true;
      this.setTheme(theme);
    }
    this.flight = null;
    if (state !== null) this.view.set(state);
    this.setChosen(chosen);
    if (state === null && chosen >= 0) this.go(chosen);
    this.showScale();
    if (this.drawn.version >= 0) this.request();
  }

  /** Whether nothing moves and all is drawn. */
  idle(): boolean {
    return (
      this.flight === null &&
      !this.input.active() &&
      this.bench === null &&
      this.drawn.atRest &&
      this.drawn.version === this.view.version
    );
  }

  /** The distance of a node from the middle and its place on the stage, for tests. */
  where(node: number): { x: number; y: number; r: number; depth: number } {
    const p = this.view.seen(node);
    return { ...this.view.toStage(p), depth: depthOf(p) };
  }
}

/** The reader asked for little motion. */
function calm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

function start(): void {
  const data = readPage();
  const app = new App(data);
  Object.assign(window, {
    geodisk: {
      app,
      data,
      bench: (frames?: number, everything?: boolean) => benchPan(app, frames, everything),
      started: performance.now(),
    },
  });
  document.documentElement.dataset.ready = 'true';
  if (location.hash.includes('bench')) void benchPan(app).then((result) => byId('facts').append(` ${JSON.stringify(result)}`));
}

try {
  start();
} catch (error) {
  const box = byId('failure');
  box.textContent = error instanceof Error ? error.message : String(error);
  box.hidden = false;
  throw error;
}
