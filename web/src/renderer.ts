// renderer.ts - draws nodes and edges with WebGL2: what is uploaded once, what follows the eye, and how much is drawn in a hurry.
import { Data, OTHER } from './data';
import { Frame, TEXTURE_WIDTH } from './frame';
import { View } from './view';
import { Theme } from './theme';
import { LINE_FRAGMENT, LINE_VERTEX, POINT_FRAGMENT, POINT_VERTEX, RIBBON_FRAGMENT, RIBBON_VERTEX } from './shaders';

// Pieces of an edge by how far its ends are apart in the disk.
const SHORT_PIECES = 6;
const MIDDLE_PIECES = 12;
const LONG_PIECES = 32;
const SHORT = 0.03;
const MIDDLE = 0.3;
const RINGS = 16; // parts of the radius
const LINES_PER_PIXEL = 0.6; // of a circle, at full strength
const FAINTEST = 0.25; // where more nodes are than this strength allows for, edges are left out instead
const WIDE = 1500; // so many of the most important edges have a width of their own
const SMALL = 100; // nodes of a small graph, whose lines are thicker
const RESTING_MS = 350; // a picture at rest may take so long
const MOVING_EDGES = 400; // at least so many edges and nodes are drawn while moving
const MOVING_NODES = 8000;
// What drawing takes, relative to a node, found with a software renderer; cards are quick enough for all of it.
const COST = { short: 20, middle: 30, long: 60, wide: 40 };

type Uniforms = Record<string, WebGLUniformLocation | null>;

interface Program {
  program: WebGLProgram;
  uniforms: Uniforms;
}

