/**
 * Telecommands as two processes see them: the bodies of section 2.1 of the Mission Control Service, the TcEvent of the
 * follow routes, and the submission on the bus.
 */

import Type, { type Static } from 'typebox';
import { nameBound, named, pathBound } from './bounded.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { FRAME_CHARACTERS, VALUE_CHARACTERS } from './limits/request.ts';
import { TC_STATES } from './telecommand-state.ts';
import { TOKEN_PATTERN, ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
const EXAMPLE_ID = '01J5ZK3M8QW7V9XH2C4T6R8YAB';

/** An argument as a client writes it; resolution decides what it means by the type of the argument. */
export const ArgumentValue = Type.Union(
  [Type.String({ maxLength: VALUE_CHARACTERS }), Type.Number(), Type.Boolean()],
  {
    description:
      'Quantity string with unit, enum value, boolean, number in the unit of the argument, or hexadecimal bytes.',
  },
);

const addressed = {
  target: Type.String({ ...nameBound, description: 'Target name in the topology.' }),
  telecommand: Type.String({
    ...pathBound,
    description: 'Name alone when unique in the platform, else `component.name`.',
  }),
  instance: Type.Optional(
    Type.String({
      ...nameBound,
      description: 'Instance of a multi-instance component, or file identifier for files.',
    }),
  ),
  args: Type.Optional(named(ArgumentValue)),
  link: Type.Optional(Type.String({ ...nameBound, description: 'Link when not the default one.' })),
  environment: Type.Optional(
    Type.String({ ...nameBound, description: 'Environment selecting the link parameters.' }),
  ),
};

export const TcRequest = Type.Object(
  {
    ...addressed,
    id: Type.Optional(Type.String({ ...nameBound, description: 'Client-chosen ULID for idempotency.' })),
  },
  {
    ...closed,
    title: 'TcRequest',
    examples: [{ target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '2 min' } }],
  },
);
export type TcRequest = Static<typeof TcRequest>;

export const TcReply = Type.Object(
  { id: Type.String({ pattern: ULID_PATTERN }), duplicate: Type.Boolean() },
  { ...closed, title: 'TcReply', examples: [{ id: EXAMPLE_ID, duplicate: false }] },
);
export type TcReply = Static<typeof TcReply>;

export const EncodeRequest = Type.Object(
  {
    ...addressed,
    driver: Type.Optional(
      Type.String({ ...nameBound, description: 'Driver instance to ask instead of the bound one.' }),
    ),
  },
  {
    ...closed,
    title: 'EncodeRequest',
    examples: [{ target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '2 min' } }],
  },
);
export type EncodeRequest = Static<typeof EncodeRequest>;

/** How a sending failed: header `outcome` of its SEND_FAILED event (JSON). */
export interface SendFailure {
  /** `refused`: this sending did not leave. `unknown`: nobody knows. */
  readonly outcome: 'refused' | 'unknown';
  /** There was an earlier sending of the same telecommand of which it is not known either. */
  readonly earlier?: 'unknown';
  /** Characters of `detail` that are of this sending; behind them stands why nobody knows of the earlier one. */
  readonly own?: number;
}

/** What the header says; undefined where an earlier version wrote the event, or somebody else. */
export function readSendFailure(text: string | undefined): SendFailure | undefined {
  if (text === undefined) return undefined;
  try {
    const { outcome, earlier, own } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (outcome !== 'refused' && outcome !== 'unknown') return undefined;
    return {
      outcome,
      ...(earlier === 'unknown' && { earlier }),
      ...(typeof own === 'number' && { own }),
    };
  } catch {
    return undefined;
  }
}

/** A resolved argument: number in the unit of the argument, boolean, enum value or hexadecimal bytes. */
export const ResolvedValue = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);
export type ResolvedValue = Static<typeof ResolvedValue>;

export const Encoded = Type.Object(
  {
    target: Type.String(),
    link: Type.String(),
    driver: Type.String(),
    environment: Type.Optional(Type.String()),
    telecommand: Type.String(),
    args: Type.Record(Type.String(), ResolvedValue),
    frame: Type.String({ pattern: '^([0-9a-f]{2})*$' }),
    size: Type.Integer({ minimum: 0 }),
    text: Type.Optional(Type.String()),
  },
  {
    ...closed,
    title: 'Encoded',
    examples: [
      {
        target: 'sat1',
        link: 'uhf',
        driver: 'pus',
        telecommand: 'obc.set_watchdog',
        args: { period: 120 },
        frame: '1873c00000092908010000020078faf1',
        size: 16,
      },
    ],
  },
);
export type Encoded = Static<typeof Encoded>;

