/**
 * A process that serves drivers sleeps (SIGSTOP) while the bus still gives it its share of the questions. Mission
 * Control Service, sections 3.1 (ACK 1), 3.2 (first row) and 4.1 rule 7.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { freeze } from '../support/freeze.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import {
  currentRevision,
  eventsOf,
  leaf,
  logWith,
  programOf,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

/** One half of the questions goes to the sleeper: of so many, one certainly does. */
const QUESTIONS = 10;

let cell: DemoCell;
let processes: Mcs[];

beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'executor', 'gateways', 'telemetry'] });
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  processes = await Promise.all(
    ['one', 'two'].map((name) =>
      startMcs({ args: ['serve', '--roles', 'drivers', ...at], env: { ...STEADY, MCS_INSTANCE: name } }),
    ),
  );
}, 60_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

const encoded = () => call('POST', `${cell.api}/v1/encode`, { target: 'sat1', telecommand: 'obc.ping' });

it('MC-TC-036 MC-STM-029 MC-ENC-010 another one answers, and what the sleeper answers later does no harm', async () => {
  const [sleeper] = processes;
  await freeze(sleeper!.child.pid!);
  const submitted = Array.from({ length: QUESTIONS }, () =>
    call<TcReply>('POST', `${cell.api}/v1/tc`, { target: 'sat1', telecommand: 'obc.ping' }),
  );
  const telecommands = (await Promise.all(submitted)).map(({ body }) => body.id);
  const runs = await Promise.all(
    Array.from({ length: QUESTIONS }, async () =>
      submitProgram(
        cell.bus,
        programOf(await currentRevision(cell.bus), [leaf('a', [])], {
          leases: [{ target: 'sat1', mode: 'shared' }],
        }),
        { by: 'ana' },
      ),
    ),
  );
  const answers = await Promise.all(Array.from({ length: QUESTIONS }, encoded));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const id of telecommands) {
    const events = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
    expect(events.map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
  }
  for (const run of runs)
    expect((await logWith(cell.bus, run, 'finished')).at(-1), run).toMatchObject({ ok: true });
  sleeper!.child.kill('SIGCONT');
  await until(async () => (await encoded()).status === 200);
  // Each is on board once, and nothing else.
  expect(Object.values(await cell.receivedByRequest())).toEqual(telecommands.map(() => 1));
  for (const run of runs) expect((await eventsOf(cell.bus, run)).at(-1)).toMatchObject({ event: 'finished' });
});
