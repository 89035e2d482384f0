/**
 * Looks for the board and takes it over for the chart of the radio.
 *
 * T1. Nothing is done with a board before it is silent: whoever set it is gone, or was this daemon before it lost it.
 * T2. That there is none is reported once for each reason.
 */

import type { RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { silence, silencedWords } from '../../../radio/board/silence.ts';
import type { Attachment } from './attach.ts';
import type { Board } from './board.ts';
import type { RadioParts } from './parts.ts';

interface AttachingOptions {
  readonly attachment: Attachment;
  readonly clock: Clock;
  readonly log: Log;
  readonly late: RadioParts['late'];
  readonly note: (kind: string, severity: 'info' | 'warning', message: string) => void;
}

/** What carries out `effect.attach`: the event that answers it. */
export function createAttaching(options: AttachingOptions): () => Promise<RadioEvent> {
  const { attachment, clock, note } = options;
  let known: string | undefined;
  const missed = (reason: string): RadioEvent => ({ type: 'board.missed', reason, at: clock.now() });
  return async () => {
    const outcome = await attachment.attach();
    if ('missing' in outcome) {
      if (known !== outcome.missing) note('board.missing', 'warning', outcome.missing);
      known = outcome.missing;
      return missed(outcome.missing);
    }
    known = undefined;
    const { attachment: number, context: found } = outcome.board;
    await silenceFound(outcome.board, options);
    if (attachment.board !== outcome.board) return missed('it was lost while it was silenced');
    note('board.attached', 'info', found.name);
    return { type: 'board.attached', board: { attachment: number, name: found.name }, at: clock.now() };
  };
}

/** T1 */
async function silenceFound({ context, modem }: Board, { late, log, note }: AttachingOptions): Promise<void> {
  const silenced = await silence(context, modem, late);
  if (silenced === undefined) return;
  const words = silencedWords(silenced, 'found without an owner');
  log.warn({}, words);
  note('transmitter.orphaned', 'warning', words);
}
