/**
 * The life of one transfer. Mission Control Service, section 3.5; the reply of a driver to a file that it may decode is
 * part of it. How its bytes come and go is the matter of others (`actors/transfer/`): here is what becomes of it.
 *
 * T1. Each change is recorded before anything happens because of it.
 * T2. What changes nothing records nothing: a range that is there, a generation that is no newer.
 * T3. Behind PROCESSED, CORRUPTED, SUPERSEDED and a VERIFIED file that no driver decodes nothing changes it
 *     (MC-XFER-031), but for a file that was left since too many waited: asked for again, it is offered again. COMPLETE
 *     with a checksum that nothing here computes is such an end as well, and so is an upload that was rewritten
 *     on board before it was listed.
 * T4. Bytes count from the moment they are stored or acknowledged. Once every byte is there no more are taken, until
 *     the file is assembled or some of them turn out to be gone.
 * T5. An upload whose run is over stays as it is: a newer generation supersedes it, another run goes on with it
 *     (transfer-writes.W1). After `UPLOAD_ENDED_MS` it is closed in the state it is in, which no row of section 3.5
 *     leads out of: then only another run goes on with it.
 */

import { enqueueActions, setup } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import { TRANSFER_REASON_CHARACTERS } from '../../contract/limits/transfer.ts';
import { isOpenTransfer, type StoredTransfer, type TransferState } from '../../contract/transfer.ts';
import { nextOf, publication } from './next.ts';
import type {
  Comparison,
  TransferChartEvent,
  TransferContext,
  TransferEffect,
  TransferInput,
  TransferItem,
} from './protocol.ts';
import {
  comparisonReason,
  EMPTY_CONTENT,
  firstRecord,
  hasEveryByte,
  moved,
  remembering,
  touched,
  withBytes,
  withHindrance,
  withoutBytes,
} from './record.ts';

type EventOf<Type extends TransferChartEvent['type']> = Extract<TransferChartEvent, { type: Type }>;

function item(stored: StoredTransfer, transition: boolean): TransferItem {
  return { type: 'record', stored, transition };
}

/** The record with what an event says of it, in the state it is in. */
function known(record: StoredTransfer, event: TransferChartEvent): StoredTransfer {
  switch (event.type) {
    case 'bytes.received':
      return withBytes(record, event.ranges, event.transaction);
    case 'bytes.gone':
      return withoutBytes(record, event.ranges);
    case 'file.assembled':
      return remembering(record, { content: event.content });
    case 'checksum.compared':
      return judged(record, event);
    case 'file.decoded':
      return remembering(record, { decoding: { outcome: 'decoded', failures: failuresOf(record) } });
    case 'file.undecodable':
      return undecoded(record, 'not_decodable', event.reason);
    case 'file.left':
      return undecoded(record, 'left', event.reason);
    case 'decoding.failed':
      return withHindrance(
        remembering(record, { decoding: { outcome: 'awaited', failures: failuresOf(record) + 1 } }),
        event.reason,
      );
    case 'run.ended': {
      const ended = { at: new Date(event.at).toISOString() };
      return remembering(withHindrance(record, event.reason), { ended });
    }
    case 'upload.expired':
      return remembering(record, { ended: { at: record.updated_at, ...record.actor.ended, closed: true } });
    case 'hindrance.met':
      return withHindrance(record, event.reason);
    case 'hindrance.over':
      return withHindrance(record, undefined);
    case 'generation.seen':
      return record;
  }
}

function judged(record: StoredTransfer, event: EventOf<'checksum.compared'>): StoredTransfer {
  if (isUnverifiable(event.comparison)) {
    const reason = comparisonReason(event.comparison);
    const ended = remembering(withHindrance(record, undefined), { unverifiable: true });
    return { ...ended, ...(reason !== undefined && { reason }) };
  }
  const isAwaited = event.decodable && event.comparison.outcome !== 'differs';
  return isAwaited ? remembering(record, { decoding: { outcome: 'awaited', failures: 0 } }) : record;
}

function isUnverifiable({ outcome }: Comparison): boolean {
  return outcome === 'unavailable' || outcome === 'rewritten';
}

/** VERIFIED for good, or until somebody asks for it again (T3). */
function undecoded(
  record: StoredTransfer,
  outcome: 'not_decodable' | 'left',
  reason?: string,
): StoredTransfer {
  const { reason: _, ...rest } = withHindrance(record, undefined);
  const why = reason === undefined ? {} : { reason: reason.slice(0, TRANSFER_REASON_CHARACTERS) };
  return remembering({ ...rest, ...why }, { decoding: { outcome, failures: failuresOf(record) } });
}

function failuresOf({ actor }: StoredTransfer): number {
  return actor.decoding?.failures ?? 0;
}

/** Why it is in its new state. */
function reasonOf(event: TransferChartEvent): string | undefined {
  switch (event.type) {
    case 'checksum.compared':
      return comparisonReason(event.comparison);
    case 'generation.seen':
      return 'new generation';
    case 'file.decoded':
      return event.leftOut === undefined
        ? `${event.samples} samples`
        : `${event.samples} samples; ${event.leftOut}`;
    default:
      return undefined;
  }
}

/** T5 */
const leftAlone = {
  'run.ended': { guard: 'isLeftAlone', actions: 'note' },
  'upload.expired': { guard: 'isKeptOpen', actions: 'note' },
} as const;

