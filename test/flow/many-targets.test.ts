/**
 * A cell of many targets by real processes: it is ready, a second process takes its share, and what a killed one owned
 * is taken over, while nobody takes anything from the living (partition.Q5, membership.E7, E8); keys of dead members
 * cost the start nothing and go (membership.E5). Short in CI, where no time is judged; `npm run many-targets` does it
 * with 2,000 targets and 20,000 dead members and prints how long each step took.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import { shares } from '../../benchmark/scale/shares.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, readLog } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

/** Where no time is judged, a machine that stands still for seconds takes nothing from the living. */
const IS_LONG = process.env['MANY_TARGETS'] !== undefined;
const TARGETS = Number(process.env['MANY_TARGETS'] ?? 60);
const DEAD_MEMBERS = Number(process.env['DEAD_MEMBERS'] ?? 200);
const TARGETS_OF_A_GATEWAY = Number(process.env['TARGETS_OF_A_GATEWAY'] ?? 100);
const PATIENT_MS = 30_000 + TARGETS * 150 + DEAD_MEMBERS * 50;
/** Names of lines that say that something was given up, or taken from the living. */
const UPSETS = ['ownership lost', 'no heartbeat in time', 'heartbeat not written'];

let nats: TestNats;
let bus: NatsBus;
const took: Record<string, number> = {};

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  await publishConfiguration(bus, await compiledFleet(TARGETS, { targetsOfAGateway: TARGETS_OF_A_GATEWAY }));
  await Promise.all(Array.from({ length: DEAD_MEMBERS }, (_, n) => bury(n)));
}, PATIENT_MS);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

/** A process of another machine, which left in order and whose key nobody has removed. */
async function bury(n: number): Promise<void> {
  const instance = `dead-${n}`;
  const member = { instance, roles: ['executor', 'telemetry'], host: 'elsewhere', pid: n + 1, left: true };
  await bus.bucket(buckets.members).overwrite(`member.${instance}`, Buffer.from(JSON.stringify(member)));
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  took[step] = Math.round(performance.now() - begun);
  return result;
}

function cellProcess(instance: string): Promise<Mcs> {
  return startMcs({
    args: ['serve', '--nats', nats.url, '--credentials', nats.credentialsFile],
    env: { MCS_INSTANCE: instance, ...(!IS_LONG && { MCS_MEMBER_TTL_MS: '10000' }) },
    readyWithinMs: PATIENT_MS,
  });
}

async function deadMembers(): Promise<number> {
  let count = 0;
  const watch = await bus.bucket(buckets.members).watch('member.*', (key, entry) => {
    if (entry !== undefined && key.startsWith('member.dead-')) count += 1;
  });
  await watch.ready;
  await watch.stop();
  return count;
}

async function expectCommandable(api: string, target: string): Promise<void> {
  const submit = () => call<TcReply>('POST', `${api}/v1/tc`, { target, telecommand: 'camera.ping' });
  const answer = await submit();
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  const events = await readLog<TcEvent>(`${api}/v1/tc/${target}/${answer.body.id}/events`);
  expect(events.at(-1)?.state).toBe('COMPLETE');
}

const expectUndisturbed = (process: Mcs): void => {
  for (const upset of UPSETS) expect(process.errors()).not.toContain(upset);
};

it(
  `${TARGETS} targets are ready, shared with a second process and taken over from it when it is killed`,
  async () => {
    const names = targetNames(TARGETS);
    const first = await timed('ready', () => cellProcess('first'));
    await timed('all owned', () =>
      until(async () => ((await shares(bus)).get('first') ?? 0) >= TARGETS * 2, {
        timeoutMs: PATIENT_MS,
        what: 'every lane and the telemetry of every target being owned',
      }),
    );
    const partitions = (await shares(bus)).get('first')!;
    for (const name of [names[0]!, names.at(-1)!]) await expectCommandable(first.api, name);

    const second = await timed('second ready', () => cellProcess('second'));
    const half = await timed('shared', () =>
      until(
        async () => {
          const owned = await shares(bus);
          const share = owned.get('second') ?? 0;
          const isWhole = share + (owned.get('first') ?? 0) === partitions && !owned.has('free');
          return isWhole && share > partitions / 3 && owned;
        },
        { timeoutMs: PATIENT_MS, what: 'the second process owning its share' },
      ),
    );
    for (const name of names.slice(0, 6)) await expectCommandable(second.api, name);

    await second.kill('SIGKILL');
    await timed('taken over', () =>
      until(async () => (await shares(bus)).get('first') === partitions, {
        timeoutMs: PATIENT_MS,
        what: 'the first process owning everything again',
      }),
    );
    for (const name of names.slice(0, 6)) await expectCommandable(first.api, name);
    expectUndisturbed(first);
    expectUndisturbed(second);

    await timed('dead members removed', () =>
      until(async () => (await deadMembers()) === 0, {
        timeoutMs: PATIENT_MS,
        what: 'the keys of the dead being removed',
      }),
    );
    if (IS_LONG)
      console.info(
        JSON.stringify({ TARGETS, DEAD_MEMBERS, partitions, second: half.get('second'), ms: took }),
      );
    await first.kill('SIGTERM');
  },
  6 * PATIENT_MS,
);
