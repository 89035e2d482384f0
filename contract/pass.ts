/**
 * Passes of a target over a ground station, on the HTTP interface and on the bus. Mission Control Service, sections
 * 2.6, 3.6 and 4.5.
 */

import Type, { type Static } from 'typebox';
import { quantityBound } from './bounded.ts';
import { readInstant } from './instant.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { PASS_LIST_MOST, SNAPSHOT_PASSES } from './limits/pass.ts';
import { INSTANT_CHARACTERS } from './limits/request.ts';
import { isToken, TOKEN_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;

export const PASS_SOURCES = ['fds', 'provider'] as const;
/** Who contributes to passes: flight dynamics predicts, the provider of the stations books. */
export type PassSource = (typeof PASS_SOURCES)[number];
export const PASS_STATUSES = ['predicted', 'booked', 'cancelled'] as const;

export const Token = Type.String({ pattern: TOKEN_PATTERN });
const Instant = (description: string) =>
  Type.String({ format: 'date-time', maxLength: INSTANT_CHARACTERS, description });
const Rate = Type.String({ ...quantityBound, description: 'Bit rate, `9600 bit/s`.' });

/** What a feeder writes of a pass. */
const written = {
  id: Type.String({ pattern: TOKEN_PATTERN, description: 'Stable identifier given by the feeder.' }),
  target: Token,
  station: Type.String({ pattern: TOKEN_PATTERN, description: 'Ground station.' }),
  aos: Instant('Acquisition of signal, UTC.'),
  los: Instant('Loss of signal, UTC, after `aos`.'),
  max_elevation: Type.String({
    ...quantityBound,
    description: 'Angle between 0 and 90 degrees, `47.3 deg`.',
  }),
  source: Type.Enum(PASS_SOURCES, { description: '`fds` predicts, `provider` books.' }),
  status: Type.Enum(PASS_STATUSES),
  uplink: Type.Optional(
    Type.Boolean({ default: true, description: 'False: receive-only, no telecommand is sent.' }),
  ),
  transceiver: Type.Optional(
    Type.String({ pattern: TOKEN_PATTERN, description: 'On-board transceiver, a token.' }),
  ),
  protocol: Type.Optional(Type.String({ pattern: TOKEN_PATTERN, description: 'A token.' })),
  rates: Type.Optional(
    Type.Object(
      { uplink: Type.Optional(Rate), downlink: Type.Optional(Rate) },
      { ...closed, title: 'PassRates' },
    ),
  ),
};

/** What the service sets; in a pass that is posted it is ignored, so that one read back can be posted. */
const stamped = {
  feeder: Type.Optional(
    Type.String({ description: 'Identity that wrote last.', maxLength: 1024, readOnly: true }),
  ),
  updated_at: Type.Optional(Type.String({ ...Instant('Time of the last contribution.'), readOnly: true })),
};

const Contribution = Type.Object({ ...written, ...stamped }, { ...closed, title: 'PassContribution' });
/** A pass as one source last wrote it. */
export type PassContribution = Static<typeof Contribution>;

const EXAMPLE = {
  id: 'sat1-kiruna-20260102T0304',
  target: 'sat1',
  station: 'kiruna',
  aos: '2026-01-02T03:04:05Z',
  los: '2026-01-02T03:14:05Z',
  max_elevation: '47.3 deg',
  source: 'fds',
  status: 'predicted',
} as const;
const EXAMPLE_STORED = {
  ...EXAMPLE,
  uplink: true,
  feeder: 'flight-dynamics',
  updated_at: '2026-01-01T00:00:00.000Z',
} as const;

export const Pass = Type.Object(
  {
    ...written,
    ...stamped,
    contributions: Type.Optional(
      Type.Object(
        { fds: Type.Optional(Contribution), provider: Type.Optional(Contribution) },
        {
          ...closed,
          title: 'PassContributions',
          readOnly: true,
          description: 'Of a merged pass: the pass as each source last wrote it.',
        },
      ),
    ),
  },
  { ...closed, title: 'Pass', examples: [EXAMPLE, EXAMPLE_STORED] },
);
export type Pass = Static<typeof Pass>;

/** What was found of the gateway of a pass (section 4.5, gateway check). */
export const PassGateway = Type.Object(
  {
    gateway: Type.Optional(Type.String({ description: 'The gateway that serves the station.' })),
    reason: Type.Optional(Type.String({ description: 'Why no gateway serves it.' })),
    checked_at: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'PassGateway' },
);
export type PassGateway = Static<typeof PassGateway>;

export const PassView = Type.Object(
  { pass: Pass, gateway: Type.Optional(PassGateway) },
  {
    ...closed,
    title: 'PassView',
    examples: [
      {
        pass: EXAMPLE_STORED,
        gateway: { gateway: 'kiruna-sband', checked_at: '2026-01-02T02:55:00.000Z' },
      },
    ],
  },
);
export type PassView = Static<typeof PassView>;

export const PassList = Type.Object(
  {
    passes: Type.Array(PassView),
    next: Type.Optional(
      Type.String({
        description: `Where more passes match than a list holds (${PASS_LIST_MOST} at most): the value of \`after\` that continues it.`,
      }),
    ),
  },
  { ...closed, title: 'PassList', examples: [{ passes: [{ pass: EXAMPLE_STORED }] }] },
);
export type PassList = Static<typeof PassList>;

/** Every pass of a target that a source knows of an interval (section 4.5, snapshot). */
export const PassSnapshot = Type.Object(
  {
    source: Type.Enum(PASS_SOURCES),
    target: Token,
    from: Instant('Start of the interval.'),
    to: Instant('End of the interval, after `from`.'),
    passes: Type.Array(Pass, { maxItems: SNAPSHOT_PASSES }),
  },
  {
    ...closed,
    title: 'PassSnapshot',
    examples: [
      {
        source: 'fds',
        target: 'sat1',
        from: '2026-01-02T00:00:00Z',
        to: '2026-01-09T00:00:00Z',
        passes: [EXAMPLE],
      },
    ],
  },
);
export type PassSnapshot = Static<typeof PassSnapshot>;

export const PassesReplaced = Type.Object(
  {
    upserted: Type.Array(Type.String(), { description: 'Stored identifiers of the passes of the snapshot.' }),
    cancelled: Type.Array(Type.String(), {
      description: 'Stored identifiers of the passes whose contribution was cancelled.',
    }),
  },
  { ...closed, title: 'PassesReplaced', examples: [{ upserted: [EXAMPLE.id], cancelled: [] }] },
);
export type PassesReplaced = Static<typeof PassesReplaced>;

// On the bus ----------------------------------------------------------------------------------------------------------

/**
 * Entry of bucket `mcs_passes`, and its key `<target>.<id>`: the pass with the contributions of every source, also
 * where there is one.
 */
export interface StoredPass extends Omit<Pass, 'contributions'> {
  readonly contributions: Contributions;
}
export type Contributions = Readonly<Partial<Record<PassSource, PassContribution>>>;

export function passKey(target: string, id: string): string {
  return `${target}.${id}`;
}

/** The pass of an entry; undefined where the bytes are not a pass of that key. */
export function readStoredPass(key: string, bytes: Uint8Array): StoredPass | undefined {
  try {
    const pass = parseJsonBytes(bytes);
    return isStoredPass(pass) && key === passKey(pass.target, pass.id) ? pass : undefined;
  } catch {
    return undefined;
  }
}

/** A pass that is long over, as bucket `mcs_passes_over` has it: with the last check of its gateway. */
export interface PassOver {
  readonly pass: StoredPass;
  readonly gateway?: PassGateway;
}

/** One of those of a target; undefined where it is none. */
export function readPassOver(target: string, stored: unknown): PassOver | undefined {
  const { pass, gateway } = (stored ?? {}) as Partial<PassOver>;
  if (!isStoredPass(pass) || pass.target !== target) return undefined;
  const isCheck = typeof gateway?.checked_at === 'string';
  return { pass, ...(isCheck && { gateway }) };
}

function isStoredPass(stored: unknown): stored is StoredPass {
  const { contributions, ...pass } = (stored ?? {}) as Partial<StoredPass>;
  return (
    isWritten(pass) &&
    isToken(pass.id) &&
    typeof contributions === 'object' &&
    contributions !== null &&
    Object.values(contributions).every(isWritten)
  );
}

/** Of a pass, or of what a source contributes to it, what others compute with. */
function isWritten(pass: Partial<PassContribution> | null): pass is PassContribution {
  return (
    [pass?.id, pass?.target, pass?.station, pass?.max_elevation].every(isText) &&
    [pass?.aos, pass?.los].every(isMoment) &&
    PASS_STATUSES.some((status) => status === pass?.status) &&
    ['undefined', 'boolean'].includes(typeof pass?.uplink) &&
    [pass?.transceiver, pass?.protocol].every((text) => text === undefined || isText(text)) &&
    areRates(pass?.rates)
  );
}

function areRates(rates: unknown = {}): boolean {
  return typeof rates === 'object' && rates !== null && Object.values(rates).every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isMoment(text: unknown): boolean {
  return typeof text === 'string' && readInstant(text) !== undefined;
}
