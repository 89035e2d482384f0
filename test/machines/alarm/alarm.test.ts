import { describe, expect, it } from 'vitest';
import { ALARM_STATES, type AlarmState } from '../../../contract/alarm.ts';
import { ALARM_REACTIONS } from '../../../contract/limits/alarm.ts';
import { alarmMachine } from '../../../machines/alarm/alarm.ts';
import type { AlarmChartEvent } from '../../../machines/alarm/protocol.ts';
import { type Driven, drive, type EventOf } from '../../harness/harness.ts';

type Alarm = Driven<typeof alarmMachine>;
type Event = EventOf<typeof alarmMachine>;

const NOON = Date.parse('2026-01-02T12:00:00.000Z');
const MINUTE = 60_000;
const time = (at: number): string => new Date(at).toISOString();

let place = 0;

/** The condition has changed, further on in the value stream than anything before. */
function says(severity: 'warning' | 'critical' | null, more: Partial<Event> = {}): Event {
  place += 1;
  const changed = { type: 'condition.changed', severity, evaluated: { position: place, at: NOON } } as const;
  return { ...changed, ...more } as Event;
}

const ack: Event = { type: 'operator.acknowledge', by: 'ada' };
const unshelve: Event = { type: 'operator.unshelve', by: 'ada' };
const shelve = (until: number): Event => ({ type: 'operator.shelve', by: 'ada', until });

function alarm(...events: readonly Event[]): Alarm {
  return drive(alarmMachine, { input: { key: 'sat1.battery.1.voltage' }, at: NOON }).send(...events);
}

const last = ({ records }: Alarm) => records.at(-1)!.stored.record;
const seqs = ({ records }: Alarm): number[] =>
  records.filter(({ transition }) => transition).map(({ stored }) => stored.record.seq);
const effects = (driven: Alarm): string[] => driven.effects.map(({ type }) => type);
const stateOf = (driven: Alarm): string => driven.state.split('life.')[1]!.split(' ')[0]!;

/** Shortest ways into each state. */
const INTO: Record<AlarmState, () => Event[]> = {
  NORMAL: () => [],
  ACTIVE_UNACK: () => [says('warning')],
  ACTIVE_ACK: () => [says('warning'), ack],
  CLEARED_UNACK: () => [says('warning'), says(null)],
};

// The table of section 3.3 with the rules below it; every pair that is not here stays put.
const WARNING = 'condition true, warning';
const CRITICAL = 'condition true, critical';
const NORMAL = 'back to normal';
const ACK = 'acknowledge';
const EVENTS: Record<string, () => Event> = {
  [WARNING]: () => says('warning'),
  [CRITICAL]: () => says('critical'),
  [NORMAL]: () => says(null),
  [ACK]: () => ack,
};
const ROWS: [from: AlarmState, on: string, to: AlarmState][] = [
  ['NORMAL', WARNING, 'ACTIVE_UNACK'],
  ['NORMAL', CRITICAL, 'ACTIVE_UNACK'],
  ['ACTIVE_UNACK', ACK, 'ACTIVE_ACK'],
  ['ACTIVE_UNACK', NORMAL, 'CLEARED_UNACK'],
  ['ACTIVE_UNACK', CRITICAL, 'ACTIVE_UNACK'],
  ['CLEARED_UNACK', ACK, 'NORMAL'],
  ['CLEARED_UNACK', WARNING, 'ACTIVE_UNACK'],
  ['CLEARED_UNACK', CRITICAL, 'ACTIVE_UNACK'],
  ['ACTIVE_ACK', NORMAL, 'NORMAL'],
  ['ACTIVE_ACK', CRITICAL, 'ACTIVE_UNACK'],
];

