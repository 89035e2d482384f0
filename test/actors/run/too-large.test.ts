/** Runs whose events do not fit into a message of the bus: each ends with its reason, and its shard goes on. */

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { Program, TextPart } from '../../../contract/program.ts';
import { programDocument } from '../../../mission/procedure/program-document.ts';
import type { Bus } from '../../../ports/bus.ts';
import { realClock } from '../../../supervision/clock.ts';
import { type LimitedNats, startLimitedNats } from '../../support/limited-nats.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { quiet } from '../../support/nats.ts';
import { lastOf, leaf, logWith, openRun, programOf, runOf, submitRun } from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { RunExecutor } from './run-executor.ts';

/** Twice what the bus takes, and next to nothing when it is compressed, as programs are stored. */
const LONG = 'x'.repeat(128 * 1024);
const mission = demoMission();

let nats: LimitedNats;
let bus: Bus & { close(): Promise<void> };
let executor: RunExecutor;

beforeAll(async () => {
  nats = await startLimitedNats(undefined, { maxPayload: '64KB' });
  bus = openBus({ url: nats.url, name: 'test', log: quiet, settleMs: 0 });
  await until(() => bus.connected);
  executor = new RunExecutor({ bus, clock: realClock, missions: new TestMissions(mission) });
  await executor.hold('3');
}, 60_000);
afterAll(async () => {
  await executor.stop();
  await bus.close();
  await nats.stop();
});

const saying = (text: TextPart): Program =>
  programOf(mission.revision, [leaf('say', [{ kind: 'log', message: [text] }])], {
    leases: [],
    targets: {},
    sends: false,
  });

async function launch(program: Program): Promise<string> {
  const { ir, canonical } = programDocument(program);
  const bytes = canonical.length < LONG.length ? Buffer.from(canonical) : gzipSync(canonical);
  await bus.bucket(buckets.programs).put(ir, bytes, 0);
  const run = runOf('3');
  await submitRun(bus, { run, ir });
  return run;
}

it.each([
  ['an event', saying(LONG), ['started', 'procedure_started', 'step_started', 'finished']],
  ['its inputs', { ...saying('hello'), inputs: { note: { value: LONG } } }, ['started', 'finished']],
] as const)(
  'kind.C12 actors/run/ending.N3 %s too large for the bus ends the run with its reason',
  async (_, program, events) => {
    const run = await launch(program as Program);
    const log = await logWith(bus, run, 'finished');

    expect(log.map(({ event }) => event)).toEqual(events);
    expect(lastOf(log, 'finished')).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/takes \d+ bytes, and the bus takes 65536.*Raise `max_payload`/),
    });
    await until(async () => (await openRun(bus, run)) === undefined);

    const next = await launch(saying('short'));
    expect(lastOf(await logWith(bus, next, 'finished'), 'finished')).toMatchObject({ ok: true });
    await until(async () => (await openRun(bus, next)) === undefined);
    expect(executor.failures).toEqual([]);
    expect(executor.runs.kind.trouble()).toEqual({});
  },
);
