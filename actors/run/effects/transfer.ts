/**
 * Creates a download or an upload, which then goes on by itself: the transfer manager finds its record. Mission Control
 * Service, section 4.7 rules 8 and 9.
 *
 * F1. What was listed before the statement began is known when it is asked (MC-XFER-063): a step may list and download.
 * F2. Created again after a crash it is the one that is there (transfer-writes.W1).
 * F3. An executor that slept while another took its run over creates nothing: the file may be of other content by then.
 */

import type { ProgramStatement } from '../../../contract/program.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { Answers } from '../../../machines/run/protocol.ts';
import { createDownload, createUpload } from '../../../messaging/transfer-writes.ts';
import { TransfersOver } from '../../../messaging/transfers-over.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { operandText } from '../operands.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';
import { assertStillHeld } from '../still-held.ts';

type TransferStatement = Extract<ProgramStatement, { kind: 'download' | 'upload' }>;

export function createTransfer(services: RunServices): Handler<'effect.transfer'> {
  const { clock } = services;
  const over = new TransfersOver(services);
  return async ({ ticket, statement, answers }, at, signal) => {
    const made = await retryWhileBusIsAway({ clock, signal }, () =>
      create(services, over, { statement, answers }, at),
    );
    if (made === undefined) return undefined;
    if (made.value.ok) return { type: 'done', at: clock.now(), ticket };
    return { type: 'failed', at: clock.now(), ticket, reason: made.value.faults.join('; ') };
  };
}

/** Whether the transfer is there now. Throws `Outage`. */
async function create(
  { bus, clock, files, missions }: RunServices,
  over: TransfersOver,
  { statement, answers }: { readonly statement: TransferStatement; readonly answers: Answers },
  { run, mission, holds }: RunAtHand,
): Promise<Result<unknown, string>> {
  const { target } = statement;
  const file = operandText(statement.file, answers);
  if (!file.ok) return file;
  await files.upToDate(target);
  const tools = { bus, clock, files, over, assertMayWrite: () => assertStillHeld(run, holds) };
  const requester = { by: `run ${run}`, run };
  // The catalogue of now says what a file is: it is transferred by that one.
  const current = missions.current ?? mission;
  if (statement.kind === 'download') {
    const { priority } = statement;
    return inWords(
      await createDownload({ target, file_id: file.value, priority }, requester, current, tools),
    );
  }
  const source = operandText(statement.content, answers);
  if (!source.ok) return source;
  return inWords(
    await createUpload({ target, file_id: file.value, source: source.value }, requester, current, tools),
  );
}

function inWords(
  made: Result<unknown, { readonly code: string; readonly message: string }>,
): Result<unknown, string> {
  if (made.ok) return accepted(made.value);
  return refused(made.faults.map(({ code, message }) => `${code}: ${message}`).join('; '));
}
