/**
 * Every checker shown to fail: a defect is put into an otherwise sound run, and the checker that watches for it must
 * say so. Defects are injected, the code under test is the real one.
 */

import { describe, expect, it } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import type { TcEvent } from '../../../contract/telecommand.ts';
import { ROLES } from '../../../supervision/role.ts';
import { checkers, violationsOf } from '../checkers/all.ts';
import { oneWriterPerEpoch } from '../checkers/telecommand-log.ts';
import type { History, RecordedEvent } from '../history.ts';
import type { Fault, Scenario, Slot, Submission } from '../scenario.ts';
import { attempt } from '../trial.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { type RunOptions, run } from '../world.ts';
import {
  careless,
  dropping,
  forgetful,
  hardOfHearing,
  hasty,
  impatient,
  lying,
  misjudging,
  restless,
  trusting,
  unfenced,
  withoutIds,
  withoutPast,
} from './defects.ts';

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

/** Six telecommands that change the state, three to each target, a second apart. */
const submissions: Submission[] = Array.from({ length: 6 }, (_, n) => ({
  at: 3_000 + 1_000 * n,
  target: n % 2 === 0 ? 'sat1' : 'sat2',
  telecommand: 'power.switch',
  args: { channel: 'heater', on: true },
  slot: n % 2,
  again: [],
}));

function scenario(faults: readonly Fault[] = [], more: Partial<Scenario> = {}): Scenario {
  return { seed: 7, slots: [slot(0), slot(1)], submissions, launches: [], faults, calmAt: 12_000, ...more };
}

async function brokenBy(options: RunOptions, from: Scenario = scenario()): Promise<Set<string>> {
  const { violations } = await attempt(from, options);
  return new Set(violations.map(({ checker }) => checker));
}

/** Dies before it has written how far it came. */
const crashBefore = (key: string, n: number): Fault => ({
  ...crashAt(`append $KV.mcs_members.${key}`, n),
  phase: 'asked',
});

/** Dies when it has stored something and does not know it yet. */
function crashAt(step: string, n: number): Extract<Fault, { kind: 'crash-at' }> {
  return { at: 4_000 + 3_000 * n, slot: n, kind: 'crash-at', step, phase: 'done', nth: 3, backMs: 1_000 };
}

it('nothing is broken where nothing is planted', async () => {
  expect(await brokenBy({})).toEqual(new Set());
});

