/** The recorder of the log of events on the twin of the bus: each event once, and what is missing is said. */

import { describe, expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { StreamFill } from '../../../ports/fills.ts';
import { storedSchedule } from '../../mission/schedule/records.ts';
import { storedTransfer } from '../../support/transfers.ts';
import { alarms, RecorderWorld, START } from './recorder-world.ts';

const MONTH_MS = 31 * 86_400_000;
const RUN = '01J0000000000000000000000A';
const AT = new Date(START).toISOString();
const TAKEN_OVER = { run: RUN, seq: 1, at: AT, event: 'taken_over' };
const STARTED = {
  ...TAKEN_OVER,
  event: 'started',
  procedure: 'p',
  environment: 'flight',
  targets: { sat: 5 },
};
const COMMAND = { component: 'obc', telecommand: 'reset' };
const SENT = { tc: RUN, state: 'PENDING', at: AT, by: 7, telecommand: COMMAND };
const LOW = { target: 'sat1', component: 'bat', alarm: 'low' };
const RAISED = { ...LOW, seq: 1, state: 'ACTIVE_UNACK', previous: 'NORMAL', cause: 'condition', at: AT };
const KEY = 'sat1.7.2';

const schedule = (change: unknown): object => ({ ...storedSchedule(), changes: [change] });
const transfer = (more: object): object => storedTransfer(more);

/** A mode, a link and two alarms are recorded. */
async function recorded(world: RecorderWorld) {
  const recorder = await world.recorder(1);
  await world.setMode('sat1', 'safe');
  world.reportLink('g1', 'up', START);
  await world.raise(2);
  await world.pass(3_000);
  expectOnce(world, 2);
  return recorder;
}

function expectOnce(world: RecorderWorld, raised: number): void {
  expect(world.sources('alarm')).toEqual(alarms(1, raised));
  expect(world.sources('mode')).toHaveLength(1);
  expect(world.sources('link')).toHaveLength(1);
}

describe('a stream that discarded what was not recorded', () => {
  it('is a gap that names the positions, while nobody records', async () => {
    const world = new RecorderWorld();
    const first = await recorded(world);
    await world.kill(first);
    await world.raise(5);
    world.server.discard(streams.alarms, 2);
    await world.recorder(2);
    expect(world.notes).toEqual([
      'Messages 3 to 5 of ALARMS had been discarded before the log recorded them.',
    ]);
    expect(world.sources('alarm')).toEqual([...alarms(1, 2), ...alarms(6, 7)]);
  });

  it('is a gap while a recorder is cut off from the bus', async () => {
    const world = new RecorderWorld();
    const { bus } = await recorded(world);
    world.server.turn(false);
    bus.breakConnection();
    world.server.turn(true);
    const raised = world.raise(4);
    world.server.discard(streams.alarms, 0);
    await raised;
    await world.raise(1);
    await world.pass(5_000);
    const kept = world.sources('alarm').map((source) => Number(source.slice('ALARMS:'.length)));
    const said = world.notes.flatMap((text) => {
      const [first, last = first] = text.match(/\d+/g)!.map(Number);
      return Array.from({ length: last! - first! + 1 }, (_, n) => first! + n);
    });
    expect([...kept, ...said].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('is a gap from the beginning, where nobody had recorded it before', async () => {
    const world = new RecorderWorld();
    await world.raise(4);
    world.server.discard(streams.alarms, 1);
    await world.recorder(1);
    expect(world.notes).toEqual([
      'Messages 1 to 3 of ALARMS had been discarded before the log recorded them.',
    ]);
    expect(world.sources('alarm')).toEqual(alarms(4, 4));
  });

  it('is a gap although nothing comes behind it, once', async () => {
    const world = new RecorderWorld();
    await world.kill(await recorded(world));
    await world.raise(3);
    world.server.discard(streams.alarms, 0);
    const second = await world.recorder(2);
    const said = ['Messages 3 to 5 of ALARMS had been discarded before the log recorded them.'];
    expect(world.notes).toEqual(said);
    await world.kill(second);
    await world.recorder(3);
    await world.raise(1);
    await world.pass(3_000);
    expect(world.notes).toEqual(said);
    expect(world.sources('alarm')).toEqual([...alarms(1, 2), ...alarms(6, 6)]);
  });

  it('is in the heartbeats of the recorder, for the view of connectors', async () => {
    const world = new RecorderWorld();
    const beats: Record<string, { seq: number; lost?: { messages: number } }>[] = [];
    world.bus.serve(subject.connectorRegister('recorder'), async () =>
      Buffer.from('{"ok":true,"value":{"registered":true}}'),
    );
    world.bus.serve(subject.connectorHeartbeat('recorder'), async ({ data }) => {
      beats.push(JSON.parse(Buffer.from(data).toString()).positions);
      return Buffer.from('{"ok":true,"value":{"register":false}}');
    });
    await world.raise(4);
    world.server.discard(streams.alarms, 1);
    await world.recorder(1);
    await world.pass(10_000);
    expect(beats.at(-1)?.['recorder-alarms']).toMatchObject({ seq: 4, lost: { messages: 3 } });
    expect(beats.at(-1)?.['recorder-runs']).toEqual({ seq: 0 });
  });
});

describe('two recorders at once', () => {
  it('record nothing twice and leave nothing out', async () => {
    const world = new RecorderWorld();
    const former = await recorded(world);
    const later = await world.recorder(2);
    for (let n = 3; n <= 12; n += 1) {
      await world.raise(1);
      await world.pass(500);
    }
    await world.pass(5_000);
    expectOnce(world, 12);
    await world.kill(later);
    await world.kill(former);
    await world.raise(2);
    await world.recorder(3);
    expectOnce(world, 14);
  });

  it('record nothing twice where the former one was paused with a batch under way', async () => {
    const world = new RecorderWorld();
    const former = await recorded(world);
    const subjectOfAlarms = subject.events('alarms');
    const before = (await world.done(world.bus.last(streams.events, subjectOfAlarms)))!;
    await world.raise(1);
    await world.recorder(2);
    await world.pass(3_000);
    // What the former one sent before its pause arrives now.
    const late = await world.done(
      former.bus.append(streams.events, subjectOfAlarms, before.data, {
        id: 'late',
        expectLastSubjectSeq: before.seq,
      }),
    );
    expect(late.outcome).toBe('conflict');
    await world.raise(1);
    await world.pass(3_000);
    expectOnce(world, 4);
  });
});

describe('a recorder that begins again', () => {
  it('goes on at once, in the term of the same lease', async () => {
    const world = new RecorderWorld();
    const { bus } = await recorded(world);
    const on = subject.events('alarms');
    const last = (await world.done(world.bus.last(streams.events, on)))!;
    // Somebody else writes: the recorder is refused and begins again.
    await world.done(world.bus.append(streams.events, on, last.data, { id: 'other' }));
    await world.raise(1);
    await world.pass(5_000);
    await world.raise(1);
    await world.pass(5_000);
    expect(new Set(world.sources('alarm'))).toEqual(new Set(alarms(1, 4)));
    expect(bus.connected).toBe(true);
    expect(world.crashes).toEqual([]);
  });

  it('goes on behind an outage of the bus', async () => {
    const world = new RecorderWorld();
    await recorded(world);
    world.server.turn(false);
    await world.pass(60_000);
    world.server.turn(true);
    await world.pass(5_000);
    await world.raise(3);
    await world.pass(30_000);
    expectOnce(world, 5);
  });
});

describe('a log that was emptied', () => {
  it('gets nothing a second time, while it is recorded', async () => {
    const world = new RecorderWorld();
    await recorded(world);
    world.server.discard(streams.events, 0);
    world.reportLink('g1', 'up', START);
    await world.raise(3);
    await world.pass(10_000);
    world.reportLink('g1', 'up', START);
    await world.pass(10_000);
    expectOnce(world, 5);
    expect(world.notes).toEqual([]);
  });

  it('gets nothing a second time while nobody records', async () => {
    const world = new RecorderWorld();
    await world.kill(await recorded(world));
    world.server.discard(streams.events, 0);
    await world.raise(1);
    await world.recorder(2);
    world.reportLink('g1', 'up', START);
    await world.pass(10_000);
    expectOnce(world, 3);
    expect(world.notes).toEqual([]);
  });

  it('gets nothing a second time where it was deleted and made again', async () => {
    const world = new RecorderWorld();
    await recorded(world);
    world.server.turn(false);
    world.server.createAgain(streams.events);
    world.server.turn(true);
    await world.pass(10_000);
    await world.raise(1);
    world.reportLink('g1', 'up', START);
    await world.pass(10_000);
    expectOnce(world, 3);
  });

  it('gets nothing a second time where events left it by their age, and what is new at once', async () => {
    const world = new RecorderWorld();
    await world.kill(await recorded(world));
    world.clock.advanceTo(world.clock.now() + MONTH_MS);
    world.server.discard(streams.events, 0);
    const second = await world.recorder(2);
    world.reportLink('g1', 'up', START);
    await world.raise(1);
    await world.pass(10_000);
    expectOnce(world, 3);
    await world.kill(second);
    await world.setMode('sat1', 'nominal');
    await world.recorder(3);
    expect(world.sources('mode')).toHaveLength(2);
  });
});

describe('a stream that was made again', () => {
  it('is recorded from what was stored later, and the change is said', async () => {
    const world = new RecorderWorld();
    await world.kill(await recorded(world));
    world.server.turn(false);
    world.server.createAgain(streams.alarms);
    world.server.turn(true);
    await world.raise(1);
    await world.recorder(2);
    expect(world.sources('alarm')).toEqual([...alarms(1, 2), ...alarms(1, 1)]);
    expect(world.notes).toEqual([expect.stringContaining('ALARMS is another stream, or went back')]);
  });

  it('is recorded from what was stored later where the log was emptied too', async () => {
    const world = new RecorderWorld();
    await world.kill(await recorded(world));
    const [first] = world.server.stream(streams.alarms).messages;
    world.server.turn(false);
    world.server.rewind((name) => (name === 'ALARMS' ? first!.at : Number.POSITIVE_INFINITY));
    world.server.turn(true);
    world.server.discard(streams.events, 0);
    await world.recorder(2);
    await world.raise(1);
    await world.pass(3_000);
    expect(world.sources('alarm')).toEqual([...alarms(1, 2), ...alarms(2, 2)]);
    expect(world.notes).toEqual([expect.stringContaining('ALARMS is another stream, or went back')]);
  });
});

describe('what is not to be read', () => {
  it('is an event and a dead letter, once, whoever takes over', async () => {
    const world = new RecorderWorld();
    const first = await world.recorder(1);
    await world.say(streams.telecommandEvents, subject.tcEvent('sat1', 'broken'), '{');
    await world.done(world.bus.bucket(buckets.modes).overwrite('sat1', Buffer.from('{')), 100);
    // As a mode leaves it that was taken back: it was never set.
    await world.done(world.bus.bucket(buckets.modes).overwrite('sat2', new Uint8Array()), 100);
    await world.pass(3_000);
    await world.kill(first);
    await world.recorder(2);
    expect(world.notes).toContain('Message 1 of TC_EVENTS cannot be read.');
    expect(world.notes).toContain('Entry sat1 of mcs_modes cannot be read (revision 1).');
    expect(world.notes).toHaveLength(2);
    expect(world.deadLetters.shown).toEqual([expect.objectContaining({ kind: 'recorder' })]);
  });

  it.each<[string, StreamDefinition, string, object]>([
    ['a run event by a number', streams.runs, subject.runEvents(RUN), { ...TAKEN_OVER, by: 5 }],
    ['a run event by a list', streams.runs, subject.runEvents(RUN), { ...TAKEN_OVER, by: ['p1'] }],
    ['a run of a target that is a number', streams.runs, subject.runEvents(RUN), STARTED],
    ['a telecommand by a number', streams.telecommandEvents, subject.tcEvent('sat1', RUN), SENT],
    ['an alarm of another severity', streams.alarms, subject.alarmEvent(LOW), { ...RAISED, severity: 'bad' }],
  ])(
    'stream-source.S2 event-of.E1 %s is a note and a dead letter, once, and stops nothing',
    async (_what, stream, on, body) => {
      const world = new RecorderWorld();
      await world.say(stream, on, JSON.stringify(body));
      const first = await world.recorder(1);
      await world.setMode('sat1', 'safe');
      await world.pass(3_000);
      await world.kill(first);
      await world.recorder(2);
      expect(world.notes).toEqual([`Message 1 of ${stream.name} cannot be read.`]);
      expect(world.deadLetters.shown).toEqual([expect.objectContaining({ kind: 'recorder' })]);
      expect([world.sources('mode').length, world.crashes]).toEqual([1, []]);
    },
  );

  it.each<[string, BucketDefinition, string, object]>([
    [
      'a change of a schedule without reasons',
      buckets.schedules,
      's1',
      schedule({ at: AT, state: 'missed' }),
    ],
    ['a change of a schedule that is null', buckets.schedules, 's1', schedule(null)],
    ['a change of a transfer that is null', buckets.transfers, KEY, transfer({ actor: { changes: [null] } })],
    ['a transfer by a number', buckets.transfers, KEY, transfer({ by: 5 })],
    ['a unit enrolled by a number', buckets.units, 'u1', { public_key: 'k', enrolled: { at: AT, by: 5 } }],
  ])(
    'record-source.R3 event-of.E1 %s is a note, once, and stops nothing',
    async (_what, bucket, key, body) => {
      const world = new RecorderWorld();
      await world.done(world.bus.bucket(bucket).overwrite(key, Buffer.from(JSON.stringify(body))), 10);
      const first = await world.recorder(1);
      await world.raise(1);
      await world.pass(3_000);
      await world.kill(first);
      await world.recorder(2);
      expect(world.notes).toEqual([`Entry ${key} of ${bucket.name} cannot be read (revision 1).`]);
      expect([world.sources('alarm'), world.crashes]).toEqual([alarms(1, 1), []]);
    },
  );
});

describe('what is about to be lost', () => {
  const fill = (filling: boolean): StreamFill => ({
    stream: 'TM_VALUES',
    bytes: filling ? 90 : 10,
    maxBytes: 100,
    fill: filling ? 0.9 : 0.1,
    oldestS: 60,
    bytesPerS: 1,
    keepsS: 100,
    filling,
    isFull: false,
  });

  it('is an event when a stream fills up and when it has room again, once each, whoever records', async () => {
    const world = new RecorderWorld();
    const first = await world.recorder(1);
    world.fills = [fill(true)];
    await world.pass(30_000);
    await world.kill(first);
    const second = await world.recorder(2);
    await world.pass(30_000);
    const filling =
      'The bus fills up: 90 % of TM_VALUES is taken: in 10 s the oldest messages give way; at this rate it keeps 100 s.';
    expect(world.notes).toEqual([filling]);
    await world.kill(second);
    world.fills = [fill(false)];
    await world.recorder(3);
    await world.pass(30_000);
    expect(world.notes).toEqual([filling, 'The bus has room again: TM_VALUES.']);
  });

  it('is an event of a connector: at risk, not any more, and what it lost', async () => {
    const world = new RecorderWorld();
    const bucket = world.bus.bucket(buckets.connectors);
    const say = (found: object) =>
      world.done(bucket.overwrite('warehouse', Buffer.from(JSON.stringify(found))), 100);
    await world.recorder(1);
    const since = new Date(START).toISOString();
    const risk = (at_risk: boolean, at: number) => ({
      values: { at: new Date(at).toISOString(), at_risk, ...(at_risk && { reason: 'in 5 s' }) },
    });
    await say({ risk: risk(true, START) });
    const lost = { values: { messages: 7, since, through: 8 } };
    await say({ risk: risk(true, START), lost });
    await say({ risk: risk(false, START + 9_000), lost });
    await world.pass(3_000);
    const said = world.logged.filter(({ kind }) => kind === 'connector');
    expect(said.map(({ severity, state, text }) => [severity, state, text])).toEqual([
      ['warning', 'at_risk', 'Connector warehouse is about to lose messages (values): in 5 s.'],
      [
        'warning',
        'lost',
        `Connector warehouse lost messages that were discarded before it had read them (values): 7 since ${since}.`,
      ],
      ['info', 'not_at_risk', 'Connector warehouse is not about to lose messages any more (values).'],
    ]);
  });
});
