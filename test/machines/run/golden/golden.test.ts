/**
 * The chart of a run against what charts before it did: recorded histories emit the same, byte for byte, and logs of
 * before restore to the same progress and effects. Where something must change on purpose, the line is changed with it
 * and the change named in CHANGELOG.md.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../contract/run-event.ts';
import { foldRun, restoredRun } from '../../../../machines/run/fold.ts';
import type { RunInput } from '../../../../machines/run/protocol.ts';
import { type History, played } from './history.ts';

function lines<Line>(file: string): Line[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

interface KeptLog {
  readonly input: RunInput;
  readonly events: readonly RunEvent[];
  /** What the chart of before made of it, for a new owner and for one that was asleep. */
  readonly standing: unknown;
  readonly frames: unknown;
  readonly effects: unknown;
  readonly effectsAsleep: unknown;
}

describe('recorded histories', () => {
  const histories = lines<History>('./histories.jsonl');

  it('are many, and have every kind of event, record and effect in them', () => {
    expect(histories.length).toBeGreaterThanOrEqual(60);
    const told = new Set(
      histories.flatMap(({ script }) => script.map((s) => ('tell' in s ? s.tell.type : 'restore'))),
    );
    const emitted = new Set(
      histories.flatMap(({ emitted: all }) => all.flatMap((each) => each.split(' ').slice(1))),
    );
    expect(told.size).toBeGreaterThanOrEqual(19);
    expect(emitted.size).toBe(32);
  });

  it.each(histories.map((history) => [history.seed, history] as const))(
    '%i emits what it did',
    (_, history) => {
      expect(played(history)).toEqual(history.emitted);
    },
  );
});

describe('kept logs', () => {
  const logs = lines<KeptLog>('./logs.jsonl');

  it.each(logs.map((log, n) => [n, log.events.at(-1)!.event, log] as const))(
    '%i, up to %s, restores',
    (_n, _last, log) => {
      const { input, events, standing, frames, effects, effectsAsleep } = log;
      const progress = foldRun({ input, events });
      expect({ standing: progress.standing, frames: progress.frames }).toEqual({ standing, frames });
      expect(restoredRun({ input, events }, { asleep: false }).effects).toEqual(effects);
      expect(restoredRun({ input, events }, { asleep: true }).effects).toEqual(effectsAsleep);
    },
  );
});
