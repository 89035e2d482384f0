/** A target that leaves the topology: what is open of it is given an end that is recorded, at once or at the next start. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileFolder } from '../../cli/mission-folder.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import { readTcEvent, type TcEvent, type TcReply } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import {
  currentRevision,
  leaf,
  logWith,
  programOf,
  setWatchdog,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 60_000 };
const GONE = /sat1 is not in the topology any more/;
let nats: TestNats;
let cell: DemoCell;

type Compiled = Extract<Awaited<ReturnType<typeof compileFolder>>, { ok: true }>['value'];
let whole: Compiled;
let without: Compiled;

/** The same mission without sat1. */
function withoutSat1({ configuration }: Compiled): Compiled {
  const { topology } = configuration;
  const targets = topology.targets.filter(({ name }) => name !== 'sat1');
  return {
    configuration: { ...configuration, topology: { ...topology, targets } },
    revision: 'f'.repeat(64),
    warnings: [],
  };
}

/** Nothing is reported of what is done on board: what is sent awaits its verification for ten seconds. */
const start = async (options: { publishes?: boolean } = {}): Promise<void> => {
  cell = await startDemoCell({ nats, ...options });
  if (options.publishes !== false) await cell.fault('no_reports', true);
};

beforeAll(async () => {
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error('the demo mission does not compile');
  whole = compiled.value;
  without = withoutSat1(whole);
  nats = await startNats();
  await start();
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await nats.stop();
}, 60_000);

async function openTelecommand(): Promise<string> {
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '30 s' } };
  const { body: sent } = await until(async () => {
    const answer = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
    return answer.status === 202 && answer;
  }, PATIENTLY);
  const isSent = async (): Promise<boolean> => (await lastOf(sent.id))?.state === 'SENT';
  await until(isSent, PATIENTLY);
  return sent.id;
}

async function lastOf(id: string): Promise<TcEvent | undefined> {
  const last = await cell.bus.last(streams.telecommandEvents, subject.tcEvent('sat1', id));
  return last && readTcEvent(last.data);
}

/** Its last event, once that is final. */
async function endOf(id: string): Promise<TcEvent> {
  return until(async () => {
    const event = await lastOf(id);
    return event !== undefined && isFinalTcState(event.state) && event;
  }, PATIENTLY);
}

describe('a target that leaves the topology', () => {
  it('under a living executor: its telecommands and runs end, and nothing is held', async () => {
    const id = await openTelecommand();
    const config = await currentRevision(cell.bus);
    const run = await submitProgram(cell.bus, programOf(config, [leaf('set', [setWatchdog(30)])]));
    await logWith(cell.bus, run, 'telecommand_sent');
    await publishConfiguration(cell.bus, without);
    const log = await logWith(cell.bus, run, 'finished');
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: false, reason: expect.stringMatching(GONE) });
    expect(await endOf(id)).toMatchObject({ state: 'VERIFY_FAILED', detail: expect.stringMatching(GONE) });
    await until(async () => {
      const held = await cell.bus.bucket(buckets.leases).get('sat1');
      return held && (JSON.parse(Buffer.from(held.value).toString()) as TargetHolds).holders.length === 0;
    }, PATIENTLY);
  }, 240_000);

  it('while no executor runs: the next one ends them', async () => {
    await publishConfiguration(cell.bus, whole);
    await until(
      () =>
        cell.fault('no_reports', true).then(
          () => true,
          () => false,
        ),
      PATIENTLY,
    );
    const id = await openTelecommand();
    const bus = await nats.connected();
    await cell.stop();
    await publishConfiguration(bus, without);
    await start({ publishes: false });
    expect(await currentRevision(cell.bus)).toBe(without.revision);
    expect(await endOf(id)).toMatchObject({ state: 'VERIFY_FAILED', detail: expect.stringMatching(GONE) });
  }, 240_000);
});
