/**
 * kill -9 of the executor between every two steps of a telecommand, with another executor alive: real processes, real
 * SIGKILL at the named point (`supervision/cells/failpoint.ts`). The telecommand ends in a final state, its history has
 * no gap and no repetition, and a state-changing one reaches the spacecraft at most once.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { pointsOf } from '../support/kill-points.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { owned, visit } from '../support/members.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;

beforeAll(async () => {
  // Everything but the executor lives here and survives.
  cell = await startDemoCell({
    roles: ['api', 'drivers', 'gateways', 'telemetry'],
    memberTtlMs: MEMBER_TTL_MS,
  });
  await executor(HEIR);
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/values`);
    return body.values?.length > 5;
  });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

const HEIR = 'heir';
/**
 * Long enough that a busy machine takes nothing from the living. The dead are seen without it: they were on this
 * machine.
 */
const MEMBER_TTL_MS = 20_000;

/** A name that outranks the heir for the lane, another one each time. */
function mortalName(n: number): string {
  for (let salt = 0; ; salt += 1) {
    const name = `mortal-${n}-${salt}`;
    if (highestRanked('sat1', [name, HEIR]) === name) return name;
  }
}

function executor(instance: string, failpoint?: string): Promise<Mcs> {
  return startMcs({
    args: [
      'serve',
      '--roles',
      'executor',
      '--nats',
      cell.nats.url,
      '--credentials',
      cell.nats.credentialsFile,
    ],
    env: {
      MCS_INSTANCE: instance,
      MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS),
      ...(failpoint !== undefined && { MCS_FAILPOINT: failpoint }),
    },
  });
}

let mortals = 0;

/** An executor that dies at the failpoint and owns the lane. */
async function mortalOwner(failpoint: string): Promise<Mcs> {
  mortals += 1;
  const name = mortalName(mortals);
  const mortal = await executor(name, failpoint);
  await owned(cell.bus, 'lane.sat1', name);
  return mortal;
}

const STATES = ['PENDING', 'ENCODED', 'SENT', 'VERIFIED'] as const;
const POINTS = [
  ...STATES.flatMap((state) => [`telecommand:committing ${state}`, `telecommand:committed ${state}`]),
  ...['effect.check', 'effect.encode', 'effect.send', 'effect.release', 'effect.verify'].flatMap((effect) => [
    `telecommand:asked ${effect}`,
    `telecommand:answered ${effect}`,
  ]),
];

/** Where the frame may have left without the history saying so. */
const UNDECIDED = new Set(['telecommand:answered effect.send', 'telecommand:committing SENT']);

async function submitAndDie(failpoint: string, body: object): Promise<TcEvent[]> {
  const mortal = await mortalOwner(failpoint);
  const submitted = await call<TcReply>('POST', `${cell.api}/v1/tc`, { target: 'sat1', ...body });
  expect(submitted.status).toBe(202);
  const { signal } = await mortal.exited;
  expect(signal).toBe('SIGKILL');
  await visit(cell.bus);
  const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${submitted.body.id}/events`);
  return followed;
}

function expectWhole(history: readonly TcEvent[]): void {
  const states = history.map((event) => event.state);
  expect(new Set(states).size, `${states}`).toBe(states.length);
  expect(isFinalTcState(states.at(-1)!)).toBe(true);
  const chain = ['PENDING', 'ENCODED', 'SENT'];
  expect(states.slice(0, -1)).toEqual(chain.slice(0, states.length - 1));
}

describe('kill -9 of the executor with another one alive', () => {
  it.each(pointsOf(POINTS, 'one'))(
    'a state-changing telecommand, killed at %s: final, whole, on board at most once (O2, O3)',
    async (point) => {
      const before = await cell.receivedByRequest();
      const history = await submitAndDie(point, { telecommand: 'obc.set_watchdog', args: { period: 60 } });
      expectWhole(history);
      const after = await cell.receivedByRequest();
      const arrived = Object.entries(after).filter(([request, count]) => count !== (before[request] ?? 0));
      const times = arrived.reduce((sum, [request, count]) => sum + count - (before[request] ?? 0), 0);
      // The gateway lived on and knows what it sent: even where the executor died in between, nothing is left open.
      expect(times, JSON.stringify({ arrived, history })).toBe(1);
      expect(history.at(-1)!.state).toBe('VERIFIED');
      if (UNDECIDED.has(point)) expect(history.map((event) => event.state)).toContain('SENT');
    },
    180_000,
  );

  it.each(pointsOf(POINTS, 'counterpart'))(
    'a harmless telecommand, killed at %s: VERIFIED all the same',
    async (point) => {
      const history = await submitAndDie(point, { telecommand: 'obc.ping' });
      expectWhole(history);
      expect(history.at(-1)!.state).toBe('VERIFIED');
    },
    180_000,
  );
});
