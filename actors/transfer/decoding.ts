/**
 * Offers a file to the driver of its target. Mission Control Service, sections 3.5 and 4.7 rule 6. It is asked for at
 * most five minutes; silence and malformed replies are failures, and the file is offered again (MC-XFER-035,
 * MC-XFER-057).
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type DecodeFileCall,
  type DecodeFileReply,
  readDecodeFileReply,
} from '../../contract/file-decoding.ts';
import { FILE_DECODE_MS } from '../../contract/limits.ts';
import { contentObject, type StoredTransfer } from '../../contract/transfer.ts';
import { type Asked, askWhileBusIsAway } from '../../messaging/ask.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

interface DecodingTools {
  readonly bus: Bus;
  readonly clock: Clock;
}

/** What became of it; undefined when `signal` ended the wait. */
export async function offerFile(
  { bus, clock }: DecodingTools,
  record: StoredTransfer,
  signal: AbortSignal,
): Promise<DecodeFileReply | undefined> {
  const { target, file_id, generation, file_type = 0 } = record;
  const call: DecodeFileCall = { file_id, generation, file_type, object: contentObject(record) };
  const question = {
    to: subject.fileDecode(target),
    call,
    read: readDecodeFileReply,
    timeoutMs: FILE_DECODE_MS,
  };
  const asked = await askWhileBusIsAway(bus, question, { clock, signal });
  return asked && replyIn(asked);
}

function replyIn(asked: Asked<DecodeFileReply>): DecodeFileReply {
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      return { outcome: 'failed', reason: 'no driver decodes files of the target' };
    case 'unanswered':
      return { outcome: 'failed', reason: 'its driver did not answer in time' };
    case 'unreadable':
      return { outcome: 'failed', reason: 'malformed reply of its driver' };
    default:
      return assertNever(asked);
  }
}
