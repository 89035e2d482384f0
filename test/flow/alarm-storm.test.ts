/**
 * A storm of alarms from real samples: frames of many spacecraft, decoded, calibrated and published as ever, cross all
 * their limits at once and come back, again and again. Mission Control Service, section 4.4. `MCS_WHOLE_STORM=1` for
 * the whole.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatewayOf, limitMission, limitPacket, NOMINAL, OUTSIDE } from '../../benchmark/limit-mission.ts';
import type { AlarmEvent, AlarmRecord } from '../../contract/alarm.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const WHOLE = process.env['MCS_WHOLE_STORM'] !== undefined;
/** Packets of each spacecraft that storm, and measures of one: one page more is quiet but for people. */
const { pages, measures, times } = WHOLE
  ? { pages: 5, measures: 100, times: 10 }
  : { pages: 1, measures: 60, times: 3 };
/** Enough of them that each alone could keep the leader busy. */
const TARGETS = Array.from({ length: 20 }, (_, n) => `sat${n + 1}`);
const QUIET = pages + 1;
const ALARMS = TARGETS.length * pages * measures;
const PATIENCE_MS = WHOLE ? 1_800_000 : 60_000;

/** What the stream says, as it comes. */
class Heard {
  total = 0;
  /** Last event of each alarm. */
  readonly last = new Map<string, AlarmEvent>();
  readonly holes: string[] = [];
  readonly epochs = new Set<string>();

  take(name: string, event: AlarmEvent, epoch: string): void {
    const before = this.last.get(name)?.seq ?? 0;
    if (event.seq !== before + 1) this.holes.push(`${name}: ${event.seq} behind ${before}`);
    this.last.set(name, event);
    this.epochs.add(epoch);
    this.total += 1;
  }
}

let folder: string;
let cell: DemoCell;
const received = new Heard();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-storm-'));
  for (const { file, text } of limitMission({ targets: TARGETS, pages: QUIET, measures }))
    await writeFile(join(folder, file), text);
  // That people are answered amid the storm is judged by what of it is over, and by no time.
  await writeFile(join(folder, 'config.yaml'), 'config: storm\nalarms: { answer_within: 1 min }\n');
  cell = await startDemoCell({
    folder,
    roles: ['api', 'drivers', 'telemetry', 'alarms'],
    memberTtlMs: 60_000,
  });
  const prefix = 'mcs.alarm.evt.'.length;
  await cell.bus.follow(streams.alarms, subject.alarmEvents(), { from: 'start' }, (message) => {
    const event = JSON.parse(Buffer.from(message.data).toString()) as AlarmEvent;
    received.take(message.subject.slice(prefix), event, message.headers[header.epoch] ?? '');
  });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Hands over what a gateway has received of these pages at once. */
async function receive(target: string, of: readonly number[], value: number): Promise<void> {
  const frames = of.map((page) => limitPacket(page, value, measures));
  const at = frames.map(() => Date.now());
  await cell.bus.append(streams.frames, subject.frames(gatewayOf(target)), encodeBatch({ at, frames }));
}

async function acknowledge(alarm: string): Promise<{ status: number; ms: number }> {
  const begun = performance.now();
  const path = `/v1/alarms/sat1/${encodeURIComponent(alarm)}/acknowledge`;
  const { status } = await call('POST', `${cell.api}${path}`, undefined, { 'x-mcs-user': 'ada' });
  return { status, ms: performance.now() - begun };
}

const reaches = (total: number): Promise<unknown> =>
  until(() => received.total >= total, { timeoutMs: PATIENCE_MS, what: `transition ${total}` });

it(
  `MC-ALM-053 MC-ALM-055 ${ALARMS} limits that samples cross and come back from ${times} times: each transition recorded and told once, and people are answered meanwhile`,
  async () => {
    const storming = Array.from({ length: pages }, (_, n) => n + 1);
    await receive('sat1', [QUIET], OUTSIDE);
    await reaches(measures);
    const begun = performance.now();
    const answered: number[] = [];
    for (let time = 1; time <= times; time += 1) {
      for (const value of [OUTSIDE, NOMINAL])
        await Promise.all(TARGETS.map((target) => receive(target, storming, value)));
      const before = measures + answered.length;
      await reaches(before + 2 * ALARMS * (time - 1) + ALARMS / 4);
      const { status, ms } = await acknowledge(`bank[${QUIET}].m${time}`);
      expect(status).toBe(202);
      expect(received.total, 'the answer came amid the storm').toBeLessThan(before + 2 * ALARMS * time);
      answered.push(ms);
    }
    const total = measures + 2 * ALARMS * times + times;
    await reaches(total);
    const perSecond = Math.round((2 * ALARMS * times * 1_000) / (performance.now() - begun));
    if (WHOLE)
      console.log(`${perSecond} transitions/s; answers to people, ms: ${answered.map(Math.round).join(' ')}`);

    expect(received.holes).toEqual([]);
    // One term of one leader: whoever could not go on would have led again.
    expect(received.epochs.size).toBe(1);
    const records = await cell.bus.bucket(buckets.alarms).list('>');
    expect(records).toHaveLength(ALARMS + measures);
    const wrong = records.filter(({ key, value }) => {
      const record = JSON.parse(Buffer.from(value).toString()) as AlarmRecord;
      const { seq, state, at } = received.last.get(key) ?? {};
      return record.seq !== seq || record.state !== state || record.changed_at !== at;
    });
    expect(wrong.map(({ key }) => key)).toEqual([]);
    const stormy = [...received.last].filter(([key]) => !key.includes(`.${QUIET}.`));
    expect(stormy.every(([, { seq, state }]) => seq === 2 * times && state === 'CLEARED_UNACK')).toBe(true);
    expect(received.total).toBe(total);
  },
  2 * PATIENCE_MS,
);
