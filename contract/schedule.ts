/**
 * Schedules of runs on passes, on the HTTP interface. Mission Control Service, sections 2.7, 3.4 and 4.6.
 */

import Type, { type Static } from 'typebox';
import { nameBound, quantityBound } from './bounded.ts';
import { AUTH_SUBJECT_CHARACTERS } from './limits/auth.ts';
import { SCHEDULE_LIST_MOST, SCHEDULE_MEETINGS } from './limits/schedule.ts';
import { Token } from './pass.ts';
import { By, closed, ignored, Moment, planned, Reasons } from './planned-run.ts';
import { SCHEDULE_ID_PATTERN, TOKEN_PATTERN } from './token.ts';

export const SCHEDULE_STATES = ['scheduled', 'at_risk', 'cancelled', 'fired', 'missed'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

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
  id: Type.String({
    pattern: SCHEDULE_ID_PATTERN,
    description: 'Identifier; of one that a rule made `<rule>-<pass>`.',
  }),
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
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: SCHEDULE_MEETINGS,
      description:
        'What may be in the way of its run though it fits its pass: runs on other passes that may have one of its targets then.',
    }),
  ),
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
  fallen: Type.Optional({
    ...ScheduleValidation,
    description: 'The last validation, where it does not hold any more; `reasons` say why.',
  }),
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

/** What is posted; what the service sets is ignored in it, so that one read back can be posted. */
export const ScheduleRequest = Type.Object(
  {
    ...asked,
    state: Type.Optional(Type.Enum(SCHEDULE_STATES, ignored)),
    reasons: Type.Optional({ ...Reasons, ...ignored }),
    warnings: Type.Optional({ ...Reasons, ...ignored }),
    target: Type.Optional(Type.String({ ...nameBound, ...ignored })),
    ir: Type.Optional(Type.String({ ...nameBound, ...ignored })),
    max_duration: Type.Optional(Type.String({ ...quantityBound, ...ignored })),
    sends: Type.Optional(Type.Boolean(ignored)),
    needs_validation: Type.Optional(Type.Boolean(ignored)),
    validation: Type.Optional({ ...ScheduleValidation, ...ignored }),
    fallen: Type.Optional({ ...ScheduleValidation, ...ignored }),
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
