/** The rows of the chain (chain/condition.N1), in the order of conditioning. */

import type { ConditionRow } from './condition.ts';
import { CLOCKS } from './rows/clocks.ts';
import { CONVERTER } from './rows/converter.ts';
import { GROUND } from './rows/ground.ts';
import { LINK } from './rows/link.ts';
import { MODEM } from './rows/modem.ts';
import { PATH } from './rows/path.ts';
import { quietBefore } from './rows/quiet.ts';
import { TUNING } from './rows/tuning.ts';

const CONFIGURING = [...CLOCKS, ...CONVERTER, ...TUNING, ...MODEM];
const SWITCHES = PATH.filter(({ stage }) => stage === 'switch');

export const CHAIN: readonly ConditionRow[] = [
  ...GROUND,
  quietBefore([...CONFIGURING, ...SWITCHES]),
  ...CONFIGURING,
  ...PATH,
  ...LINK,
];
