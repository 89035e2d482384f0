/** Ideal points of a constellation. Pure. */

import type { Modulation } from '../../contract/bench/profile.ts';
import { bitsPerSymbol } from '../../radio/modulation.ts';

/** On the circle of amplitude 1; those of four points between the axes, others from the axis of I on. */
export function idealPoints(modulation: Modulation): readonly (readonly [number, number])[] {
  const count = 2 ** bitsPerSymbol(modulation);
  const first = count === 4 ? Math.PI / 4 : 0;
  return Array.from({ length: count }, (_, index) => {
    const angle = first + (2 * Math.PI * index) / count;
    return [Math.cos(angle), Math.sin(angle)] as const;
  });
}