describe('the table of section 3.3', () => {
  const pairs = ALARM_STATES.flatMap((from) => Object.keys(EVENTS).map((on) => [from, on] as const));
  it.each(pairs)('MC-ALM-004 MC-ALM-005 MC-ALM-009 %s, %s', (from, on) => {
    const driven = alarm(...INTO[from]());
    const before = driven.records.length;
    driven.send(EVENTS[on]!());
    const row = ROWS.find(([state, event]) => state === from && event === on);
    expect(stateOf(driven)).toBe(row?.[2] ?? from);
    expect(driven.records.length - before).toBe(row === undefined ? 0 : 1);
    if (row === undefined) return;
    expect(last(driven)).toMatchObject({ previous: from, state: row[2], seq: before + 1 });
  });

  it('MC-ALM-018 MC-ALM-010 a condition that becomes true raises it, with cause condition', () => {
    expect(last(alarm(says('warning', { value: 6.2 })))).toEqual({
      previous: 'NORMAL',
      state: 'ACTIVE_UNACK',
      severity: 'warning',
      value: 6.2,
      seq: 1,
      active_since: time(NOON),
      changed_at: time(NOON),
      cause: 'condition',
    });
  });

  it('MC-ALM-019 MC-ALM-011 an acknowledgement names its operator, what follows by the condition nobody', () => {
    const driven = alarm(says('warning'), ack);
    expect(last(driven)).toMatchObject({ state: 'ACTIVE_ACK', cause: 'acknowledged', by: 'ada' });
    driven.send(says(null));
    expect(last(driven)).toMatchObject({ state: 'NORMAL', cause: 'condition' });
    expect(last(driven)).not.toHaveProperty('by');
  });

  it('MC-ALM-020 MC-ALM-006 MC-ALM-007 a cleared alarm keeps severity and start of its activation', () => {
    const driven = alarm(says('critical', { value: 9 }))
      .advance(1_000)
      .send(says(null, { value: 7 }));
    expect(last(driven)).toMatchObject({
      state: 'CLEARED_UNACK',
      severity: 'critical',
      active_since: time(NOON),
      changed_at: time(NOON + 1_000),
    });
  });

  it('MC-ALM-008 MC-ALM-060 the value is that of the last evaluation; a named alarm has none', () => {
    expect(last(alarm(says('warning', { value: 6 }), says(null, { value: 7 })))).toHaveProperty('value', 7);
    expect(last(alarm(says('warning'), says(null)))).not.toHaveProperty('value');
    for (const command of [ack, shelve(NOON + MINUTE)])
      expect(last(alarm(says('warning', { value: 6 }), command))).toHaveProperty('value', 6);
  });

  it('MC-ALM-021 MC-ALM-023 an alarm that is NORMAL again has neither severity nor start', () => {
    for (const driven of [alarm(says('warning'), says(null), ack), alarm(says('warning'), ack, says(null))]) {
      expect(last(driven).state).toBe('NORMAL');
      expect(last(driven)).not.toHaveProperty('severity');
      expect(last(driven)).not.toHaveProperty('active_since');
    }
  });

  it('MC-ALM-022 a cleared alarm that is raised again begins again', () => {
    const driven = alarm(says('critical'), says(null)).advance(5_000).send(says('warning'));
    expect(last(driven)).toMatchObject({
      previous: 'CLEARED_UNACK',
      state: 'ACTIVE_UNACK',
      severity: 'warning',
      active_since: time(NOON + 5_000),
    });
  });

  it('MC-ALM-024 an acknowledgement of what is NORMAL or acknowledged is refused', () => {
    const asked = { ...ack, request: '1' } as Event;
    for (const into of [INTO.NORMAL(), INTO.ACTIVE_ACK(), [says('warning'), ack, says(null)]]) {
      const driven = alarm(...into);
      const records = driven.records.length;
      driven.takeEffects();
      driven.send(asked);
      expect(driven.takeEffects()).toMatchObject([
        { type: 'effect.reply', request: '1', outcome: 'refused' },
      ]);
      expect(driven.records).toHaveLength(records);
    }
  });
});

