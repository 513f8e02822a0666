// labels.ts - names on the stage: which nodes deserve one, where it fits without covering another, and drawing it with a halo.
import { Data } from './data';
import { View } from './view';
import { Theme } from './theme';
import { pointScale, pointSize } from './renderer';
import { Point } from './disk';

const CANDIDATES = 700;
const SMALL = 100; // nodes of a small graph: all names, in larger type
const DOT = 2; // CSS pixels: half of what names leave free of the nodes of a small graph
const SMALLEST = 8; // CSS pixels: letters of a small graph on a small stage
const LONGEST = 32; // letters; longer names are cut in the middle

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Label {
  node: number;
  text: string;
  size: number; // of the font, in CSS pixels
  weight: number;
  x: number; // left end of the text
  y: number; // its middle
  alpha: number;
  line: [number, number, number, number] | null; // to the node, if the label is not beside it
  over: boolean; // it lies over a node, for want of room
}

// Places farther off, outwards and down, in sizes of the letters.
const STEPS = [0.9, 1.7, 2.6, 3.6, 4.8, 6, 7.5, 9.5].flatMap((down, k) => [
  [0.5 * k, -down],
  [0.5 * k, down],
  [1 + k, -0.5 * down],
  [1 + k, 0.5 * down],
]);

export class Labels {
  shown: Label[] = [];
  taken: Box[] = []; // what lies on the stage already: the buttons
  private readonly worth: Float32Array; // of a node by what is below it
  private candidates: number[] = [];
  private readonly widths = new Map<string, number>();
  private sides = new Map<number, number>(); // which place a label had: it keeps it while it can
  private readonly context: CanvasRenderingContext2D;
  private ratio = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly data: Data,
  ) {
    this.context = canvas.getContext('2d')!;
    this.worth = Float32Array.from(data.below, (below) => Math.log2(1 + below));
  }

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  /** Looks at all nodes for those that may get a label: much below them, near the middle. */
  survey(view: View, places: Float32Array): void {
    const { n } = this.data;
    const score = new Float32Array(n);
    const histogram = new Uint32Array(512);
    for (let i = 0; i < n; i++) {
      const depth = (2 * Math.LN2 - 2 * Math.log(places[4 * i + 2])) * view.scale;
      score[i] = this.worth[i] - 2.6 * depth;
      histogram[bucket(score[i])]++;
    }
    let at = histogram.length - 1;
    for (let count = 0; at > 0; at--) {
      count += histogram[at];
      if (count >= CANDIDATES) break;
    }
    const list: number[] = [];
    for (let i = 0; i < n && list.length < 2 * CANDIDATES; i++) if (bucket(score[i]) >= at) list.push(i);
    list.sort((p, q) => score[q] - score[p] || p - q);
    this.candidates = list.slice(0, CANDIDATES);
  }

  /** Chooses and draws the labels of a frame; `first` are nodes that come before all others, `family` those that come next. */
  draw(view: View, theme: Theme, first: number[], family: Set<number>, moving: boolean): void {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.width / this.ratio, this.canvas.height / this.ratio);
    this.shown = this.choose(view, first, family, moving);
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    for (const { line } of this.shown) {
      if (line === null) continue;
      context.globalAlpha = 0.5;
      context.strokeStyle = theme.quietInk;
      context.lineWidth = 0.8;
      context.beginPath();
      context.moveTo(line[0], line[1]);
      context.lineTo(line[2], line[3]);
      context.stroke();
    }
    context.strokeStyle = theme.groundCss;
    context.lineWidth = 3.4;
    for (let k = this.shown.length - 1; k >= 0; k--) {
      const label = this.shown[k];
      context.font = fontOf(label.size, label.weight);
      context.globalAlpha = 0.88 * label.alpha;
      context.strokeText(label.text, label.x, label.y);
      context.globalAlpha = label.alpha;
      context.fillStyle = first.includes(label.node) ? theme.ink : label.weight > 500 ? theme.ink : theme.quietInk;
      context.fillText(label.text, label.x, label.y);
    }
    context.globalAlpha = 1;
  }

  /** A ring around a node. */
  ring(view: View, p: Point, below: number, colour: string): void {
    const { context } = this;
    const at = view.toStage(p);
    const r = 0.5 * pointSize(below) * pointScale(view, this.data.n) * (0.4 + 0.6 * (1 - at.r * at.r)) + 3.5;
    context.beginPath();
    context.arc(at.x, at.y, r, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = colour;
    context.stroke();
  }

  /** The labels of a frame. On a small stage a small graph gets smaller type rather than fewer names. */
  private choose(view: View, first: number[], family: Set<number>, moving: boolean): Label[] {
    const { n } = this.data;
    if (n > SMALL) return this.layOut(view, first, family, moving, 1);
    const type = (1.2 + (0.25 * (SMALL - n)) / SMALL) * Math.min(1, Math.max(0.8, view.radius / 340));
    const before = new Map(this.sides);
    let best: Label[] = [];
    let sides = before;
    const free = (labels: Label[]): number => labels.filter(({ over }) => !over).length;
    for (const part of moving ? [1] : [1, 0.85, 0.72]) {
      this.sides = new Map(before);
      const labels = this.layOut(view, first, family, moving, part * type);
      if (labels.length < best.length || (labels.length === best.length && free(labels) <= free(best))) continue;
      best = labels;
      sides = this.sides;
      if (free(labels) === n) break;
    }
    this.sides = sides;
    return best;
  }

  private layOut(view: View, first: number[], family: Set<number>, moving: boolean, type: number): Label[] {
    const { data, worth } = this;
    const small = data.n <= SMALL;
    const room = small ? data.n : Math.min(moving ? 36 : 90, Math.max(16, Math.floor(view.radius ** 2 / 3000)));
    const width = this.canvas.width / this.ratio;
    const height = this.canvas.height / this.ratio;
    const ranked: { node: number; rank: number; x: number; y: number; r: number }[] = [];
    const add = (node: number, bonus: number): void => {
      const at = view.toStage(view.seen(node));
      if (at.r > (small ? 0.995 : 0.97) && bonus < 100) return;
      const kept = this.sides.has(node) ? 1.2 : 0;
      ranked.push({ node, rank: worth[node] + 6 * (1 - at.r * at.r) + kept + bonus, ...at });
    };
    first.forEach((node, k) => add(node, 1000 - k));
    const special = new Set(first);
    for (const node of family) if (!special.has(node)) add(node, 20);
    for (const node of moving ? this.candidates.slice(0, 250) : this.candidates)
      if (!special.has(node) && !family.has(node)) add(node, 0);
    ranked.sort((p, q) => q.rank - p.rank);

    const boxes: Box[] = [...this.taken];
    const labels: Label[] = [];
    const before = new Map(this.sides);
    this.sides.clear();
    const dots = small ? ranked.map(({ x, y }) => ({ x0: x - DOT, y0: y - DOT, x1: x + DOT, y1: y + DOT })) : [];
    for (const { node, x, y, r, rank } of ranked) {
      if (labels.length >= room && rank < 900) break;
      const near = 1 - r * r;
      const size = Math.round((10.5 + 3.2 * near) * type + (rank >= 1000 ? 1.5 : 0));
      const weight = rank >= 900 || labels.length < Math.min(8, room / 5) ? 600 : 400;
      const text = shorten(data.labels[node]);
      const gap = 0.5 * pointSize(data.below[node]) * pointScale(view, data.n) * (0.4 + 0.6 * near) + (rank >= 900 ? 8 : 4);
      const place = (covered: Box[]): ReturnType<Labels['fit']> => {
        for (let least = small ? Math.min(size, SMALLEST) : size, at = size; at >= least; at--) {
          const w = this.widthOf(text, at, weight);
          const found = this.fit(covered, x, y, w, at, gap, before.get(node), x >= view.cx, width, height, small);
          if (found !== null) return found;
        }
        return null;
      };
      let placed = place([...boxes, ...dots]); // in smaller letters rather than over a node
      const over = placed === null;
      if (over && small) placed = place(boxes); // over a node rather than not at all
      if (placed === null) continue;
      this.sides.set(node, placed.side);
      boxes.push(placed.box);
      boxes.push({ x0: x - gap + 2, y0: y - gap + 2, x1: x + gap - 2, y1: y + gap - 2 });
      const alpha = rank >= 900 ? 1 : Math.min(1, (small ? 0.85 : 0.55) + 0.6 * near);
      const { x0, x1, y0, y1 } = placed.box;
      const line: Label['line'] =
        placed.side < 4 ? null : [x, y, Math.min(x1 - 2, Math.max(x0 + 2, x)), y < y0 ? y0 : y > y1 ? y1 : 0.5 * (y0 + y1)];
      labels.push({ node, text, size: placed.size, weight, x: x0 + 2, y: 0.5 * (y0 + y1), alpha, line, over });
    }
    return labels;
  }

  /** The first of four places beside a node, or of some more farther off, where a text covers nothing. */
  private fit(
    boxes: Box[],
    x: number,
    y: number,
    w: number,
    size: number,
    gap: number,
    kept: number | undefined,
    rightHalf: boolean,
    width: number,
    height: number,
    eager: boolean,
  ): { box: Box; side: number; size: number } | null {
    const h = 0.6 * size + 1;
    const sides = rightHalf ? [0, 2, 3, 1] : [1, 2, 3, 0];
    if (kept !== undefined) sides.unshift(kept);
    if (eager) for (let more = 4; more < 4 + 2 * STEPS.length; more++) sides.push(more);
    for (const side of sides) {
      const [out, down] = side < 4 ? [0, 0] : STEPS[(side - 4) % STEPS.length];
      const outwards = side - 4 < STEPS.length; // of the places farther off, first those away from the middle
      const toRight = side === 0 || (side >= 4 && outwards === rightHalf);
      const left = toRight ? x + gap + out * size : side === 2 || side === 3 ? x - w / 2 : x - gap - w - out * size;
      const middle = side === 2 ? y - gap - h + 2 : side === 3 ? y + gap + h - 2 : y + down * size;
      const box = { x0: left - 2, y0: middle - h, x1: left + w + 2, y1: middle + h };
      if (box.x0 < 0 || box.y0 < 0 || box.x1 > width || box.y1 > height) continue;
      if (!boxes.some((b) => b.x0 < box.x1 && box.x0 < b.x1 && b.y0 < box.y1 && box.y0 < b.y1)) return { box, side, size };
    }
    return null;
  }

  /** How far the labels reach to the left or the right of the middle. */
  reach(view: View): number {
    return this.shown.reduce((far, l) => Math.max(far, view.cx - l.x, l.x + this.width(l) - view.cx), 0);
  }

  width(label: Label): number {
    return this.widthOf(label.text, label.size, label.weight);
  }

  private widthOf(text: string, size: number, weight: number): number {
    const key = `${weight} ${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      this.context.font = fontOf(100, weight);
      width = this.context.measureText(text).width / 100;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(key, width);
    }
    return width * size;
  }
}

function bucket(score: number): number {
  return Math.min(511, Math.max(0, Math.floor(8 * (score + 44))));
}

export const FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';

export function fontOf(size: number, weight: number): string {
  return `${weight} ${size}px ${FONT}`;
}

/** A name of at most LONGEST letters: longer ones are cut in the middle, at a slash or between words where that is near. The
 * pictures of `geodisk plot` cut them alike (src/draw/node_names.c). */
export function shorten(name: string, most = LONGEST): string {
  const letters = Array.from(name);
  if (letters.length <= most) return name;
  let head = Math.floor((2 * most) / 5);
  let tail = letters.length - (most - 1 - head);
  const start = letters.slice(0, head);
  const end = letters.slice(tail);
  const last = (test: RegExp, least: number): number => {
    for (let k = start.length - 1; k >= 0 && k + 1 > least; k--) if (test.test(start[k])) return k + 1;
    return -1;
  };
  const slash = last(/[/\\]/, head / 3);
  const word = last(/[:.#_\- ]/, head / 2);
  const endSlash = end.findIndex((c, k) => /[/\\]/.test(c) && k + 2 < end.length);
  const endWord = end.findIndex((c, k) => /[:.#_\- ]/.test(c) && 2 * (end.length - k) > end.length);
  head = slash > 0 ? slash : word > 0 ? word : head;
  tail += endSlash >= 0 ? endSlash : Math.max(0, endWord);
  while (tail < letters.length && /\p{M}|\u200d/u.test(letters[tail])) tail++;
  return `${letters.slice(0, head).join('')}…${letters.slice(tail).join('')}`;
}
