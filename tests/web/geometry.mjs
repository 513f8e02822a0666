// geometry.mjs BUNDLE - the geometry of the page against the command, on random points, and against the reference file of
// tests/accuracy: distance, translation, geodesic, isometries, each to 1e-9.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { Isometry, distance, translate, geodesicPoint, depthOf } = await import(pathToFileURL(process.argv[2]));
const BOUND = 1e-9;
let checks = 0;
const worst = new Map();

function close(what, got, wanted, scale) {
  const error = Math.abs(got - wanted) / scale;
  checks++;
  if (!(error <= (worst.get(what) ?? 0))) worst.set(what, error);
  if (!(error <= BOUND)) {
    console.error(`FAILED: ${what}: ${got}, expected ${wanted} (error ${error})`);
    process.exitCode = 1;
  }
}

/** A double as an integer multiple of 2^-1074, exactly; so the gap 1 - x^2 - y^2 can be found to the last digit. */
function exact(value) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0);
  const exponent = Number((all >> 52n) & 2047n);
  const mantissa = (all & ((1n << 52n) - 1n)) | (exponent > 0 ? 1n << 52n : 0n);
  return (value < 0 ? -mantissa : mantissa) << BigInt(Math.max(0, exponent - 1));
}

function point(x, y) {
  let gap = (1n << 2148n) - exact(x) ** 2n - exact(y) ** 2n;
  let exponent = -2148;
  const length = gap.toString(2).length;
  if (length > 60) {
    gap >>= BigInt(length - 60);
    exponent += length - 60;
  }
  return { x, y, gap: Number(gap) * 2 ** (exponent / 2) * 2 ** (exponent - exponent / 2) };
}

// ---- the command, on random points from the middle to the rim ----

let state = 12345;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
function randomPoint() {
  const r = random() < 0.5 ? Math.sqrt(random()) : 1 - 10 ** (-1 - 9 * random());
  const angle = 2 * Math.PI * random();
  return point(r * Math.cos(angle), r * Math.sin(angle));
}

const pairs = Array.from({ length: 400 }, () => [randomPoint(), randomPoint()]);
const rows = pairs.map(([p, q]) => `${p.x} ${p.y} ${q.x} ${q.y}`).join('\n');
function command(...words) {
  const text = execFileSync(process.env.GEODISK, ['geometry', ...words, '--json', '-'], { input: rows, encoding: 'utf8' });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (lines.length !== pairs.length) throw new Error(`${words}: ${lines.length} answers`);
  return lines;
}
const vector = (row) => Object.values(row).find(Array.isArray);

const distances = command('distance');
const logs = command('log');
const middles = command('geodesic', '--share', '0.3');
pairs.forEach(([p, q], i) => {
  close('distance', distance(p, q), distances[i].distance, distances[i].distance);
  // The translation that takes p to the origin, from the logarithm: in its direction, at the same distance.
  const [vx, vy] = vector(logs[i]);
  const size = Math.hypot(vx, vy);
  const r = Math.tanh(distances[i].distance / 2);
  const moved = translate(p, q);
  close('translation', moved.x, (r * vx) / size, 1);
  close('translation', moved.y, (r * vy) / size, 1);
  close('depth after translation', depthOf(moved), distances[i].distance, distances[i].distance);
  const [mx, my] = vector(middles[i]);
  const m = geodesicPoint(p, q, distance(p, q), 0.3 * distance(p, q));
  close('geodesic', m.x * Math.tanh(m.depth / 2), mx, 1);
  close('geodesic', m.y * Math.tanh(m.depth / 2), my, 1);
  // taking(p, q) takes p to q; between(p, r) is the change of frame from r to p. Both are used for short ways only (their numbers grow
  // as exp(d / 2), and so does what rounding does to them): r is near p.
  const way = { x: 0.5 * p.gap * (random() - 0.5), y: 0.5 * p.gap * (random() - 0.5) };
  const r2 = point(p.x + way.x, p.y + way.y);
  const image = Isometry.taking(p, r2).apply(p);
  close('taking', Math.hypot(image.x - r2.x, image.y - r2.y), 0, r2.gap ** 0.5);
  const here = Isometry.between(p, r2).applyFrom(r2, q);
  close('between', here.x, moved.x, 1);
  close('between', here.y, moved.y, 1);
});

// ---- the reference file: what is in the disk, in a ball whose radius is a power of two ----

let used = 0;
for (const line of readFileSync(`${process.env.SOURCE_DIR}/tests/accuracy/ball.tsv`, 'utf8').split('\n')) {
  const [operation, , dim, radius, curvature, inputs, outputs] = line.split('\t');
  if (dim !== '2' || !['distance', 'mobius_add'].includes(operation)) continue;
  const hex = (text) => {
    const [, sign, whole, fraction, power] = /^(-?)0x([01])\.([0-9a-f]+)p([+-]\d+)$/.exec(text);
    const value = parseInt(whole + fraction, 16) * 2 ** (-4 * fraction.length); // 53 bits: exact
    const e = Number(power);
    return (sign === '-' ? -1 : 1) * value * 2 ** (e < -1000 ? -1000 : e) * (e < -1000 ? 2 ** (e + 1000) : 1);
  };
  const R = hex(radius);
  if (!Number.isInteger(Math.log2(R))) continue;
  const [x, y] = [0, 2].map((k) =>
    inputs
      .split(' ')
      .map((t) => hex(t) / R)
      .slice(k, k + 2),
  );
  const wanted = outputs.split(' ').map(Number);
  if (operation === 'distance') {
    close('reference distance', distance(point(...x), point(...y)) / Math.sqrt(hex(curvature)), wanted[0], wanted[0] || 1);
  } else {
    const sum = translate(point(-x[0], -x[1]), point(...y));
    close('reference translation', sum.x, wanted[0] / R, 1);
    close('reference translation', sum.y, wanted[1] / R, 1);
  }
  used++;
}
if (used < 50) {
  console.error(`FAILED: only ${used} reference rows were used`);
  process.exitCode = 1;
}
for (const [what, error] of worst) console.log(`${what}: at most ${error.toExponential(1)}`);
console.log(`${checks} checks, ${used} reference rows`);