describe('severity while active', () => {
  it('MC-ALM-025 one that becomes worse asks for a new acknowledgement and stays the same activation', () => {
    const driven = alarm(says('warning'), ack).advance(1_000).send(says('critical'));
    expect(last(driven)).toMatchObject({
      previous: 'ACTIVE_ACK',
      state: 'ACTIVE_UNACK',
      severity: 'critical',
      active_since: time(NOON),
      cause: 'condition',
      seq: 3,
    });
  });

  it.each([
    ['ACTIVE_ACK', [ack]],
    ['ACTIVE_UNACK', []],
  ] as const)(
    'MC-ALM-026 MC-ALM-059 one that becomes milder stays %s, and is a transition',
    (state, acked) => {
      const driven = alarm(says('critical'), ...acked, says('warning'));
      expect(last(driven)).toMatchObject({ previous: state, state, severity: 'warning', cause: 'condition' });
      expect(seqs(driven).at(-1)).toBe(driven.records.length);
    },
  );

  it.each(['warning', 'critical'] as const)('that stays %s is no transition', (severity) => {
    for (const acked of [[], [ack]]) {
      const driven = alarm(says(severity), ...acked);
      const before = driven.records.length;
      expect(driven.send(says(severity)).records).toHaveLength(before);
    }
  });
});

describe('what lies behind the last evaluation', () => {
  it('changes nothing, and neither does the same place again', () => {
    const raised = says('warning', { evaluated: { position: 50, at: 10 } });
    for (const evaluated of [
      { position: 49, at: 99 },
      { position: 50, at: 9 },
      { position: 50, at: 10 },
    ]) {
      const driven = alarm(raised, says(null, { evaluated, request: '7' } as Partial<Event>));
      expect(stateOf(driven)).toBe('ACTIVE_UNACK');
      expect(driven.effects).toEqual([{ type: 'effect.reply', request: '7', outcome: 'accepted' }]);
    }
    expect(stateOf(alarm(raised, says(null, { evaluated: { position: 50, at: 11 } })))).toBe('CLEARED_UNACK');
  });

  it.each(ROWS.filter(([, on]) => on !== ACK))('is known behind %s, %s', (from, on, to) => {
    const evaluated = { position: 1_000_000, at: NOON };
    const driven = alarm(...INTO[from](), { ...EVENTS[on]!(), evaluated } as Event);
    const before = driven.records.length;
    for (const severity of ['warning', 'critical', null] as const)
      driven.send(says(severity, { evaluated: { position: 999_999, at: NOON } }));
    expect([stateOf(driven), driven.records.length]).toEqual([to, before]);
  });
});

describe('shelving', () => {
  const until = NOON + 30 * MINUTE;

  it('MC-ALM-027 MC-ALM-012 changes no state; the end stands in the record until it is over', () => {
    for (const into of [...Object.values(INTO)].slice(1)) {
      const driven = alarm(...into());
      const state = stateOf(driven);
      driven.send(shelve(until));
      expect(last(driven)).toMatchObject({
        previous: state,
        state,
        cause: 'shelved',
        by: 'ada',
        shelved_until: time(until),
      });
      driven.send(unshelve);
      expect(last(driven)).toMatchObject({ previous: state, state, cause: 'unshelved', by: 'ada' });
      expect(last(driven)).not.toHaveProperty('shelved_until');
      expect(driven.timers).toEqual([]);
    }
  });

  it('MC-ALM-043 what was never raised cannot be shelved', () => {
    const driven = alarm({ ...shelve(until), request: '1' } as Event);
    expect(driven.records).toEqual([]);
    expect(driven.effects).toMatchObject([{ outcome: 'refused', reason: 'it has never been raised' }]);
  });

  it('MC-ALM-048 transitions meanwhile are recorded with the end of the shelving', () => {
    const driven = alarm(says('warning'), shelve(until), says(null), says('warning'), ack);
    expect(driven.records.slice(2).map(({ stored }) => stored.record.shelved_until)).toEqual(
      Array(3).fill(time(until)),
    );
  });

  it('MC-ALM-047 a new one replaces the one in progress, also by a shorter term', () => {
    const driven = alarm(says('warning'), shelve(until)).advance(MINUTE);
    driven.send(shelve(NOON + 2 * MINUTE));
    expect(last(driven).shelved_until).toBe(time(NOON + 2 * MINUTE));
    driven.toNextDeadline();
    expect(driven.now).toBe(NOON + 2 * MINUTE);
    expect(driven.timers).toEqual([]);
  });

  it('MC-ALM-049 ends by itself at its term, with cause unshelved and nobody', () => {
    const driven = alarm(says('warning'), shelve(until))
      .crash(10 * MINUTE)
      .toNextDeadline();
    expect(driven.now).toBe(until);
    expect(last(driven)).toEqual({
      previous: 'ACTIVE_UNACK',
      state: 'ACTIVE_UNACK',
      severity: 'warning',
      seq: 3,
      active_since: time(NOON),
      changed_at: time(until),
      cause: 'unshelved',
    });
    driven.takeEffects();
    driven.send({ ...unshelve, request: '1' } as Event);
    expect(driven.takeEffects()).toMatchObject([{ outcome: 'refused', reason: 'it is not shelved' }]);
  });

  it('MC-ALM-050 an unshelving of what is not shelved is refused', () => {
    const driven = alarm(says('warning'), { ...unshelve, request: '1' } as Event);
    expect(driven.effects).toMatchObject([{ outcome: 'refused', reason: 'it is not shelved' }]);
    expect(seqs(driven)).toEqual([1]);
  });
});

