/**
 * Schedules of runs on passes and recurring rules, on the HTTP interface and on the bus. Mission Control Service,
 * sections 2.7, 3.4 and 4.6.
 */

import Type, { type Static } from 'typebox';
import { nameBound, named, quantityBound } from './bounded.ts';
import { readInstant } from './instant.ts';
import { parseJsonBytes } from './json-bytes.ts';
import {
  AUTH_SUBJECT_CHARACTERS,
  INSTANT_CHARACTERS,
  PASSES_OF_TARGET,
  SCHEDULE_LIST_MOST,
  SCHEDULE_REASON_CHARACTERS,
  SCHEDULE_REASONS,
  SCHEDULE_START_CHARACTERS,
} from './limits.ts';
import { PASS_STATUSES, Token } from './pass.ts';
import { ArgumentValue } from './telecommand.ts';
import { isToken, TOKEN_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;

export const SCHEDULE_STATES = ['scheduled', 'at_risk', 'cancelled', 'fired', 'missed'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

const Moment = Type.String({ format: 'date-time', maxLength: INSTANT_CHARACTERS });
const Reasons = Type.Array(Type.String({ maxLength: SCHEDULE_REASON_CHARACTERS }), {
  maxItems: SCHEDULE_REASONS,
});
const By = Type.String({ description: 'Identity, or `rule <id>`; absent for an anonymous caller.' });

/** What a run of a schedule or of a rule is. */
const planned = {
  start: Type.String({
    maxLength: SCHEDULE_START_CHARACTERS,
    description: '`aos` or `aos + <duration>`, `aos + 30 s`.',
  }),
  run: Type.String({ ...nameBound, description: 'Procedure name.' }),
  targets: named(Type.String(nameBound), {
    description: 'Exactly one target for each role; one of them is the target of the pass.',
  }),
  inputs: Type.Optional(named(ArgumentValue)),
  library: Type.Optional(
    Type.String({ ...nameBound, description: 'Needed when several libraries have that procedure.' }),
  ),
  environment: Type.Optional(
    Type.String({ ...nameBound, description: 'Default: the last environment of the target of the pass.' }),
  ),
};

export const ScheduleValidation = Type.Object(
  {
    by: Type.String({ maxLength: AUTH_SUBJECT_CHARACTERS }),
    at: Moment,
    pass: Token,
    aos: Moment,
    los: Moment,
    ir: Type.String({
      ...nameBound,
      description: 'SHA-256 (hexadecimal) of the resolved run that was validated.',
    }),
  },
  {
    ...closed,
    title: 'ScheduleValidation',
    examples: [
      {
        by: 'eve',
        at: '2026-01-01T12:00:00.000Z',
        pass: 'sat1-kiruna-20260102T0304',
        aos: '2026-01-02T03:04:05Z',
        los: '2026-01-02T03:14:05Z',
        ir: '9f2c3b1e5f0a47d8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',
      },
    ],
  },
);
export type ScheduleValidation = Static<typeof ScheduleValidation>;

const asked = {
  id: Type.String({ pattern: TOKEN_PATTERN, description: 'Identifier, a token.' }),
  pass: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Pass, by its identifier or by that of a contribution; shown by its identifier.',
  }),
  ...planned,
};

/** What the service sets. */
const found = {
  state: Type.Enum(SCHEDULE_STATES),
  reasons: Type.Array(Type.String(), { description: 'Why it is in that state; empty while it fits.' }),
  target: Type.String({ description: 'Target of the pass.' }),
  ir: Type.String({ description: 'SHA-256 (hexadecimal) of the resolved run.' }),
  max_duration: Type.String({
    ...quantityBound,
    description: 'Longest duration of the run, with every retry.',
  }),
  sends: Type.Boolean({ description: 'Whether the run sends telecommands.' }),
  needs_validation: Type.Boolean({
    description: 'It starts only while the validation of a supervisor holds.',
  }),
  validation: Type.Optional(ScheduleValidation),
  fire_at: Type.String({
    ...Moment,
    description: 'When the run starts: AOS of the pass and the offset of `start`.',
  }),
  run_id: Type.Optional(Type.String({ description: 'The run that was started.' })),
  by: Type.Optional(By),
  updated_at: Moment,
};

