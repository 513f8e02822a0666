// build.mjs - bundles src/ into dist/viewer.html, the page without its data: npm ci && npm run build. The same sources give the same
// bytes; geodisk's build embeds the file, so it is committed.
import { build, transform } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const options = {
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2021',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
};
const script = await build({ ...options, entryPoints: [join(here, 'src/main.ts')] });
const style = await transform(await readFile(join(here, 'src/style.css'), 'utf8'), { loader: 'css', minify: true });
const page = await readFile(join(here, 'src/page.html'), 'utf8');
const put = (text, mark, value) => text.split(mark).join(value);
let out = put(page, '/*STYLE*/', style.code.trim());
out = put(out, '/*SCRIPT*/', script.outputFiles[0].text.trim().replace(/<\/script/gi, '<\\/script'));
await mkdir(join(here, 'dist'), { recursive: true });
await writeFile(join(here, 'dist/viewer.html'), out);

// The geometry alone, for the test that compares it with the library.
const geometry = await build({ ...options, minify: false, format: 'esm', entryPoints: [join(here, 'src/disk.ts')] });
if (process.argv[2] !== undefined) await writeFile(process.argv[2], geometry.outputFiles[0].contents);
