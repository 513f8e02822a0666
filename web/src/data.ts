// data.ts - what `geodisk view` put into the page, as typed arrays: names, points, the tree, the edges, the branches.
import { ORIGIN, Point, depthOf, pointAtDistance, translate } from './disk';

/** The page's "about" block, written by src/draw/page.c. */
export interface About {
  version: number;
  title: string;
  nodes: number;
  edges: number;
  dim: number;
  flat: boolean; // the model's space is Euclidean
  curvature: number; // k > 0: the model's space has curvature -k
  graph: boolean; // false: nodes only
  network: boolean; // no hierarchy: nothing is above anything, branches are communities, and `below` counts a node's edges
  root: number; // the node in the middle at the start; -1: the origin, which is the barycenter of a network
  branches: { node: number; nodes: number; light: string; dark: string }[];
  other: { light: string; dark: string }; // nodes in no branch with a colour
  trunk: { light: string; dark: string }; // nodes above the branches
  vectors: number; // bytes per coordinate of the model's own vectors, 0: they are not here
  unit: number; // what a coordinate of 1 there stands for
  distortion: number | null; // of distances, where a model of more dimensions was brought into the plane: the median
  history: string | null; // JSON, as in the model file
}

/** Colours of nodes that belong to no branch, as numbers of the palette. */
export const OTHER = 30;
export const TRUNK = 31;

export const NONE = 0xffffffff;

export class Data {
  readonly n: number;
  // The picture: the model's own points, or those with another depth.
  x: Float64Array;
  y: Float64Array;
  gap: Float64Array;
  depth = 1;
  private readonly own: { x: Float64Array; y: Float64Array; gap: Float64Array };
  readonly parent: Uint32Array; // in the tree; NONE: a root
  readonly below: Uint32Array; // how many nodes are below; in a network the edges of a node
  readonly child: Uint32Array; // of edge e
  readonly upper: Uint32Array; // of edge e
  readonly branch: Uint8Array;
  readonly dim: number;
  private readonly packed: Uint8Array | null; // the model's own vectors, where it has more than two dimensions
  private unpacked: Float64Array | null = null;
  readonly vectorGap: Float64Array | null;
  private readonly childStart: Uint32Array;
  private readonly children: Uint32Array;
  private readonly parentStart: Uint32Array;
  private readonly parents: Uint32Array;
  private byName: Map<string, number> | null = null;

  constructor(
    readonly about: About,
    readonly names: string[],
    readonly labels: string[], // what the nodes are called, in the disk and in lists
    bytes: Uint8Array,
  ) {
    const n = (this.n = about.nodes);
    const m = about.edges;
    let at = 0;
    const take = <T>(
      make: new (buffer: ArrayBufferLike, offset: number, length: number) => T,
      size: number,
      count: number,
    ): T => {
      const part = new make(bytes.buffer, bytes.byteOffset + at, count);
      at += size * count;
      return part;
    };
    this.x = take(Float64Array, 8, n);
    this.y = take(Float64Array, 8, n);
    this.gap = take(Float64Array, 8, n);
    this.own = { x: this.x, y: this.y, gap: this.gap };
    this.dim = about.dim;
    this.vectorGap = about.vectors > 0 ? take(Float64Array, 8, n) : null;
    this.parent = take(Uint32Array, 4, n);
    this.below = take(Uint32Array, 4, n);
    this.child = take(Uint32Array, 4, m);
    this.upper = take(Uint32Array, 4, m);
    this.branch = take(Uint8Array, 1, n).map((b) => (b === 255 ? TRUNK : b >= about.branches.length ? OTHER : b));
    this.packed = about.vectors > 0 ? bytes.subarray(at, at + n * about.dim * about.vectors) : null;
    [this.childStart, this.children] = rows(n, this.upper, this.child);
    [this.parentStart, this.parents] = rows(n, this.child, this.upper);
  }

  /** The model's own vectors, n x dim, unpacked when first asked for; null where they are not here. */
  private get vectors(): Float64Array | null {
    if (this.packed !== null && this.unpacked === null)
      this.unpacked = fixedPoint(this.packed, this.about.vectors, this.about.unit);
    return this.unpacked;
  }

  point(i: number): Point {
    return { x: this.x[i], y: this.y[i], gap: this.gap[i] };
  }

  /** Changes the picture: every node stays in its direction from the root (or the origin), at `depth` times its distance. With 1
   * the points are the model's own. */
  setDepth(depth: number): void {
    this.depth = depth;
    if (depth === 1) {
      this.x = this.own.x;
      this.y = this.own.y;
      this.gap = this.own.gap;
      return;
    }
    const { x, y, gap } = this.own;
    const root = this.about.root;
    const middle = root >= 0 ? { x: x[root], y: y[root], gap: gap[root] } : ORIGIN;
    this.x = new Float64Array(this.n);
    this.y = new Float64Array(this.n);
    this.gap = new Float64Array(this.n);
    for (let i = 0; i < this.n; i++) {
      const p = translate(middle, { x: x[i], y: y[i], gap: gap[i] });
      const r = Math.hypot(p.x, p.y);
      const q = r > 0 ? pointAtDistance(p.x / r, p.y / r, depth * depthOf(p)) : ORIGIN;
      this.x[i] = q.x;
      this.y[i] = q.y;
      this.gap[i] = q.gap;
    }
  }

  /** The nodes directly below i, those with most below them first. */
  childrenOf(i: number): number[] {
    const list = Array.from(this.children.subarray(this.childStart[i], this.childStart[i + 1]));
    return list.sort((p, q) => this.below[q] - this.below[p] || p - q);
  }

