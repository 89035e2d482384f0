/** `mcs link watch` as a person uses it, and its lines. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hexdump, linkLine } from '../../cli/link-line.ts';
import { linkLines } from '../../cli/link-list.ts';
import type { FrameReceived, LinkEvent } from '../../contract/link-event.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };
const plain = { width: undefined, colour: false };
const at = '2026-01-02T03:04:05.678Z';
const received: FrameReceived = {
  kind: 'received',
  at,
  gateway: 'sim-1',
  size: 3,
  frame: '01c0ff',
  link: 'uhf',
  samples: [
    { component: 'battery', instance: '2', measure: 'voltage', raw: 1, value: 7.400000095367432, unit: 'V' },
    { component: 'obc', measure: 'mode', raw: 9, value: null },
  ],
};

describe('a line', () => {
  it.each<[string, LinkEvent, string]>([
    [
      'a received frame',
      received,
      '03:04:05.678Z  rx  sim-1         3 B  uhf: battery[2].voltage 7.4 V, obc.mode ?',
    ],
    [
      'a report of the spacecraft',
      { ...received, samples: [], reports: [{ stage: 'start', ok: false, reference: 'r', code: 5 }] },
      '03:04:05.678Z  rx  sim-1         3 B  uhf: start of r FAILED (code 5)',
    ],
    [
      'a frame that says nothing',
      { ...received, samples: [] },
      '03:04:05.678Z  rx  sim-1         3 B  nothing decoded: 01c0ff',
    ],
    [
      'a sent frame',
      {
        kind: 'sent',
        at,
        gateway: 'sim-1',
        size: 13,
        frame: '18',
        tc: '01J',
        telecommand: 'obc.ping',
        outcome: 'unknown',
        detail: 'lost',
      },
      '03:04:05.678Z  tx  sim-1        13 B  obc.ping 01J UNKNOWN lost',
    ],
    [
      'a change of the link',
      { kind: 'state', at, gateway: 'modem', state: 'connecting', reason: 'ECONNREFUSED' },
      '03:04:05.678Z  --  modem     link connecting: ECONNREFUSED',
    ],
    [
      'skipped frames',
      { kind: 'skipped', at, frames: 7 },
      '03:04:05.678Z  --  7 frames skipped: this watcher cannot keep up',
    ],
  ])('%s', (_, event, line) => {
    expect(linkLine(event, plain)).toBe(line);
  });

  it('link-line.L2 fits the terminal, and shows that it was cut', () => {
    const line = linkLine(received, { width: 40, colour: false });
    expect(line).toHaveLength(40);
    expect(line.endsWith('…')).toBe(true);
  });

  it('link-line.L1 shows no control character of a spacecraft', () => {
    const evil = { component: 'obc', measure: 'name', raw: 0, value: '\u001b]0;owned\u0007\u009b31m\n' };
    const line = linkLine({ ...received, samples: [evil] }, { width: undefined, colour: true });
    // The escapes of the colour are the only ones.
    expect(line.slice(5, -4)).not.toMatch(/\p{Cc}/u);
  });

  it('a hexdump has as many bytes in a row as fit', () => {
    const frame = Buffer.from('Hello, spacecraft!').toString('hex');
    expect(hexdump(frame, { width: 80 })).toEqual([
      '    0000  48 65 6c 6c 6f 2c 20 73 70 61 63 65 63 72 61 66  |Hello, spacecraf|',
      '    0010  74 21                                            |t!|',
    ]);
    for (const width of [80, 60, 40]) {
      for (const line of hexdump(frame, { width })) expect(line.length).toBeLessThanOrEqual(width);
    }
    expect(hexdump(frame, { width: 60 })).toHaveLength(3);
  });
});

describe('the links of a target', () => {
  it('have a line for each driver and gateway, and say loudly who does not know', () => {
    const lines = linkLines({
      target: 'sat1',
      mode: 'imaging',
      links: [
        {
          link: 'uhf',
          default: true,
          driver: { name: 'pus', state: 'running', bound: 'current', mode: 'imaging' },
          gateways: [
            { name: 'sim-1', environments: ['bench'], state: 'up', bound: 'outdated', mode: 'nominal' },
            {
              name: 'gw-9',
              environments: ['flight'],
              state: 'absent',
              reason: 'no process \u001brunning it',
            },
          ],
        },
        { link: 'bare', default: false, driver: null, gateways: [] },
      ],
    });
    expect(lines).toEqual([
      'sat1  mode imaging',
      'uhf (default)  driver   pus    running  has the current mode and parameters',
      '               gateway  sim-1  up       OUTDATED: has mode nominal; in bench',
      '               gateway  gw-9   absent   in flight; no process .running it',
      'bare           driver   none',
    ]);
  });
});

describe('mcs link watch', { timeout: 120_000 }, () => {
  let cell: DemoCell;
  beforeAll(async () => {
    cell = await startDemoCell({ memberTtlMs: 20_000 });
  }, 60_000);
  afterAll(() => cell.stop());

  function mcs(...args: string[]) {
    const child = spawn(process.execPath, [...MCS, 'link', ...args], {
      env: { ...process.env, MCS_API: cell.api },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { output: '', errors: '' };
    child.stdout!.on('data', (text) => {
      said.output += String(text);
    });
    child.stderr!.on('data', (text) => {
      said.errors += String(text);
    });
    // Closed, and not only over: what it said last may come behind its end.
    return { child, said, code: once(child, 'close').then(([code]) => code as number | null) };
  }

  it('shows frames both ways, without colour in a pipe, and ends with Ctrl-C', async () => {
    const { child, said, code } = mcs('watch', 'sat1', '--raw');
    await until(() => /rx {2}sim-1 .* uhf: .*obc\.mode SAFE/.test(said.output), PATIENTLY);
    await call('POST', `${cell.api}/v1/tc`, { target: 'sat1', telecommand: 'obc.ping' });
    await until(
      () => /tx {2}sim-1 +13 B {2}obc\.ping [0-9A-Z]{26} sent\n {4}0000 {2}18 73/.test(said.output),
      PATIENTLY,
    );
    await until(() => /completion of \S+ ok/.test(said.output));
    expect(said.output).not.toContain('\u001b');
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(said.errors).toBe('');
  });

  it('lists them with who serves them', async () => {
    // The reconciler informs both of mode and parameters a moment after they are there.
    await until(async () => {
      const { said, code } = mcs('list', 'sat1');
      expect(await code, said.errors).toBe(0);
      const { output } = said;
      return (
        /^uhf \(default\) +driver +\S+ +running +has the current mode and parameters$/m.test(output) &&
        /gateway +sim-1 +up +has the current mode and parameters; in /.test(output)
      );
    }, PATIENTLY);
  });

  it('ends with its reader', async () => {
    const { child, code } = mcs('watch', 'sat1');
    child.stdout!.destroy();
    expect(await code).toBe(0);
  });

  it.each([
    [['list', 'sat9'], 1, /api::unknown-target: .*sat9.*sat1/],
    [['watch', 'sat9'], 1, /api::unknown-target: .*sat9.*sat1/],
    [['watch', 'sat1', '--link', 'xband'], 1, /api::unknown-link: .*xband.*uhf/],
    [['watch'], 2, /mcs link watch TARGET/],
    [['listen', 'sat1'], 2, /mcs link watch TARGET/],
    [['watch', 'sat1', '--api', 'http://127.0.0.1:1'], 1, /does not answer .*ECONNREFUSED/],
  ])('%j ends with %i and a reason', async (args, expected, reason) => {
    const { said, code } = mcs(...args);
    expect(await code).toBe(expected);
    expect(said.errors).toMatch(reason);
  });

  it('reports a lost connection, and goes on when the service is back', async () => {
    const front = await startDemoCell({ roles: ['api'], nats: cell.nats });
    // A port that the service had drawn cannot be had again while its connections linger, or once somebody else draws
    // it.
    const relay = await startRelay(portOf(front));
    const { child, said, code } = mcs('watch', 'sat1', '--api', `http://127.0.0.1:${relay.port}`);
    await until(() => said.output.includes('rx'), PATIENTLY);
    relay.refusing = true;
    await front.stop();
    await until(() => said.errors.includes('trying again'));
    const before = said.output.length;
    const back = await startDemoCell({ roles: ['api'], nats: cell.nats });
    relay.target = portOf(back);
    relay.refusing = false;
    await until(() => said.output.slice(before).includes('rx'), PATIENTLY);
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    await back.stop();
    await relay.stop();
  });

  const portOf = ({ api }: DemoCell): number => Number(new URL(api).port);
});
