/** The waiting half of `mcs file put`: the run that uploads and the transfer, until both have come to their end. */

import type { Transfer } from '../contract/transfer.ts';
import { INTERRUPTED } from './followed.ts';
import { followRunEnd, type RunEnd } from './followed-run.ts';
import { followTransfer } from './followed-transfer.ts';
import { jsonText } from './printable.ts';
import type { ProgressShown } from './progress-shown.ts';
import { ask } from './request.ts';
import type { Service } from './service.ts';
import { uploadOf } from './standing-uploads.ts';
import { bytesText, receivedBytes } from './transfer-progress.ts';
import type { LocalContent } from './upload-content.ts';

export interface PutOnBoard {
  readonly service: Service;
  readonly target: string;
  readonly file: string;
  readonly content: LocalContent;
  readonly run: string;
  readonly json: boolean;
  readonly shown: ProgressShown;
  readonly signal: AbortSignal;
}

/** Exit code of the command. */
export async function putByRun(wanted: PutOnBoard): Promise<number> {
  const { service, target, file, content, run, shown } = wanted;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, wanted.signal]);
  let last: Transfer | undefined;
  const failing = followTransfer({
    service,
    target,
    shown,
    signal,
    isIt: ({ direction, file_id, source, by }) =>
      direction === 'upload' && file_id === file && source === content.hash && by === `run ${run}`,
    hasArrived: ({ state }) => state === 'CORRUPTED' || state === 'SUPERSEDED',
    seen: (transfer) => {
      last = transfer;
    },
  });
  const ending = followRunEnd({ service, run, shown, signal });
  const first = await Promise.race([ending, failing]);
  over.abort();
  await Promise.all([ending, failing]);
  if (wanted.signal.aborted) return interrupted(wanted);
  if (first === undefined) return 1;
  if ('said' in first) return shown.failed(first.said);
  return 'event' in first ? finished(wanted, first, await asItIs(wanted, last)) : lost(wanted, first);
}

/** What the watch showed last may be a moment old; of a run that was short it has shown nothing yet. */
async function asItIs(wanted: PutOnBoard, seen: Transfer | undefined): Promise<Transfer | undefined> {
  const { service, run, content } = wanted;
  if (seen === undefined)
    return (await uploadOf(wanted, content.hash, ({ by }) => by === `run ${run}`))?.transfer;
  const path = `/v1/transfers/${seen.target}/${seen.file_id}/${seen.generation}?direction=upload`;
  const read = await ask<Transfer>(service, 'GET', path);
  return read.ok ? read.reply : seen;
}

function finished(wanted: PutOnBoard, { ok, reason }: RunEnd, transfer: Transfer | undefined): number {
  const { run, shown, json, content } = wanted;
  const failure = reason === undefined ? '' : `: ${reason}`;
  if (transfer === undefined)
    return shown.failed(`run ${run} ${ok ? 'passed and uploaded nothing' : `failed${failure}`}`);
  const { state, generation, size } = transfer;
  const isThere = state === 'VERIFIED' || state === 'COMPLETE';
  const far = isThere
    ? `the file is on board, ${state}`
    : `${bytesText(receivedBytes(transfer))} of ${bytesText(size)} are on board; the same command continues`;
  if (!ok || !isThere) return shown.failed(`run ${run} ${ok ? 'passed' : `failed${failure}`}; ${far}`);
  shown.end();
  if (json) {
    const put = { run, sha256: content.hash, bytes: content.bytes, transfer };
    process.stdout.write(`${jsonText(put, 2)}\n`);
    return 0;
  }
  const unverified = state === 'COMPLETE' ? '  (verified by the next listing: mcs file refresh)' : '';
  process.stderr.write(
    `on board as generation ${generation}  ${state}${unverified}  ${bytesText(size)}  sha256 ${content.hash}\n`,
  );
  return 0;
}

function lost({ run, shown }: PutOnBoard, { state, reason = '' }: Transfer): number {
  return shown.failed(`${state}: ${reason} (run ${run} continues: mcs run follow ${run})`);
}

function interrupted({ run, shown }: PutOnBoard): number {
  shown.failed(
    `interrupted; run ${run} continues and writes the file: the same command follows it, ` +
      `mcs run follow ${run} shows its log, mcs run abort ${run} ends it`,
  );
  return INTERRUPTED;
}
