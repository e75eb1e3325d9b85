// Looks at pages at three widths in both themes: writes pictures, and fails where axe-core finds a serious fault.
//
//   node scripts/page_screens.mjs AXE.js FOLDER PAGE.html...
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { browser } from './webdriver.mjs';

const [axe, folder, ...pages] = process.argv.slice(2);
const source = readFileSync(axe, 'utf8');
const window = await browser();
let faults = 0;
try {
  for (const page of pages) {
    for (const theme of ['light', 'dark']) {
      for (const width of [360, 800, 1400]) {
        await window.show(width, 900, theme);
        await window.go(`file://${resolve(page)}`);
        const name = `${basename(page, '.html')}-${width}-${theme}`;
        writeFileSync(join(folder, `${name}.png`), await window.picture(2400));
        // What the README shows.
        if (width === 800) writeFileSync(join(folder, `${name}-top.png`), await window.picture(1100));
        const wide = await window.run('return document.documentElement.scrollWidth - innerWidth');
        await window.run(source);
        const found = await window.runLater('axe.run().then((found) => arguments[0](found.violations))');
        const serious = found.filter(({ impact }) => ['serious', 'critical'].includes(impact));
        faults += serious.length + (wide > 0 ? 1 : 0);
        console.log(`${name}: ${serious.length} serious of ${found.length} faults${wide > 0 ? `, ${wide} px too wide` : ''}`);
        for (const { id, help, nodes } of serious) console.log(`  ${id}: ${help}\n    ${nodes[0].html.slice(0, 200)}`);
      }
    }
  }
} finally {
  await window.close();
}
process.exit(faults ? 1 : 0);
