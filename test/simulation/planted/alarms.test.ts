/**
 * Every checker of alarms shown to fail: by a defect between a process and its bus, or, where no honest process can be
 * brought to it, by a history that was tampered with.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../../supervision/role.ts';
import type { AlarmHistory } from '../alarm-history.ts';
import { violationsOf } from '../checkers/all.ts';
import type { History } from '../history.ts';
import type { Measurement } from '../instruments.ts';
import type { AlarmAct } from '../operators.ts';
import type { Scenario, Slot } from '../scenario.ts';
import { attempt } from '../trial.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { type RunOptions, run } from '../world.ts';
import {
  deafToValues,
  exaggerating,
  impatient,
  overeager,
  polite,
  silent,
  stammering,
  tellingFirst,
  usurping,
} from './alarm-defects.ts';

const LONG_MS = 60_000;

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

const level = (at: number, value: number): Measurement => ({
  at,
  target: 'sat1',
  deferred: false,
  blocks: [{ measures: ['rig[1].level', 'rig[1].flow'], rows: [{ ageMs: 0, raw: [value, 30] }] }],
});

const act = (at: number, action: AlarmAct['action'], alarm = 'rig[1].trip'): AlarmAct => ({
  at,
  slot: 0,
  target: 'sat1',
  alarm,
  action,
});

/** Trips, is acknowledged, sinks until its reaction fails, is shelved and trips again. */
const scenario: Scenario = {
  seed: 7,
  slots: [slot(0), slot(1)],
  submissions: [],
  launches: [],
  faults: [],
  watch: {
    measurements: [
      level(3_000, 5),
      level(4_000, 8.7),
      level(6_000, 0.5),
      level(9_500, 5),
      level(10_500, 9.5),
    ],
    acts: [
      act(5_000, { action: 'acknowledge' }),
      act(7_000, { action: 'acknowledge' }, 'rig[1].level'),
      act(9_800, { action: 'shelve', for: '3 s' }),
    ],
    last: [level(12_000, 8.7)],
  },
  calmAt: 11_000,
};

async function brokenBy(options: RunOptions): Promise<Set<string>> {
  const { violations } = await attempt(scenario, options);
  return new Set(violations.map(({ checker }) => checker));
}

let sound: History;

beforeAll(async () => {
  ({ history: sound } = await run(scenario));
}, LONG_MS);

/** What is broken once the history of a sound run is another one. */
function brokenIn(tampered: Partial<AlarmHistory>): string[] {
  return violationsOf({ ...sound, alarms: { ...sound.alarms, ...tampered } }).map(({ checker }) => checker);
}

/** Times and expectations aside, the message as somebody else wrote it. */
function by(message: StoredMessage, other: Partial<StoredMessage>): StoredMessage {
  return { ...message, ...other };
}

it('nothing is broken where nothing is planted, and everything has happened', () => {
  expect(violationsOf(sound)).toEqual([]);
  const { events, accepted } = sound.alarms;
  const reported = events.map(({ key, event: { state, cause } }) => `${key} ${cause} ${state}`);
  expect(reported).toEqual(
    expect.arrayContaining([
      'sat1.rig.1.trip condition ACTIVE_UNACK',
      'sat1.rig.1.trip shelved NORMAL',
      'sat1.rig.1.trip unshelved ACTIVE_UNACK',
      'sat1.rig.1.sag condition CLEARED_UNACK',
    ]),
  );
  expect(accepted.length).toBeGreaterThanOrEqual(3);
  expect(sound.runs.submissions).toHaveLength(2);
});

describe('planted defects of alarms', () => {
  it(
    'events that are left out are missing at the end',
    async () => {
      expect(await brokenBy({ wrapBus: silent })).toContain('recorded-is-told');
    },
    LONG_MS,
  );

  it(
    'events that are there twice, and events that say something else',
    async () => {
      const twice = await brokenBy({ wrapBus: stammering });
      expect([...twice]).toEqual(expect.arrayContaining(['numbered-alarms', 'allowed-transitions']));
      expect(await brokenBy({ wrapBus: exaggerating })).toContain('one-content-per-number');
    },
    LONG_MS,
  );

  it(
    'a record that is written behind its event, and by somebody who does not lead',
    async () => {
      expect(await brokenBy({ wrapBus: tellingFirst })).toContain('recorded-before-told');
      expect(await brokenBy({ wrapBus: usurping })).toContain('one-writer-per-alarm');
    },
    LONG_MS,
  );

  it(
    'a command that was accepted and forgotten is in no log',
    async () => {
      expect(await brokenBy({ wrapBus: polite })).toContain('commands-of-alarms-count');
    },
    LONG_MS,
  );

  it(
    'a leader that misses values misses crossings, and its alarms stand wrong',
    async () => {
      const broken = await brokenBy({ wrapBus: deafToValues });
      expect([...broken]).toEqual(expect.arrayContaining(['stands-as-measured', 'every-crossing-once']));
    },
    LONG_MS,
  );

  it(
    'an activation with two reactions',
    async () => {
      expect(await brokenBy({ wrapBus: overeager })).toContain('one-reaction-per-activation');
    },
    LONG_MS,
  );

  it(
    'a standby that does not wait until the leader is silent',
    async () => {
      expect(await brokenBy({ wrapBus: impatient })).toContain('one-leader');
    },
    LONG_MS,
  );
});

