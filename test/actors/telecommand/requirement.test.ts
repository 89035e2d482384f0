import { describe, expect, it } from 'vitest';
import { unmetRequirements } from '../../../actors/telecommand/requirement.ts';
import type { Measure } from '../../../mission/platform.ts';
import type { ReceivedValue } from '../../../ports/target-values.ts';
import { compiled, KEYS } from '../../mission/condition-platform.ts';
import { platformOf } from './platform.ts';

const NOW = 1_000_000;
const platform = platformOf('here');
const received = (value: ReceivedValue['value'], groundMs: number): ReceivedValue => ({
  value,
  groundMs,
  timeMs: groundMs,
  deferred: false,
});

function unmet(
  text: string | string[],
  known: Record<string, ReceivedValue['value'] | ReceivedValue>,
  maxAgeMs = 60_000,
) {
  const requires = [text].flat().map((each) => ({ that: compiled(each), maxAgeMs }));
  const sample = ({ ordinal }: Measure): ReceivedValue | undefined => {
    const found = known[KEYS[ordinal]!];
    if (found === undefined) return undefined;
    return typeof found === 'object' && found !== null ? found : received(found, NOW - 1_000);
  };
  return unmetRequirements(requires, { platform, instance: undefined, args: {}, sample, now: NOW });
}

describe('requires of a telecommand', () => {
  it('hold when every condition holds on the current values', () => {
    expect(
      unmet(['obc.counter > 3', 'obc.mode == NOMINAL'], { 'obc.counter': 4, 'obc.mode': 2 }),
    ).toBeUndefined();
    expect(unmet([], {})).toBeUndefined();
  });

  it('name each condition that does not hold, with the value by its name', () => {
    const detail = unmet(['obc.counter > 3', 'obc.mode == NOMINAL'], { 'obc.counter': 3, 'obc.mode': 1 });
    expect(detail).toContain('requires obc.counter > 3: it does not hold (obc.counter is 3)');
    expect(detail).toContain('obc.mode is SAFE');
  });

  it('do not hold on a measure that was never received', () => {
    expect(unmet('obc.counter > 3', {})).toBe('requires obc.counter > 3: unknown (obc.counter has no value)');
  });

  it('do not hold on a value that is too old, and hold on one that is just young enough', () => {
    const aged = (ageMs: number) => ({ 'obc.counter': received(4, NOW - ageMs) });
    expect(unmet('obc.counter > 3', aged(10_000), 10_000)).toBeUndefined();
    expect(unmet('obc.counter > 3', aged(11_000), 10_000)).toContain('is 11 s old, at most 10 s is allowed');
  });

  it('MC-XFER-059 MC-VAL-007 do not hold on a deferred value that was measured too long ago, however lately it came', () => {
    const dumped = (agoMs: number) => ({
      'obc.counter': { ...received(4, NOW - 1_000), timeMs: NOW - agoMs, deferred: true },
    });
    expect(unmet('obc.counter > 3', dumped(10_000), 10_000)).toBeUndefined();
    expect(unmet('obc.counter > 3', dumped(3_600_000), 10_000)).toContain('is 3600 s old, at most 10 s is');
    // A clock on board that is ahead makes nothing younger than its reception.
    expect(unmet('obc.counter > 3', dumped(-3_600_000), 500)).toContain('is 1 s old');
  });

  it('do not hold on a value that is unknown', () => {
    expect(unmet('obc.counter > 3', { 'obc.counter': null })).toContain('unknown');
  });
});
