// screenshot.mjs PAGE OUT.png [HASH] - a picture of a page of `geodisk view`, 950 x 620, light (dark if the HASH says theme=dark), all edges
// drawn. The browser is $CHROMIUM or chromium.
import { chromium } from '../tests/web/chromium.mjs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [path, out, hash = ''] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const context = await browser.newContext({ viewport: { width: 950, height: 620 }, colorScheme: 'light' });
const page = await context.newPage();
await page.goto(`${pathToFileURL(resolve(path)).href}${hash}`);
await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
await page.waitForFunction(() => geodisk.app.idle());
await page.evaluate(() => geodisk.app.renderer.draw(geodisk.app.view, true, true));
await page.screenshot({ path: out });
await browser.close();
