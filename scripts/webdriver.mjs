// A small WebDriver client for scripts that look at the page: chromedriver on a port of its own, and Chromium without a window.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export async function browser() {
  const driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const profile = mkdtempSync(join(tmpdir(), 'rebut-page-'));
  let port;
  for await (const line of createInterface({ input: driver.stdout })) {
    port = line.match(/started successfully on port (\d+)/)?.[1];
    if (port) break;
  }
  const call = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.message}`);
    return value;
  };
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-component-update',
    '--disable-background-networking', '--disable-sync', '--hide-scrollbars', `--user-data-dir=${profile}`];
  const capabilities = { alwaysMatch: { browserName: 'chrome', 'goog:chromeOptions': { args } } };
  const { sessionId } = await call('POST', '/session', { capabilities });
  const post = (what, body = {}) => call('POST', `/session/${sessionId}/${what}`, body);
  const devtools = (cmd, params = {}) => post('goog/cdp/execute', { cmd, params });
  return {
    devtools,
    go: (url) => post('url', { url }),
    run: (script, ...values) => post('execute/sync', { script, args: values }),
    runLater: (script, ...values) => post('execute/async', { script, args: values }),
    async until(expression) {
      for (let tries = 0; tries < 3000; tries += 1) {
        if (await this.run(`return Boolean(${expression})`)) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`waited in vain: ${expression}`);
    },
    async show(width, height, theme) {
      await devtools('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      await devtools('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
    },
    async picture(height) {
      const size = await this.run('return [innerWidth, document.documentElement.scrollHeight]');
      const clip = { x: 0, y: 0, width: size[0], height: Math.min(size[1], height), scale: 1 };
      const { data } = await devtools('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
      return Buffer.from(data, 'base64');
    },
    async close() {
      await call('DELETE', `/session/${sessionId}`).catch(() => {});
      driver.kill();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
