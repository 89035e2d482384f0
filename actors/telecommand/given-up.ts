/**
 * The end of a telecommand that an operator gave up after its cell was quarantined: a final state of section 3.1, with what
 * had happened in its detail, so that whoever follows it is not left waiting. Mission Control Service, section 3.1.
 *
 * O1. A newer owner has written: then it is no longer this one's to end.
 * O3. A history that is over stays as it is.
 */

import type { TcState } from '../../contract/telecommand.ts';
import type { TelecommandInput } from '../../machines/telecommand.ts';
import type { Bus } from '../../ports/bus.ts';
import { appendEvent, isOver, readHistory, stateOf } from './history.ts';

interface GivenUp {
  readonly epoch: number;
  readonly at: number;
  /** The trouble it was in, and who gave it up. */
  readonly detail: string;
}

/** Position of its last event; undefined when another owner wrote. Throws `Outage`; asked again it goes on. */
export async function recordGivenUp(
  bus: Bus,
  input: TelecommandInput,
  { epoch, at, detail }: GivenUp,
): Promise<number | undefined> {
  const history = await readHistory(bus, input.target, input.id);
  if (history.some((recorded) => recorded.epoch > epoch)) return undefined;
  let last = history.at(-1)?.seq ?? 0;
  if (isOver(history)) return last;
  const reached = stateOf(history);
  const missing: TcState[] = reached === undefined ? ['PENDING', 'REJECTED'] : [finalAfter(reached)];
  for (const state of missing) {
    const said = {
      ...(state !== 'PENDING' && { detail: `${consequence(state)}: ${detail}` }),
      ...(state === 'SEND_FAILED' && { failure: { outcome: 'unknown' } as const }),
    };
    const seq = await appendEvent(bus, input, { type: 'record', state, at, ...said }, epoch, last);
    if (seq === undefined) return undefined;
    last = seq;
  }
  return last;
}

/** The failure that follows a state in the chain. */
function finalAfter(state: TcState): TcState {
  if (state === 'ENCODED') return 'SEND_FAILED';
  return state === 'SENT' ? 'VERIFY_FAILED' : 'REJECTED';
}

function consequence(state: TcState): string {
  if (state === 'SEND_FAILED') return 'nobody knows whether it left';
  return state === 'VERIFY_FAILED' ? 'it left and was not verified' : 'it was not sent';
}
