/** What a refusal of the board is to a client. RF Bench Service, section 7. */

import type { BenchErrorCode, BenchFault } from '../../../contract/bench/errors.ts';
import { refused } from '../../../contract/result.ts';
import { errno, type IioFailure } from '../../../radio/iio/context.ts';

const CODES: ReadonlyMap<number, BenchErrorCode> = new Map([
  [errno.ENODEV, 'unavailable'],
  [errno.ETIMEDOUT, 'timeout'],
]);

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(errno).map(([name, number]) => [number, name] as const),
);

/** The fault with the attribute and the number of the error. */
export function boardFault(failure: IioFailure): BenchFault {
  const number = NAMES.get(failure.errno) ?? `error ${failure.errno}`;
  const code = CODES.get(failure.errno) ?? 'board_failed';
  return { code, message: `${failure.message} (${number})` };
}

/** A refusal with one fault. */
export function refuse(
  code: BenchErrorCode,
  message: string,
  more: Omit<BenchFault, 'code' | 'message'> = {},
): ReturnType<typeof refused<BenchFault>> {
  return refused<BenchFault>({ code, message, ...more });
}
