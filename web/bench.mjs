// bench.mjs PAGE... - how a page of `geodisk view` performs while panning by script, as JSON: the time between frames and the CPU's
// part of it with as much drawn as the time allows, then the CPU's part with everything drawn. The browser is
// $CHROMIUM or chromium, the rendering by software unless GPU=1.
import { chromium } from '../tests/web/chromium.mjs';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const software = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', ...(process.env.GPU ? ['--enable-gpu', '--ignore-gpu-blocklist'] : software)],
});
for (const path of process.argv.slice(2)) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  await page.waitForFunction(() => geodisk.app.idle());
  const adapted = await page.evaluate(() => geodisk.bench(120));
  const full = await page.evaluate(() => geodisk.bench(20, true));
  console.log(
    JSON.stringify({
      page: path,
      bytes: statSync(path).size,
      ...adapted,
      full_edges_drawn: full.edges_drawn,
      full_frame_ms_median: full.frame_ms_median,
      full_cpu_ms_median: full.cpu_ms_median,
      full_cpu_ms_largest: full.cpu_ms_95,
    }),
  );
  await context.close();
}
await browser.close();
