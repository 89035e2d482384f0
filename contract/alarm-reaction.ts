/**
 * Reactions of alarms while they are under way, as they are shown beside the record of their alarm. Mission Control
 * Service, section 4.4 reaction rules 4 to 6; the view is ours (decision 69).
 */

import Type, { type Static } from 'typebox';
import { STEP_PATH_CHARACTERS } from './limits/run.ts';
import { ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
const RunId = Type.String({ pattern: ULID_PATTERN, description: 'Run identifier, a ULID.' });

export const REACTION_STATES = [
  'starting',
  'waiting_for_target',
  'running',
  'waiting_for_answer',
  'waiting_for_decision',
  'suspended',
  'passed',
  'failed',
] as const;
export type ReactionState = (typeof REACTION_STATES)[number];

const TargetHolder = Type.Object(
  {
    run: RunId,
    alarm: Type.Optional(
      Type.String({
        description: 'Key of the alarm whose reaction it is, `<target>.<component>.<instance>.<alarm>`.',
      }),
    ),
  },
  { ...closed, title: 'TargetHolder' },
);

export const AlarmReaction = Type.Object(
  {
    procedure: Type.String(),
    run: Type.Optional(Type.String({ pattern: ULID_PATTERN, description: 'Absent until it is submitted.' })),
    state: Type.Enum(REACTION_STATES, {
      description: '`starting`: not submitted, or no executor has begun it.',
    }),
    step: Type.Optional(
      Type.String({
        maxLength: STEP_PATH_CHARACTERS,
        description: 'The step running or last run, or the one that waits.',
      }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'Why it waits for a decision, what it asks, or why it did not pass.' }),
    ),
    question: Type.Optional(
      Type.Integer({ minimum: 1, description: 'What an answer names: the `seq` of the event that asks.' }),
    ),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'When it began to wait.' })),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it stops waiting and fails; absent: never.' }),
    ),
    held_by: Type.Optional(
      Type.Array(TargetHolder, { description: 'The runs that hold the target it waits for.' }),
    ),
    holds_target: Type.Boolean({
      description: 'Whether it holds the target of the alarm: the reaction of another alarm waits for it.',
    }),
  },
  { ...closed, title: 'AlarmReaction' },
);
export type AlarmReaction = Static<typeof AlarmReaction>;

/** Of which alarm a reaction is. */
export const AlarmReactionChange = Type.Object(
  {
    target: Type.String(),
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    alarm: Type.String(),
    reaction: AlarmReaction,
  },
  {
    ...closed,
    title: 'AlarmReactionChange',
    examples: [
      {
        target: 'sat1',
        component: 'battery',
        instance: '1',
        alarm: 'low',
        reaction: {
          procedure: 'shed_load',
          run: '01J5ZK3M8QW7V9XH2C4T6R8YAC',
          state: 'waiting_for_decision',
          step: 'heater_off',
          reason: 'no echo within 30 s',
          question: 7,
          since: '2026-01-02T03:04:05.678Z',
          holds_target: true,
        },
      },
    ],
  },
);
export type AlarmReactionChange = Static<typeof AlarmReactionChange>;

/** Whether it is known how it ended. */
export function isReactionOver({ state }: AlarmReaction): boolean {
  return state === 'passed' || state === 'failed';
}
