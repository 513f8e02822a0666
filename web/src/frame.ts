// frame.ts - all nodes as seen from a resting place of the eye, ready for the graphics card.
//
// The places are computed in double precision on the CPU and handed over as floats: x, y and the square root of the gap, which
// keeps the depth of points that lie on the rim to a float. The shader moves them on from there by the isometry between the resting
// place and the eye; it is small, so floats are enough. When the eye has gone far, the resting place follows.
import { Isometry } from './disk';
import { Data } from './data';
import { View } from './view';

const FAR = 1.5; // how far the eye goes before the resting place follows
const SMALLEST = 1e-37; // of the square root of a gap: floats end at 1e-38

export const TEXTURE_WIDTH = 1024;

export class Frame {
  readonly rows: number;
  readonly places: Float32Array; // x, y, sqrt(gap), unused: four a node, in rows of TEXTURE_WIDTH nodes
  nearest = -1; // to the middle
  private base = new Isometry();
  private baseAnchor = -2;

  constructor(readonly data: Data) {
    this.rows = Math.max(1, Math.ceil(data.n / TEXTURE_WIDTH));
    this.places = new Float32Array(4 * TEXTURE_WIDTH * this.rows);
  }

  /** The points themselves have changed. */
  forget(): void {
    this.baseAnchor = -2;
  }

  /** What the shader has to do: from the resting place to the eye. */
  step(view: View): Isometry {
    return view.motion.after(this.base.inverse());
  }

  /** Whether the eye has gone too far from the resting place (or, at rest, at all). */
  stale(view: View, atRest: boolean): boolean {
    if (view.anchor !== this.baseAnchor) return true;
    return this.step(view).displacement() > (atRest ? 1e-9 : FAR);
  }

  /** Makes the eye's place the resting place, and the node nearest to it the anchor. */
  rebase(view: View): void {
    this.compute(view);
    if (this.nearest >= 0 && this.nearest !== view.anchor) view.reanchor(this.nearest);
    this.base = view.motion;
    this.baseAnchor = view.anchor;
  }

  private compute(view: View): void {
    const { ar, ai, br, bi } = view.motion;
    const { x: cx, y: cy, gap: cs } = view.anchorPoint();
    const { x, y, gap, n } = this.data;
    const out = this.places;
    let best = -1;
    let nearest = -1;
    for (let i = 0, at = 0; i < n; i++, at += 4) {
      const dx = x[i] - cx;
      const dy = y[i] - cy;
      const ux = cs - (cx * dx + cy * dy);
      const uy = cy * dx - cx * dy;
      const nx = ar * dx - ai * dy + br * ux - bi * uy;
      const ny = ar * dy + ai * dx + br * uy + bi * ux;
      const ex = br * dx + bi * dy + ar * ux + ai * uy;
      const ey = br * dy - bi * dx + ar * uy - ai * ux;
      const inverse = 1 / (ex * ex + ey * ey);
      const s = cs * gap[i] * inverse;
      out[at] = (nx * ex + ny * ey) * inverse;
      out[at + 1] = (ny * ex - nx * ey) * inverse;
      out[at + 2] = Math.max(Math.sqrt(s), SMALLEST);
      if (s > best) {
        best = s;
        nearest = i;
      }
    }
    this.nearest = nearest;
  }
}
