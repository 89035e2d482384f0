import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Result } from '../../contract/result.ts';
import {
  formatQuantity,
  parseDuration,
  parseQuantity,
  type QuantityFault,
  readQuantity,
} from '../../mission/quantity.ts';
import { matchOrdinals, parseSelectors } from '../../mission/selector.ts';
import { findUnit } from '../../mission/unit.ts';
import { TABLE } from '../../mission/unit-table.ts';
import { demoMission } from '../support/missions.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { mutated, noise } from './text.ts';

const names = Object.keys(TABLE);
const QUANTITIES = [
  '30 s',
  '-2.5 degC',
  '1e3 kbit/s',
  '0.0000001 GHz',
  '3.30 V',
  '10 min',
  '1e308 km',
  '-0 mA',
];
const anyText = fc.oneof(
  noise,
  mutated(QUANTITIES),
  fc.tuple(fc.double(), fc.constantFrom(...names)).map((both) => both.join(' ')),
);

/** The value, which must be finite; a refusal must say why. */
function checkedValue(result: Result<number, QuantityFault>): number | undefined {
  if (result.ok) {
    demand(Number.isFinite(result.value), 'a number that is none');
    return result.value;
  }
  for (const { message } of result.faults) demand(message !== '', 'a refusal without a reason');
  return undefined;
}

describe('any text', { timeout: FUZZ_TEST_MS }, () => {
  it('as a quantity is a finite number in a known unit, or refused with a reason', () => {
    fuzz({ cases: 16_000 }, fc.tuple(anyText, fc.constantFrom(...names)), ([text, unit]) => {
      const quantity = parseQuantity(text);
      if (quantity.ok) {
        const { value, unit: written } = quantity.value;
        demand(Number.isFinite(value) && findUnit(written) !== undefined, 'no number or no unit');
        const again = parseQuantity(formatQuantity(value, written));
        demand(again.ok && again.value.value === value, 'it is not read again as it was written');
      } else checkedValue(quantity);
      for (const difference of [true, false]) checkedValue(readQuantity(text, unit, { difference }));
    });
  });

  it('as a duration is a time of zero or more, or refused with a reason', () => {
    fuzz({ cases: 6_000 }, fc.tuple(anyText, fc.boolean()), ([text, negative]) => {
      const duration = checkedValue(parseDuration(text, { negative }));
      demand(duration === undefined || negative || duration >= 0, 'a time below zero');
    });
  });

  it('as a selector of measures selects some of the platform, or each part that is malformed is refused', () => {
    const { platform } = demoMission().targets.get('sat1')!;
    const all = platform!.measures.length;
    const written = ['obc.mode', 'battery[1].voltage,obc.counter', 'voltage,,mode', 'battery.soc'];
    fuzz({ cases: 10_000 }, fc.oneof(noise, mutated(written)), (text) => {
      const selectors = parseSelectors(text);
      if (selectors.ok)
        demand(matchOrdinals(platform!, selectors.value).length <= all, 'more than there are');
      else {
        demand(selectors.faults.length <= text.split(',').length, 'more faults than parts');
        const sound = selectors.faults.every(
          ({ code, help }) => code === 'api::invalid-measure' && help !== '',
        );
        demand(sound, 'a fault without code or help');
      }
    });
  });
});