const EXAMPLE = {
  id: 'image-morning',
  pass: 'sat1-kiruna-20260102T0304',
  start: 'aos + 30 s',
  run: 'take_image',
  targets: { sat: 'sat1' },
  inputs: { image: 7 },
} as const;
const EXAMPLE_STORED = {
  ...EXAMPLE,
  environment: 'flight',
  state: 'scheduled' as const,
  reasons: [],
  target: 'sat1',
  ir: '9f2c3b1e5f0a47d8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',
  max_duration: '95 s',
  sends: true,
  needs_validation: false,
  fire_at: '2026-01-02T03:04:35.000Z',
  by: 'ada',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const ignored = { readOnly: true } as const;

/** What is posted; what the service sets is ignored in it, so that one read back can be posted. */
export const ScheduleRequest = Type.Object(
  {
    ...asked,
    state: Type.Optional(Type.Enum(SCHEDULE_STATES, ignored)),
    reasons: Type.Optional({ ...Reasons, ...ignored }),
    target: Type.Optional(Type.String({ ...nameBound, ...ignored })),
    ir: Type.Optional(Type.String({ ...nameBound, ...ignored })),
    max_duration: Type.Optional(Type.String({ ...quantityBound, ...ignored })),
    sends: Type.Optional(Type.Boolean(ignored)),
    needs_validation: Type.Optional(Type.Boolean(ignored)),
    validation: Type.Optional({ ...ScheduleValidation, ...ignored }),
    fire_at: Type.Optional({ ...Moment, ...ignored }),
    run_id: Type.Optional(Type.String({ ...nameBound, ...ignored })),
    by: Type.Optional(Type.String({ maxLength: AUTH_SUBJECT_CHARACTERS, ...ignored })),
    updated_at: Type.Optional({ ...Moment, ...ignored }),
  },
  { ...closed, title: 'ScheduleRequest', examples: [EXAMPLE] },
);
/** Of what is posted, what counts. */
export type ScheduleRequest = Pick<
  Static<typeof ScheduleRequest>,
  'id' | 'pass' | 'start' | 'run' | 'targets' | 'inputs' | 'library' | 'environment'
>;

export const Schedule = Type.Object(
  { ...asked, ...found },
  { ...closed, title: 'Schedule', examples: [EXAMPLE_STORED] },
);
export type Schedule = Static<typeof Schedule>;

export const ScheduleList = Type.Object(
  {
    schedules: Type.Array(Schedule),
    next: Type.Optional(
      Type.String({
        description: `Where more schedules match than a list holds (${SCHEDULE_LIST_MOST} at most): the value of \`after\` that continues it.`,
      }),
    ),
  },
  { ...closed, title: 'ScheduleList', examples: [{ schedules: [EXAMPLE_STORED] }] },
);
export type ScheduleList = Static<typeof ScheduleList>;

// Rules ---------------------------------------------------------------------------------------------------------------

export const RuleFilter = Type.Object(
  {
    status: Type.Optional(Type.Enum(PASS_STATUSES)),
    min_elevation: Type.Optional(
      Type.String({ ...quantityBound, description: 'Angle, `10 deg`: passes that rise at least so high.' }),
    ),
    station: Type.Optional(Token),
    uplink: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: 'RuleFilter', description: 'Every field that is given must hold.' },
);
export type RuleFilter = Static<typeof RuleFilter>;

const EXAMPLE_RULE = {
  id: 'image-each-pass',
  target: 'sat1',
  filter: { min_elevation: '20 deg', uplink: true },
  start: 'aos + 1 min',
  run: 'take_image',
  targets: { sat: 'sat1' },
} as const;

const ofRule = {
  id: asked.id,
  target: Type.String({ pattern: TOKEN_PATTERN, description: 'Whose passes.' }),
  filter: Type.Optional(RuleFilter),
  ...planned,
};

export const RuleRefusal = Type.Object(
  { pass: Token, reasons: Reasons, at: Moment },
  { ...closed, title: 'RuleRefusal' },
);
export type RuleRefusal = Static<typeof RuleRefusal>;

export const RulePasses = Type.Object(
  {
    matched: Type.Integer({ minimum: 0, description: 'Passes not over that the filter matches.' }),
    created: Type.Integer({ minimum: 0, description: 'Those of them with a schedule of this rule.' }),
    refused: Type.Array(RuleRefusal, {
      maxItems: PASSES_OF_TARGET,
      description: 'Those without one, and why, the earliest first.',
    }),
  },
  { ...closed, title: 'RulePasses' },
);

export const RuleRequest = Type.Object(
  {
    ...ofRule,
    by: Type.Optional(Type.String({ maxLength: AUTH_SUBJECT_CHARACTERS, ...ignored })),
    updated_at: Type.Optional({ ...Moment, ...ignored }),
    passes: Type.Optional({ ...RulePasses, ...ignored }),
  },
  { ...closed, title: 'RuleRequest', examples: [EXAMPLE_RULE] },
);
export type RuleRequest = Pick<
  Static<typeof RuleRequest>,
  'id' | 'target' | 'filter' | 'start' | 'run' | 'targets' | 'inputs' | 'library' | 'environment'
>;

export const Rule = Type.Object(
  {
    ...ofRule,
    by: Type.Optional(By),
    updated_at: Moment,
    passes: RulePasses,
  },
  {
    ...closed,
    title: 'Rule',
    examples: [
      {
        ...EXAMPLE_RULE,
        by: 'ada',
        updated_at: '2026-01-01T00:00:00.000Z',
        passes: { matched: 3, created: 3, refused: [] },
      },
    ],
  },
);
export type Rule = Static<typeof Rule>;

export const RuleList = Type.Object(
  { rules: Type.Array(Rule) },
  { ...closed, title: 'RuleList', examples: [{ rules: [] }] },
);
export type RuleList = Static<typeof RuleList>;

// On the bus ----------------------------------------------------------------------------------------------------------

/** A change of state as the record remembers it. */
export interface ScheduleChange {
  readonly at: string;
  readonly state: ScheduleState;
  readonly reasons: readonly string[];
  readonly by?: string;
}

/** Entry of bucket `mcs_schedules` under its identifier: the snapshot of its chart. */
export interface StoredSchedule extends Schedule {
  readonly environment: string;
  /** When it was created, or replaced last. */
  readonly created_at: string;
  /** SHA-256 (hexadecimal) of the resolved run without the configuration it was resolved with. */
  readonly content: string;
  /** Revision of the configuration that the run was resolved with. */
  readonly config: string;
  /** Why its last validation does not hold any more. */
  readonly fell?: string;
  /** Of a fired one: whether its run is known to be submitted. */
  readonly submitted?: boolean;
  /** The last changes of state, the oldest first. */
  readonly changes: readonly ScheduleChange[];
}

/** Entry of bucket `mcs_schedule_rules` under its identifier. */
export interface StoredRule extends RuleRequest {
  readonly by?: string;
  readonly updated_at: string;
}

/** Entry of bucket `mcs_rule_refusals`, `<rule>.<pass>`. */
export interface StoredRefusal extends RuleRefusal {
  readonly rule: string;
  /** What it depends on: refused again for the same reasons it is neither logged nor written again. */
  readonly target: string;
}

export const FINAL_STATES: ReadonlySet<ScheduleState> = new Set(['cancelled', 'fired', 'missed']);

/** What callers see of a schedule. */
export function shownSchedule({
  created_at: _created,
  content: _content,
  config: _config,
  fell: _fell,
  submitted: _submitted,
  changes: _changes,
  ...shown
}: StoredSchedule): Schedule {
  return shown;
}

/** The schedule of an entry; undefined where the bytes are not one of that key. */
export function readStoredSchedule(key: string, bytes: Uint8Array): StoredSchedule | undefined {
  const read = objectIn(bytes) as Partial<StoredSchedule> | undefined;
  const isWhole =
    read !== undefined &&
    read.id === key &&
    isToken(key) &&
    SCHEDULE_STATES.some((state) => state === read.state) &&
    [
      read.pass,
      read.start,
      read.run,
      read.target,
      read.environment,
      read.ir,
      read.content,
      read.config,
    ].every(isText) &&
    isText(read.max_duration) &&
    [read.fire_at, read.created_at, read.updated_at].every(isMoment) &&
    Array.isArray(read.reasons) &&
    Array.isArray(read.changes) &&
    typeof read.targets === 'object' &&
    read.targets !== null;
  return isWhole ? (read as StoredSchedule) : undefined;
}

/** The rule of an entry; undefined where the bytes are not one of that key. */
export function readStoredRule(key: string, bytes: Uint8Array): StoredRule | undefined {
  const read = objectIn(bytes) as Partial<StoredRule> | undefined;
  const isWhole =
    read !== undefined &&
    read.id === key &&
    isToken(key) &&
    [read.target, read.start, read.run].every(isText) &&
    isMoment(read.updated_at) &&
    typeof read.targets === 'object' &&
    read.targets !== null;
  return isWhole ? (read as StoredRule) : undefined;
}

/** Why a rule made no schedule of a pass; undefined where the bytes do not say. */
export function readStoredRefusal(bytes: Uint8Array): StoredRefusal | undefined {
  const read = objectIn(bytes) as Partial<StoredRefusal> | undefined;
  const isWhole =
    read !== undefined &&
    [read.rule, read.target, read.pass].every(isText) &&
    isMoment(read.at) &&
    Array.isArray(read.reasons);
  return isWhole ? (read as StoredRefusal) : undefined;
}

function objectIn(bytes: Uint8Array): object | undefined {
  try {
    const read = parseJsonBytes(bytes) as object | null;
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && readInstant(value) !== undefined;
}
