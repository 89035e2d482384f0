/**
 * Asks the transfer manager for a download or an upload, which then goes on by itself. Mission Control Service, section
 * 4.7 rules 8 and 9.
 */

import { assertNever } from '../../../contract/assert.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { TRANSFER_ANSWER_MS } from '../../../contract/limits.ts';
import type { ProgramStatement } from '../../../contract/program.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import { readTransferReply, type TransferCall, type TransferReply } from '../../../contract/transfer.ts';
import type { Answers } from '../../../machines/run/protocol.ts';
import { type Asked, askWhileBusIsAway, type Question } from '../../../messaging/ask.ts';
import { operandText } from '../operands.ts';
import type { Handler, RunServices } from '../services.ts';

type TransferStatement = Extract<ProgramStatement, { kind: 'download' | 'upload' }>;

export function createTransfer({ bus, clock }: RunServices): Handler<'effect.transfer'> {
  return async ({ ticket, statement, answers }, { run }, signal) => {
    const call = callOf(run, statement, answers);
    const created = call.ok
      ? createdBy(await askWhileBusIsAway(bus, questionOf(call.value), { clock, signal }))
      : call;
    if (created === undefined) return undefined;
    if (created.ok) return { type: 'done', at: clock.now(), ticket };
    return { type: 'failed', at: clock.now(), ticket, reason: created.faults.join('; ') };
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

function questionOf(call: TransferCall): Question<TransferReply> {
  return { to: subject.transferRequest, call, read: readTransferReply, timeoutMs: TRANSFER_ANSWER_MS };
}

/** Whether the transfer is there now; undefined when nobody waits for it any more. */
function createdBy(asked: Asked<TransferReply> | undefined): Result<unknown, string> | undefined {
  switch (asked?.outcome) {
    case undefined:
      return undefined;
    case 'answered': {
      const { answer } = asked;
      if (answer.ok) return answer;
      return refused(answer.faults.map(({ code, message }) => `${code}: ${message}`).join('; '));
    }
    case 'unserved':
      return refused('no transfer manager runs');
    case 'unanswered':
      return refused('the transfer manager did not answer');
    case 'unreadable':
      return refused('malformed reply from the transfer manager');
    default:
      return assertNever(asked);
  }
}
