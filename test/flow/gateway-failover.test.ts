/**
 * A gateway that changes its process while telecommands flow: kill -9 of the process that has it, and one that comes
 * and takes it over in order. Real processes; what left is what the gateways report. No telecommand fails by it, none
 * leaves twice.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { SentMessage } from '../../contract/link.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { freeze } from '../support/freeze.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { owned, visit } from '../support/members.ts';
import { until } from '../support/until.ts';

/** A busy machine takes nothing from the living by it; the dead of this machine are seen at once. */
const MEMBER_TTL_MS = 20_000;
const BURST = 12;
const PATIENTLY = { timeoutMs: 60_000 };

let cell: DemoCell;
/** States by telecommand, and how often each key left. */
const states = new Map<string, TcEvent[]>();
const left = new Map<string, number>();

beforeAll(async () => {
  cell = await startDemoCell({
    roles: ['api', 'executor', 'drivers', 'telemetry'],
    memberTtlMs: MEMBER_TTL_MS,
  });
  cell.bus.subscribe(subject.sent('sim-1'), ({ data }) => {
    const { key, outcome } = JSON.parse(Buffer.from(data).toString()) as SentMessage;
    if (outcome === 'sent') left.set(key, (left.get(key) ?? 0) + 1);
  });
  await cell.bus.follow(
    streams.telecommandEvents,
    subject.tcEvents('sat1'),
    { from: 'start' },
    ({ data }) => {
      const event = JSON.parse(Buffer.from(data).toString()) as TcEvent;
      states.set(event.tc, [...(states.get(event.tc) ?? []), event]);
    },
  );
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

function gatewayProcess(instance: string): Promise<Mcs> {
  const { url, credentialsFile } = cell.nats;
  return startMcs({
    args: ['serve', '--roles', 'gateways', '--nats', url, '--credentials', credentialsFile],
    env: { MCS_INSTANCE: instance, MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS) },
  });
}

/** A name that outranks the heir for the gateway. */
function firstName(): string {
  for (let salt = 0; ; salt += 1)
    if (highestRanked('sim-1', [`first-${salt}`, 'heir']) !== 'heir') return `first-${salt}`;
}

async function submit(): Promise<string> {
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: 60 } };
  const submitted = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
  expect(submitted.status).toBe(202);
  return submitted.body.id;
}

const hasLeftOrEnded = (id: string): boolean =>
  (states.get(id) ?? []).some(({ state }) => state === 'SENT' || isFinalTcState(state));

it('MC-TC-040 O2 telecommands to a gateway between two processes wait and leave once: kill -9 of the one, and one that takes it over', async () => {
  const name = firstName();
  const first = await gatewayProcess(name);
  await owned(cell.bus, 'gateway.sim-1', name);
  const heir = await gatewayProcess('heir');
  const submitted: string[] = [];
  const flow = async (): Promise<void> => {
    for (let n = 0; n < BURST; n += 1) submitted.push(await submit());
  };
  await flow();
  await until(() => submitted.every(hasLeftOrEnded), PATIENTLY);

  // Nothing is in the hands of the gateway when it dies: what comes behind finds nobody, as the heir sleeps.
  await freeze(heir.child.pid!);
  await first.kill('SIGKILL');
  await flow();
  expect(submitted.filter((id) => !hasLeftOrEnded(id))).toHaveLength(BURST);
  heir.child.kill('SIGCONT');
  await visit(cell.bus);
  await until(() => submitted.every(hasLeftOrEnded), PATIENTLY);

  // It comes again while telecommands flow, and the other one gives the gateway back to it.
  let isBack = false;
  const back = gatewayProcess(name)
    .then(() => owned(cell.bus, 'gateway.sim-1', name))
    .finally(() => {
      isBack = true;
    });
  while (!isBack) await flow();
  await back;
  await flow();
  await until(() => submitted.every(hasLeftOrEnded), PATIENTLY);

  const ends = submitted.flatMap((id) =>
    (states.get(id) ?? []).filter(({ state }) => state.endsWith('_FAILED')),
  );
  expect(ends.filter(({ state }) => state === 'SEND_FAILED').map(({ detail }) => detail)).toEqual([]);
  // Gateways report beside their answers.
  await until(() => left.size >= submitted.length, { ...PATIENTLY, what: 'the reports of the gateways' });
  expect([...left].filter(([, times]) => times !== 1)).toEqual([]);
  expect(left.size).toBe(submitted.length);
}, 300_000);
