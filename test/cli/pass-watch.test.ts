/**
 * `mcs pass watch` in lines and in a terminal, and the feeder that repeats, as processes against the real front end.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PassView } from '../../contract/pass.ts';
import { call } from '../http/fixture.ts';
import { startWorld, type World } from '../http/world.ts';
import { freePort } from '../support/free-port.ts';
import { mcsProgram } from '../support/program.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { startInTerminal, type Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
const ELEMENTS = fileURLToPath(new URL('../data/orbits/elements.tle', import.meta.url));
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };
const MINUTE = 60_000;

let world: World;
let relay: Relay;
const children: ChildProcess[] = [];
const terminals: Terminal[] = [];

beforeAll(async () => {
  world = await startWorld();
  const { mission } = world;
  const feeders = { dynamics: 'fds', network: 'provider' };
  world.missions.publish({ ...mission, settings: { ...mission.settings, feeders } });
  relay = await startRelay(Number(new URL(world.url).port));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const terminal of terminals.splice(0)) terminal.kill();
  relay.refusing = false;
});
afterAll(async () => {
  await relay.stop();
  await world.stop();
});

/** A pass from and to so many minutes from now. */
async function write(
  id: string,
  from: number,
  to: number,
  more: Partial<PassView['pass']> = {},
): Promise<void> {
  const now = Date.now();
  const at = (minute: number): string => new Date(now + minute * MINUTE).toISOString();
  const place = { target: 'sat1', station: 'kiruna', max_elevation: '47.3 deg' };
  const body = { id, aos: at(from), los: at(to), source: 'fds', status: 'predicted', ...place, ...more };
  const headers = {
    'x-mcs-user': body.source === 'fds' ? 'dynamics' : 'network',
    'content-type': 'application/json',
  };
  const response = await fetch(`${world.url}/v1/passes`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

function start(...args: string[]) {
  const child = spawn(
    process.execPath,
    [...MCS, 'pass', ...args, ...(args.includes('--api') ? [] : ['--api', `http://127.0.0.1:${relay.port}`])],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  const said = { output: '', errors: '' };
  child.stdout!.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr!.on('data', (text) => {
    said.errors += String(text);
  });
  return { child, said, lines: () => said.output.split('\n').slice(0, -1) };
}

describe('mcs pass watch without a terminal', { timeout: 90_000 }, () => {
  it('pass-watch.H1 prints a line for each change, nothing twice, also over a front end that goes and comes', async () => {
    await write('w1', 600, 610, { target: 'sat2' });
    const { child, said, lines } = start('watch', '--target', 'sat2');
    await until(() => lines().length === 1, PATIENTLY);
    expect(lines()[0]).toMatch(
      /^\d\d:\d\d:\d\dZ {2}\d{4}-.*Z {2}10:00 {2}sat2 {2}kiruna {2}47.3° {2}predicted {2}uplink {2}- {2}w1$/,
    );
    relay.refusing = true;
    relay.cut();
    await until(() => said.errors.includes('trying again'), PATIENTLY);
    await write('w2', 660, 670, { target: 'sat2', source: 'provider', status: 'booked', uplink: false });
    relay.refusing = false;
    await until(() => lines().length > 1, PATIENTLY);
    await write('w2', 660, 670, { target: 'sat2', source: 'provider', status: 'cancelled' });
    await until(() => lines().length > 2, PATIENTLY);
    expect(lines().slice(1)).toEqual([
      expect.stringMatching(/booked {2}RX only {2}- {2}w2$/),
      expect.stringMatching(/CANCELLED {2}uplink {2}- {2}w2$/),
    ]);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('with --json prints one JSON in a line, and ends with 1 where the service refuses', async () => {
    await write('j1', 600, 610, { target: 'ghost' });
    const { lines } = start('watch', '--target', 'ghost', '--json');
    await until(() => lines().length === 1, PATIENTLY);
    expect(JSON.parse(lines()[0]!)).toMatchObject({ pass: { id: 'j1', target: 'ghost' } });
    const refused = start('watch', '--target', 'sat9');
    expect(await once(refused.child, 'close')).toEqual([1, null]);
    expect(refused.said.errors).toMatch(/^api::unknown-target: /);
  });
});

describe('mcs pass predict --feed --every', { timeout: 90_000 }, () => {
  it('pass-predict-feed.P2 P3 outlives a front end that is away, and ends cleanly', async () => {
    const port = await freePort('tcp');
    const place = ['--target', 'sat1=43013', '--station', 'pole=90,0,0'];
    const { child, said } = start(
      'predict',
      '--elements',
      ELEMENTS,
      ...place,
      '--days',
      '1',
      '--feed',
      '--every',
      '1h',
      '--user',
      'dynamics',
      '--api',
      `http://127.0.0.1:${port}`,
    );
    await until(
      () => /does not answer.*\n-- not fed; trying again at \S+ \S+Z\n/.test(said.errors),
      PATIENTLY,
    );
    const late = createServer((client) => {
      const upstream = connect(Number(new URL(world.url).port), '127.0.0.1');
      for (const each of [client, upstream]) each.on('error', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve));
    await until(() => /sat1 {2}\d+ passes upserted, \d+ cancelled\n/.test(said.output), PATIENTLY);
    expect((await call(`${world.url}/v1/passes?target=sat1`)).body.passes.length).toBeGreaterThan(10);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    late.close();
  });

  it('ends at once where it has nothing to predict from', async () => {
    const { child, said } = start(
      'predict',
      '--elements',
      ELEMENTS,
      '--target',
      'a=NONE',
      '--station',
      'pole=90,0,0',
      '--feed',
      '--every',
      '1h',
    );
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said.errors).toMatch(/has no satellite "NONE"/);
  });
});

// What other systems call `script` takes other words.
describe.runIf(process.platform === 'linux')('mcs pass watch in a terminal', { timeout: 90_000 }, () => {
  function watch(columns: number): Terminal {
    const words = [
      process.execPath,
      ...MCS,
      'pass',
      'watch',
      '--target',
      'sat2',
      '--api',
      `http://127.0.0.1:${relay.port}`,
    ];
    const terminal = startInTerminal(words, { rows: 12, columns, env: { NO_COLOR: '1' } });
    terminals.push(terminal);
    return terminal;
  }
  const row = ({ screen }: Terminal, text: RegExp): string | undefined =>
    screen.lines.find((line) => text.test(line));

  it('pass-columns.C2 pass-table.T1 counts down to AOS and to LOS, by AOS; a pass that is over drops out', async () => {
    await write('t-next', 90, 100, { target: 'sat2', station: 'next' });
    await write('t-now', -5, 30, { target: 'sat2', station: 'now' });
    await write('t-off', 40, 50, { target: 'sat2', station: 'off', status: 'cancelled' });
    const terminal = watch(140);
    const { screen } = terminal;
    // The terminal gets a drawing in pieces, from the top on, and the first one may have fewer passes.
    await until(() => / next .*predicted/.test(screen.lines[4]!), PATIENTLY);
    expect(screen.lines[0]).toMatch(/^passes {2}sat2 {2}live {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
    expect(screen.lines.slice(2, 5)).toEqual([
      expect.stringMatching(/^ +LOS in \d\d:\d\d .* now .*predicted/),
      expect.stringMatching(/^ +- .* off .*CANCELLED/),
      expect.stringMatching(/^ +AOS in 1:\d\d:\d\d .* next .*predicted/),
    ]);
    const before = row(terminal, / next /);
    await until(() => row(terminal, / next /) !== before, PATIENTLY);
    await write('t-now', -5, 0.05, { target: 'sat2', station: 'now' });
    await until(() => row(terminal, / now /) === undefined, PATIENTLY);
    relay.refusing = true;
    relay.cut();
    await until(() => screen.lines[0]!.includes('trying again'), PATIENTLY);
    expect(row(terminal, / next /)).toBeDefined();
    relay.refusing = false;
    await until(() => screen.lines[0]!.startsWith('passes  sat2  live'), PATIENTLY);
    expect([...screen.styles]).toEqual([]);
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    expect(screen).toMatchObject({ isSecond: false, cursor: true, scrolled: 0, past: 0 });
  });

  it('pass-columns.C3 fits 80 columns, keeps time, station, status and uplink, and names what is hidden', async () => {
    await write('n1', 90, 100, { target: 'sat2', station: 'narrow' });
    const terminal = watch(80);
    const whole = /AOS in 1:\d\d:\d\d {2}\d\d:\d\d:\d\dZ {2}.*sat2 +narrow .*predicted {2}uplink/;
    await until(() => row(terminal, whole), { ...PATIENTLY, what: 'the row of the pass' });
    await until(() => row(terminal, /^q quits.*hidden: .*PASS/), { ...PATIENTLY, what: 'what is hidden' });
    expect(terminal.screen.past).toBe(0);
  });
});
