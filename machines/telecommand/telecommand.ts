/**
 * The life of one telecommand. Mission Control Service, section 3.1: requires, ACK 1 (driver), ACK 2 (gateway),
 * ACK 3 (verify). States in capitals are the published ones; every one of them is recorded before its effects run.
 *
 * L1. Each state of section 3.1 is entered at most once, and a final state is never left (O3).
 * L2. A frame is handed to the gateway only from ENCODED, once ENCODED is durable (C3).
 * L3. After a crash in ENCODED it is not known whether the frame left. The gateway is asked again under the same key
 *     and sends nothing it may have sent: what it cannot tell becomes SEND_FAILED, except for a telecommand that
 *     changes nothing, which may leave twice (O2).
 * L4. An echo is not a state: it is recorded beside the chain and never moves it.
 */

import { assign, enqueueActions, setup } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import type { BusPosition } from '../../contract/link.ts';
import type { SendFailure } from '../../contract/telecommand.ts';
import type { TcState } from '../../contract/telecommand-state.ts';

export interface TelecommandInput {
  readonly id: string;
  readonly target: string;
  readonly component: string;
  readonly instance?: string;
  readonly telecommand: string;
  readonly changesState: boolean;
  readonly by?: string;
  /** The run that sent it, and its step. */
  readonly run?: string;
  readonly step?: string;
  /** Why it must not even be tried, known at take-up (too old, target held, unknown to the configuration). */
  readonly refusal?: string;
  /** Window of the verification; null when the catalogue declares none. */
  readonly verifyWithinMs: number | null;
  /** Time of take-up. */
  readonly at: number;
}

export interface TelecommandContext extends TelecommandInput {
  readonly frame?: string;
  readonly reference?: string;
  /** The gateway it was given, where that is not the one of its link (telecommand/given-gateway.V1). */
  readonly gateway?: string;
  readonly encodedAt?: number;
  readonly sentAt?: number;
  /** Where the bus stood when the frame was handed over. */
  readonly handed?: BusPosition;
  readonly detail?: string;
  /** Why it is not known whether an earlier sending left. */
  readonly doubt?: string;
  /** How its sending failed. */
  readonly failure?: SendFailure;
  /** How often the gateway was asked to send. */
  readonly sendings: number;
  /** Echoes received before SENT was known. */
  readonly earlyEchoes: readonly { readonly at: number; readonly conforming: boolean }[];
}

export type TelecommandEvent =
  | { type: 'requires.satisfied'; at: number }
  | { type: 'requires.failed'; at: number; detail: string }
  | { type: 'driver.encoded'; at: number; frame: string; reference?: string; gateway?: string }
  | { type: 'driver.refused'; at: number; detail: string }
  | { type: 'gateway.sent'; at: number; handed?: BusPosition }
  | { type: 'gateway.refused'; at: number; detail: string }
  | { type: 'gateway.unknown'; at: number; detail: string }
  | { type: 'gateway.echoed'; at: number; conforming: boolean }
  | { type: 'verification.satisfied'; at: number }
  /** The catalogue declares none; asked only when a new owner finds it SENT. */
  | { type: 'verification.none'; at: number }
  | { type: 'verification.failed'; at: number; detail: string };

export type TelecommandEffect =
  /** Judge the `requires` of the catalogue on current values. */
  | { type: 'effect.check' }
  | { type: 'effect.encode' }
  | { type: 'effect.send'; frame: string; gateway?: string; recovering?: { since: number } }
  /** Follow the verification: what stands behind `handed` counts, without it what was received after `sentAt`. */
  | { type: 'effect.verify'; sentAt: number; handed?: BusPosition; reference?: string }
  /** The next telecommand of the target may go. */
  | { type: 'effect.release' };

/** One transition for the log (a TcEvent), with what a new owner needs of it. */
export interface TelecommandRecord {
  readonly type: 'record';
  readonly state: TcState | 'ECHO';
  readonly at: number;
  readonly detail?: string;
  readonly conforming?: boolean;
  readonly frame?: string;
  readonly reference?: string;
  /** On ENCODED and SEND_FAILED. */
  readonly gateway?: string;
  /** On SEND_FAILED. */
  readonly failure?: SendFailure;
  readonly handed?: BusPosition;
}

type Note = Omit<TelecommandRecord, 'type' | 'state' | 'at'>;

