// save.ts - the view as a file: PNG from the canvases, SVG drawn anew with geodesics as paths and names as text.
import { Data } from './data';
import { Label, FONT } from './labels';
import { Theme } from './theme';
import { View } from './view';
import { depthOf, geodesicPoint, geodesicSteps, Point } from './disk';
import { edgeColour, edgeStrength, pointScale, pointSize } from './renderer';

export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A file name from the page's title. */
export function fileName(data: Data, end: string): string {
  return `${data.about.title.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'disk'}.${end}`;
}

/** The width and height of a picture of the disk with names that reach so far from the middle. */
function pictureSize(view: View, reach: number): { width: number; height: number } {
  const height = 2 * view.radius * 1.06;
  return { width: Math.max(height, 2 * (reach + 8)), height };
}

/** The disk with its labels. `draw` brings the WebGL canvas up to date first and says how far labels reach. */
export function makePng(
  view: View,
  theme: Theme,
  layers: HTMLCanvasElement[],
  ratio: number,
  draw: () => number,
): Promise<Blob> {
  const { width, height } = pictureSize(view, draw());
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d')!;
  context.fillStyle = theme.groundCss;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.strokeStyle = theme.rim;
  context.lineWidth = 1.5 * ratio;
  context.beginPath();
  context.arc(canvas.width / 2, canvas.height / 2, view.radius * ratio, 0, 2 * Math.PI);
  context.stroke();
  for (const layer of layers)
    context.drawImage(layer, Math.round((width / 2 - view.cx) * ratio), Math.round((height / 2 - view.cy) * ratio));
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob !== null ? done(blob) : fail(new Error('no picture'))), 'image/png'),
  );
}

function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

/** The geodesic of an edge as an SVG path: a straight line, the true arc where the lens is the disk itself, else many pieces. */
function edgePath(view: View, p: Point, q: Point, length: number, at: (x: number, y: number) => string): string {
  const a = view.toStage(p);
  const b = view.toStage(q);
  const chord = Math.hypot(a.x - b.x, a.y - b.y);
  if (Math.abs(view.scale - 1) < 1e-9) {
    // The circle through p and q that meets the rim at right angles; its centre c has 2 c.p = 1 + |p|^2 for both.
    const det = p.x * q.y - p.y * q.x;
    const kp = (2 - p.gap) / 2;
    const kq = (2 - q.gap) / 2;
    const cx = (kp * q.y - kq * p.y) / det;
    const cy = (kq * p.x - kp * q.x) / det;
    const r = Math.sqrt(cx * cx + cy * cy - 1) * view.radius;
    if (!(r < 1e5)) return `M${at(a.x, a.y)}L${at(b.x, b.y)}`;
    return `M${at(a.x, a.y)}A${r.toFixed(2)} ${r.toFixed(2)} 0 0 ${det > 0 ? 1 : 0} ${at(b.x, b.y)}`;
  }
  let path = `M${at(a.x, a.y)}`;
  for (const t of geodesicSteps(p, q, length, Math.min(40, Math.max(8, Math.ceil(chord / 8)))).slice(1, -1)) {
    const s = geodesicPoint(p, q, length, t);
    const r = view.lens(s.depth) * view.radius;
    path += `L${at(view.cx + s.x * r, view.cy - s.y * r)}`;
  }
  return `${path}L${at(b.x, b.y)}`;
}

/** The drawing as SVG text. Edges and nodes that would be smaller than a third of a pixel are left out. */
export function makeSvg(
  data: Data,
  view: View,
  theme: Theme,
  edges: { order: Uint32Array; length: Float64Array },
  labels: Label[],
  reach: number, // of the labels
  chosen: number, // marked, with the path up from it; -1: none
): string {
  const { width, height } = pictureSize(view, reach);
  const at = (x: number, y: number): string => `${(x - view.cx + width / 2).toFixed(2)} ${(y - view.cy + height / 2).toFixed(2)}`;
  const visible = (depth: number): boolean => (1 - view.lens(depth)) * view.radius > 0.33;
  const seen = new Array<Point | null>(data.n).fill(null);
  for (let i = 0; i < data.n; i++) {
    const p = view.seen(i);
    if (visible(depthOf(p))) seen[i] = p;
  }
  const [wide, high] = [width.toFixed(0), height.toFixed(0)];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}">`,
    `<title>${escape(data.about.title)}</title>`,
    `<rect width="100%" height="100%" fill="${theme.groundCss}"/>`,
    `<circle cx="${(width / 2).toFixed(2)}" cy="${(height / 2).toFixed(2)}" r="${view.radius.toFixed(2)}" fill="none" stroke="${theme.rim}" stroke-width="1.5"/>`,
    '<g fill="none" stroke-linecap="round">',
  ];
  const path = chosen >= 0 ? data.pathTo(chosen) : [];
  const onPath = new Set(path.slice(1).map((step, k) => step * data.n + path[k]));
  for (let k = 0; k < edges.order.length; k++) {
    const e = edges.order[k];
    const c = data.child[e];
    const u = data.upper[e];
    if (seen[c] === null && seen[u] === null) continue;
    const marked = onPath.has(c * data.n + u) || (data.about.network && (c === chosen || u === chosen));
    const level = data.about.network ? 1 : Math.log2(1 + data.below[c]);
    const strength = data.about.network ? edgeStrength(data, e) : 1;
    const line = edgePath(view, seen[c] ?? view.seen(c), seen[u] ?? view.seen(u), edges.length[k], at);
    const [colour, width, opacity] = marked
      ? [theme.accentCss, 2.4, 0.85]
      : [theme.css[edgeColour(data, e)], 0.8 + 0.14 * level, Math.min(0.85, 0.45 + 0.04 * level) * strength];
    parts.push(`<path d="${line}" stroke="${colour}" stroke-width="${width.toFixed(2)}" opacity="${opacity.toFixed(2)}"/>`);
  }
  parts.push('</g><g>');
  const order = Array.from(seen.keys()).filter((i) => seen[i] !== null);
  order.sort((p, q) => data.below[p] - data.below[q] || p - q);
  for (const i of order) {
    const s = view.toStage(seen[i]!);
    const r = Math.max(0.7, 0.5 * pointSize(data.below[i]) * pointScale(view, data.n) * (0.4 + 0.6 * (1 - s.r * s.r)));
    const [x, y] = at(s.x, s.y).split(' ');
    parts.push(
      `<circle cx="${x}" cy="${y}" r="${r.toFixed(2)}" fill="${theme.css[data.branch[i]]}"><title>${escape(data.names[i])}</title></circle>`,
    );
    if (i === chosen)
      parts.push(
        `<circle cx="${x}" cy="${y}" r="${(r + 3.5).toFixed(2)}" fill="none" stroke="${theme.accentCss}" stroke-width="2"/>`,
      );
  }
  parts.push(
    `</g><g font-family="${escape(FONT)}" paint-order="stroke" stroke="${theme.groundCss}" stroke-width="3.4" stroke-linejoin="round" fill="${theme.ink}">`,
  );
  for (const { line } of labels)
    if (line !== null)
      parts.push(
        `<path d="M${at(line[0], line[1])}L${at(line[2], line[3])}" stroke="${theme.quietInk}" stroke-width="0.8" opacity="0.5"/>`,
      );
  for (const label of labels) {
    const [x, y] = at(label.x, label.y + 0.35 * label.size).split(' ');
    parts.push(`<text x="${x}" y="${y}" font-size="${label.size}" font-weight="${label.weight}">${escape(label.text)}</text>`);
  }
  parts.push('</g>', '</svg>');
  return parts.join('\n');
}