export const DecodeRequest = Type.Object(
  {
    target: Type.String(nameBound),
    frame: Type.Optional(
      Type.String({
        maxLength: FRAME_CHARACTERS,
        description: 'Frame as hexadecimal; spaces are allowed.',
      }),
    ),
    text: Type.Optional(
      Type.String({ maxLength: FRAME_CHARACTERS, description: 'Frame as text, for text protocols.' }),
    ),
    link: Type.Optional(Type.String(nameBound)),
    environment: Type.Optional(Type.String(nameBound)),
    driver: Type.Optional(Type.String(nameBound)),
  },
  {
    ...closed,
    title: 'DecodeRequest',
    examples: [
      { target: 'sat1', frame: '0873c000001c2003190000 00004062490235af920001010000003c000000000898c226' },
    ],
  },
);
export type DecodeRequest = Static<typeof DecodeRequest>;

export const DecodedSample = Type.Object(
  {
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    measure: Type.String(),
    raw: Type.Unknown(),
    value: Type.Optional(Type.Unknown()),
    unit: Type.Optional(Type.String()),
    onboard_time: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { ...closed, title: 'DecodedSample' },
);
export type DecodedSample = Static<typeof DecodedSample>;

export const Decoded = Type.Object(
  {
    target: Type.String(),
    link: Type.String(),
    driver: Type.String(),
    environment: Type.Optional(Type.String()),
    samples: Type.Array(DecodedSample),
  },
  {
    ...closed,
    title: 'Decoded',
    examples: [
      {
        target: 'sat1',
        link: 'uhf',
        driver: 'pus',
        samples: [
          { component: 'obc', measure: 'mode', raw: 1, value: 'SAFE' },
          { component: 'obc', measure: 'temperature', raw: 2200, value: 22, unit: 'degC' },
        ],
      },
    ],
  },
);
export type Decoded = Static<typeof Decoded>;

export const TcEvent = Type.Object(
  {
    tc: Type.String({ pattern: ULID_PATTERN, description: 'Telecommand identifier.' }),
    state: Type.Enum([...TC_STATES, 'ECHO']),
    at: Type.String({ format: 'date-time', description: 'Time of the transition.' }),
    detail: Type.Optional(
      Type.String({ description: 'Failed precondition, driver error or gateway error.' }),
    ),
    conforming: Type.Optional(
      Type.Boolean({ description: 'For ECHO: the echo matches the telecommand sent.' }),
    ),
    telecommand: Type.Optional(
      Type.Object(
        { component: Type.String(), instance: Type.Optional(Type.String()), telecommand: Type.String() },
        closed,
      ),
    ),
    by: Type.Optional(Type.String({ description: 'For PENDING: the caller.' })),
    run: Type.Optional(Type.String()),
    step: Type.Optional(Type.String()),
    target: Type.Optional(Type.String({ pattern: TOKEN_PATTERN })),
  },
  {
    ...closed,
    title: 'TcEvent',
    examples: [
      {
        tc: EXAMPLE_ID,
        state: 'PENDING',
        at: '2026-01-02T03:04:05.678Z',
        telecommand: { component: 'obc', telecommand: 'set_watchdog' },
        by: 'ada',
      },
    ],
  },
);
export type TcEvent = Static<typeof TcEvent>;

const EVENT_STATES: ReadonlySet<unknown> = new Set([...TC_STATES, 'ECHO']);

/**
 * The event in a message of TC_EVENTS; undefined for bytes that are malformed, or one of a state that is not known
 * here.
 */
export function readTcEvent(data: Uint8Array): TcEvent | undefined {
  try {
    const event = parseJsonBytes(data) as Partial<TcEvent> | null;
    const isEvent =
      typeof event?.tc === 'string' &&
      EVENT_STATES.has(event.state) &&
      typeof event.at === 'string' &&
      !Number.isNaN(Date.parse(event.at));
    return isEvent ? (event as TcEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Body of `mcs.tc.submit.<target>` (JSON): the telecommand resolved, not encoded. */
export interface TcSubmission {
  readonly id: string;
  readonly target: string;
  readonly component: string;
  readonly instance?: string;
  readonly telecommand: string;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  readonly link: string;
  readonly environment?: string;
  /** For a telecommand sent by a run. */
  readonly run?: string;
  readonly step?: string;
  /**
   * Why it shall not leave: a run that was taken over had announced it, and it is not known whether it was submitted.
   * Whichever comes first under its identifier counts. Recorded as REJECTED.
   */
  readonly withdrawn?: string;
}
