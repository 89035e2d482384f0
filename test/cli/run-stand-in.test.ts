/** Who answers in a dry run. */

import { describe, expect, it } from 'vitest';
import { StandIn } from '../../cli/run-stand-in.ts';
import { DRY_RUN_REPLAYS } from '../../contract/limits/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';

const about = { run: '01J5ZK3M8QW7V9XH2C4T6R8YAC', seq: 1, at: '2026-01-02T03:04:05.000Z' };
const decision: RunEvent = { ...about, event: 'decision_required', path: 'shoot', reason: 'x' };
const asked = (role?: string): RunEvent => ({
  ...about,
  event: 'asked',
  path: 'shoot',
  prompt: 'x',
  ...(role !== undefined && { role }),
});

/** It says which question it answers. */
const yes = { path: 'shoot', accepted: true, question: about.seq };

describe('the stand-in of a dry run', () => {
  it('MC-ANS-016 decides as it was asked, each time', () => {
    const standIn = new StandIn('skip', {});
    for (let n = 0; n < 5; n += 1) {
      expect(standIn.answerTo(decision)?.answer).toEqual({ ...yes, value: 'skip' });
    }
  });

  it('MC-ANS-017 MC-LIM-019 replays three times at most, then decides fail', () => {
    const standIn = new StandIn('replay', {});
    const values = Array.from({ length: 5 }, () => standIn.answerTo(decision)?.answer.value);
    expect(DRY_RUN_REPLAYS).toBe(3);
    expect(values).toEqual(['replay', 'replay', 'replay', 'fail', 'fail']);
  });

  it('confirms each time as another person, in the role that is awaited', () => {
    const standIn = new StandIn('fail', {});
    const answers = [standIn.answerTo(asked('supervisor')), standIn.answerTo(asked('flight'))];
    expect(answers.map((each) => each?.roles)).toEqual(['supervisor', 'flight']);
    expect(new Set(answers.map((each) => each?.user)).size).toBe(2);
  });

  it('gives the typed answer it was given for a path, and says nothing where nothing is asked', () => {
    const standIn = new StandIn('fail', { shoot: '12 dB' });
    expect(standIn.answerTo(asked())?.answer).toEqual({ ...yes, value: '12 dB' });
    expect(standIn.answerTo({ ...about, event: 'taken_over', by: 'x' })).toBeUndefined();
  });
});
