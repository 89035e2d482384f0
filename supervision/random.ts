/** Chance of the machine; a seeded one, whose run can be repeated, is `ports/seeded-random.ts`. */

import type { Random } from '../ports/clock.ts';

export const realRandom: Random = { next: () => Math.random() };
