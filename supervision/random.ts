/** The two sources of chance: the machine's, and a seeded one whose run can be repeated. */

import type { Random } from '../ports/clock.ts';

export { seededRandom } from '../links/simulated/seeded-random.ts';

export const realRandom: Random = { next: () => Math.random() };
