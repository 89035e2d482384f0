/**
 * What a reaction does, from its run and the holds of its target, and how each consumer of alarms says it: the view,
 * the command line, the console and the log of events.
 */

import { describe, expect, it } from 'vitest';
import { listLines } from '../../cli/alarm-line.ts';
import { ShownReactions } from '../../cli/alarm-reactions.ts';
import { alarmLines } from '../../cli/alarm-show.ts';
import { alarmRows } from '../../console/operator/alarms/alarm-rows.ts';
import type { Alarm } from '../../contract/alarm.ts';
import { type AlarmReaction, isReactionOver } from '../../contract/alarm-reaction.ts';
import { reactionWords } from '../../contract/alarm-reaction-words.ts';
import type { RunSummary } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import { reactionOf } from '../../http/alarm-reactions.ts';
import { runEvent } from '../../supervision/recorder/run-events.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const OTHER = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const AT = '2026-01-02T03:04:05.678Z';
const LATER = '2026-01-02T03:05:05.678Z';
const NAME = { target: 'sat1', component: 'heater', alarm: 'stuck' };
const KEY = 'sat1.heater._.stuck';

const submitted: RunSummary = {
  run: RUN,
  procedure: 'shed_load',
  suspended: false,
  environment: 'flight',
  targets: { sat: 'sat1' },
  by: `alarm ${KEY}`,
};
const begun: RunSummary = { ...submitted, started_at: AT };
const own: TargetHolds = { holders: [{ run: RUN, mode: 'exclusive', alarm: KEY }] };
const others: TargetHolds = { holders: [{ run: OTHER, mode: 'exclusive', alarm: 'sat1.battery.1.low' }] };
const free: TargetHolds = { holders: [] };
const asks = { path: 'off', prompt: 'no echo', question: 7, since: AT };

interface Situation {
  readonly what: string;
  readonly run: RunSummary;
  readonly holds: TargetHolds;
  readonly shown: Partial<AlarmReaction> & Pick<AlarmReaction, 'state' | 'holds_target'>;
  /** Behind its name, on the command line. */
  readonly words: string;
  /** Whether the console says it beside the alarm: it goes no further by itself. */
  readonly isHeld: boolean;
}

const SITUATIONS: readonly Situation[] = [
  {
    what: 'that no executor has begun',
    run: submitted,
    holds: others,
    shown: { state: 'starting', holds_target: false },
    words: 'is about to begin',
    isHeld: false,
  },
  {
    what: 'whose target another reaction holds',
    run: begun,
    holds: others,
    shown: {
      state: 'waiting_for_target',
      since: AT,
      until: LATER,
      held_by: [{ run: OTHER, alarm: 'sat1.battery.1.low' }],
      holds_target: false,
    },
    words:
      `waits since 2026-01-02 03:04:05Z for sat1, held by run ${OTHER}, the reaction of alarm sat1.battery.1.low, ` +
      'and fails at 2026-01-02 03:05:05Z without it',
    isHeld: true,
  },
  {
    what: 'whose target has an entry that cannot be read',
    run: begun,
    holds: { holders: [], unreadable: true },
    shown: {
      state: 'waiting_for_target',
      since: AT,
      until: LATER,
      reason: expect.stringContaining('cannot be read') as unknown as string,
      holds_target: false,
    },
    words:
      'waits since 2026-01-02 03:04:05Z for sat1, and fails at 2026-01-02 03:05:05Z without it: who holds sat1 is ' +
      'not known, its entry in bucket mcs_leases cannot be read: `mcs bus check`',
    isHeld: true,
  },
  {
    what: 'that a run holds back which is none, and is being suspended',
    run: begun,
    holds: { holders: [{ run: OTHER, mode: 'exclusive' }] },
    shown: { state: 'starting', holds_target: false },
    words: 'is about to begin',
    isHeld: false,
  },
  {
    what: 'that runs',
    run: { ...begun, step: 'off' },
    holds: own,
    shown: { state: 'running', step: 'off', holds_target: true },
    words: 'runs at off',
    isHeld: false,
  },
  {
    what: 'that waits for a decision',
    run: { ...begun, step: 'off', pending: { kind: 'decision', ...asks } },
    holds: own,
    shown: {
      state: 'waiting_for_decision',
      step: 'off',
      reason: 'no echo',
      question: 7,
      since: AT,
      holds_target: true,
    },
    words: 'waits for a decision at off since 2026-01-02 03:04:05Z, and keeps sat1 meanwhile: no echo',
    isHeld: true,
  },
  {
    what: 'that asks, for a while',
    run: { ...begun, step: 'off', pending: { kind: 'ask', ...asks, deadline: LATER } },
    holds: own,
    shown: {
      state: 'waiting_for_answer',
      step: 'off',
      reason: 'no echo',
      question: 7,
      since: AT,
      until: LATER,
      holds_target: true,
    },
    words: 'waits for an answer at off since 2026-01-02 03:04:05Z, and keeps sat1 meanwhile: no echo',
    isHeld: true,
  },
  {
    what: 'that a person suspended',
    run: { ...begun, step: 'off', suspended: true },
    holds: free,
    shown: { state: 'suspended', step: 'off', holds_target: false },
    words: 'is suspended at off',
    isHeld: true,
  },
  {
    what: 'that failed',
    run: { ...begun, step: 'off', finished: false, reason: 'aborted by ada' },
    holds: free,
    shown: { state: 'failed', step: 'off', reason: 'aborted by ada', holds_target: false },
    words: 'did not pass: aborted by ada',
    isHeld: false,
  },
  {
    what: 'that passed',
    run: { ...begun, step: 'off', finished: true },
    holds: free,
    shown: { state: 'passed', step: 'off', holds_target: false },
    words: 'passed',
    isHeld: false,
  },
];

