/** Every checker of passes, schedules and rules shown to fail: by a defect between a process and its bus. */

import { describe, expect, it } from 'vitest';
import type { Pass } from '../../../contract/pass.ts';
import type { Scenario, Slot } from '../scenario.ts';
import type { PlanAct, Request } from '../schedules/planning.ts';
import { START_MS } from '../start.ts';
import { attempt } from '../trial.ts';
import type { RunOptions } from '../world.ts';
import {
  blindToPasses,
  deafToPasses,
  forgetful,
  forgiving,
  hasty,
  idle,
  renaming,
  reviving,
  submittingTwice,
} from './schedule-defects.ts';

const slot = (n: number): Slot => ({
  roles: ['api', 'executor', 'scheduler'],
  host: `host${n}`,
  skewMs: 0,
  startMs: 100 * n,
});

const at = (when: number, what: Request): PlanAct => ({ at: when, slot: when % 2, what });

interface Said extends Pick<Pass, 'id'>, Partial<Pick<Pass, 'target' | 'source' | 'status'>> {
  readonly aos: number;
  readonly mark: string;
}

function pass({ id, aos, mark, target = 'sat1', source = 'fds', status = 'predicted' }: Said): Request {
  const [begin, end] = [aos, aos + 200_000].map((ms) => new Date(START_MS + ms).toISOString());
  const window = { aos: begin!, los: end! };
  const rest = { max_elevation: '40 deg', station: 'north', transceiver: mark };
  return { kind: 'pass', pass: { id, target, ...window, source, status, ...rest } };
}

const booked = { source: 'provider', status: 'booked' } as const;
const beat = { run: 'beat', environment: 'bench' } as const;

/** Passes predicted, booked, moved and cancelled, a rule, a schedule that fires, one validated, one cancelled. */
const scenario: Scenario = {
  seed: 7,
  slots: [slot(0), slot(1)],
  submissions: [],
  launches: [],
  faults: [],
  planning: {
    writes: [
      at(2_000, pass({ id: 'f-0', aos: 9_000, mark: 'w1' })),
      at(2_200, pass({ id: 'b-0', aos: 9_000, mark: 'w2', ...booked })),
      at(2_300, pass({ id: 'f-1', aos: 400_000, mark: 'w3' })),
      at(2_400, pass({ id: 'f-2', aos: 8_000, mark: 'w4', target: 'sat2' })),
      at(5_000, pass({ id: 'f-1', aos: 402_000, mark: 'w5' })),
      at(6_000, pass({ id: 'f-1', aos: 400_000, mark: 'w6' })),
      at(3_601, pass({ id: 'b-0', aos: 9_000, mark: 'w7', ...booked, status: 'cancelled' })),
    ],
    acts: [
      at(3_000, schedule('s-0', 'f-0', 'sat1', { ...beat, serial: 1 })),
      at(3_101, schedule('s-1', 'f-1', 'sat1', { run: 'purge', environment: 'manned', serial: 2 })),
      at(3_200, schedule('s-2', 'f-2', 'sat2', { ...beat, serial: 3 })),
      at(3_301, {
        kind: 'rule',
        rule: {
          id: 'r-0',
          target: 'sat1',
          start: 'aos + 150 s',
          ...beat,
          targets: { sat: 'sat1' },
          inputs: { serial: 4 },
        },
      }),
      at(3_800, { kind: 'validate', id: 's-1' }),
      at(6_501, { kind: 'validate', id: 's-2' }),
      at(7_501, { kind: 'cancel', id: 's-1' }),
    ],
    publications: [],
  },
  calmAt: 9_500,
};

function schedule(
  id: string,
  on: string,
  target: string,
  { serial, ...run }: { readonly run: string; readonly environment: string; readonly serial: number },
): Request {
  return {
    kind: 'schedule',
    schedule: { id, pass: on, start: 'aos', targets: { sat: target }, inputs: { serial }, ...run },
  };
}

async function brokenBy(options: RunOptions): Promise<Set<string>> {
  const { violations } = await attempt(scenario, options);
  return new Set(violations.map(({ checker }) => checker));
}

it('nothing is broken where nothing is planted, and every way to an end is taken', async () => {
  const { violations, run } = await attempt(scenario);
  expect(violations).toEqual([]);
  const last = new Map(
    run.history.plans!.schedules.map(({ subject, data }) => [
      subject.split('.').at(-1),
      (JSON.parse(Buffer.from(data).toString()) as { state: string }).state,
    ]),
  );
  expect(Object.fromEntries(last)).toEqual({
    's-0': 'cancelled',
    's-1': 'cancelled',
    's-2': 'fired',
    'r-0-f-0': 'cancelled',
    'r-0-f-1': 'scheduled',
  });
});

describe('a checker of planning finds', () => {
  it.each([
    ['MC-SCH-050 a run that is submitted twice', submittingTwice, 'one-run-for-each-fired-schedule'],
    ['MC-SCH-038 a scheduler that fires on a cancelled pass', blindToPasses, 'fires-inside-its-window'],
    ['MC-SCH-047 a scheduler that receives nothing of passes', deafToPasses, 'stands-as-the-rules-say'],
    ['MC-SCH-040 a cancelled schedule that lives on', reviving, 'final-schedules-stay'],
    ['MC-SCH-057 a validation that comes back', forgiving, 'validations-stay-fallen'],
    ['MC-SCH-037 one that is missed before its start', hasty, 'ends-for-a-reason'],
    ['MC-PASS-031 a merge that drops what another source said', forgetful, 'no-contribution-lost'],
    ['MC-PASS-032 a pass that has two names', renaming, 'passes-keep-their-names'],
    ['MC-RULE-009 a rule that makes nothing', idle, 'rules-make-one-of-each-pass'],
  ])('%s', async (_, wrapBus, checker) => {
    expect(await brokenBy({ wrapBus })).toContain(checker);
  });
});