  childCount(i: number): number {
    return this.childStart[i + 1] - this.childStart[i];
  }

  /** The nodes directly above i, the one in the tree first. */
  parentsOf(i: number): number[] {
    const list = Array.from(this.parents.subarray(this.parentStart[i], this.parentStart[i + 1]));
    return list.sort((p, q) => Number(q === this.parent[i]) - Number(p === this.parent[i]) || p - q);
  }

  /** The nodes that an edge joins with i, those with most edges first. */
  neighboursOf(i: number): number[] {
    return this.childrenOf(i)
      .concat(this.parentsOf(i))
      .sort((p, q) => this.below[q] - this.below[p] || p - q);
  }

  /** From the root down to i. */
  pathTo(i: number): number[] {
    const path = [i];
    for (let p = this.parent[i]; p !== NONE && path.length < 1000; p = this.parent[p]) path.push(p);
    return path.reverse();
  }

  find(name: string): number {
    if (this.byName === null) this.byName = new Map(this.names.map((text, i) => [text, i]));
    return this.byName.get(name) ?? -1;
  }

  /** The distance of node i from the model's origin. */
  radius(i: number): number {
    const { vectors } = this;
    if (this.about.flat && vectors !== null) {
      let sum = 0;
      for (let k = i * this.dim; k < (i + 1) * this.dim; k++) sum += vectors[k] * vectors[k];
      return Math.sqrt(sum);
    }
    const gap = (this.vectorGap ?? this.own.gap)[i];
    const r = Math.sqrt(Math.max(0, 1 - gap));
    return (2 * Math.log1p(r) - Math.log(gap)) / Math.sqrt(this.about.curvature);
  }

  /** sinh^2(d / 2) of the distance between two nodes, in the model's own space where its vectors are here; d^2 if it is flat. */
  spread(i: number, j: number): number {
    const { vectors } = this;
    if (vectors === null || this.vectorGap === null) {
      const { x, y, gap } = this.own;
      const dx = x[i] - x[j];
      const dy = y[i] - y[j];
      return (dx * dx + dy * dy) / (gap[i] * gap[j]);
    }
    let sum = 0;
    for (let k = 0, p = i * this.dim, q = j * this.dim; k < this.dim; k++, p++, q++) {
      const d = vectors[p] - vectors[q];
      sum += d * d;
    }
    return this.about.flat ? sum : sum / (this.vectorGap[i] * this.vectorGap[j]);
  }

  private distanceOf(spread: number): number {
    if (this.about.flat && this.vectors !== null) return Math.sqrt(spread);
    return (2 * Math.asinh(Math.sqrt(spread))) / Math.sqrt(this.about.curvature);
  }

  /** The k nodes nearest to i by hyperbolic distance, nearest first. */
  neighbours(i: number, k: number): { node: number; distance: number }[] {
    const best: { node: number; spread: number }[] = [];
    for (let j = 0; j < this.n; j++) {
      if (j === i) continue;
      const spread = this.spread(i, j);
      if (best.length === k && !(spread < best[k - 1].spread)) continue;
      let at = best.length;
      while (at > 0 && best[at - 1].spread > spread) at--;
      best.splice(at, 0, { node: j, spread });
      if (best.length > k) best.pop();
    }
    return best.map(({ node, spread }) => ({ node, distance: this.distanceOf(spread) }));
  }
}

/** Compressed rows: for each node the values of the edges whose key it is. */
function rows(n: number, keys: Uint32Array, values: Uint32Array): [Uint32Array, Uint32Array] {
  const start = new Uint32Array(n + 1);
  for (const key of keys) start[key + 1]++;
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const next = start.slice(0, n);
  const out = new Uint32Array(values.length);
  for (let e = 0; e < keys.length; e++) out[next[keys[e]]++] = values[e];
  return [start, out];
}

/** Coordinates in [-1, 1), in units of `one`, as signed integers of `size` little-endian bytes, the last one with the sign. */
function fixedPoint(bytes: Uint8Array, size: number, one: number): Float64Array {
  const out = new Float64Array(bytes.length / size);
  const unit = one * 2 ** (1 - 8 * size);
  for (let i = 0, at = 0; i < out.length; i++) {
    let value = 0;
    for (let b = size - 1; b >= 0; b--) value = value * 256 + bytes[at + b];
    if (bytes[at + size - 1] >= 128) value -= 2 ** (8 * size);
    out[i] = value * unit;
    at += size;
  }
  return out;
}

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

/** Base64 by the browser's own function where it has one, which is newer than TypeScript's list. */
function fromBase64(letters: string): Uint8Array {
  const quick = (Uint8Array as unknown as { fromBase64?: (letters: string) => Uint8Array }).fromBase64;
  if (quick !== undefined) return quick.call(Uint8Array, letters);
  const binary = atob(letters);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Reads the page's data blocks and takes them out of the document. */
export function readPage(): Data {
  const about = JSON.parse(text('about')) as About;
  const entries = JSON.parse(text('names')) as (string | [string, string])[]; // a name, or a name and what it is called
  const bytes = fromBase64(text('arrays').trim());
  for (const id of ['names', 'arrays']) document.getElementById(id)?.remove();
  const names = entries.map((entry) => (typeof entry === 'string' ? entry : entry[0]));
  const labels = entries.map((entry) => (typeof entry === 'string' ? entry : entry[1]));
  return new Data(about, names, labels, bytes);
}