export class Renderer {
  readonly frame: Frame;
  edgeOrder: Uint32Array; // drawing order: most nodes below first
  edgeLength: Float64Array; // by drawing order
  detail = 1; // the share of nodes and edges that is drawn while moving, the most important of them
  drawnEdges = 0;
  leftOut = 0; // edges that could be seen and are not drawn
  private readonly crowd = new Float32Array(RINGS).fill(1); // how strongly to draw what lies in a ring: where many are, each is faint
  private readonly ringGap = new Float32Array(RINGS); // square root of the gap where a ring begins
  private msPerCost = 0; // 0: not measured yet
  private readonly gl: WebGL2RenderingContext;
  private readonly points: Program;
  private readonly lines: Program;
  private readonly ribbons: Program;
  private readonly nodeTexture: WebGLTexture;
  private readonly edgeTexture: WebGLTexture;
  private readonly pointArray: WebGLVertexArrayObject;
  private readonly lists: { short: EdgeList; middle: EdgeList; long: EdgeList; wide: EdgeList; marked: EdgeList };
  private listsFor = -1; // limit the lists were made with
  private theme: Theme;
  private width = 1;
  private height = 1;
  private ratio = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly data: Data,
    theme: Theme,
  ) {
    const gl = canvas.getContext('webgl2', {
      antialias: true,
      alpha: true,
      premultipliedAlpha: true,
      powerPreference: 'high-performance',
    });
    if (gl === null) throw new Error('This browser has no WebGL2, which the picture is drawn with.');
    this.gl = gl;
    this.theme = theme;
    this.frame = new Frame(data);
    this.points = program(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.ribbons = program(gl, RIBBON_VERTEX, RIBBON_FRAGMENT);
    this.nodeTexture = texture(gl, TEXTURE_WIDTH, this.frame.rows, null);
    this.edgeOrder = orderEdges(data);
    this.edgeLength = edgeLengths(data, this.edgeOrder);
    this.edgeTexture = texture(gl, TEXTURE_WIDTH, Math.max(1, Math.ceil(this.edgeOrder.length / TEXTURE_WIDTH)), null);
    this.uploadEdges();
    this.pointArray = this.uploadPoints();
    const list = (): EdgeList => new EdgeList(gl, this.edgeOrder.length);
    this.lists = { short: list(), middle: list(), long: list(), wide: list(), marked: list() };
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  /** The points have changed (Data.setDepth). */
  reload(): void {
    this.frame.forget();
    this.edgeLength = edgeLengths(this.data, this.edgeOrder);
    this.uploadEdges();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  /** Which edges stand out: given by child and parent. */
  emphasise(pairs: [number, number][]): void {
    const wanted = new Set(pairs.map(([child, parent]) => child * this.data.n + parent));
    const list = this.lists.marked;
    list.count = 0;
    if (wanted.size > 0)
      for (let k = 0; k < this.edgeOrder.length; k++) {
        const e = this.edgeOrder[k];
        if (wanted.has(this.data.child[e] * this.data.n + this.data.upper[e])) list.ids[list.count++] = k;
      }
    list.upload(this.gl);
  }

  /** All edges, if a picture of them takes a moment only; else those that do. */
  private restingEdges(): number {
    const all = this.edgeOrder.length;
    const room = RESTING_MS / this.msPerCost - this.data.n - COST.wide * WIDE;
    return Math.min(all, Math.max(WIDE, WIDE + Math.floor(room / COST.middle)));
  }

  private movingEdges(): number {
    return Math.max(MOVING_EDGES, Math.ceil(this.detail * this.edgeOrder.length));
  }

  /** Draws what the time allows (all: everything, whatever it takes). At rest the time it took is measured, for the next picture;
   * true if that one will show more. */
  draw(view: View, atRest: boolean, all = false): boolean {
    if (!atRest && !all) {
      this.picture(view, false, this.movingEdges(), Math.max(MOVING_NODES, Math.ceil(this.detail * this.data.n)));
      return false;
    }
    const first = this.msPerCost === 0; // the first picture is quick, and tells how quick the machine is
    const edges = all ? this.edgeOrder.length : first ? MOVING_EDGES : this.restingEdges();
    const nodes = first && !all ? Math.min(this.data.n, MOVING_NODES) : this.data.n;
    const started = performance.now();
    this.picture(view, true, edges, nodes);
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits until it is drawn
    const { short, middle, long, wide } = this.lists;
    const cost = nodes + COST.short * short.count + COST.middle * middle.count + COST.long * long.count + COST.wide * wide.count;
    this.msPerCost = (performance.now() - started) / cost;
    return !all && (nodes < this.data.n || this.restingEdges() > 1.25 * edges);
  }

  /** Makes the eye's place the resting place. */
  settle(view: View): void {
    if (this.frame.stale(view, true)) this.rebase(view);
    else this.measureCrowd(view); // the scale may have changed what can be seen
    this.listsFor = -1;
  }

  private rebase(view: View): void {
    const gl = this.gl;
    this.frame.rebase(view);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.nodeTexture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, this.frame.rows, gl.RGBA, gl.FLOAT, this.frame.places);
    this.measureCrowd(view);
    this.listsFor = -1;
  }

  private ringOf(rootGap: number): number {
    let ring = RINGS - 1;
    while (ring > 0 && rootGap > this.ringGap[ring]) ring--;
    return ring;
  }

  /** How strongly one of the nodes of a ring may be drawn if all in it and next to it share its circle. */
  private measureCrowd(view: View): void {
    const { n } = this.data;
    const { places } = this.frame;
    const count = new Uint32Array(RINGS);
    for (let ring = 0; ring < RINGS; ring++) this.ringGap[ring] = 1 / Math.cosh(view.unlens(ring / RINGS) / 2);
    for (let i = 0; i < n; i++) count[this.ringOf(places[4 * i + 2])]++;
    for (let ring = 0; ring < RINGS; ring++) {
      const here = count[ring] + ((count[ring - 1] ?? 0) + (count[ring + 1] ?? 0)) / 2;
      const circle = (2 * Math.PI * view.radius * (ring + 0.5)) / RINGS;
      this.crowd[ring] = Math.min(1, Math.max(0.005, (LINES_PER_PIXEL * circle) / (1 + here)));
    }
  }

  private picture(view: View, atRest: boolean, edges: number, nodes: number): void {
    const gl = this.gl;
    const limit = Math.min(edges, this.edgeOrder.length);
    if (this.frame.stale(view, atRest)) this.rebase(view);
    if (limit !== this.listsFor) {
      this.makeLists(view, limit);
      this.listsFor = limit;
    }
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const { edgeAlpha } = this.theme;
    const pieces = limit < WIDE ? LONG_PIECES / 2 : LONG_PIECES;
    this.drawEdges(this.lines, this.lists.short, view, SHORT_PIECES, edgeAlpha, 0.05);
    this.drawEdges(this.lines, this.lists.middle, view, MIDDLE_PIECES, edgeAlpha, 0.05);
    this.drawEdges(this.lines, this.lists.long, view, LONG_PIECES, edgeAlpha, 0.05);
    this.drawEdges(this.ribbons, this.lists.wide, view, pieces, edgeAlpha, 0.05);
    this.drawEdges(this.ribbons, this.lists.marked, view, 2 * LONG_PIECES, 1, 0, this.theme.accent);
    this.drawPoints(view, Math.min(nodes, this.data.n));
  }

  private common(p: Program, view: View): void {
    const gl = this.gl;
    gl.useProgram(p.program);
    const step = this.frame.step(view);
    gl.uniform1i(p.uniforms.nodes, 0);
    gl.uniform4f(p.uniforms.motion, step.ar, step.ai, step.br, step.bi);
    gl.uniform1f(p.uniforms.scale, view.scale);
    const sx = 2 / this.width;
    const sy = 2 / this.height;
    gl.uniform4f(p.uniforms.disk, view.cx * sx - 1, 1 - view.cy * sy, view.radius * sx, view.radius * sy);
    gl.uniform3fv(p.uniforms.palette, this.theme.palette);
    gl.uniform1fv(
      p.uniforms.crowd,
      this.crowd.map((strength) => Math.max(FAINTEST, strength)),
    );
  }

  private drawEdges(p: Program, list: EdgeList, view: View, pieces: number, alpha: number, more: number, over?: number[]): void {
    if (list.count === 0) return;
    const gl = this.gl;
    this.common(p, view);
    gl.uniform1i(p.uniforms.edges, 1);
    gl.uniform1f(p.uniforms.pieces, pieces);
    // In a network the level of an edge is its strength, else the nodes below.
    if (this.data.about.network && over === undefined) gl.uniform2f(p.uniforms.opacity, 0, (1.15 * alpha) / 31);
    else gl.uniform2f(p.uniforms.opacity, alpha, more * alpha * 2);
    gl.bindVertexArray(list.array);
    if (p === this.lines) {
      gl.drawArraysInstanced(gl.LINE_STRIP, 0, pieces + 1, list.count);
      return;
    }
    gl.uniform2f(p.uniforms.stage, this.width / 2, this.height / 2);
    if (over !== undefined) {
      gl.uniform2f(p.uniforms.widths, 2.4, 0);
      gl.uniform4f(p.uniforms.over, 0.85 * over[0], 0.85 * over[1], 0.85 * over[2], 0.85);
    } else {
      const size = Math.max(1, crowdScale(this.data.n)) * (this.data.n <= SMALL ? 1.3 : 1);
      if (this.data.about.network) gl.uniform2f(p.uniforms.widths, 0.9 * size, 0);
      else gl.uniform2f(p.uniforms.widths, 0.8 * size, 0.16 * size);
      gl.uniform4f(p.uniforms.over, 0, 0, 0, 0);
    }
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * (pieces + 1), list.count);
  }

  private drawPoints(view: View, count: number): void {
    const gl = this.gl;
    const p = this.points;
    this.common(p, view);
    gl.uniform1f(p.uniforms.pixel, this.ratio);
    gl.uniform1f(p.uniforms.pointScale, pointScale(view, this.data.n));
    gl.uniform1f(p.uniforms.opacity, this.data.n > 20000 ? 0.85 : 0.95);
    gl.uniform3f(p.uniforms.ground, this.theme.ground[0], this.theme.ground[1], this.theme.ground[2]);
    gl.bindVertexArray(this.pointArray);
    gl.drawArrays(gl.POINTS, this.data.n - count, count);
  }

  /** Sorts the edges that can be seen by their length, and the most important, which are wide. */
  private makeLists(view: View, limit: number): void {
    const { short, middle, long, wide } = this.lists;
    const { child, upper } = this.data;
    const places = this.frame.places;
    const deepest = 2 * Math.exp(-4.7 / view.scale); // sqrt(gap) of what is too near the rim to be seen, motion allowed for
    const finer = Math.max(1, view.scale);
    const straight = (SHORT / finer) ** 2;
    const medium = (MIDDLE / finer) ** 2;
    short.count = middle.count = long.count = wide.count = 0;
    this.leftOut = this.edgeOrder.length - limit;
    for (let k = 0; k < limit; k++) {
      const e = this.edgeOrder[k];
      const p = 4 * child[e];
      const q = 4 * upper[e];
      const dx = places[p] - places[q];
      const dy = places[p + 1] - places[q + 1];
      const apart = dx * dx + dy * dy;
      if (apart <= straight && places[p + 2] < deepest && places[q + 2] < deepest) continue;
      if (k >= WIDE && !this.data.about.network) {
        // Edges in a crowd are drawn with a probability: that of a number of their own, so that it is always the same ones.
        if (((k * 2654435761) >>> 0) / 4294967296 > this.crowd[this.ringOf(places[p + 2])] / FAINTEST) {
          this.leftOut++;
          continue;
        }
      }
      if (k < WIDE) wide.ids[wide.count++] = k;
      else if (apart <= straight) short.ids[short.count++] = k;
      else if (apart <= medium) middle.ids[middle.count++] = k;
      else long.ids[long.count++] = k;
    }
    this.drawnEdges = short.count + middle.count + long.count + wide.count;
    for (const list of [short, middle, long, wide]) list.upload(this.gl);
  }

  private uploadEdges(): void {
    const gl = this.gl;
    const { data, edgeOrder, edgeLength } = this;
    const height = Math.max(1, Math.ceil(edgeOrder.length / TEXTURE_WIDTH));
    const rows = new Float32Array(4 * TEXTURE_WIDTH * height);
    for (let k = 0; k < edgeOrder.length; k++) {
      const e = edgeOrder[k];
      const c = data.child[e];
      const u = data.upper[e];
      const level = data.about.network ? 1 + 30 * edgeStrength(data, e) : Math.min(31, Math.log2(1 + data.below[c]));
      rows.set([c, u, edgeLength[k], 32 * edgeColour(data, e) + level], 4 * k);
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.edgeTexture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, height, gl.RGBA, gl.FLOAT, rows);
    gl.activeTexture(gl.TEXTURE0);
  }

  /** The nodes as points, those with most below them last, on top. */
  private uploadPoints(): WebGLVertexArrayObject {
    const gl = this.gl;
    const { below, branch, n } = this.data;
    const order = Uint32Array.from({ length: n }, (_, i) => i).sort((p, q) => below[p] - below[q] || p - q);
    const rows = new ArrayBuffer(12 * n);
    const whole = new Uint32Array(rows);
    const real = new Float32Array(rows);
    for (let k = 0; k < n; k++) {
      const i = order[k];
      whole[3 * k] = i;
      real[3 * k + 1] = pointSize(below[i]);
      real[3 * k + 2] = branch[i];
    }
    const array = gl.createVertexArray()!;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, rows, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 12, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 1, gl.FLOAT, false, 12, 4);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 12, 8);
    gl.bindVertexArray(null);
    return array;
  }
}