describe('tampered histories of alarms', () => {
  it('a transition that section 3.3 does not have', () => {
    const events = sound.alarms.events.map((each) =>
      each.event.cause === 'acknowledged'
        ? { ...each, event: { ...each.event, state: 'CLEARED_UNACK' as const } }
        : each,
    );
    expect(brokenIn({ events })).toContain('allowed-transitions');
  });

  it('an event that is missing leaves a gap', () => {
    expect(brokenIn({ events: sound.alarms.events.toSpliced(0, 1) })).toContain('numbered-alarms');
  });

  it('a writer that knew another record than the one it stands behind', () => {
    const written = sound.alarms.written.map((each) => ({
      ...each,
      message: by(each.message, { expect: each.message.before + 1 }),
    }));
    expect(brokenIn({ written })).toContain('one-writer-per-alarm');
  });

  it('a shelving that does not end', () => {
    const until = new Date(sound.alarms.endedAt - 10_000).toISOString();
    const last = sound.alarms.written.at(-1)!;
    const record = { ...last.stored.record, shelved_until: until };
    const written = [...sound.alarms.written, { ...last, stored: { ...last.stored, record } }];
    expect(brokenIn({ written })).toContain('shelving-ends');
  });

  it('a shelving that ends by itself before its term, or is said to', () => {
    const over = sound.alarms.events.findIndex(({ event }) => event.cause === 'unshelved');
    const told = sound.alarms.events[over]!;
    const otherwise = (other: Partial<typeof told>): string[] =>
      brokenIn({ events: sound.alarms.events.with(over, { ...told, ...other }) });
    const early = Date.parse(told.event.at) - 4_000;
    expect(otherwise({ message: by(told.message, { at: early }) })).toContain('shelved-to-its-term');
    const at = new Date(early).toISOString();
    expect(otherwise({ event: { ...told.event, at } })).toContain('shelved-to-its-term');
  });

  it('a reaction that did not pass, and nobody reports it', () => {
    const events = sound.runs.events.map((each) =>
      each.event.event === 'finished' ? { ...each, event: { ...each.event, ok: false } } : each,
    );
    const broken = violationsOf({ ...sound, runs: { ...sound.runs, events } });
    expect(broken.map(({ checker }) => checker)).toContain('failures-told-once');
  });

  it('a reaction of an alarm that was shelved, and one that is waited for', () => {
    const shelved_until = '2030-01-01T00:00:00.000Z';
    const first = sound.alarms.events.findIndex(
      ({ key, event }) => key.endsWith('.trip') && event.state === 'ACTIVE_UNACK',
    );
    const trip = sound.alarms.events[first]!;
    const shelving = {
      ...trip,
      event: { ...trip.event, state: 'NORMAL' as const, cause: 'shelved' as const, shelved_until },
    };
    expect(brokenIn({ events: sound.alarms.events.toSpliced(first, 0, shelving) })).toContain(
      'silenced-while-shelved',
    );
    const { shelved_until: _, ...over } = shelving.event;
    const at = new Date(Date.parse(trip.event.at) + 1).toISOString();
    const unshelving = { ...shelving, event: { ...over, at, cause: 'unshelved' as const } };
    expect(brokenIn({ events: sound.alarms.events.toSpliced(first, 0, shelving, unshelving) })).toContain(
      'silenced-while-shelved',
    );
    const last = sound.alarms.written.at(-1)!;
    const reactions = [{ seq: 1, at: 0, procedure: 'relieve' }];
    const written = [...sound.alarms.written, { ...last, stored: { ...last.stored, reactions } }];
    expect(brokenIn({ written })).toContain('reactions-are-over');
  });
});