export const transferMachine = setup({
  types: {} as {
    context: TransferContext;
    events: TransferChartEvent;
    emitted: TransferEffect | TransferItem;
    input: TransferInput;
  },
  guards: {
    hasNoBytes: ({ context }) => context.record.size === 0,
    bringsBytes: ({ context, event }) =>
      event.type === 'bytes.received' &&
      withBytes(context.record, event.ranges, event.transaction) !== context.record,
    hasEveryByte: ({ context }) => hasEveryByte(context.record),
    isNewer: ({ context, event }) =>
      event.type === 'generation.seen' && event.generation > context.record.generation,
    differs: ({ event }) => event.type === 'checksum.compared' && event.comparison.outcome === 'differs',
    isUnverifiable: ({ event }) => event.type === 'checksum.compared' && isUnverifiable(event.comparison),
    isDecodable: ({ event }) => event.type === 'checksum.compared' && event.decodable,
    isLeftAlone: ({ context: { record } }) =>
      record.direction === 'upload' && record.actor.ended === undefined,
    isKeptOpen: ({ context: { record } }) => record.actor.ended !== undefined && isOpenTransfer(record),
    isAnotherHindrance: ({ context, event }) =>
      event.type === 'hindrance.met' &&
      isOpenTransfer(context.record) &&
      withHindrance(context.record, event.reason).reason !== context.record.reason,
    isHindered: ({ context }) =>
      isOpenTransfer(context.record) && context.record.actor.hindrance !== undefined,
  },
  actions: {
    begin: enqueueActions(({ context, enqueue }, params: { state: TransferState }) => {
      const at = Date.parse(context.record.created_at);
      const isEmpty = params.state === 'COMPLETE';
      const first = isEmpty ? remembering(context.record, { content: EMPTY_CONTENT }) : context.record;
      const record = moved(first, params.state, at);
      enqueue.assign({ record });
      enqueue.emit(item(record, true));
      for (const effect of [publication(record), ...nextOf(record)]) enqueue.emit(effect);
    }),
    enter: enqueueActions(({ context, event, enqueue }, params: { state: TransferState }) => {
      const record = moved(known(context.record, event), params.state, event.at, reasonOf(event));
      enqueue.assign({ record });
      enqueue.emit(item(record, true));
      for (const effect of [publication(record), ...nextOf(record)]) enqueue.emit(effect);
    }),
    /** In the same state; what comes next is asked for where the event has changed it. */
    note: enqueueActions(({ context, event, enqueue }) => {
      const record = touched(known(context.record, event), event.at);
      enqueue.assign({ record });
      enqueue.emit(item(record, false));
      if (event.type.startsWith('hindrance')) return;
      for (const effect of nextOf(record)) enqueue.emit(effect);
    }),
  },
}).createMachine({
  id: 'transfer',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => ({ record: firstRecord(input) }),
  initial: 'created',
  on: {
    'hindrance.met': { guard: 'isAnotherHindrance', actions: 'note' },
    'hindrance.over': { guard: 'isHindered', actions: 'note' },
  },
  states: {
    created: {
      always: [
        { guard: 'hasNoBytes', target: 'COMPLETE', actions: begun('COMPLETE') },
        { target: 'REQUESTED', actions: begun('REQUESTED') },
      ],
    },
    REQUESTED: {
      on: {
        'bytes.received': { guard: 'bringsBytes', target: 'PARTIAL', actions: entered('PARTIAL') },
        'generation.seen': { guard: 'isNewer', target: 'SUPERSEDED', actions: entered('SUPERSEDED') },
        ...leftAlone,
      },
    },
    PARTIAL: {
      on: {
        'generation.seen': { guard: 'isNewer', target: 'SUPERSEDED', actions: entered('SUPERSEDED') },
      },
      initial: 'receiving',
      states: {
        receiving: {
          always: { guard: 'hasEveryByte', target: 'assembling' },
          on: {
            'bytes.received': { guard: 'bringsBytes', target: 'receiving', actions: 'note' },
            ...leftAlone,
          },
        },
        assembling: {
          on: {
            'file.assembled': { target: '#transfer.COMPLETE', actions: entered('COMPLETE') },
            'bytes.gone': { target: 'receiving', actions: 'note' },
          },
        },
      },
    },
    COMPLETE: {
      on: {
        'checksum.compared': [
          { guard: 'isUnverifiable', target: 'unverifiable', actions: 'note' },
          { guard: 'differs', target: 'CORRUPTED', actions: entered('CORRUPTED') },
          { guard: 'isDecodable', target: 'VERIFIED.decoding', actions: entered('VERIFIED') },
          { target: 'VERIFIED.kept', actions: entered('VERIFIED') },
        ],
      },
    },
    VERIFIED: {
      initial: 'kept',
      states: {
        decoding: {
          on: {
            'file.decoded': { target: '#transfer.PROCESSED', actions: entered('PROCESSED') },
            'file.undecodable': { target: 'kept', actions: 'note' },
            'file.left': { target: 'kept', actions: 'note' },
            'decoding.failed': { target: 'decoding', actions: 'note' },
          },
        },
        kept: {},
      },
    },
    unverifiable: {},
    PROCESSED: {},
    CORRUPTED: {},
    SUPERSEDED: {},
  },
});

function entered(state: TransferState) {
  return { type: 'enter' as const, params: { state } };
}

function begun(state: TransferState) {
  return { type: 'begin' as const, params: { state } };
}
