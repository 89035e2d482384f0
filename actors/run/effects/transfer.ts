/**
 * Asks the transfer manager for a download or an upload, which then goes on by itself. Mission Control Service, section 4.7
 * rules 8 and 9.
 */

import { subject } from '../../../contract/bus/subjects.ts';
import { TRANSFER_ANSWER_MS } from '../../../contract/limits.ts';
import { Outage } from '../../../contract/outage.ts';
import type { ProgramStatement } from '../../../contract/program.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import { readTransferReply, type TransferCall } from '../../../contract/transfer.ts';
import type { Answers } from '../../../machines/run/protocol.ts';
import { patiently } from '../../../messaging/patiently.ts';
import { operandText } from '../operands.ts';
import type { Handler, RunServices } from '../services.ts';

type TransferStatement = Extract<ProgramStatement, { kind: 'download' | 'upload' }>;

export function createTransfer(services: RunServices): Handler<'effect.transfer'> {
  const { clock } = services;
  return async ({ ticket, statement, answers }, { run }, signal) => {
    const call = callOf(run, statement, answers);
    const asked = call.ok ? await patiently(clock, signal, () => ask(call.value, services)) : { value: call };
    if (asked === undefined) return undefined;
    if (asked.value.ok) return { type: 'done', at: clock.now(), ticket };
    return { type: 'failed', at: clock.now(), ticket, reason: asked.value.faults.join('; ') };
  };
}

function callOf(run: string, statement: TransferStatement, answers: Answers): Result<TransferCall, string> {
  const file = operandText(statement.file, answers);
  if (!file.ok) return file;
  const asked = { run, target: statement.target, file: file.value, by: `run ${run}` };
  if (statement.kind === 'download') {
    return accepted({ ...asked, direction: 'download', priority: statement.priority });
  }
  const content = operandText(statement.content, answers);
  return content.ok ? accepted({ ...asked, direction: 'upload', content: content.value }) : content;
}

/** Whether the transfer is there now; throws `Outage` while the bus is away. */
async function ask(call: TransferCall, { bus }: RunServices): Promise<Result<unknown, string>> {
  try {
    const data = Buffer.from(JSON.stringify(call));
    const reply = await bus.request(subject.transferRequest, data, { timeoutMs: TRANSFER_ANSWER_MS });
    const read = readTransferReply(reply);
    if (read === undefined) return refused('the transfer manager answered with what is no answer');
    if (read.ok) return accepted(read.value);
    return refused(read.faults.map(({ code, message }) => `${code}: ${message}`).join('; '));
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    if (error.code === 'bus.no-responder') return refused('no transfer manager runs');
    if (error.code === 'bus.timeout' && !error.unsettled)
      return refused('the transfer manager did not answer');
    throw error;
  }
}
