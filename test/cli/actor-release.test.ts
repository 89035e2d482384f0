/** Quarantines of a real process, of each kind, ended by `mcs actor` and the route behind it. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { actor } from '../../cli/actor.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 40_000 };
let cell: DemoCell;
/** What fails now as a defect would: `lane`, `alarms`, `telecommand`. */
const broken = new Set<string>();

function fail(what: string): void {
  if (broken.has(what)) throw new Error(`${what} is broken`);
}

/** The real bus, some of whose answers are defects for as long as the test says so. */
function breakable(bus: NatsBus): NatsBus {
  return new Proxy(bus, {
    get(real, name) {
      if (name === 'follow')
        return async (...of: Parameters<NatsBus['follow']>) => {
          if (of[0].name === streams.telecommands.name && of[1].endsWith('.sat1')) fail('lane');
          return real.follow(...of);
        };
      if (name === 'bucket')
        return (definition: Parameters<NatsBus['bucket']>[0]) => {
          const bucket = real.bucket(definition);
          if (definition.name !== buckets.alarms.name) return bucket;
          return {
            ...bucket,
            list: async (filter: string) => {
              fail('alarms');
              return bucket.list(filter);
            },
          };
        };
      if (name === 'append')
        return async (...of: Parameters<NatsBus['append']>) => {
          if (of[0].name === streams.telecommandEvents.name) fail('telecommand');
          return real.append(...of);
        };
      return Reflect.get(real, name, real) as unknown;
    },
  });
}

async function mcs(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.out += String(text);
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.err += String(text);
    return true;
  });
  try {
    return { code: await actor([...args, '--api', cell.api, '--user', 'ada']), ...said };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** `mark`: a low-water mark that is disturbed until then; a worker that begins meanwhile takes it as it is. */
async function quarantined(name: RegExp, mark?: string): Promise<string> {
  return until(async () => {
    if (mark !== undefined) await disturb(mark);
    const { out } = await mcs('trouble');
    const line = out.split('\n').find((each) => name.test(each) && each.includes('  quarantined  '));
    return line?.split('  ')[0];
  }, PATIENTLY);
}

async function send(): Promise<string> {
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '30 s' } };
  return (await call<TcReply>('POST', `${cell.api}/v1/tc`, body)).body.id;
}

const lastOf = async (id: string): Promise<string | undefined> =>
  (await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`)).at(-1)?.state;

/** Another owner seems to have written: the worker stops, and what is broken keeps it from starting again. */
async function disturb(mark: string): Promise<void> {
  const value = Buffer.from(
    JSON.stringify({ epoch: Number.MAX_SAFE_INTEGER, position: 0, at: 0, stored: 0 }),
  );
  await cell.bus.bucket(buckets.members).overwrite(`checkpoint.${mark}`, value);
}

beforeAll(async () => {
  cell = await startDemoCell({ over: breakable, memberTtlMs: 20_000 });
  const started = performance.now();
  // Of a telecommand whose lane stops before it is sent a younger gateway cannot say that it did not leave
  // (sent-frames.I2).
  await until(() => performance.now() - started > CLOCK_SKEW_MS);
}, 60_000);
afterAll(() => cell.stop(), 60_000);

describe('mcs actor trouble, resume and reset', () => {
  it.each(['resume', 'reset'])(
    'a lane in quarantine: %s, and what waited in it is done',
    async (action) => {
      broken.add('lane');
      const before = await send();
      expect(await lastOf(before)).toBe('VERIFIED');
      await disturb('lane.sat1');
      // A low-water mark is written when it moves: only then another owner is noticed.
      const moving = await send();
      expect(await quarantined(/^lane\/sat1 /)).toBe('lane/sat1');
      const waiting = await send();
      broken.delete('lane');
      const answer = await mcs(action, 'lane/sat1');
      expect([answer.code, answer.err]).toEqual([0, '']);
      expect([await lastOf(moving), await lastOf(waiting)]).toEqual(['VERIFIED', 'VERIFIED']);
      await until(async () => (await mcs('trouble')).out === 'nothing is in trouble\n', PATIENTLY);
    },
    90_000,
  );

  it.each(['resume', 'reset'])(
    'what one process does for all, in quarantine: %s',
    async (action) => {
      broken.add('alarms');
      const name = await quarantined(/alarm/, 'alarms.sat1');
      broken.delete('alarms');
      const answer = await mcs(action, name);
      expect([answer.code, answer.err]).toEqual([0, '']);
      await until(async () => (await mcs('trouble')).out === 'nothing is in trouble\n', PATIENTLY);
    },
    90_000,
  );

  it.each([
    ['resume', 'VERIFIED'],
    ['reset', 'REJECTED'],
  ])(
    'a telecommand in quarantine: %s, and it ends %s',
    async (action, state) => {
      broken.add('telecommand');
      const id = await send();
      const name = await quarantined(new RegExp(`^telecommand/sat1.${id}`));
      broken.delete('telecommand');
      const answer = await mcs(action, name);
      expect([answer.code, answer.err]).toEqual([0, '']);
      expect(await lastOf(id)).toBe(state);
    },
    90_000,
  );

  it('says so of what is not quarantined, and of a name in no process', async () => {
    for (const name of ['lane/sat1', 'nothing/at-all']) {
      const answer = await mcs('resume', name);
      expect(answer.code).toBe(1);
      expect(answer.err).toContain('is not quarantined');
    }
    expect((await mcs('resume', 'lane/sat1', '--process', 'nobody')).code).toBe(1);
    expect((await mcs('reset')).code).toBe(2);
  });
});
