/**
 * What a bench continues from: the record of the radio as an earlier life left it, or a beginning where that cannot be
 * read. RF Bench Service, section 4, rule 4.
 *
 * E1. A record that cannot be read keeps no bench from starting: without one nobody would silence the board.
 * E2. A beginning behind such a record counts its epochs on from the position of the record in its store: that is more
 *     than there were applies, so that no epoch is given twice (durable-record.V1).
 */

import { createActor } from 'xstate';
import { isInstant } from '../../../contract/instant.ts';
import { asObject, type Foreign, isListOf } from '../../../contract/reply.ts';
import { radioMachine } from '../../../machines/bench/radio.ts';
import { NOTHING_APPLIED, type RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { Envelope, Stored } from '../../../ports/entity.ts';
import { RADIO_ID, RADIO_KIND, RADIO_VERSION } from './binding.ts';

/** Whether a radio of this version can continue from the envelope. */
export function isRadioEnvelope({ version, snapshot }: Envelope): boolean {
  const context = asObject(asObject(snapshot)?.context);
  return version === RADIO_VERSION && isRecord(context?.record) && isOfChart(snapshot);
}

/** A radio of which nothing is known, behind a record at that position (E2). */
export function beginningBehind(position: number): Stored {
  const record: RadioRecord = { ...NOTHING_APPLIED, epoch: position };
  const snapshot = createActor(radioMachine).getPersistedSnapshot() as unknown as {
    readonly context: object;
  };
  const envelope: Envelope = {
    kind: RADIO_KIND,
    id: RADIO_ID,
    version: RADIO_VERSION,
    revision: 0,
    epoch: 0,
    snapshot: { ...snapshot, context: { ...snapshot.context, record } },
    timers: [],
    effects: [],
  };
  return { envelope, position };
}

/** What is applied is not looked at: a new life knows nothing of it (machines/bench/radio.R4). */
function isRecord(value: unknown): boolean {
  const { epoch, revisions, changes = 0 } = asObject(value) ?? {};
  const byProfile = asObject(revisions);
  return (
    isCount(epoch) &&
    isCount(changes) &&
    byProfile !== undefined &&
    Object.values(byProfile).every((list) => isListOf(list, isRevision))
  );
}

function isRevision({ version, epoch, at, by, message }: Foreign): boolean {
  return (
    isCount(version) &&
    isCount(epoch) &&
    typeof at === 'number' &&
    isInstant(at) &&
    typeof by === 'string' &&
    typeof message === 'string'
  );
}

/** The chart itself says whether it can be put to it. */
function isOfChart(snapshot: unknown): boolean {
  try {
    return createActor(radioMachine, { snapshot: snapshot as never }).getSnapshot().status === 'active';
  } catch {
    return false;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