describe('whoever asks', () => {
  const asked = (event: Event): Event => ({ ...event, request: '7' }) as Event;
  const accepted = [{ type: 'effect.reply', request: '7', outcome: 'accepted' }];
  const refused = (reason: string) => [{ type: 'effect.reply', request: '7', outcome: 'refused', reason }];
  const past = (): Event => says('critical', { evaluated: { position: 0, at: 0 } } as Partial<Event>);

  it.each(ALARM_STATES)('of an evaluation is answered in %s, also where it changes nothing', (from) => {
    const events = [() => says('warning'), () => says('critical'), () => says(null), past];
    for (const event of events) {
      const driven = alarm(...INTO[from]());
      driven.takeEffects();
      expect(driven.send(asked(event())).takeEffects()).toEqual(accepted);
    }
  });

  it.each<[AlarmState, string | undefined]>([
    ['NORMAL', 'it has never been raised'],
    ['ACTIVE_UNACK', undefined],
    ['ACTIVE_ACK', 'there is nothing to acknowledge: it is acknowledged already'],
    ['CLEARED_UNACK', undefined],
  ])(
    'MC-ALM-024 MC-ALM-043 for an acknowledgement in %s is answered with why it is refused',
    (from, reason) => {
      const driven = alarm(...INTO[from]());
      driven.takeEffects();
      const expected = reason === undefined ? accepted : refused(reason);
      expect(driven.send(asked(ack)).takeEffects()).toEqual(expected);
    },
  );

  it('MC-ALM-024 for an acknowledgement of one that is normal again is answered with that', () => {
    const driven = alarm(says('warning'), ack, says(null));
    driven.takeEffects();
    expect(driven.send(asked(ack)).takeEffects()).toEqual(
      refused('there is nothing to acknowledge: it is NORMAL'),
    );
  });

  it('for a shelving, another one and its end is answered', () => {
    const driven = alarm(says('warning'));
    for (const event of [shelve(NOON + MINUTE), shelve(NOON + 2 * MINUTE), unshelve]) {
      expect(driven.send(asked(event)).takeEffects()).toEqual(accepted);
    }
  });

  it('gives no name and gets no answer', () => {
    expect(effects(alarm(ack, unshelve, shelve(NOON + MINUTE), says('warning'), ack))).toEqual([]);
  });
});

