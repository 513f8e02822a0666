// input.ts - pointer, touch, wheel and keys, as motions of the view.
import { Isometry, pointAtDistance } from './disk';
import { View } from './view';

const CLICK = 5; // a press that moves less, in pixels, is a click
const SPEED = 1.9; // of the arrow keys, in units of the lens a second

export interface Wishes {
  moved(): void; // the view has changed
  grabbed(): void; // a motion by hand begins: flights end
  clicked(x: number, y: number, touch: boolean): void;
  hovered(x: number, y: number): void;
  left(): void;
  key(key: string): boolean; // false: not one of ours
}

export class Input {
  private readonly pointers = new Map<number, { x: number; y: number; travelled: number }>();
  private pinched = false;
  private readonly held = new Set<string>();
  private speed = { x: 0, y: 0 };
  private lastMove = 0;

  constructor(
    private readonly stage: HTMLElement,
    private readonly view: View,
    private readonly wishes: Wishes,
    private readonly still: () => boolean, // no motion but by hand
  ) {
    stage.addEventListener('pointerdown', (e) => this.down(e));
    stage.addEventListener('pointermove', (e) => this.move(e));
    stage.addEventListener('pointerup', (e) => this.up(e));
    stage.addEventListener('pointercancel', (e) => this.up(e));
    stage.addEventListener('pointerleave', () => wishes.left());
    stage.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    addEventListener('keydown', (e) => this.keyDown(e));
    addEventListener('keyup', (e) => this.held.delete(e.key));
    addEventListener('blur', () => this.held.clear());
  }

  /** Whether something goes on that asks for more frames. */
  active(): boolean {
    return this.held.size > 0 || this.dragging() || Math.hypot(this.speed.x, this.speed.y) > 0.01;
  }

  dragging(): boolean {
    return this.pointers.size > 0;
  }

  stop(): void {
    this.speed = { x: 0, y: 0 };
  }

  /** What goes on by itself: held keys, and gliding after a throw. */
  advance(ms: number): void {
    const right = Number(this.held.has('ArrowRight')) - Number(this.held.has('ArrowLeft'));
    const up = Number(this.held.has('ArrowUp')) - Number(this.held.has('ArrowDown'));
    if (right !== 0 || up !== 0) this.push(right, up, (SPEED * Math.min(ms, 50)) / 1000);
    if (this.dragging() || Math.hypot(this.speed.x, this.speed.y) <= 0.01) return;
    const { cx, cy } = this.view;
    this.view.drag(cx, cy, cx + this.speed.x * ms, cy + this.speed.y * ms);
    const decay = Math.exp(-ms / 130);
    this.speed = { x: this.speed.x * decay, y: this.speed.y * decay };
    if (Math.hypot(this.speed.x, this.speed.y) <= 0.01) this.stop();
    this.wishes.moved();
  }

  /** Moves the eye towards (right, up) by a way as the lens shows it. */
  push(right: number, up: number, way: number): void {
    const n = Math.hypot(right, up);
    this.view.move(Isometry.translation(pointAtDistance(-right / n, -up / n, way / this.view.scale)));
    this.wishes.moved();
  }

  private at(e: MouseEvent): { x: number; y: number } {
    const box = this.stage.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0) return;
    this.stage.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { ...this.at(e), travelled: 0 });
    if (this.pointers.size === 1) this.pinched = false;
    this.stop();
    this.wishes.grabbed();
    this.stage.focus({ preventScroll: true, focusVisible: false } as FocusOptions); // newer than TypeScript's list
  }

  private move(e: PointerEvent): void {
    const now = this.at(e);
    const pointer = this.pointers.get(e.pointerId);
    if (pointer === undefined) {
      if (e.pointerType !== 'touch') this.wishes.hovered(now.x, now.y);
      return;
    }
    const { x, y } = pointer;
    pointer.travelled += Math.hypot(now.x - x, now.y - y);
    if (this.pointers.size === 2) {
      this.pinch(e.pointerId, now);
    } else if (pointer.travelled >= CLICK && this.pointers.size === 1) {
      this.view.drag(x, y, now.x, now.y);
      const ms = Math.max(4, e.timeStamp - this.lastMove);
      if (ms < 100)
        this.speed = { x: 0.6 * this.speed.x + (0.4 * (now.x - x)) / ms, y: 0.6 * this.speed.y + (0.4 * (now.y - y)) / ms };
      this.wishes.moved();
    }
    this.lastMove = e.timeStamp;
    pointer.x = now.x;
    pointer.y = now.y;
  }

  /** Two fingers: the middle between them drags, their distance zooms. */
  private pinch(id: number, now: { x: number; y: number }): void {
    this.pinched = true;
    const [first, second] = [...this.pointers.entries()];
    const other = first[0] === id ? second[1] : first[1];
    const old = this.pointers.get(id)!;
    const before = Math.hypot(old.x - other.x, old.y - other.y);
    const after = Math.hypot(now.x - other.x, now.y - other.y);
    const x = (now.x + other.x) / 2;
    const y = (now.y + other.y) / 2;
    this.view.drag((old.x + other.x) / 2, (old.y + other.y) / 2, x, y);
    if (before > 10 && after > 10) this.view.zoom(after / before, x, y);
    this.wishes.moved();
  }

  private up(e: PointerEvent): void {
    const pointer = this.pointers.get(e.pointerId);
    if (pointer === undefined) return;
    this.pointers.delete(e.pointerId);
    if (e.type === 'pointercancel' || this.pinched) {
      this.stop();
    } else if (pointer.travelled < CLICK) {
      this.stop();
      this.wishes.clicked(pointer.x, pointer.y, e.pointerType === 'touch');
    } else if (e.timeStamp - this.lastMove > 60 || this.still()) {
      this.stop();
    }
    this.wishes.moved();
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    const { x, y } = this.at(e);
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    const turn = Math.max(-240, Math.min(240, e.deltaY * unit));
    this.wishes.grabbed();
    this.view.zoom(Math.exp(-turn * (e.ctrlKey ? 0.01 : 0.0016)), x, y);
    this.wishes.moved();
  }

  private keyDown(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.tagName === 'INPUT' || target.tagName === 'TEXTAREA') return;
    if (e.key.startsWith('Arrow')) {
      if (target !== this.stage && target !== document.body) return;
      if (!this.held.has(e.key)) {
        this.wishes.grabbed();
        this.stop();
        this.held.add(e.key);
        this.push(
          Number(e.key === 'ArrowRight') - Number(e.key === 'ArrowLeft'),
          Number(e.key === 'ArrowUp') - Number(e.key === 'ArrowDown'),
          0.05,
        );
      }
      e.preventDefault();
    } else if (e.key === 'Enter' || e.key === ' ') {
      if (target === this.stage && this.wishes.key(e.key)) e.preventDefault();
    } else if (this.wishes.key(e.key)) {
      e.preventDefault();
    }
  }
}
