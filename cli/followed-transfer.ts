/**
 * One transfer as `mcs file get` and `mcs file put` wait for it: shown as it progresses, through losses of the service.
 */

import { type Transfer, transferKey } from '../contract/transfer.ts';
import { followAgain } from './followed.ts';
import type { ProgressShown } from './progress-shown.ts';
import type { Service } from './service.ts';

interface FollowedTransfer {
  readonly service: Service;
  readonly target: string;
  readonly shown: ProgressShown;
  readonly signal: AbortSignal;
  /** Whether it is this one. */
  readonly isIt: (transfer: Transfer) => boolean;
  /** Whether nothing more is waited for. */
  readonly hasArrived: (transfer: Transfer) => boolean;
  /** It is as it is now. */
  readonly seen?: (transfer: Transfer) => void;
}

/** The transfer once it has arrived; what the service refused; undefined at the signal. */
export async function followTransfer(
  followed: FollowedTransfer,
): Promise<Transfer | { readonly said: string } | undefined> {
  const { service, target, shown, isIt, hasArrived, seen } = followed;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, followed.signal]);
  let arrived: Transfer | undefined;
  const path = `/v1/transfers/watch?target=${encodeURIComponent(target)}`;
  const said = await followAgain<Transfer>(service, path, signal, {
    received(transfer) {
      if (arrived !== undefined || !isIt(transfer)) return;
      shown.progress(transfer);
      seen?.(transfer);
      if (!hasArrived(transfer)) return;
      arrived = transfer;
      over.abort();
    },
    lost: (why) => shown.say(`-- ${why}; trying again`),
  });
  if (arrived !== undefined) return arrived;
  return said === undefined ? undefined : { said };
}

/** Whether it is the transfer of that record. */
export function sameTransfer(one: Transfer): (other: Transfer) => boolean {
  const key = transferKey(one);
  return (other) => transferKey(other) === key;
}

/** Whether the file is there and judged, or never will be. One that stays COMPLETE says why. */
export function isJudged({ state, reason }: Transfer): boolean {
  if (state === 'COMPLETE') return reason !== undefined;
  return state !== 'REQUESTED' && state !== 'PARTIAL';
}
