/**
 * What schedules and recurring rules have in common on the HTTP interface. Mission Control Service, sections 2.7 and
 * 4.6.
 */

import Type from 'typebox';
import { nameBound, named } from './bounded.ts';
import { INSTANT_CHARACTERS } from './limits/request.ts';
import {
  SCHEDULE_REASON_CHARACTERS,
  SCHEDULE_REASONS,
  SCHEDULE_START_CHARACTERS,
} from './limits/schedule.ts';
import { ArgumentValue } from './telecommand.ts';
import { TOKEN_PATTERN } from './token.ts';

export const closed = { additionalProperties: false } as const;

/** Set by the service, and ignored where it is posted: what was read back can be posted. */
export const ignored = { readOnly: true } as const;

/** What identifies a schedule or a rule. */
export const Identifier = Type.String({ pattern: TOKEN_PATTERN, description: 'Identifier, a token.' });

export const Moment = Type.String({ format: 'date-time', maxLength: INSTANT_CHARACTERS });
export const Reasons = Type.Array(Type.String({ maxLength: SCHEDULE_REASON_CHARACTERS }), {
  maxItems: SCHEDULE_REASONS,
});
export const By = Type.String({ description: 'Identity, or `rule <id>`; absent for an anonymous caller.' });

/** What a run of a schedule or of a rule is. */
export const planned = {
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
