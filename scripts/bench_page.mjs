// The figures of the page: how soon the server answers, how soon an event is on the page, how long a long debate takes to
// draw, and how much memory thousands of debates need.
//
//   node scripts/bench_page.mjs REBUT
import { spawn, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser } from './webdriver.mjs';

const rebut = process.argv[2];
const work = mkdtempSync(join(tmpdir(), 'rebut-bench-'));
const workspace = join(work, 'workspace');
mkdirSync(workspace);
const token = 'a-token-for-the-bench';
const env = { PATH: process.env.PATH, HOME: work, REBUT_SERVE_TOKEN: token };
const run = (...args) => spawnSync(rebut, args, { cwd: workspace, env, encoding: 'utf8' });
const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** Starts the server; says how many milliseconds it took to the first byte of an answer. */
async function serve() {
  const port = await freePort();
  const began = performance.now();
  const server = spawn(rebut, ['serve', '--no-open', '--port', String(port)], { cwd: workspace, env, stdio: 'ignore' });
  for (;;) {
    const answered = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET /?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      });
      socket.on('data', () => { socket.destroy(); resolve(true); }).on('error', () => resolve(false));
    });
    if (answered) return { server, port, ms: performance.now() - began };
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const text = JSON.stringify;
const call = (key, answer, delay = 0) => `[[call]]\nkey = ${text(key)}\ndelay_ms = ${delay}\ntext = ${text(answer)}\n`;
const statement = (round, role) => `Argument of the ${role} in round ${round}. ${'It goes on for a while. '.repeat(40)}\n\n\`\`\`json\n${
  text({ position: role, claims: [1, 2, 3].map((n) => ({ text: `Claim ${n} of the ${role}`, evidence: [{ file: 'notes.md', lines: '1' }] })) })}\n\`\`\`\n`;

/** A duel of five rounds whose calls take this long. */
function duelScript(delay) {
  const calls = [];
  for (let round = 1; round <= 5; round += 1) {
    if (round > 2) calls.push(call(`round-${round}/summary`, 'In short.', delay));
    for (const role of ['proposer', 'challenger']) calls.push(call(`round-${round}/${role}`, statement(round, role), delay));
  }
  return calls.join('\n');
}

/** A panel of eight with 200 statements. */
function panelFiles() {
  const names = 'abcdefgh'.split('').map((letter) => `debater-${letter}`);
  const entry = (type, what) => ({ type, content: `${what} ${'Words without a source. '.repeat(30)}`, in_one_sentence: what,
    frameworks: [], sources: [] });
  const calls = [...names, 'chair', 'verifier', 'audience', 'reporter', 'assessor'].map((who) => call(`ready/${who}`, '{"ready": true}'));
  for (const name of names) {
    calls.push(call(`opening/${name}`, text({ entries: [entry('opening_statement', `${name} opens`)] })));
    calls.push(call(`closing/${name}`, text({ entries: [entry('closing_statement', `${name} closes`)] })));
    for (let round = 1; round <= 12; round += 1) {
      const two = [1, 2].map((n) => entry('conjecture', `Point ${n} of ${name} in round ${round}`));
      calls.push(call(`round-${round}/${name}`, text({ entries: two })));
    }
  }
  const persona = (name) => ({ name, persona: 'A person', starting_position: 'A position', incentives: 'None' });
  return { script: calls.join('\n'), lineup: text({ debaters: names.map(persona) }) };
}

const rows = [];
const row = (what, value, aim) => rows.push(`| ${what} | ${value} | ${aim} |`);
const window = await browser();
const servers = [];
try {
  writeFileSync(join(workspace, 'notes.md'), 'One line.\n');
  const starts = [];
  for (let n = 0; n < 15; n += 1) {
    const { server, ms } = await serve();
    server.kill();
    starts.push(ms);
  }
  row('first byte of `serve` after its start (median of 15)', `${median(starts).toFixed(1)} ms`, '30 ms');

  writeFileSync(join(workspace, 'duel.toml'), duelScript(200));
  const { server, port } = await serve();
  servers.push(server);
  const seats = ['--tools', 'script:duel.toml#a,script:duel.toml#b', '--judge', 'script:duel.toml#c', '--rounds', '5'];
  const { id } = JSON.parse(run('duel', 'How soon is it seen?', ...seats, '--detach', '--json').stdout.trim().split('\n').pop());
  await window.go(`http://127.0.0.1:${port}/d/${id}?token=${token}`);
  await window.until("!['running', 'interrupted'].includes(document.querySelector('.state').textContent)");
  const delays = await window.run("return performance.getEntriesByName('rebut-live').map((mark) => mark.detail)");
  row(`event on the page after its line in the journal (median of ${delays.length})`, `${median(delays)} ms`, '50 ms');

  const { script, lineup } = panelFiles();
  writeFileSync(join(workspace, 'panel.toml'), script);
  writeFileSync(join(workspace, 'lineup.json'), lineup);
  const offices = ['chair', 'verifier', 'audience', 'reporter', 'assessor'].flatMap((office) => [`--${office}`, `script:panel.toml#${office}`]);
  run('panel', 'A long one', '--debaters', 'lineup.json', ...offices, '--min-rounds', '12', '--max-rounds', '12', '--yes');
  const page = join(work, 'long.html');
  run('export', 'last', '--as', 'html', '-o', page);
  const tasks = [];
  for (let n = 0; n < 5; n += 1) {
    await window.go('about:blank');
    await window.devtools('Performance.enable');
    const total = async () => (await window.devtools('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
    const before = await total();
    await window.go(`file://${page}`);
    await window.until("document.readyState === 'complete'");
    const after = await total();
    tasks.push(1000 * (after < before ? after : after - before));
  }
  const statements = await window.run("return document.querySelectorAll('.stop').length");
  row(`main thread for a debate of ${statements} entries (median of 5)`, `${median(tasks).toFixed(0)} ms`, '200 ms');

  const state = join(work, '.local/state/rebut');
  const model = join(state, id);
  for (let n = 0; n < 5000; n += 1) {
    const copy = join(state, `${id.slice(0, -4)}${(n + 0x1000).toString(16)}`);
    mkdirSync(copy);
    // Links keep the journal's time of change, without which its summary would be written anew.
    for (const file of ['journal.jsonl', 'summary.json']) linkSync(join(model, file), join(copy, file));
  }
  const many = await serve();
  servers.push(many.server);
  await window.go(`http://127.0.0.1:${many.port}/?token=${token}`);
  await window.until("document.querySelectorAll('.debates li').length === 100");
  const memory = readFileSync(`/proc/${many.server.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1] / 1024;
  row(`memory of \`serve\` with ${readdirSync(state).length} debates, after they were listed`, `${memory.toFixed(0)} MB`, '60 MB');
} finally {
  for (const server of servers) server.kill();
  await window.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(`| what | measured | aim |\n|---|---|---|\n${rows.join('\n')}`);
