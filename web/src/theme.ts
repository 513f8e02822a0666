// theme.ts - light and dark: the colours that WebGL and the canvas need; those of the page itself are in style.css.
import { About, OTHER, TRUNK } from './data';

export interface Theme {
  name: 'light' | 'dark';
  palette: Float32Array; // 32 colours, by branch
  css: string[]; // the same for the page
  ground: [number, number, number];
  groundCss: string;
  ink: string;
  quietInk: string;
  accent: [number, number, number];
  accentCss: string;
  rim: string;
  edgeAlpha: number;
}

function channels(css: string): [number, number, number] {
  const v = parseInt(css.slice(1), 16);
  return [(v >> 16) / 255, ((v >> 8) & 255) / 255, (v & 255) / 255];
}

const GROUNDS = {
  light: { groundCss: '#fffdf9', ink: '#23262b', quietInk: '#5d6269', accentCss: '#17191d', rim: '#d9d4c7', edgeAlpha: 0.5 },
  dark: { groundCss: '#161b22', ink: '#eceae4', quietInk: '#a6adb7', accentCss: '#ffffff', rim: '#333b46', edgeAlpha: 0.48 },
};

export function makeTheme(about: About, name: 'light' | 'dark'): Theme {
  const css = new Array<string>(32).fill(about.other[name]);
  about.branches.forEach((branch, i) => (css[i] = branch[name]));
  css[OTHER] = about.other[name];
  css[TRUNK] = about.trunk[name];
  const palette = new Float32Array(96);
  css.forEach((colour, i) => palette.set(channels(colour), 3 * i));
  const ground = GROUNDS[name];
  return { name, palette, css, ...ground, ground: channels(ground.groundCss), accent: channels(ground.accentCss) };
}

/** What the reader's system asks for. */
export function systemTheme(): 'light' | 'dark' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