function timed(context: TelecommandContext, event: { type: string }): number {
  const at = (event as { at?: unknown }).at;
  if (typeof at === 'number') return at;
  // Only the verification window ends without an event from outside, and its end is known.
  return context.sentAt === undefined ? context.at : context.sentAt + (context.verifyWithinMs ?? 0);
}

export const telecommandMachine = setup({
  types: {} as {
    context: TelecommandContext;
    events: TelecommandEvent;
    emitted: TelecommandEffect | TelecommandRecord;
    input: TelecommandInput;
  },
  guards: {
    isRefused: ({ context }) => context.refusal !== undefined,
    /** Twice at most: a gateway that twice cannot say what it did is not asked a third time. */
    mayLeaveAgain: ({ context }) => !context.changesState && context.sendings < 2,
    isUnverified: ({ context }) => context.verifyWithinMs === null,
  },
  delays: {
    verificationTimeout: ({ context }) => context.verifyWithinMs ?? 0,
  },
  actions: {
    record: enqueueActions(({ context, event, enqueue }, params: { state: TcState; note?: Note }) => {
      enqueue.emit({ type: 'record', state: params.state, at: timed(context, event), ...params.note });
    }),
    release: enqueueActions(({ enqueue }) => enqueue.emit({ type: 'effect.release' })),
    askCheck: enqueueActions(({ enqueue }) => enqueue.emit({ type: 'effect.check' })),
    askEncode: enqueueActions(({ enqueue }) => enqueue.emit({ type: 'effect.encode' })),
    askSend: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ sendings: context.sendings + 1 });
      enqueue.emit({
        type: 'effect.send',
        frame: context.frame ?? '',
        ...(context.gateway !== undefined && { gateway: context.gateway }),
      });
    }),
    askVerify: enqueueActions(({ context, enqueue }) => {
      enqueue.emit({
        type: 'effect.verify',
        sentAt: context.sentAt ?? context.at,
        ...(context.handed !== undefined && { handed: context.handed }),
        ...(context.reference !== undefined && { reference: context.reference }),
      });
    }),
    keepFrame: assign(({ context, event }) =>
      event.type === 'driver.encoded'
        ? {
            frame: event.frame,
            encodedAt: event.at,
            ...(event.reference !== undefined && { reference: event.reference }),
            ...(event.gateway !== undefined && { gateway: event.gateway }),
          }
        : context,
    ),
    keepSent: assign(({ event }) =>
      event.type === 'gateway.sent'
        ? { sentAt: event.at, ...(event.handed !== undefined && { handed: event.handed }) }
        : {},
    ),
    keepDetail: assign(({ event }) => ('detail' in event ? { detail: event.detail } : {})),
    keepFailure: assign(({ context: { doubt }, event }) => {
      if (event.type !== 'gateway.refused' && event.type !== 'gateway.unknown') return {};
      const isRefused = event.type === 'gateway.refused';
      const failure: SendFailure = {
        outcome: isRefused ? 'refused' : 'unknown',
        ...(doubt !== undefined && { earlier: 'unknown' }),
        ...(doubt !== undefined && isRefused && { own: event.detail.length }),
      };
      return { failure };
    }),
    keepDoubt: assign(({ event }) => ('detail' in event ? { doubt: event.detail } : {})),
    /** A refusal says nothing of an earlier sending. */
    keepRefusal: assign(({ context: { doubt }, event }) => {
      if (!('detail' in event)) return {};
      const { detail } = event;
      return { detail: doubt === undefined ? detail : `${detail}; of an earlier sending: ${doubt}` };
    }),
    keepEcho: assign(({ context, event }) =>
      event.type === 'gateway.echoed'
        ? { earlyEchoes: [...context.earlyEchoes, { at: event.at, conforming: event.conforming }] }
        : {},
    ),
    recordEcho: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'gateway.echoed') return;
      enqueue.emit({ type: 'record', state: 'ECHO', at: event.at, conforming: event.conforming });
    }),
    recordEarlyEchoes: enqueueActions(({ context, enqueue }) => {
      for (const echo of context.earlyEchoes) {
        enqueue.emit({ type: 'record', state: 'ECHO', at: echo.at, conforming: echo.conforming });
      }
      enqueue.assign({ sendings: 0, earlyEchoes: [] });
    }),
  },
}).createMachine({
  id: 'telecommand',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => ({ ...input, sendings: 0, earlyEchoes: [] }),
  initial: 'PENDING',
  states: {
    PENDING: {
      entry: { type: 'record', params: { state: 'PENDING' } },
      initial: 'taken',
      states: {
        taken: {
          always: [{ guard: 'isRefused', target: '#telecommand.REJECTED' }, { target: 'checking' }],
        },
        checking: {
          entry: 'askCheck',
          on: {
            'requires.satisfied': 'encoding',
            'requires.failed': { target: '#telecommand.REJECTED', actions: 'keepDetail' },
          },
        },
        encoding: {
          entry: 'askEncode',
          on: {
            'driver.encoded': { target: '#telecommand.ENCODED', actions: 'keepFrame' },
            'driver.refused': { target: '#telecommand.ENCODE_FAILED', actions: 'keepDetail' },
          },
        },
      },
    },
    ENCODED: {
      entry: [
        {
          type: 'record',
          params: ({ context }) => ({
            state: 'ENCODED' as const,
            note: {
              ...(context.frame !== undefined && { frame: context.frame }),
              ...(context.reference !== undefined && { reference: context.reference }),
              ...(context.gateway !== undefined && { gateway: context.gateway }),
            },
          }),
        },
        'askSend',
      ],
      on: {
        'gateway.sent': { target: 'SENT', actions: 'keepSent' },
        'gateway.refused': { target: 'SEND_FAILED', actions: ['keepRefusal', 'keepFailure'] },
        'gateway.unknown': [
          // Asked again, under a new key and without `recovering`: now the gateway sends.
          { guard: 'mayLeaveAgain', actions: ['keepDoubt', 'askSend'] },
          { target: 'SEND_FAILED', actions: ['keepDetail', 'keepFailure'] },
        ],
        'gateway.echoed': { actions: 'keepEcho' },
      },
    },
    SENT: {
      entry: [
        {
          type: 'record',
          params: ({ context: { handed } }) => ({
            state: 'SENT' as const,
            note: { ...(handed !== undefined && { handed }) },
          }),
        },
        'recordEarlyEchoes',
        'release',
      ],
      initial: 'deciding',
      states: {
        deciding: {
          always: [{ guard: 'isUnverified', target: '#telecommand.COMPLETE' }, { target: 'verifying' }],
        },
        verifying: { entry: 'askVerify' },
      },
      after: { verificationTimeout: 'VERIFY_TIMEOUT' },
      on: {
        'verification.satisfied': 'VERIFIED',
        'verification.none': 'COMPLETE',
        'verification.failed': { target: 'VERIFY_FAILED', actions: 'keepDetail' },
        'gateway.echoed': { actions: 'recordEcho' },
      },
    },
    REJECTED: {
      type: 'final',
      entry: [
        {
          type: 'record',
          params: ({ context }) => ({
            state: 'REJECTED' as const,
            note: { detail: context.detail ?? context.refusal ?? 'refused' },
          }),
        },
        'release',
      ],
    },
    ENCODE_FAILED: { type: 'final', entry: [...failure('ENCODE_FAILED'), 'release'] },
    // An echo received before the answer of the gateway was lost reports that the frame left all the same.
    SEND_FAILED: { type: 'final', entry: [...failure('SEND_FAILED'), 'recordEarlyEchoes', 'release'] },
    VERIFIED: { type: 'final', entry: { type: 'record', params: { state: 'VERIFIED' } } },
    VERIFY_FAILED: { type: 'final', entry: failure('VERIFY_FAILED') },
    VERIFY_TIMEOUT: {
      type: 'final',
      entry: {
        type: 'record',
        params: ({ context }) => ({
          state: 'VERIFY_TIMEOUT' as const,
          note: { detail: `not verified within ${(context.verifyWithinMs ?? 0) / 1000} s of sending` },
        }),
      },
    },
    COMPLETE: { type: 'final', entry: { type: 'record', params: { state: 'COMPLETE' } } },
  },
});

function failure(state: TcState) {
  return [
    {
      type: 'record' as const,
      params: ({ context }: { context: TelecommandContext }) => ({
        state,
        note: {
          ...(context.detail !== undefined && { detail: context.detail }),
          ...(context.failure !== undefined && { failure: context.failure }),
          ...(state === 'SEND_FAILED' && context.gateway !== undefined && { gateway: context.gateway }),
        },
      }),
    },
  ];
}
