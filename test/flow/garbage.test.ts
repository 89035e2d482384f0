/**
 * Entries and messages that nobody can read, one in every bucket and stream of the contract: they break what they are
 * of, and no target, no list and no process.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { checkBus } from '../../supervision/bus-check/check.ts';
import { realClock } from '../../supervision/clock.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { currentRevision, leaf, logWith, ping, programOf, submitProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 90_000 };
const ID = '01J5ZK3M8QW7V9XH2C4T6R0001';
const BYTES = [Buffer.from([0xc1, 0xff, 0x00, 0x7b]), Buffer.from('null'), Buffer.from('[{"version":99}]')];

/** A key of each bucket, of something that is not needed by what is tried. */
const KEYS: Readonly<Record<keyof typeof buckets, readonly string[]>> = {
  config: ['revision.none'],
  actors: [`telecommand.sat2.${ID}`, `run.${ID}`, 'radio.bench'],
  leases: ['sat2'],
  programs: ['none'],
  runs: [ID],
  openRuns: [`0.${ID}`],
  runReports: [ID],
  alarms: ['sat2.battery.1.voltage'],
  leaders: ['nobody'],
  modes: ['sat2'],
  passes: ['sat2.none'],
  passesOver: ['days', '20260101', '20260101.sat2'],
  passJournals: ['sat2'],
  passGateways: ['sat2.none'],
  schedules: ['none'],
  schedulesOver: ['days', '20260101', '20260101.0'],
  scheduleRules: ['none'],
  ruleRefusals: ['none.none'],
  directories: ['sat2'],
  transfers: ['sat2.1.1'],
  openTransfers: ['sat2.1.1'],
  leftFiles: ['sat2.1.1'],
  decodings: ['sat2.1.1'],
  transfersOver: ['days', '20260101', '20260101.sat2'],
  transferDays: ['sat2.1.1'],
  members: ['member.none', 'partition.lane.sat2', 'checkpoint.lane.sat2', 'checkpoint.decoder.sim-1'],
  values: ['sat2'],
  units: ['none'],
  connectors: ['none'],
  drivers: ['none.none'],
  benchRuns: ['campaign.none'],
  benchReports: ['none'],
  benchEvents: ['000000000001'],
};

const SUBJECTS: Readonly<Record<keyof typeof streams, string>> = {
  telecommands: subject.tcSubmit('sat1'),
  telecommandEvents: subject.tcEvent('sat1', ID),
  frames: subject.frames('sim-1'),
  decoded: subject.decoded('sat1'),
  values: subject.values('sat1'),
  runs: subject.runEvents(ID),
  runSubmissions: subject.runSubmit,
  runAnswers: subject.runApproval(ID),
  alarms: subject.alarmEvent({ target: 'sat1', component: 'c', alarm: 'a' }),
  fileChunks: subject.fileChunk('sat1', '1'),
  events: subject.events('telecommand'),
  deadLetters: subject.deadLetter('none'),
};

const LISTS = [
  'runs',
  'alarms',
  'passes',
  'schedules',
  'schedule-rules',
  'transfers',
  'units',
  'connectors',
  'inspect/tree',
];

let nats: TestNats;
let cell: DemoCell;

beforeAll(async () => {
  nats = await startNats();
  cell = await startDemoCell({ nats });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await nats.stop();
}, 60_000);

/** Each kind of bytes in a third of the buckets and streams, by turns. */
async function spoil(turn: number): Promise<void> {
  const { bus } = cell;
  let place = turn;
  const next = (): Buffer => {
    place += 1;
    return BYTES[place % BYTES.length]!;
  };
  for (const [name, keys] of Object.entries(KEYS)) {
    const bucket = bus.bucket(buckets[name as keyof typeof buckets] as BucketDefinition);
    for (const key of keys) await bucket.overwrite(key, next());
  }
  for (const [name, about] of Object.entries(SUBJECTS))
    await bus.append(streams[name as keyof typeof streams], about, next());
}

async function works(): Promise<void> {
  const { api, bus } = cell;
  const sent = await call<TcReply>('POST', `${api}/v1/tc`, {
    target: 'sat1',
    telecommand: 'obc.ping',
    args: {},
  });
  expect(sent.status).toBe(202);
  const events = await readLog<TcEvent>(`${api}/v1/tc/sat1/${sent.body.id}/events`);
  expect(events.at(-1)?.state).toBe('VERIFIED');
  const config = await currentRevision(bus);
  const run = await submitProgram(bus, programOf(config, [leaf('ping', [ping()])]));
  expect((await logWith(bus, run, 'finished')).at(-1)).toMatchObject({ ok: true });
  const before = Date.now();
  await until(async () => {
    const { body } = await call<CurrentValues>('GET', `${api}/v1/targets/sat1/values`);
    return body.values?.some(({ sample }) => Date.parse(sample.ground_time) > before);
  }, PATIENTLY);
  for (const list of LISTS)
    expect([list, (await call('GET', `${api}/v1/${list}`)).status]).toEqual([list, 200]);
}

describe('what cannot be read, in every bucket and stream', () => {
  it('stops nothing of a living process', async () => {
    await spoil(0);
    await works();
    expect((await call<{ roles: object }>('GET', `${cell.api}/healthz`)).body.roles).toSatisfy(
      (roles: object) => Object.values(roles).every((state) => state === 'running'),
    );
  }, 240_000);

  it.each(process.env['GARBAGE'] === 'each' ? [0, 1, 2] : [1])(
    'stops nothing of a process that begins with it (%i)',
    async (turn) => {
      await spoil(turn);
      await cell.stop();
      cell = await startDemoCell({ nats });
      await works();
    },
    240_000,
  );

  it('is named by mcs bus check', async () => {
    await cell.bus.ensureAssets();
    const looking = await nats.connected({ looksOnly: true });
    const { findings } = await checkBus({ bus: looking, clock: realClock, bringUp: async () => true });
    const unreadable = findings
      .filter((each) => each.check === 'unreadable-record')
      .map(({ where }) => where);
    for (const where of ['mcs_transfers sat2.1.1', 'mcs_schedules none', `mcs_open_runs 0.${ID}`])
      expect(unreadable).toContain(where);
  }, 60_000);
});