describe('planted defects', () => {
  it('a bus that does not look at expectations lets two writers write behind the same event', async () => {
    const broken = await brokenBy({ ignoresExpectations: true, wrapBus: misjudging });
    expect(broken).toContain('gapless-subjects');
    expect(await brokenBy({ wrapBus: misjudging })).not.toContain('gapless-subjects');
  });

  it('a sleeper that is not fenced writes over its successor', async () => {
    const asleep: Fault = {
      at: 2_900,
      slot: 0,
      kind: 'pause-at',
      step: 'last mcs.tc.evt',
      phase: 'asked',
      nth: 2,
      forMs: 8_000,
      arrivalsFirst: true,
      pullsExpired: true,
    };
    const broken = await brokenBy({ wrapBus: unfenced }, scenario([asleep]));
    expect(broken).toContain('one-writer-per-epoch');
  });

  it('a gateway that forgets its keys sends twice when it is asked again', async () => {
    const mute: Fault = {
      at: 2_000,
      slot: 1,
      kind: 'service',
      forMs: 8_000,
      of: 'gateway',
      beforeMs: 0,
      afterMs: 6_000,
      fails: false,
    };
    const both = scenario([mute, { ...mute, slot: 0 }]);
    expect(await brokenBy({}, both)).toEqual(new Set());
    expect(await brokenBy({ wrapBus: forgetful }, both)).toContain('never-twice');
  });

  it('a gateway that goes from process to process under load costs no telecommand, unless its absence is taken for a refusal', async () => {
    const always = Array.from({ length: 60 }, (_, n): Submission => {
      const target = n % 2 === 0 ? 'sat1' : 'sat2';
      return { ...submissions[0]!, at: 3_000 + 150 * n, target, slot: 2 };
    });
    // Whoever has a gateway goes, one after the other, in order and without.
    const faults = [0, 1].flatMap((slot): Fault[] => [
      { at: 4_000 + 1_500 * slot, slot, kind: 'leave', backMs: 1_000 },
      { at: 7_500 + 1_500 * slot, slot, kind: 'crash', backMs: 1_000 },
    ]);
    const gateways = [0, 1].map((n): Slot => ({ ...slot(n), roles: ['gateways'] }));
    const rest: Slot = { ...slot(2), roles: ['api', 'executor', 'drivers', 'telemetry'] };
    const handed = { ...scenario(faults, { submissions: always }), slots: [...gateways, rest] };
    const { violations, run: sound } = await attempt(handed);
    expect(violations).toEqual([]);
    const ends = sound.history.events.filter(({ event }) => event.state === 'SEND_FAILED');
    // Where the process of the gateway died with the frame in its hands nobody knows.
    expect(ends.filter(({ event }) => !/cannot tell/.test(event.detail ?? ''))).toEqual([]);
    expect(await brokenBy({ wrapBus: impatient }, handed)).toContain('hand-overs-are-no-refusal');
  });

  it('taking-over.R6 lane.J13 a lane whose acknowledged events are lost again and again needs no person, unless it takes each loss for another owner', async () => {
    const steady = Array.from({ length: 80 }, (_, n): Submission => {
      return { ...submissions[0]!, at: 3_000 + 100 * n, target: 'sat1', slot: 0 };
    });
    const last = { ...submissions[0]!, at: 40_000, telecommand: 'obc.ping', args: {}, isLast: true as const };
    const holes = Array.from({ length: 16 }, (_, n): Fault => {
      return { at: 4_000 + 430 * n, kind: 'hole', count: 4, behind: n % 2, keepsIds: n % 3 === 0 };
    });
    // There is always one whose frame is at its gateway.
    const slow = [0, 1].map((n): Fault => {
      const service = { of: 'gateway', beforeMs: 0, afterMs: 150, fails: false } as const;
      return { at: 2_500, slot: n, kind: 'service', forMs: 9_500, ...service };
    });
    const lossy = scenario([...slow, ...holes], { submissions: [...steady, last] });
    expect(await brokenBy({}, lossy)).toEqual(new Set());
    // Its lane is quarantined, and what was submitted behind that stays where it is.
    expect(await brokenBy({ wrapBus: trusting }, lossy)).toContain('acknowledged-never-lost');
  });

  it('effects that run before their commit send what is recorded later or never', async () => {
    expect(await brokenBy({ wrapBus: hasty })).toContain('commit-before-effect');
  });

  it('a store that writes after the final state is seen', async () => {
    const broken = await brokenBy({ wrapBus: restless });
    expect([...broken]).toEqual(expect.arrayContaining(['final-is-final', 'walks-the-chart']));
  });

  it('an API that acknowledges without storing loses what it took', async () => {
    expect(await brokenBy({ wrapBus: careless })).toContain('acknowledged-never-lost');
  });

  it('an API that forgets which identifiers were used takes them twice', async () => {
    const twice = submissions.map((each) => ({ ...each, again: [{ afterMs: 500, slot: 1 }] }));
    const repeating = scenario([], { submissions: twice });
    expect(await brokenBy({}, repeating)).toEqual(new Set());
    expect(await brokenBy({ wrapBus: withoutIds(streams.telecommands) }, repeating)).toContain(
      'accepted-once',
    );
  });

  it('a gateway that says it sent and did not is found out', async () => {
    expect(await brokenBy({ wrapBus: lying })).toContain('honest-states');
  });

  it('a message of frames that is stored a second time is found', async () => {
    const { history } = await run(scenario());
    const [first, ...others] = history.frames as [StoredMessage, ...StoredMessage[]];
    const frames = [first, ...others, { ...first, seq: others.at(-1)!.seq + 1 }];
    expect(violationsOf({ ...history, frames }).map(({ checker }) => checker)).toEqual(['received-once']);
  });

  it('a decoder without message ids, and an owner that does not find what was published either, repeat their work', async () => {
    const crashes = scenario([crashBefore('checkpoint.decoder', 0), crashBefore('checkpoint.decoder', 1)]);
    expect(await brokenBy({}, crashes)).toEqual(new Set());
    expect(await brokenBy({ wrapBus: withoutIds(streams.decoded) }, crashes)).toContain('decoded-once');
    const owners = scenario([crashAt('append mcs.tm.value', 0), crashAt('append mcs.tm.value', 1)]);
    // An owner goes by what it finds published, and by ids where another one publishes meanwhile.
    expect(await brokenBy({ wrapBus: withoutIds(streams.values) }, owners)).toEqual(new Set());
    expect(await brokenBy({ wrapBus: withoutPast(streams.values) }, owners)).toContain('published-once');
  });

  it('an owner that leaves out batches, and processes that miss values, are seen', async () => {
    expect(await brokenBy({ wrapBus: dropping })).toContain('published-once');
    expect(await brokenBy({ wrapBus: hardOfHearing })).toContain('current-is-newest');
  });

  it('a submission taken out of turn breaks the order of the lane', async () => {
    const { history } = await run(scenario());
    const swapped = { ...history, uplinks: history.uplinks.toReversed() };
    expect(violationsOf(swapped).map(({ checker }) => checker)).toContain('lane-order');
  });

  it('a telecommand that does not leave once everything is up again is found', async () => {
    const { history } = await run(scenario());
    const { id } = history.events[0]!;
    const names = (of: typeof history) => violationsOf(of).map(({ checker }) => checker);
    expect(names({ ...history, last: [id] })).toEqual([]);
    const events = history.events.filter((each) => each.id !== id || each.event.state !== 'SENT');
    expect(names({ ...history, last: [id], events })).toContain('works-again');
  });

  it('a rejection that nobody handles is a defect of the process', async () => {
    const { history } = await run(scenario());
    const violations = violationsOf({ ...history, defects: ['Error: nobody handled it'] });
    expect(violations.map(({ checker }) => checker)).toEqual(['nothing-unhandled']);
  });

  it('no checker is without its defect here', () => {
    expect(checkers.map(({ name }) => name).sort()).toEqual(
      [
        'accepted-once',
        'acknowledged-never-lost',
        'commit-before-effect',
        'current-is-newest',
        'decoded-once',
        'final-is-final',
        'gapless-subjects',
        'hand-overs-are-no-refusal',
        'honest-states',
        'lane-order',
        'never-twice',
        'nothing-unhandled',
        'one-writer-per-epoch',
        // In one-order.test.ts.
        'derived-of-current',
        'judged-by-current',
        'marked-as-shown',
        'verified-by-current',
        'published-once',
        'received-once',
        'walks-the-chart',
        // In kept.test.ts.
        'kept-is-the-log',
        'nothing-kept-of-what-is-over',
        // In runs.test.ts.
        'announced-before-sent',
        'answers-mean-one-question',
        'inside-its-hold',
        'refusals-are-true',
        'answers-count-once',
        'commands-take-effect',
        'every-run-ends',
        'faults-switched-off',
        'no-more-than-written',
        'nothing-left-behind',
        'one-writer-per-run',
        'quiet-while-suspended',
        'repeated-by-people-only',
        'sends-what-it-holds',
        'sound-leases',
        'sound-run-logs',
        'strangers-kept-out',
        'works-again',
        'withdrawn-stays',
        // In rewinds.test.ts.
        'cut-is-said',
        'fired-once-whatever-is-lost',
        // In alarms.test.ts.
        'allowed-transitions',
        'commands-of-alarms-count',
        'every-crossing-once',
        'failures-told-once',
        'numbered-alarms',
        'one-content-per-number',
        'one-leader',
        'one-reaction-per-activation',
        'one-writer-per-alarm',
        'reactions-are-over',
        'recorded-before-told',
        'recorded-is-told',
        'shelved-to-its-term',
        'shelving-ends',
        'silenced-while-shelved',
        'stands-as-measured',
        // In ../clocks.test.ts.
        'steady-owners',
        // In schedules.test.ts.
        'ends-for-a-reason',
        'final-schedules-stay',
        'fires-inside-its-window',
        'no-contribution-lost',
        'one-run-for-each-fired-schedule',
        'passes-keep-their-names',
        'rules-make-one-of-each-pass',
        'stands-as-the-rules-say',
        'validations-stay-fallen',
      ].sort(),
    );
  });
});