/** The diameter of a node in CSS pixels, before the lens makes it smaller. */
export function pointSize(below: number): number {
  return 4.2 + 1.05 * Math.log2(1 + below) ** 0.95;
}

/** An edge between communities has none of their colours. */
export function edgeColour({ about, branch, child, upper }: Data, e: number): number {
  const own = branch[child[e]];
  return about.network && own !== branch[upper[e]] ? OTHER : own;
}

/** How strongly an edge of a network is drawn: all of them are, but where there are many, long ones and those between communities
 * are faint, so that what lies together shows. */
export function edgeStrength({ about, x, y, child, upper, branch }: Data, e: number): number {
  const many = Math.min(1, Math.max(0, Math.log2(about.edges / 250) / 4));
  const fade = Math.min(1, Math.max(0.3, (2000 / (about.edges + 1)) ** 0.33));
  const [c, u] = [child[e], upper[e]];
  const near = Math.min(1, 0.3 / Math.hypot(x[c] - x[u], y[c] - y[u])) * (branch[c] === branch[u] ? 1 : 0.6);
  return fade * (1 - many * (1 - near));
}

/** Few nodes are drawn larger than many. */
export function crowdScale(n: number): number {
  return Math.min(1.8, Math.max(0.5, (1500 / n) ** 0.15));
}

