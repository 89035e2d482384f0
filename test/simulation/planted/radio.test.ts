/**
 * Every checker of the radio shown to fail: by a defect between the radio and its board, its records or those who ask
 * it, or, where no honest radio can be brought to it, by a history that was tampered with.
 */

import { describe, expect, it } from 'vitest';
import type { Action } from '../radio/action.ts';
import type { RadioFault } from '../radio/fault.ts';
import type { RadioHistory } from '../radio/history.ts';
import type { RadioScenario, Visit } from '../radio/scenario.ts';
import { attemptRadio, radioCheckers, radioViolationsOf } from '../radio/trial.ts';
import { type RadioRunOptions, runRadio } from '../radio/world.ts';
import {
  airy,
  boasting,
  clinging,
  fidgeting,
  forgetful,
  generous,
  hesitant,
  mumbling,
  mute,
  neverMute,
  neverOpen,
  neverQuiet,
  throwing,
  whitewashing,
} from './radio-defects.ts';

/** Asked by one person, half a second apart. */
function scenario(
  actions: readonly Action[],
  { faults = [], visits = [] }: { faults?: readonly RadioFault[]; visits?: readonly Visit[] } = {},
): RadioScenario {
  const acts = actions.map((action, n) => ({ at: 500 * (n + 1), who: 'ada', action }));
  return { seed: 7, acts, visits, faults, calmAt: 500 * (actions.length + 2) };
}

async function brokenBy(options: RadioRunOptions, from: RadioScenario): Promise<Set<string>> {
  const { violations } = await attemptRadio(from, options);
  return new Set(violations.map(({ checker }) => checker));
}

/** Of each scenario that nothing was planted in, run once: it is the same every time. */
const sound = new Map<string, Promise<RadioHistory>>();

function soundHistory(from: RadioScenario): Promise<RadioHistory> {
  const key = JSON.stringify(from);
  const history = sound.get(key) ?? runRadio(from).then((ran) => ran.history);
  sound.set(key, history);
  return history;
}

/** What is broken by the defect in a scenario that breaks nothing without it. */
async function plantedIn(options: RadioRunOptions, from: RadioScenario): Promise<Set<string>> {
  expect(radioViolationsOf(await soundHistory(from))).toEqual([]);
  return brokenBy(options, from);
}

/** What is broken once the history of a sound run is another one. */
async function brokenIn(tampered: (history: RadioHistory) => Partial<RadioHistory>): Promise<string[]> {
  const history = await soundHistory(scenario(BETWEEN_PATHS));
  return radioViolationsOf({ ...history, ...tampered(history) }).map(({ checker }) => checker);
}

const BETWEEN_PATHS: readonly Action[] = [
  { do: 'apply', profile: 'fast' },
  { do: 'condition', target: 'air' },
  { do: 'condition', target: 'device-loopback', profile: 'other' },
  { do: 'state', target: 'air' },
];
const GAIN: Action = { do: 'gain', rx_gain_db: 20 };
const VISIT: Visit = { at: 900, forMs: 2_000, holder: { kind: 'campaign', id: 'run-0' }, acts: [] };

