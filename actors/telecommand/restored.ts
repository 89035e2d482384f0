/**
 * What a cell of a telecommand goes on from: where its history stands, as an envelope of its chart. Mission Control
 * Service, section 3.1.
 */

import type { StateValueFrom } from 'xstate';
import type { TcState } from '../../contract/telecommand-state.ts';
import { TELECOMMAND_VERSION, type TelecommandFold } from '../../machines/telecommand/fold.ts';
import {
  type TelecommandContext,
  type TelecommandEffect,
  type TelecommandInput,
  telecommandMachine,
} from '../../machines/telecommand/telecommand.ts';
import type { ArmedTimer, Envelope, Stored } from '../../ports/entity.ts';
import type { Standing } from './standing.ts';
import { cellId } from './work.ts';

/**
 * Time a new owner has to read what the target said before: a window that ended while nobody looked is judged by what
 * came inside it, not by when somebody looked again.
 */
const LATE_LOOK_MS = 5_000;

/** What a cell needs to go on, at `now`, from a history that has begun (telecommand/fold.G3). */
export function restored(
  input: TelecommandInput,
  { fold, position, mark, isKept }: Omit<Standing, 'unreadable' | 'isCut'>,
  now: number,
): Stored {
  const context = contextOf(input, fold);
  const { state = 'PENDING', revision } = fold;
  const key = (n: number): string => `telecommand:${cellId(input.target, input.id)}:${revision}:${n}`;
  const snapshot = telecommandMachine.resolveState({ value: chartValue(state), context });
  const envelope: Envelope = {
    kind: 'telecommand',
    id: cellId(input.target, input.id),
    version: TELECOMMAND_VERSION,
    revision,
    epoch: 0,
    snapshot: telecommandMachine.getPersistedSnapshot(snapshot),
    timers: timersOf(state, context, now),
    effects: effectsOf(state, context).map((effect, n) => ({ key: key(n), effect })),
  };
  return { envelope, position, isKept, ...(mark !== undefined && { mark }) };
}

function contextOf(input: TelecommandInput, fold: TelecommandFold): TelecommandContext {
  const { frame, reference, gateway, encodedAt, sentAt, handed, detail } = fold;
  return {
    ...input,
    sendings: 0,
    earlyEchoes: [],
    ...(frame !== undefined && { frame }),
    ...(reference !== undefined && { reference }),
    ...(gateway !== undefined && { gateway }),
    ...(encodedAt !== undefined && { encodedAt }),
    ...(sentAt !== undefined && { sentAt }),
    ...(handed !== undefined && { handed }),
    ...(detail !== undefined && { detail }),
  };
}

/** A restored chart takes no `always` step, so it is put where it asks. */
function chartValue(state: TcState): StateValueFrom<typeof telecommandMachine> {
  switch (state) {
    case 'PENDING':
      return { PENDING: 'checking' };
    case 'SENT':
      return { SENT: 'verifying' };
    default:
      return state;
  }
}

function timersOf(state: TcState, context: TelecommandContext, now: number): ArmedTimer[] {
  if (state !== 'SENT' || context.verifyWithinMs === null) return [];
  const name = 'xstate.after.verificationTimeout.telecommand.SENT';
  const dueAt = Math.max((context.sentAt ?? context.at) + context.verifyWithinMs, now + LATE_LOOK_MS);
  return [{ id: name, event: { type: name }, dueAt }];
}

function effectsOf(state: TcState, context: TelecommandContext): TelecommandEffect[] {
  switch (state) {
    case 'PENDING':
      return [{ type: 'effect.check' }];
    case 'ENCODED':
      // The owner before may have asked the gateway: only one that knows the key may answer for it (O2).
      return [
        {
          type: 'effect.send',
          frame: context.frame ?? '',
          ...(context.gateway !== undefined && { gateway: context.gateway }),
          recovering: { since: context.encodedAt ?? context.at },
        },
      ];
    case 'SENT':
      return [
        { type: 'effect.release' },
        {
          type: 'effect.verify',
          sentAt: context.sentAt ?? context.at,
          ...(context.handed !== undefined && { handed: context.handed }),
          ...(context.reference !== undefined && { reference: context.reference }),
        },
      ];
    default:
      return [];
  }
}
