/**
 * Records of runs that are damaged, or that another version wrote, on a real bus: each is the matter of its run alone.
 */

import { Packr } from 'msgpackr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../../../bus/nats-bus.ts';
import { buckets } from '../../../../contract/bus/buckets.ts';
import type { Bucket } from '../../../../ports/bus.ts';
import { createSnapshotStore } from '../../../../supervision/cells/snapshot-store.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { startNats, type TestNats } from '../../../support/nats.ts';
import { until } from '../../../support/until.ts';
import { granted, type RunsBench, runsBench } from '../runs-bench.ts';
import { campaign, measureStep, scenario } from '../runs-documents.ts';
import { measured, ScriptedBoard } from '../scripted-board.ts';

const packr = new Packr({ useRecords: false, moreTypes: true });
const quick = scenario({ name: 'quick', timeline: [measureStep], assertions: scenario().assertions });

let nats: TestNats;
let bus: NatsBus;
let records: Bucket;
/** Of the first run of each kind. */
const damaged = { scenario: '', campaign: '' };
const whole = { scenario: '', campaign: '' };

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  records = bus.bucket(buckets.benchRuns);
  const bench = await life('one');
  for (const ids of [damaged, whole]) {
    const { run_id } = granted(await bench.scenarios.start('quick'));
    await until(async () => granted(await bench.scenarios.run(run_id)).status === 'passed');
    const { id } = granted(await bench.campaigns.start('night'));
    await until(async () => granted(await bench.campaigns.run(id)).status === 'finished');
    await until(() => bench.campaigns.active().active === null);
    Object.assign(ids, { scenario: run_id, campaign: id });
  }
  await bench.die();
}, 60_000);
afterAll(() => nats.stop());

/** A life of the daemon over the records of the bus. */
function life(session: string): Promise<RunsBench> {
  const store = (kind: string) => createSnapshotStore({ bus, kind, bucket: buckets.benchRuns });
  return runsBench({
    session,
    running: realClock,
    board: new ScriptedBoard().on('datapath.measure', () => measured(1)),
    onBus: {
      stores: { scenario: store('scenario'), campaign: store('campaign') },
      reports: bus.bucket(buckets.benchReports),
    },
    scenarios: [quick],
    campaigns: [campaign([{ id: 'proof', kind: 'scenario', scenario: 'quick' }])],
  });
}

/** The record with another value, or none, at a path. */
function changed(record: Uint8Array, path: string, value: unknown): Uint8Array {
  const root = packr.unpack(record) as object;
  const steps = path.split('.');
  const last = steps.pop()!;
  const at = steps.reduce((each, step) => (each as Record<string, object>)[step]!, root);
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Reflect.set(at, last, value);
  return packr.pack(root);
}

type Damage = readonly [what: string, damage: (record: Uint8Array) => Uint8Array];
const at = (path: string, ...values: readonly unknown[]): Damage[] =>
  values.map((value) => [`${path}: ${JSON.stringify(value)}`, (record) => changed(record, path, value)]);

const ENVELOPE: readonly Damage[] = [
  ['bytes', () => Buffer.from([0xc1, 0xff, 0x00, 0x7b])],
  ['nothing', () => Buffer.alloc(0)],
  ['null', () => packr.pack(null)],
  ...at('id', 'another', undefined),
  ...at('version', undefined, 'one'),
  ...at('revision', null, 1.5),
  ...at('timers', undefined, {}, [{}]),
  ...at('effects', undefined, 7, [{ key: 1 }]),
  ...at('snapshot', undefined, null, 'x', {}),
  ...at('snapshot.value', undefined, null, 'later', 7),
  ...at('snapshot.context', undefined, null, {}, 'x'),
];
const DAMAGES = {
  scenario: [
    ...ENVELOPE,
    ...at('snapshot.context.runId', 7),
    ...at('snapshot.context.scenario', undefined),
    ...at('snapshot.context.startedAt', undefined, 'noon', 1e300, -1e300),
    ...at('snapshot.context.endedAt', null, 'noon', 1e300),
    ...at('snapshot.context.cursor', -1),
    ...at('snapshot.context.profileRef', 7),
    ...at('snapshot.context.end', null, {}, { as: 'later', reason: 'x' }),
    ...at('snapshot.context.judgement', null, {}),
  ],
  campaign: [
    ...ENVELOPE,
    ...at('snapshot.context.id', undefined),
    ...at('snapshot.context.document', undefined, null, {}, { name: 'night' }),
    ...at('snapshot.context.document.steps', null, {}, [null], [{}]),
    ...at('snapshot.context.attempts', undefined, null, {}, [null], [{ step: 'proof' }]),
    ...at('snapshot.context.attempts.0.outcome', 'later'),
    ...at('snapshot.context.attempts.0.points', [{}], 'x'),
    ...at('snapshot.context.rerun', {}),
    ...at('snapshot.context.pauseRequested', undefined),
    ...at('snapshot.context.uptimeSince', 'noon', 7),
    ...at('snapshot.context.startedAtUptimeMs', Number.NaN),
  ],
};

