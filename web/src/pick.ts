// pick.ts - which node is at a place of the stage: all places are computed once for a view, when first asked for.
import { View } from './view';

const REACH = 16; // pixels around the pointer in which a node is found

export class Picker {
  private version = -1; // of the view that the places are for
  private readonly x: Float32Array;
  private readonly y: Float32Array;

  constructor(private readonly view: View) {
    this.x = new Float32Array(view.data.n);
    this.y = new Float32Array(view.data.n);
  }

  /** The nearest node within reach, larger ones being easier to hit; -1 for none. */
  at(x: number, y: number): number {
    const { data } = this.view;
    this.update();
    let best = -1;
    let least = REACH;
    for (let i = 0; i < data.n; i++) {
      const dx = this.x[i] - x;
      const dy = this.y[i] - y;
      if (dx > REACH || dx < -REACH || dy > REACH || dy < -REACH) continue;
      const far = Math.hypot(dx, dy) - 0.35 * Math.log2(1 + data.below[i]);
      if (far < least) {
        least = far;
        best = i;
      }
    }
    return best;
  }

  private update(): void {
    const { view } = this;
    if (this.version === view.version) return;
    for (let i = 0; i < view.data.n; i++) {
      const at = view.toStage(view.seen(i));
      this.x[i] = at.x;
      this.y[i] = at.y;
    }
    this.version = view.version;
  }
}
