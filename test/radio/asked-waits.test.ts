import { expect, it } from 'vitest';
import { IIOD_TIMEOUT_LONGEST_MS, IIOD_TIMEOUT_MS } from '../../contract/limits/bench.ts';
import { AskedWaits } from '../../radio/iio/asked-waits.ts';

it('asked-waits.A1 holds for every connection of an address, the last word counts, and goes with the last of them', () => {
  const waits = new AskedWaits();
  const [control, reader, other] = [waits.join('a'), waits.join('a'), waits.join('b')];
  const all = (): number[] => [control, reader, other].map(({ timeoutMs }) => timeoutMs);
  expect(all()).toEqual([IIOD_TIMEOUT_MS, IIOD_TIMEOUT_MS, IIOD_TIMEOUT_MS]);
  control.ask(8_000);
  expect(all()).toEqual([8_000, 8_000, IIOD_TIMEOUT_MS]);
  reader.ask(0);
  expect(all()).toEqual([IIOD_TIMEOUT_LONGEST_MS, IIOD_TIMEOUT_LONGEST_MS, IIOD_TIMEOUT_MS]);
  control.leave();
  expect(waits.join('a').timeoutMs).toBe(IIOD_TIMEOUT_LONGEST_MS);
  const alone = waits.join('c');
  alone.ask(5);
  alone.leave();
  expect(waits.join('c').timeoutMs).toBe(IIOD_TIMEOUT_MS);
});
