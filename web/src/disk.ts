// disk.ts - the unit disk in double precision: points with their gap, distance, isometries, geodesics.
//
// A point is z = x + iy with its gap S = 1 - |z|^2 beside it, so that depth is not limited by the digits of z. For two points
// with d = w - z the numbers that matter come without cancellation:
//   1 - conj(z) w = Sz - conj(z) d,        |1 - conj(z) w|^2 = |d|^2 + Sz Sw,        sinh^2(dist / 2) = |d|^2 / (Sz Sw).

/** A point of the disk and its gap 1 - x^2 - y^2. */
export interface Point {
  x: number;
  y: number;
  gap: number;
}

export const ORIGIN: Point = { x: 0, y: 0, gap: 1 };

/** A point given by its coordinates alone; the gap as (1 - |z|)(1 + |z|). */
export function pointAt(x: number, y: number): Point {
  const r = Math.hypot(x, y);
  return { x, y, gap: (1 - r) * (1 + r) };
}

/** The point at distance rho from the origin in the direction (ux, uy), of length one. */
export function pointAtDistance(ux: number, uy: number, rho: number): Point {
  const r = Math.tanh(rho / 2);
  const c = Math.cosh(Math.min(Math.abs(rho), 1400) / 2);
  return { x: ux * r, y: uy * r, gap: 1 / (c * c) };
}

/** The distance from the origin: 2 atanh(|z|), from the gap where that knows more. */
export function depthOf(p: Point): number {
  const r = Math.hypot(p.x, p.y);
  return r < 0.5 ? 2 * Math.atanh(r) : 2 * Math.log1p(r) - Math.log(p.gap);
}

/** The hyperbolic distance (curvature -1): 2 asinh(|w - z| / sqrt(Sz Sw)). */
export function distance(z: Point, w: Point): number {
  return 2 * Math.asinh(Math.hypot(w.x - z.x, w.y - z.y) / (Math.sqrt(z.gap) * Math.sqrt(w.gap)));
}

/** The Möbius translation that takes c to the origin: z -> (z - c) / (1 - conj(c) z). */
export function translate(c: Point, z: Point): Point {
  return new Isometry().applyFrom(c, z);
}

/** An isometry z -> (a z + b) / (conj(b) z + conj(a)) with |a|^2 - |b|^2 = 1; the identity unless told otherwise. */
export class Isometry {
  constructor(
    readonly ar = 1,
    readonly ai = 0,
    readonly br = 0,
    readonly bi = 0,
  ) {}

  /** The translation along a line through the origin that takes the origin to p. */
  static translation(p: Point): Isometry {
    const n = 1 / Math.sqrt(p.gap);
    return new Isometry(n, 0, p.x * n, p.y * n);
  }

  static rotation(angle: number): Isometry {
    return new Isometry(Math.cos(angle / 2), Math.sin(angle / 2), 0, 0);
  }

  /** The translation along a line through the origin that takes p to q: (q Sp - p Sq) / (Sp + Sq - Sp Sq) is where it takes the
   * origin, with the gap Sp Sq ((2 - Sp)(2 - Sq) - |q - p|^2) / (Sp + Sq - Sp Sq)^2. */
  static taking(p: Point, q: Point): Isometry {
    const sum = p.gap + q.gap - p.gap * q.gap;
    const dx = q.x - p.x;
    const dy = q.y - p.y;
    return Isometry.translation({
      x: (q.x * p.gap - p.x * q.gap) / sum,
      y: (q.y * p.gap - p.y * q.gap) / sum,
      gap: (p.gap / sum) * (q.gap / sum) * ((2 - p.gap) * (2 - q.gap) - dx * dx - dy * dy),
    });
  }

  /** The change of frame T_p after the inverse of T_q, where T_c takes c to the origin. */
  static between(p: Point, q: Point): Isometry {
    const dx = q.x - p.x;
    const dy = q.y - p.y;
    const n = 1 / (Math.sqrt(p.gap) * Math.sqrt(q.gap));
    return new Isometry((p.gap - (p.x * dx + p.y * dy)) * n, (p.x * dy - p.y * dx) * n, dx * n, dy * n).normal();
  }

  /** This one after `first`. */
  after(first: Isometry): Isometry {
    const { ar, ai, br, bi } = this;
    return new Isometry(
      ar * first.ar - ai * first.ai + br * first.br + bi * first.bi,
      ar * first.ai + ai * first.ar + bi * first.br - br * first.bi,
      ar * first.br - ai * first.bi + br * first.ar + bi * first.ai,
      ar * first.bi + ai * first.br + bi * first.ar - br * first.ai,
    ).normal();
  }