describe.each(['scenario', 'campaign'] as const)('runs/recorded.G1 the record of a %s run', (kind) => {
  it.each(DAMAGES[kind])('with %s hides no other, is logged and left as it is', async (_, damage) => {
    const key = `${kind}.${damaged[kind]}`;
    const { value } = (await records.get(key))!;
    const bytes = Buffer.from(damage(value));
    await records.overwrite(key, bytes);
    const bench = await life('two');
    const { scenarios, campaigns } = bench;
    const ids = {
      scenario: granted(await scenarios.runs()).map(({ run_id }) => run_id),
      campaign: granted(await campaigns.runs()).map(({ id }) => id),
    };
    expect(ids[kind]).toContain(whole[kind]);
    expect(ids[kind]).not.toContain(damaged[kind]);
    expect(bench.log.said.map(({ level, fields }) => [level, fields])).toEqual([
      ['error', { kind, run: damaged[kind] }],
    ]);
    await bench.die();
    expect(Buffer.from((await records.get(key))!.value)).toEqual(bytes);
    await records.overwrite(key, Buffer.from(value));
  });

  it('with fields of a later version is shown', async () => {
    const key = `${kind}.${damaged[kind]}`;
    const { value } = (await records.get(key))!;
    let bytes = changed(value, 'later', 1);
    for (const path of ['snapshot.later', 'snapshot.context.later'])
      bytes = changed(bytes, path, { more: 1 });
    await records.overwrite(key, bytes);
    const { scenarios, campaigns, log, die } = await life('two');
    const shown =
      kind === 'scenario' ? await scenarios.run(damaged[kind]) : await campaigns.run(damaged[kind]);
    expect(granted<object>(shown)).toBeDefined();
    expect(log.said).toEqual([]);
    await die();
    await records.overwrite(key, Buffer.from(value));
  });
});

describe('scenario/report.R3 a report', () => {
  const reports = (): Bucket => bus.bucket(buckets.benchReports);
  const changes: readonly [string, (report: Record<string, unknown>) => unknown][] = [
    ['null', () => null],
    ['a list', () => []],
    ['without anything', () => ({})],
    ['of another run', (report) => ({ ...report, run_id: whole.scenario })],
    ['without events', ({ events: _, ...report }) => report],
    ['with an event that is null', (report) => ({ ...report, events: [null] })],
    ['whose assertions are text', (report) => ({ ...report, assertions: 'x' })],
    [
      'with an assertion without a verdict',
      (report) => ({ ...report, assertions: [{ name: 'a', message: '' }] }),
    ],
    ['with a sample without a name', (report) => ({ ...report, metric_samples: [{ elapsed_ms: 1 }] })],
  ];

  it.each(changes)(
    '(%s) that cannot be read counts as none, is logged and left as it is',
    async (_, change) => {
      const { value } = (await reports().get(damaged.scenario))!;
      const bytes = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(value).toString()))));
      await reports().overwrite(damaged.scenario, bytes);
      const { scenarios, log, die } = await life('two');
      expect(granted(await scenarios.report(damaged.scenario))).toMatchObject({
        run_id: damaged.scenario,
        status: 'passed',
        has_report: false,
        events: [],
        assertions: [],
        metric_samples: [],
      });
      expect(granted(await scenarios.runEvents(damaged.scenario))).toEqual([]);
      expect(log.said[0]).toMatchObject({ level: 'error', fields: { run: damaged.scenario } });
      expect(granted(await scenarios.report(whole.scenario))).toMatchObject({ has_report: true });
      await die();
      expect(Buffer.from((await reports().get(damaged.scenario))!.value)).toEqual(bytes);
      await reports().overwrite(damaged.scenario, Buffer.from(value));
    },
  );

  it('with fields of a later version is shown', async () => {
    const { value } = (await reports().get(damaged.scenario))!;
    const later = { ...JSON.parse(Buffer.from(value).toString()), later: { more: 1 } };
    await reports().overwrite(damaged.scenario, Buffer.from(JSON.stringify(later)));
    const { scenarios, log, die } = await life('two');
    expect(granted(await scenarios.report(damaged.scenario))).toMatchObject({ has_report: true });
    expect(log.said).toEqual([]);
    await die();
  });
});