/** Points shrink when many are looked at from far, and grow a little when the middle is magnified. */
export function pointScale(view: View, n: number): number {
  return crowdScale(n) * Math.min(1.8, Math.max(0.75, (view.scale * view.radius * 4) / 400) ** 0.25);
}

/** A list of edges to draw, as an instanced attribute. */
class EdgeList {
  readonly ids: Uint32Array;
  count = 0;
  readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;

  constructor(gl: WebGL2RenderingContext, room: number) {
    this.ids = new Uint32Array(Math.max(1, room));
    this.array = gl.createVertexArray()!;
    this.buffer = gl.createBuffer()!;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.ids.byteLength, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    gl.bindVertexArray(null);
  }

  upload(gl: WebGL2RenderingContext): void {
    if (this.count === 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.ids, 0, this.count);
  }
}

function orderEdges({ about, child, upper, below }: Data): Uint32Array {
  const worth = (e: number): number => below[child[e]] + (about.network ? below[upper[e]] : 0);
  return Uint32Array.from(child, (_, e) => e).sort((p, q) => worth(q) - worth(p) || p - q);
}

function edgeLengths({ child, upper, x, y, gap }: Data, order: Uint32Array): Float64Array {
  return Float64Array.from(order, (e) => {
    const c = child[e];
    const u = upper[e];
    return 2 * Math.asinh(Math.hypot(x[c] - x[u], y[c] - y[u]) / (Math.sqrt(gap[c]) * Math.sqrt(gap[u])));
  });
}

function texture(gl: WebGL2RenderingContext, width: number, height: number, values: Float32Array | null): WebGLTexture {
  const t = gl.createTexture()!;
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, values);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  return t;
}

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const p = gl.createProgram()!;
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as [number, string][]) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'shader');
    gl.attachShader(p, shader);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p) ?? 'program');
  const uniforms: Uniforms = {};
  const count = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) as number;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(p, i)!;
    uniforms[name.replace('[0]', '')] = gl.getUniformLocation(p, name);
  }
  return { program: p, uniforms };
}