function alarmWith(reaction: AlarmReaction): Alarm {
  return {
    ...NAME,
    record: { previous: 'NORMAL', state: 'ACTIVE_UNACK', severity: 'critical', seq: 1, active_since: AT },
    reactions: [reaction],
  };
}

describe.each(SITUATIONS)('a reaction $what', ({ run, holds, shown, words, isHeld }) => {
  const reaction = reactionOf('sat1', run, holds);
  const line = `shed_load, run ${RUN}, ${words}`;

  it('is shown in its alarm', () => {
    expect(reaction).toEqual({ procedure: 'shed_load', run: RUN, ...shown });
  });

  it('is said below its alarm by `mcs alarm list`, and by `mcs alarm show`', () => {
    expect(listLines([alarmWith(reaction)], false).slice(1)).toEqual([`    reaction ${line}`]);
    const block = alarmLines(alarmWith(reaction));
    expect(block).toContain(`  reaction     ${line}`);
    const decide = `decide: mcs run answer ${RUN} replay|skip|fail|abort --question 7`;
    expect(block.some((each) => each.includes(decide))).toBe(shown.state === 'waiting_for_decision');
  });

  it('is said by the console beside its alarm while it goes no further by itself', () => {
    const [row] = alarmRows([alarmWith(reaction)], [], () => [reaction]);
    expect(row!.held).toEqual(isHeld ? [reaction] : []);
    expect(reactionWords('sat1', reaction)).toContain(words.split(' ')[0]!);
  });

  it('is said by `mcs alarm watch` where it waits, once', () => {
    const watch = new ShownReactions();
    const said = watch.line({ ...NAME, reaction });
    const isQuiet = ['starting', 'running', 'passed'].includes(shown.state);
    expect(said).toBe(isQuiet ? undefined : `reaction to sat1 heater.stuck: ${line}`);
    if (!isReactionOver(reaction)) expect(watch.line({ ...NAME, reaction })).toBeUndefined();
  });
});

describe('`mcs alarm watch`', () => {
  it('says of a reaction that waited that it continues, and nothing more', () => {
    const watch = new ShownReactions();
    const seen = (run: RunSummary, holds: TargetHolds): string | undefined =>
      watch.line({ ...NAME, reaction: reactionOf('sat1', run, holds) });
    expect(seen(begun, others)).toContain('held by');
    expect(seen({ ...begun, step: 'off' }, own)).toMatch(/runs at off$/);
    expect(seen({ ...begun, step: 'on' }, own)).toBeUndefined();
    expect(seen({ ...begun, step: 'on', finished: true }, free)).toBeUndefined();
  });
});

describe('the log of events', () => {
  const started = { name: 'shed_load', target: 'sat1' };
  const decision: RunEvent = {
    run: RUN,
    seq: 7,
    at: AT,
    event: 'decision_required',
    path: 'off',
    reason: 'no echo',
  };
  const at = Date.parse(AT);

  it('says of a reaction that waits for a decision which alarm it is of, and that it keeps its target', () => {
    expect(runEvent({ at }, decision, { ...started, alarm: KEY })).toMatchObject({
      severity: 'warning',
      target: 'sat1',
      text: `shed_load, run ${RUN}: waits for a decision at off as the reaction to alarm ${KEY}, and keeps sat1 meanwhile: no echo.`,
    });
    expect(runEvent({ at }, decision, started).text).toBe(
      `shed_load, run ${RUN}: waits for a decision at off: no echo.`,
    );
  });
});