describe('planted defects of the radio', () => {
  it('a board that is tuned behind the switch was not configured before it', async () => {
    expect(await plantedIn({ wrapContext: fidgeting }, scenario(BETWEEN_PATHS))).toContain(
      'configured-before-switched',
    );
  });

  it('a transmitter that is never muted is detected while the path is switched, and in the loopback', async () => {
    const broken = await plantedIn({ wrapContext: neverMute }, scenario(BETWEEN_PATHS));
    expect(broken).toContain('switched-while-quiet');
    expect(
      await brokenBy(
        { wrapContext: neverMute },
        scenario([...BETWEEN_PATHS, { do: 'loopback', enabled: true }]),
      ),
    ).toContain('muted-in-loopbacks');
  });

  it('a mute that looks first is not answered at once', async () => {
    const muted = scenario([
      { do: 'apply', profile: 'fast' },
      { do: 'gain', tx_gain_db: -89 },
    ]);
    expect(await plantedIn({ wrapRadio: hesitant }, muted)).toContain('stopped-at-once');
  });

  it('a command of before that is done behind a stop is one that was not stopped for good', async () => {
    const { history } = await runRadio(
      scenario([
        { do: 'condition', target: 'air', profile: 'fast' },
        { do: 'gain', tx_gain_db: -89 },
        { do: 'gain', tx_gain_db: -10 },
      ]),
    );
    expect(radioViolationsOf(history)).toEqual([]);
    // As if the gain that was asked last had been asked first.
    const asked = history.asked.map((each) => (each.act === 2 ? { ...each, order: 0 } : each));
    expect(radioViolationsOf({ ...history, asked }).map(({ checker }) => checker)).toContain(
      'stopped-for-good',
    );
  });

  it('blocks that stay queued wait for another path than theirs', async () => {
    const queued = scenario([
      { do: 'condition', target: 'device-loopback', profile: 'fast' },
      { do: 'disable' },
      { do: 'transmit', bytes: 5_000, force: true },
      { do: 'transmit', bytes: 5_000, force: true },
      ...Array.from({ length: 16 }, (): Action => ({ do: 'transmit', bytes: 5_000, force: true })),
      { do: 'loopback', enabled: false },
    ]);
    expect(await plantedIn({ wrapContext: clinging }, queued)).toContain('nothing-queued-changes-path');
  });

  it('a board that cannot be silenced is not silent when a daemon finds it', async () => {
    const crash: RadioFault = { kind: 'crash', at: 1_400, forMs: 300 };
    const killed = scenario([{ do: 'condition', target: 'air', profile: 'fast' }, { do: 'status' }], {
      faults: [crash],
    });
    expect(await plantedIn({ wrapContext: neverQuiet }, killed)).toContain('found-silent');
  });

  it('a transmitter that is never quiet is detected while it is retuned', async () => {
    expect(await plantedIn({ wrapContext: neverQuiet }, scenario(BETWEEN_PATHS))).toContain(
      'changed-while-quiet',
    );
  });

  it('an egress that does not open brings no bytes through', async () => {
    const broken = await plantedIn({ wrapContext: neverOpen }, scenario([]));
    expect(broken).toEqual(new Set(['conditions-when-sound', 'works-again']));
  });

  it('states that boast of being ready, or of the air, are found out', async () => {
    expect(await plantedIn({ wrapRadio: boasting }, scenario(BETWEEN_PATHS))).toContain('ready-is-so');
    expect(await plantedIn({ wrapRadio: airy }, scenario(BETWEEN_PATHS))).toContain(
      'reaches-the-connector-truly',
    );
  });

  it('a board that a run only seems to hold is written to by others', async () => {
    const held = scenario([{ do: 'apply', profile: 'fast' }, GAIN, GAIN], { visits: [VISIT] });
    expect(await plantedIn({ wrapRadio: generous }, held)).toContain('holders-alone');
  });

  it('a gain that is refused and set all the same, and one that is never answered', async () => {
    const once = scenario([GAIN]);
    expect(await plantedIn({ wrapRadio: mumbling }, once)).toContain('refused-wrote-nothing');
    expect(await brokenBy({ wrapRadio: mute }, once)).toContain('answered-once');
  });

  it('a profile that stays clean whatever is changed', async () => {
    const changed = scenario([{ do: 'apply', profile: 'fast' }, GAIN]);
    expect(await plantedIn({ wrapRadio: whitewashing }, changed)).toContain('dirty-when-changed');
  });

  it('a daemon that forgets counts its applies from the beginning', async () => {
    const crash: RadioFault = { kind: 'crash', at: 700, forMs: 50 };
    const twice = scenario(
      [
        { do: 'apply', profile: 'fast' },
        { do: 'apply', profile: 'other' },
      ],
      { faults: [crash] },
    );
    expect(await plantedIn({ wrapStore: forgetful }, twice)).toContain('epochs-go-on');
  });

  it('a reading that throws is a defect', async () => {
    expect(await plantedIn({ wrapRadio: throwing }, scenario([{ do: 'status' }]))).toContain('no-defects');
  });
});

describe('tampered histories of the radio', () => {
  it('a write among those of another command, and one that nobody asked for', async () => {
    const among = ({ writes }: RadioHistory) => ({ writes: [...writes, writes[0]!] });
    expect(await brokenIn(among)).toContain('one-command-at-a-time');
    const nobodys = ({ writes }: RadioHistory) => ({
      writes: writes.map((write) => (write.kind === 'rate' ? { ...write, act: undefined } : write)),
    });
    expect(await brokenIn(nobodys)).toContain('one-command-at-a-time');
  });
});

it('no checker is without its defect here', () => {
  expect(radioCheckers.map(({ name }) => name).sort()).toEqual(
    [
      'answered-once',
      'changed-while-quiet',
      'conditions-when-sound',
      'configured-before-switched',
      'dirty-when-changed',
      'epochs-go-on',
      'found-silent',
      'holders-alone',
      'muted-in-loopbacks',
      'no-defects',
      'nothing-queued-changes-path',
      'one-command-at-a-time',
      'reaches-the-connector-truly',
      'ready-is-so',
      'refused-wrote-nothing',
      'stopped-at-once',
      'stopped-for-good',
      'switched-while-quiet',
      'works-again',
    ].sort(),
  );
});
