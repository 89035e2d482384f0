/**
 * The cost of a start does not depend on what is finished (lane.J2, taking-over.R1 of the lanes): idle lanes beside a
 * target with a long past, also with the low-water marks that an earlier version left at 1. Short in CI, where counts
 * are judged and no time; `FINISHED=50000 TARGETS=300` prints how long real processes take to be ready.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import { finishedTelecommands, idOf } from '../../benchmark/scale/fill.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, readLog } from '../support/client.ts';
import { endAllMcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const FINISHED = Number(process.env['FINISHED'] ?? 1_500);
const TARGETS = Number(process.env['TARGETS'] ?? 10);

let nats: TestNats;
let bus: NatsBus;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  const compiled = await compiledFleet(TARGETS);
  await publishConfiguration(bus, compiled);
  await finishedTelecommands(bus, { targets: ['sat1'], count: FINISHED });
  // As an earlier version left them: the busy lane near its end, the idle ones at their beginning.
  const members = bus.bucket(buckets.members);
  for (const target of targetNames(TARGETS)) {
    const submission = target === 'sat1' ? Math.max(1, FINISHED - 20) : 1;
    const mark = Buffer.from(JSON.stringify({ epoch: 0, submission, event: 1 }));
    await members.put(`checkpoint.lane.${target}`, mark, 0);
  }
}, 600_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

async function serving(): Promise<{
  readonly api: string;
  readonly readyMs: number;
  stop(): Promise<unknown>;
}> {
  const begun = performance.now();
  const args = ['serve', '--nats', nats.url, '--credentials', nats.credentialsFile];
  const mcs = await startMcs({ args });
  return { api: mcs.api, readyMs: performance.now() - begun, stop: () => mcs.kill('SIGTERM') };
}

const markOf = async (target: string): Promise<number> => {
  const entry = await bus.bucket(buckets.members).get(`checkpoint.lane.${target}`);
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { submission: number }).submission;
};

it('starts behind a long past, brings every low-water mark to the head, and telecommands leave', async () => {
  const first = await serving();
  const head = FINISHED + 1;
  await until(
    async () => (await Promise.all(targetNames(TARGETS).map(markOf))).every((mark) => mark >= head),
    { timeoutMs: 60_000, what: 'every low-water mark at the head' },
  );
  for (const target of ['sat1', `sat${TARGETS}`]) {
    const body = { target, telecommand: 'camera.ping' };
    const answer = await call<TcReply>('POST', `${first.api}/v1/tc`, body);
    expect(answer.status).toBe(202);
    const events = await readLog<TcEvent>(`${first.api}/v1/tc/${target}/${answer.body.id}/events`);
    expect(events.at(-1)?.state).toBe('COMPLETE');
  }
  await first.stop();
  const second = await serving();
  if (process.env['FINISHED'] !== undefined)
    console.info(
      JSON.stringify({ FINISHED, TARGETS, ready: [first.readyMs, second.readyMs].map(Math.round) }),
    );
  await second.stop();
  expect((await bus.last(streams.telecommandEvents, subject.tcEvent('sat1', idOf(0))))?.seq).toBeLessThan(
    head * 5,
  );
}, 600_000);
