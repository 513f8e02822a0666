// address.ts - the view as the page's URL hash, so that a link restores it: anchor, isometry, scale, depth, chosen
// node, theme.
import { Isometry } from './disk';
import { Data } from './data';
import { State, SMALLEST_SCALE, LARGEST_SCALE } from './view';

export interface Address {
  state: State | null;
  depth: number; // of the picture (Data.setDepth); 0: not said
  chosen: number; // -1: none
  theme: 'light' | 'dark' | null;
}

const shortest = (v: number): string => String(Math.abs(v) < 1e-15 ? 0 : Number(v.toPrecision(12)));

/** `at` is the node nearest to the middle, `by` the isometry's a and b, `scale` the lens, `node` the chosen one. */
export function writeAddress(data: Data, address: Address): string {
  const words: string[] = [];
  const { state, chosen, theme } = address;
  if (chosen >= 0) words.push(`node=${encodeURIComponent(data.names[chosen])}`);
  if (state !== null) {
    if (state.anchor >= 0 && state.anchor !== chosen) words.push(`at=${encodeURIComponent(data.names[state.anchor])}`);
    if (state.anchor < 0) words.push('origin=1');
    const { ar, ai, br, bi } = state.motion;
    words.push(
      `by=${[ar, ai, br, bi].map(shortest).join(',')}`,
      `scale=${shortest(state.scale)}`,
      `depth=${shortest(address.depth)}`,
    );
  }
  if (theme !== null) words.push(`theme=${theme}`);
  return `#${words.join('&')}`;
}

/** What a hash says; parts that make no sense are as if they were not there. */
export function readAddress(data: Data, hash: string): Address {
  const words = new Map<string, string>();
  for (const word of hash.replace(/^#/, '').split('&')) {
    const [key, value = ''] = word.split('=', 2);
    try {
      words.set(key, decodeURIComponent(value));
    } catch {
      // not ours
    }
  }
  const chosen = words.has('node') ? data.find(words.get('node')!) : -1;
  const anchor = words.has('origin') ? -1 : words.has('at') ? data.find(words.get('at')!) : chosen;
  const motion = (words.get('by') ?? '').split(',').map(Number);
  const scale = Number(words.get('scale') ?? NaN);
  const sane =
    (anchor >= 0 || words.has('origin')) &&
    motion.length === 4 &&
    motion.every(Number.isFinite) &&
    Math.hypot(motion[0], motion[1]) > 0.5 &&
    scale >= SMALLEST_SCALE &&
    scale <= LARGEST_SCALE;
  const [ar, ai, br, bi] = motion;
  const depth = Number(words.get('depth') ?? 0);
  const theme = words.get('theme');
  return {
    state: sane ? { anchor, motion: new Isometry(ar, ai, br, bi).normal(), scale } : null,
    depth: depth > 0.001 && depth <= 1 ? depth : 0,
    chosen,
    theme: theme === 'light' || theme === 'dark' ? theme : null,
  };
}
