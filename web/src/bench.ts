// bench.ts - the page measures itself while panning by script: the time between frames, and what of it is this program's own.
import type { App } from './main';
import { View } from './view';

export interface BenchResult {
  frames: number;
  frame_ms_median: number;
  cpu_ms_median: number;
  cpu_ms_95: number;
  edges_drawn: number;
  nodes: number;
  renderer: string;
  start_ms: number; // from opening the page to the first picture
}

/** One pan in circles; the application calls `step` and `spent` in every frame. */
export class Bench {
  readonly intervals: number[] = [];
  readonly cpu: number[] = [];
  private last = 0;

  constructor(
    private readonly frames: number,
    private readonly done: () => void,
  ) {}

  step(view: View, now: number): void {
    if (this.last > 0) this.intervals.push(now - this.last);
    this.last = now;
    const angle = this.intervals.length / 20;
    view.drag(view.cx, view.cy, view.cx + 9 * Math.cos(angle), view.cy + 9 * Math.sin(angle));
  }

  spent(ms: number): void {
    this.cpu.push(ms);
    if (this.cpu.length >= this.frames) this.done();
  }
}

function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))].toFixed(3));
}

export function benchPan(app: App, frames = 120, everything = false): Promise<BenchResult> {
  return new Promise((resolve) => {
    const bench = new Bench(frames, () => {
      app.bench = null;
      app.adaptive = true;
      const gl = document.createElement('canvas').getContext('webgl2');
      const info = gl?.getExtension('WEBGL_debug_renderer_info');
      const skip = Math.min(10, Math.floor(frames / 10)); // the first frames find out how much can be drawn
      resolve({
        frames,
        frame_ms_median: quantile(bench.intervals.slice(skip), 0.5),
        cpu_ms_median: quantile(bench.cpu.slice(skip), 0.5),
        cpu_ms_95: quantile(bench.cpu.slice(skip), 0.95),
        edges_drawn: app.renderer.drawnEdges,
        nodes: app.data.n,
        renderer: gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : 'unknown',
        start_ms: Math.round((window as unknown as { geodisk: { started: number } }).geodisk.started),
      });
    });
    app.bench = bench;
    if (everything) app.renderer.detail = 1;
    app.adaptive = !everything;
    app.request();
  });
}