  inverse(): Isometry {
    return new Isometry(this.ar, -this.ai, -this.br, -this.bi);
  }

  /** Rounding undone: |a| is made sqrt(1 + |b|^2). */
  normal(): Isometry {
    const size = Math.hypot(this.ar, this.ai);
    const n = Math.sqrt(1 + this.br * this.br + this.bi * this.bi) / size;
    return new Isometry(this.ar * n, this.ai * n, this.br, this.bi);
  }

  apply(z: Point): Point {
    return this.applyFrom(ORIGIN, z);
  }

  /** This one after the translation that takes `anchor` to the origin: with d = z - c and u = Sc - conj(c) d the image is
   * (a d + b u) / (conj(b) d + conj(a) u), and its gap Sc Sz / |conj(b) d + conj(a) u|^2. */
  applyFrom(anchor: Point, z: Point): Point {
    const { ar, ai, br, bi } = this;
    const dx = z.x - anchor.x;
    const dy = z.y - anchor.y;
    const ux = anchor.gap - (anchor.x * dx + anchor.y * dy);
    const uy = anchor.y * dx - anchor.x * dy;
    const nx = ar * dx - ai * dy + br * ux - bi * uy;
    const ny = ar * dy + ai * dx + br * uy + bi * ux;
    const ex = br * dx + bi * dy + ar * ux + ai * uy;
    const ey = br * dy - bi * dx + ar * uy - ai * ux;
    const size = ex * ex + ey * ey;
    return { x: (nx * ex + ny * ey) / size, y: (ny * ex - nx * ey) / size, gap: (anchor.gap * z.gap) / size };
  }

  /** How far it moves the origin: 2 asinh |b|. */
  displacement(): number {
    return 2 * Math.asinh(Math.hypot(this.br, this.bi));
  }
}

/** Points of the geodesic from p to q in the Lorentz model, which mixes without cancellation: at the distance t from p of `length`
 * in all. Returned as direction and distance from the origin, which is what a lens needs. */
export function geodesicPoint(p: Point, q: Point, length: number, t: number): { x: number; y: number; depth: number } {
  const logSinh = (v: number): number => (v > 18 ? v - Math.LN2 : Math.log(Math.sinh(Math.max(v, 1e-300))));
  const total = length > 0 ? logSinh(length) : 0;
  const lp = (length > 0 ? logSinh(length - t) - total : 0) - Math.log(p.gap);
  const lq = length > 0 ? logSinh(t) - total - Math.log(q.gap) : -Infinity;
  const top = Math.max(lp, lq);
  const wp = Math.exp(lp - top);
  const wq = Math.exp(lq - top);
  const x = 2 * (wp * p.x + wq * q.x);
  const y = 2 * (wp * p.y + wq * q.y);
  const r = Math.hypot(x, y);
  const depth = top + Math.log(Math.max(r, 1e-300)) > 18 ? top + Math.log(2 * r) : Math.asinh(r * Math.exp(top));
  return r > 0 ? { x: x / r, y: y / r, depth } : { x: 1, y: 0, depth: 0 };
}

/** Distances from p along the geodesic to q, of the given length, at which to draw it in so many pieces: dense where it turns, around
 * the foot of the origin's perpendicular. With that as zero, p is at from = log((k - exp(-d)) / (exp(d) - k)) / 2 for
 * k = cosh(depth q) / cosh(depth p). */
export function geodesicSteps(p: Point, q: Point, length: number, pieces: number): number[] {
  const logCosh = (z: Point): number => Math.log(2 - z.gap) - Math.log(z.gap);
  const k = Math.min(length, Math.max(-length, logCosh(q) - logCosh(p)));
  const rest = (v: number): number => Math.log(Math.max(-Math.expm1(-v), 1e-16));
  const from = 0.5 * (k + rest(length + k) - length - rest(length - k));
  const first = Math.asinh(from);
  const last = Math.asinh(from + length);
  const at = (i: number): number => Math.sinh(first + ((last - first) * i) / pieces) - from;
  return Array.from({ length: pieces + 1 }, (_, i) =>
    i === 0 ? 0 : i === pieces ? length : Math.min(length, Math.max(0, at(i))),
  );
}
