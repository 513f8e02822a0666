// chart.ts - the training history as small charts: the loss and the mean radius by epoch.
import { element } from './dom';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 276;
const HEIGHT = 74;
const MOST = 2 * WIDTH;

interface Epoch {
  epoch: number;
  loss: number;
  radius: number;
  lr: number;
}

/** The epochs of a history that make sense; none if the text does not. */
export function readHistory(text: string | null): Epoch[] {
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return (list as Epoch[]).filter((e) => typeof e?.epoch === 'number' && Number.isFinite(e.loss));
  } catch {
    return [];
  }
}

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  return e;
}

function number(v: number): string {
  return Math.abs(v) >= 100 ? v.toFixed(0) : Math.abs(v) >= 1 ? v.toFixed(2) : v.toPrecision(3);
}

/** At most so many epochs, at even distances, the first and the last among them: more than a chart can show. */
function thinned(epochs: Epoch[]): Epoch[] {
  if (epochs.length <= MOST) return epochs;
  return Array.from({ length: MOST }, (_, k) => epochs[Math.round((k * (epochs.length - 1)) / (MOST - 1))]);
}

function chart(title: string, epochs: Epoch[], value: (e: Epoch) => number): HTMLElement {
  const values = epochs.map(value);
  const smallest = values.reduce((p, q) => Math.min(p, q));
  const largest = values.reduce((p, q) => Math.max(p, q));
  const logarithmic = smallest > 0 && largest / smallest > 12;
  const height = (v: number): number =>
    logarithmic ? Math.log(v / smallest) / Math.log(largest / smallest) : (v - smallest) / (largest - smallest || 1);
  const x = (k: number): number => 2 + ((WIDTH - 4) * k) / Math.max(1, epochs.length - 1);
  const y = (v: number): number => HEIGHT - 5 - (HEIGHT - 12) * height(v);
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title} by epoch` });
  const line = values.map((v, k) => `${k === 0 ? 'M' : 'L'}${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join('');
  picture.append(svg('path', { d: `${line}L${x(values.length - 1)} ${HEIGHT}L${x(0)} ${HEIGHT}Z`, class: 'area' }));
  picture.append(svg('path', { d: line, class: 'line' }));
  const mark = svg('circle', { r: 3, class: 'mark', cx: x(values.length - 1), cy: y(values[values.length - 1]) });
  picture.append(mark);

  const box = element('figure', { class: 'chart' });
  const caption = element('figcaption');
  const shown = element('output');
  const tell = (k: number): void => {
    mark.setAttribute('cx', String(x(k)));
    mark.setAttribute('cy', String(y(values[k])));
    shown.textContent = `${number(values[k])} in epoch ${epochs[k].epoch + 1}`;
  };
  tell(values.length - 1);
  caption.append(element('span', {}, title + (logarithmic ? ', logarithmic' : '')), shown);
  picture.addEventListener('pointermove', (event) => {
    const at = (event.offsetX / picture.clientWidth) * (values.length - 1);
    tell(Math.min(values.length - 1, Math.max(0, Math.round(at))));
  });
  picture.addEventListener('pointerleave', () => tell(values.length - 1));
  box.append(caption, picture);
  return box;
}

export function historyCharts(text: string | null): HTMLElement[] {
  const epochs = thinned(readHistory(text));
  if (epochs.length < 2) return [];
  const charts = [chart('Loss', epochs, (e) => e.loss)];
  if (epochs.every((e) => Number.isFinite(e.radius))) charts.push(chart('Mean radius', epochs, (e) => e.radius));
  return charts;
}