it('MC-ALM-027 MC-ALM-048 each shelving, each end of one and its term is a transition', () => {
  const driven = alarm(says('warning'), shelve(NOON + MINUTE), unshelve, shelve(NOON + MINUTE));
  driven.toNextDeadline();
  expect(driven.records.map(({ transition, stored }) => [transition, stored.record.cause])).toEqual([
    [true, 'condition'],
    [true, 'shelved'],
    [true, 'unshelved'],
    [true, 'shelved'],
    [true, 'unshelved'],
  ]);
});

describe('reactions', () => {
  const raises = (more: Partial<Event> = {}): Event =>
    says('critical', { onRaise: 'shed_load', ...more } as Partial<Event>);

  it('MC-REACT-001 MC-REACT-002 a raised alarm asks for its procedure once it is recorded', () => {
    const driven = alarm(raises());
    expect(driven.emitted.map(({ type }) => type)).toEqual(['record', 'effect.react']);
    expect(driven.effects).toEqual([{ type: 'effect.react', seq: 1, at: NOON, procedure: 'shed_load' }]);
    expect(driven.records[0]!.stored.reactions).toEqual([{ seq: 1, at: NOON, procedure: 'shed_load' }]);
  });

  it('MC-REACT-003 a cleared alarm that is raised again asks again, under the new number', () => {
    const driven = alarm(raises(), says(null));
    driven.takeEffects();
    expect(driven.send(raises()).takeEffects()).toMatchObject([{ type: 'effect.react', seq: 3 }]);
  });

  it('MC-REACT-004 a severity that becomes worse asks for none', () => {
    expect(effects(alarm(says('warning'), raises()))).toEqual([]);
    expect(effects(alarm(says('warning'), ack, raises()))).toEqual([]);
  });

  it('MC-REACT-005 MC-ALM-046 a shelved alarm asks for none', () => {
    const driven = alarm(says('warning'), says(null), shelve(NOON + MINUTE), raises());
    expect(stateOf(driven)).toBe('ACTIVE_UNACK');
    expect(effects(driven)).toEqual([]);
  });

  it('MC-REACT-006 the end of a shelving asks for none, though the alarm is active', () => {
    const shelved = () => alarm(says('warning'), says(null), shelve(NOON + MINUTE), raises());
    expect(effects(shelved().toNextDeadline())).toEqual([]);
    expect(effects(shelved().send(unshelve))).toEqual([]);
  });

  it('a term that has passed silences nothing, though its end is not recorded yet', () => {
    const driven = alarm(says('warning'), says(null), shelve(NOON + MINUTE), raises({ at: NOON + MINUTE }));
    expect(effects(driven)).toEqual(['effect.react']);
  });

  it.each<[string, (driven: Alarm) => Alarm, number]>([
    ['its term', (driven) => driven.toNextDeadline(), NOON + MINUTE],
    ['a person', (driven) => driven.advance(30_000).send(unshelve), NOON + 30_000],
    [
      'a person behind its term',
      (driven) => driven.send({ ...unshelve, at: NOON + 2 * MINUTE }),
      NOON + MINUTE,
    ],
  ])('MC-REACT-005 alarm/record.B4 what is evaluated behind the end of a shelving by %s', (_, ends, end) => {
    const shelved = () => ends(alarm(says('warning'), says(null), shelve(NOON + MINUTE)));
    expect(effects(shelved().send(raises({ at: end - 1 })))).toEqual([]);
    expect(effects(shelved().send(raises({ at: end })))).toEqual(['effect.react']);
    const twice = shelved().send(raises({ at: end - 2 }), says(null, { at: end - 1 }), raises({ at: end }));
    expect(effects(twice)).toEqual(['effect.react']);
  });

  it('keeps the run, waits for its end and forgets it when it passed', () => {
    const driven = alarm(raises()).send({ type: 'reaction.launched', seq: 1, run: 'R' });
    expect(driven.effects.at(-1)).toEqual({ type: 'effect.await-reaction', seq: 1, run: 'R' });
    expect(driven.records.at(-1)).toMatchObject({ transition: false, stored: { reactions: [{ run: 'R' }] } });
    driven.send({ type: 'reaction.ended', seq: 1, ok: true });
    expect(driven.records.at(-1)!.stored).not.toHaveProperty('reactions');
    expect(seqs(driven)).toEqual([1]);
  });

  it.each<[string, AlarmChartEvent[]]>([
    ['MC-REACT-020 cannot be launched', [{ type: 'reaction.refused', seq: 1, reason: 'held' }]],
    [
      'MC-REACT-021 does not pass',
      [
        { type: 'reaction.launched', seq: 1, run: 'R' },
        { type: 'reaction.ended', seq: 1, ok: false, reason: 'held' },
      ],
    ],
  ])('one that %s is reported, and kept until it has been', (_, events) => {
    const driven = alarm(raises()).send(...(events as Event[]));
    expect(driven.effects.at(-1)).toEqual({
      type: 'effect.report-reaction',
      seq: 1,
      report: 1,
      reason: 'held',
    });
    expect(driven.records.at(-1)!.stored).toMatchObject({ reports: 1, reactions: [{ failed: 'held' }] });
    driven.send({ type: 'reaction.reported', seq: 1 });
    expect(driven.records.at(-1)!.stored).toMatchObject({ reports: 1 });
    expect(driven.records.at(-1)!.stored).not.toHaveProperty('reactions');
  });

  it.each<Event>([
    { type: 'reaction.launched', seq: 9, run: 'R' },
    { type: 'reaction.refused', seq: 9, reason: 'held' },
    { type: 'reaction.ended', seq: 9, ok: false },
    { type: 'reaction.reported', seq: 9 },
  ])('of which nothing is known, $type changes nothing', (event) => {
    const driven = alarm(raises());
    const { length } = driven.emitted;
    driven.send(event);
    expect(driven.emitted).toHaveLength(length);
  });

  it('several go on beside each other: what becomes of one is kept of that one', () => {
    const driven = alarm(raises(), says(null), raises());
    const runs = () => driven.records.at(-1)!.stored.reactions;
    const [first, second] = [
      { seq: 1, at: NOON, procedure: 'shed_load' },
      { seq: 3, at: NOON, procedure: 'shed_load' },
    ];
    driven.send({ type: 'reaction.launched', seq: 3, run: 'S' });
    expect(runs()).toEqual([first, { ...second, run: 'S' }]);
    expect(driven.effects.at(-1)).toEqual({ type: 'effect.await-reaction', seq: 3, run: 'S' });
    driven.send({ type: 'reaction.ended', seq: 3, ok: false });
    expect(driven.effects.at(-1)).toEqual({
      type: 'effect.report-reaction',
      seq: 3,
      report: 1,
      reason: 'its run did not pass',
    });
    const failed = { ...second, run: 'S', failed: 'its run did not pass', report: 1 };
    expect(runs()).toEqual([first, failed]);
    driven.send({ type: 'reaction.launched', seq: 1, run: 'R' }, { type: 'reaction.reported', seq: 3 });
    expect(runs()).toEqual([{ ...first, run: 'R' }]);
    driven.send({ type: 'reaction.ended', seq: 1, ok: true });
    expect(runs()).toBeUndefined();
  });

  it('one too many is not launched, and reported of', () => {
    const driven = alarm();
    for (let n = 0; n < ALARM_REACTIONS; n += 1) driven.send(raises(), says(null));
    driven.takeEffects();
    driven.send(raises());
    const reason = `not launched: ${ALARM_REACTIONS} reactions of this alarm are under way`;
    const seq = 2 * ALARM_REACTIONS + 1;
    expect(driven.takeEffects()).toEqual([{ type: 'effect.report-reaction', seq, report: 1, reason }]);
    const { reactions = [], reports } = driven.records.at(-1)!.stored;
    expect({ under: reactions.length, reports }).toEqual({ under: ALARM_REACTIONS + 1, reports: 1 });
    expect(reactions.at(-1)).toMatchObject({ seq, failed: reason, report: 1 });
  });
});
