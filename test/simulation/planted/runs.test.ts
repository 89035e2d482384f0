/**
 * Every checker of runs shown to fail: by a defect between a process and its bus, or, where no honest process can be
 * brought to it, by a history that was tampered with.
 */

import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import { ROLES } from '../../../supervision/role.ts';
import { violationsOf } from '../checkers/all.ts';
import type { History } from '../history.ts';
import type { Launch } from '../launch.ts';
import { bodyOf, type RecordedRunEvent } from '../run-history.ts';
import type { Scenario, Slot, Submission } from '../scenario.ts';
import { attempt } from '../trial.ts';
import { type RunOptions, run } from '../world.ts';
import {
  announcingLate,
  deafToCommands,
  denyingCommands,
  greedy,
  heedless,
  losingLaunches,
  pretending,
  untidy,
} from './run-defects.ts';

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

const tuning = (at: number, serial: number, commands: Launch['commands'] = []): Launch => ({
  at,
  slot: serial % 2,
  what: {
    kind: 'procedure',
    request: {
      run: 'tune',
      environment: 'bench',
      targets: { sat: 'sat1' },
      inputs: { serial, period: '60 s' },
    },
  },
  commands,
});

const suspending: Launch['commands'] = [{ afterMs: 20, slot: 0, action: 'suspend' }];

function scenario(launches: readonly Launch[], submissions: readonly Submission[] = []): Scenario {
  return { seed: 7, slots: [slot(0), slot(1)], submissions, launches, faults: [], calmAt: 9_000 };
}

async function brokenBy(
  options: RunOptions,
  from: Scenario = scenario([tuning(3_000, 0)]),
): Promise<Set<string>> {
  const { violations } = await attempt(from, options);
  return new Set(violations.map(({ checker }) => checker));
}

/** What is broken once the history of a sound run is another one. */
async function brokenIn(tampered: (history: History) => Partial<History['runs']>): Promise<string[]> {
  const { history } = await run(scenario([tuning(3_000, 0, suspending)]));
  const runs = { ...history.runs, ...tampered(history) };
  return violationsOf({ ...history, runs }).map(({ checker }) => checker);
}

const position = (history: History, kind: RunEvent['event']): number =>
  history.runs.events.findIndex(({ event }) => event.event === kind);

/** The event again, behind itself, changed. */
function again(
  history: History,
  kind: RunEvent['event'],
  changes: Partial<RecordedRunEvent> = {},
): RecordedRunEvent[] {
  const { events } = history.runs;
  const at = position(history, kind);
  return events.toSpliced(at + 1, 0, { ...events[at]!, ...changes });
}

it('nothing is broken where nothing is planted', async () => {
  expect(await brokenBy({}, scenario([tuning(3_000, 0, suspending), tuning(3_100, 1)]))).toEqual(new Set());
});

describe('planted defects of runs', () => {
  it('runs that take what others hold share an exclusive target', async () => {
    const both = scenario([tuning(3_000, 0), tuning(3_050, 1)]);
    expect(await brokenBy({ wrapBus: greedy }, both)).toContain('sound-leases');
  });

  it('a run that only pretends to hold its target is found out', async () => {
    expect(await brokenBy({ wrapBus: pretending })).toContain('sends-what-it-holds');
  });

  it('an open run that is not removed stays behind', async () => {
    expect(await brokenBy({ wrapBus: untidy })).toContain('nothing-left-behind');
  });

  it('an API that acknowledges a launch without storing it loses the run', async () => {
    expect(await brokenBy({ wrapBus: losingLaunches })).toContain('every-run-ends');
  });

  it('a log that is written later than it says announces nothing', async () => {
    expect(await brokenBy({ wrapBus: announcingLate })).toContain('announced-before-sent');
  });

  it('A-71 a gateway that sends when the hold is over, and says that it is fenced, is found out', async () => {
    const aborted = scenario([tuning(3_000, 0, [{ afterMs: 50, slot: 0, action: 'abort' }])]);
    expect(await brokenBy({}, aborted)).toEqual(new Set());
    expect(await brokenBy({ wrapBus: heedless }, aborted)).toContain('inside-its-hold');
  });

  it('a command that was carried out and refused is found out', async () => {
    const suspended = scenario([tuning(3_000, 0, suspending)]);
    expect(await brokenBy({ wrapBus: denyingCommands }, suspended)).toContain('refusals-are-true');
  });

  it('a command that was accepted and forgotten has no effect', async () => {
    const suspended = scenario([tuning(3_000, 0, suspending)]);
    expect(await brokenBy({ wrapBus: deafToCommands }, suspended)).toContain('commands-take-effect');
  });
});