it('epochs that are given again where the store lost their claims are no earlier ones, and others are', () => {
  const bare = {
    headers: {},
    at: 0,
    expect: 0,
    before: 0,
    writer: 'w',
    removal: false,
    data: Buffer.from('{}'),
  };
  const claim = (seq: number, by: string, order: number, lostAt?: number): StoredMessage => ({
    ...bare,
    subject: '$KV.mcs_members.partition.lane.sat1',
    seq,
    by,
    order,
    data: Buffer.from(JSON.stringify({ owner: by, after: 0 })),
    ...(lostAt !== undefined && { lostAt }),
  });
  const event = (epoch: number, by: string, order: number, lostAt?: number): RecordedEvent => ({
    target: 'sat1',
    id: 'T',
    epoch,
    frame: undefined,
    event: { state: 'PENDING' } as TcEvent,
    message: { ...bare, subject: 's', seq: 1, by, order, ...(lostAt !== undefined && { lostAt }) },
  });
  const judged = (members: StoredMessage[], events: RecordedEvent[]): string[] => [
    ...oneWriterPerEpoch.check({ members, events } as unknown as History),
  ];
  const gone = [claim(65, 'p2-1', 1, 10), claim(4, 'p2-2', 11)];
  const kept = [claim(65, 'p2-1', 1), claim(4, 'p2-2', 11)];
  const later = event(4, 'p2-2', 12);
  expect(judged(gone, [event(65, 'p2-1', 2, 10), later])).toEqual([]);
  expect(judged(gone, [event(65, 'p2-1', 2), later])).toEqual([]);
  expect(judged(kept, [event(65, 'p2-1', 2, 10), later])).toEqual([]);
  expect(judged(kept, [event(65, 'p2-1', 2), later])).toHaveLength(1);
});
