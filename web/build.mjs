// build.mjs - bundles src/ into dist/viewer.html, the page without its data: node build.mjs. By Debian's esbuild; geodisk's build embeds the
// file, so it is committed, and the same version of esbuild (Debian 12 has 0.17.0) gives the same bytes again. With the name of a file
// it also writes the geometry alone, for the test that compares it with the library.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const esbuild = (...options) => execFileSync('esbuild', [...options, '--log-level=warning'], { cwd: here, encoding: 'utf8' });
const bundle = ['--bundle', '--target=es2021', '--charset=utf8', '--legal-comments=none'];

const script = esbuild('src/main.ts', ...bundle, '--minify', '--format=iife');
const style = esbuild('src/style.css', '--minify', '--charset=utf8');
const put = (text, mark, value) => text.split(mark).join(value);
let page = put(readFileSync(join(here, 'src/page.html'), 'utf8'), '/*STYLE*/', style.trim());
page = put(page, '/*SCRIPT*/', script.trim().replace(/<\/script/gi, '<\\/script'));
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/viewer.html'), page);
if (process.argv[2] !== undefined) writeFileSync(process.argv[2], esbuild('src/disk.ts', ...bundle, '--format=esm'));