describe('tampered histories of runs', () => {
  it('an event that is missing leaves a gap, and one that is there twice another', async () => {
    expect(await brokenIn(({ runs }) => ({ events: runs.events.toSpliced(2, 1) }))).toContain(
      'sound-run-logs',
    );
    expect(await brokenIn((history) => ({ events: again(history, 'finished') }))).toContain('sound-run-logs');
  });

  it('a resumption that is the last thing stored when its answer comes has taken effect, one stored later has not', async () => {
    const answered = (early: number) => (history: History) => {
      const { run, message } = history.runs.events[position(history, 'continued')]!;
      const [askedAt, answeredAt] = [message.order - 2, message.order - early];
      return { accepted: [{ run, action: 'resume' as const, by: 'ada', askedAt, answeredAt }] };
    };
    expect(await brokenIn(answered(0))).toEqual([]);
    expect(await brokenIn(answered(1))).toEqual(['commands-take-effect']);
  });

  it('an event of somebody who owns nothing has no right writer', async () => {
    const stranger = ({ runs }: History) => {
      const [first, ...others] = runs.events;
      return { events: [{ ...first!, message: { ...first!.message, by: 'p9-1' } }, ...others] };
    };
    expect(await brokenIn(stranger)).toContain('one-writer-per-run');
    expect(await brokenIn((history) => ({ events: again(history, 'finished', { epoch: 1 }) }))).toContain(
      'one-writer-per-run',
    );
  });

  it('a telecommand that is sent once more than its step has it, and a step begun again behind one', async () => {
    expect(await brokenIn((history) => ({ events: again(history, 'telecommand_sent') }))).toContain(
      'no-more-than-written',
    );
    const begunAgain = ({ runs }: History) => {
      const begun = runs.events.find(({ event }) => event.event === 'step_started')!;
      const last = runs.events.findLast(({ run: of }) => of === begun.run)!;
      const next = { ...begun.event, seq: last.event.seq + 1 };
      return { events: [...runs.events, { ...begun, event: next }] };
    };
    expect(await brokenIn(begunAgain)).toContain('repeated-by-people-only');
  });

  it('a telecommand that leaves a suspended run is no silence', async () => {
    const early = (history: History) => {
      const { events } = history.runs;
      const suspended = events[position(history, 'suspended')]!;
      const sent = events[position(history, 'telecommand_sent')]!;
      const before = { ...suspended, message: { ...suspended.message, order: sent.message.order } };
      return { events: events.with(position(history, 'suspended'), before) };
    };
    expect(await brokenIn(early)).toContain('quiet-while-suspended');
  });

  it('A-71 a telecommand that leaves when its run is over, and one under another hold than its own', async () => {
    const { history } = await run(scenario([tuning(3_000, 0, suspending)]));
    const broken = (changes: Partial<History>): string[] =>
      violationsOf({ ...history, ...changes }).map(({ checker }) => checker);
    expect(broken({})).not.toContain('inside-its-hold');
    const late = history.uplinks.map((uplink) => ({ ...uplink, order: Number.MAX_SAFE_INTEGER }));
    expect(broken({ uplinks: late })).toContain('inside-its-hold');
    const anew = history.runs.leases.map((message) => {
      const { holders } = JSON.parse(Buffer.from(message.data).toString()) as { holders: object[] };
      const since = holders.map((holder) => ({ ...holder, from: 1_000 }));
      return { ...message, data: Buffer.from(JSON.stringify({ holders: since })) };
    });
    expect(broken({ runs: { ...history.runs, leases: anew } })).toContain('inside-its-hold');
  });

  it('a telecommand submitted behind a takeover is one that its heir knows nothing of', async () => {
    const between = (history: History) => {
      const { events } = history.runs;
      const sent = events[position(history, 'telecommand_sent')]!;
      const heir = { event: 'taken_over', by: 'p9-1' } as const;
      const { run: of, seq, at } = sent.event;
      const message = { ...sent.message, order: sent.message.order + 0.5 };
      return { events: [...events, { ...sent, message, event: { run: of, seq, at, ...heir } }] };
    };
    expect(await brokenIn(between)).toContain('withdrawn-stays');
  });

  it('a stranger that leaves while a run holds its target is not kept out', async () => {
    const { history } = await run(scenario([tuning(3_000, 0)]));
    const submissions = history.submissions.map((message) => {
      const { run: _, ...body } = JSON.parse(Buffer.from(message.data).toString()) as { run: string };
      return { ...message, data: Buffer.from(JSON.stringify(body)) };
    });
    const leases = history.runs.leases.map((message) => ({ ...message, at: 0 }));
    const violations = violationsOf({ ...history, submissions, runs: { ...history.runs, leases } });
    expect(violations.map(({ checker }) => checker)).toContain('strangers-kept-out');
  });

  it('a fault that stays on when its run is over', async () => {
    expect(await brokenIn(() => ({ lit: ['sim-1 no_reports'] }))).toContain('faults-switched-off');
  });

  it('A-70 an answer that counts for another question than its own, and one that decides nothing', async () => {
    const request = { run: 'restart', environment: 'bench', targets: { sat: 'sat1' }, inputs: { serial: 1 } };
    const asking = { at: 3_000, slot: 0, what: { kind: 'procedure', request }, commands: [] } as const;
    const { history } = await run(scenario([asking]));
    const answered = history.runs.events.find(({ event, source }) => event.event === 'answered' && source)!;
    const given = history.runs.answers.find(({ seq }) => seq === answered.source)!;
    const { question: _, ...body } = bodyOf<Answer>(given);
    const found = (order: number, changes: Partial<Answer> = {}): string[] => {
      const data = Buffer.from(JSON.stringify({ ...body, ...changes }));
      const answers = history.runs.answers.with(history.runs.answers.indexOf(given), {
        ...given,
        order,
        data,
      });
      return violationsOf({ ...history, runs: { ...history.runs, answers } }).map(({ checker }) => checker);
    };
    expect(found(given.order)).toEqual([]);
    expect(found(0), 'stored before its question').toContain('answers-mean-one-question');
    expect(found(given.order, { question: 999 }), 'of another one').toContain('answers-mean-one-question');
    const asked = history.runs.events.map((each) => {
      const { event } = each;
      if (event.event === 'answered')
        return { ...each, event: { ...event, accepted: true, value: 'perhaps' } };
      if (event.event !== 'asked') return each;
      return { ...each, event: { ...event, event: 'decision_required', reason: 'x' } as RunEvent };
    });
    const decided = violationsOf({ ...history, runs: { ...history.runs, events: asked } });
    expect(decided.map(({ what }) => what).join()).toContain('decides nothing');
  });

  it('an answer that counts twice, and one that is skipped', async () => {
    const twice = (history: History) => ({
      events: again(history, 'finished', { source: 5 }).with(0, { ...history.runs.events[0]!, source: 5 }),
    });
    expect(await brokenIn(twice)).toContain('answers-count-once');
  });
});
