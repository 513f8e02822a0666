// view.ts - where the eye is: an isometry of the disk and the scale of the lens, and the ways to change them.
//
// The isometry is kept relative to an anchor, the node nearest to the middle, as G after "anchor to the origin"; so it keeps its
// digits however deep the anchor lies. The lens draws what is at distance rho from the middle at tanh(scale * rho / 2): scale 1 is
// the Poincaré disk itself, a smaller one shows more of the space, a larger one magnifies the middle.
import { Isometry, ORIGIN, Point, depthOf, pointAtDistance } from './disk';
import { Data } from './data';

export const SMALLEST_SCALE = 0.02;
export const LARGEST_SCALE = 30;
const FARTHEST = 120; // from the anchor, beyond which there is nothing to see

export interface State {
  anchor: number; // a node, or -1 for the origin
  motion: Isometry;
  scale: number;
}

export class View {
  anchor = -1;
  motion = new Isometry();
  scale = 1;
  version = 0; // changes with every change

  // The disk on the stage, in CSS pixels.
  cx = 0;
  cy = 0;
  radius = 1;

  constructor(readonly data: Data) {}

  anchorPoint(): Point {
    return this.anchor < 0 ? ORIGIN : this.data.point(this.anchor);
  }

  set(state: State): void {
    this.anchor = state.anchor;
    this.motion = state.motion;
    this.scale = state.scale;
    this.version++;
  }

  state(): State {
    return { anchor: this.anchor, motion: this.motion, scale: this.scale };
  }

  /** Where a node is in the frame of the eye. */
  seen(i: number): Point {
    return this.motion.applyFrom(this.anchorPoint(), this.data.point(i));
  }

  /** Moves the space by an isometry given in the frame of the eye. */
  move(step: Isometry): void {
    const motion = step.after(this.motion);
    if (!(motion.displacement() < FARTHEST)) return;
    this.motion = motion;
    this.version++;
  }

  /** Goes on from another anchor; what is seen stays the same. */
  reanchor(node: number): void {
    if (node === this.anchor) return;
    const from = this.anchorPoint();
    this.anchor = node;
    this.motion = this.motion.after(Isometry.between(from, this.anchorPoint()));
  }

  // ---- the lens ----

  /** From a distance from the middle to the radius on the unit disk, and back. */
  lens(depth: number): number {
    return Math.tanh((this.scale * depth) / 2);
  }

  unlens(r: number): number {
    return (2 * Math.atanh(Math.min(r, 1 - 1e-9))) / this.scale;
  }

  /** Where a point seen is drawn, in CSS pixels. */
  toStage(p: Point): { x: number; y: number; r: number } {
    const size = Math.hypot(p.x, p.y);
    const r = this.lens(depthOf(p));
    const f = size > 0 ? (r / size) * this.radius : 0;
    return { x: this.cx + p.x * f, y: this.cy - p.y * f, r };
  }

  /** The point under a place of the stage; places outside the rim count as just inside. */
  fromStage(x: number, y: number): Point {
    const dx = (x - this.cx) / this.radius;
    const dy = (this.cy - y) / this.radius;
    const r = Math.hypot(dx, dy);
    if (r === 0) return ORIGIN;
    return pointAtDistance(dx / r, dy / r, this.unlens(Math.min(r, 0.985)));
  }

  /** Drags what is under the first place to the second. */
  drag(x0: number, y0: number, x1: number, y1: number): void {
    this.move(Isometry.taking(this.fromStage(x0, y0), this.fromStage(x1, y1)));
  }

  /** Changes the scale by a factor; what is under the place (x, y) stays there. */
  zoom(factor: number, x = this.cx, y = this.cy): void {
    const before = this.fromStage(x, y);
    this.scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, this.scale * factor));
    this.version++;
    if (x !== this.cx || y !== this.cy) this.move(Isometry.taking(before, this.fromStage(x, y)));
  }
}

/** A journey of the eye along the geodesic to a node (and to another scale), as a function of the time in [0, 1]. */
export class Flight {
  private readonly direction: { x: number; y: number };
  private readonly length: number;
  private readonly start: State;
  readonly duration: number; // in ms
  private gone = 0;

  constructor(
    private readonly view: View,
    readonly node: number,
    private readonly scale: number,
    still: boolean,
  ) {
    const p = view.seen(node);
    const size = Math.hypot(p.x, p.y);
    this.direction = size > 0 ? { x: p.x / size, y: p.y / size } : { x: 1, y: 0 };
    this.length = depthOf(p);
    this.start = view.state();
    this.duration = still
      ? 0
      : Math.min(1500, 420 + 38 * this.length * Math.min(1, 4 * view.scale) + 60 * Math.sqrt(this.length));
  }

  /** Goes on to time t; at 1 the node is in the middle, exactly. */
  to(t: number): void {
    const ease = t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2;
    const step = this.length * ease - this.gone;
    this.gone += step;
    const { view, direction } = this;
    view.motion = Isometry.translation(pointAtDistance(-direction.x, -direction.y, step)).after(view.motion);
    view.scale = this.start.scale * (this.scale / this.start.scale) ** ease;
    view.version++;
    if (t < 1) return;
    view.reanchor(this.node);
    const { ar, ai } = view.motion;
    const size = Math.hypot(ar, ai);
    view.motion = new Isometry(ar / size, ai / size, 0, 0);
    view.scale = this.scale;
  }
}

/** The scale that shows most of the nodes from the middle: nine of ten lie within 0.93 of the radius. At most the disk itself, unless
 * all of them crowd within 0.46 of it: then the farthest is drawn at 0.82. */
export function fittingScale(data: Data, middle: Point): number {
  const step = Math.max(1, Math.floor(data.n / 4000));
  const spread: number[] = [];
  for (let i = 0; i < data.n; i += step) {
    const dx = data.x[i] - middle.x;
    const dy = data.y[i] - middle.y;
    spread.push((dx * dx + dy * dy) / (data.gap[i] * middle.gap));
  }
  spread.sort((p, q) => p - q);
  const farthest = 2 * Math.asinh(Math.sqrt(spread[spread.length - 1]));
  if (farthest > 0 && farthest < 1) return Math.min(LARGEST_SCALE, 2.3 / farthest);
  const depth = 2 * Math.asinh(Math.sqrt(spread[Math.floor(0.9 * (spread.length - 1))]));
  const scale = depth > 0 ? (2 * Math.atanh(0.93)) / depth : 1;
  return Math.min(1, Math.max(SMALLEST_SCALE, scale));
}
