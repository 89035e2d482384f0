/** The parameters that several routes share, with their codes. Mission Control Service, section 7.2. */

import Type from 'typebox';
import { ALARM_PATH_PATTERN, alarmAt } from '../contract/alarm-name.ts';
import { nameBound } from '../contract/bounded.ts';
import { readInstant } from '../contract/instant.ts';
import { AUTH_TOKEN_CHARACTERS } from '../contract/limits/auth.ts';
import { INSTANT_CHARACTERS, NAME_CHARACTERS, SELECTORS_CHARACTERS } from '../contract/limits/request.ts';
import { SCHEDULE_ID_CHARACTERS } from '../contract/limits/schedule.ts';
import {
  isScheduleId,
  isToken,
  isUlid,
  SCHEDULE_ID_PATTERN,
  TOKEN_PATTERN,
  ULID_PATTERN,
} from '../contract/token.ts';
import type { PathParameter, QueryParameter } from './route.ts';

export const targetInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({ pattern: TOKEN_PATTERN, description: 'Target name.', examples: ['sat1'] }),
  code: 'api::invalid-target',
  expected: 'a target name: letters, digits, - and _',
};

/** The identifier of a pass; what cannot be one is a pass that is not known. */
export const passInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Identifier of the pass, or of a contribution to it.',
    examples: ['sat1-kiruna-20260102T0304'],
  }),
  code: 'pass::unknown',
  expected: 'the identifier of a pass: letters, digits, - and _',
};

/** The identifier of a schedule; what cannot be one is a schedule that is not known. */
export const scheduleInPath: PathParameter = {
  accepts: isScheduleId,
  schema: Type.String({
    pattern: SCHEDULE_ID_PATTERN,
    description: 'Identifier of the schedule.',
    examples: ['image-morning'],
  }),
  code: 'schedule::unknown',
  expected: `the identifier of a schedule: 1 to ${SCHEDULE_ID_CHARACTERS} letters, digits, - and _`,
};

/** The identifier of a rule; what cannot be one is a rule that is not known. */
export const ruleInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Identifier of the rule.',
    examples: ['image-each-pass'],
  }),
  code: 'schedule::unknown-rule',
  expected: 'the identifier of a rule: letters, digits, - and _',
};

export const telecommandInPath: PathParameter = {
  accepts: isUlid,
  schema: Type.String({
    pattern: ULID_PATTERN,
    description: 'Telecommand identifier.',
    examples: ['01J5ZK3M8QW7V9XH2C4T6R8YAB'],
  }),
  code: 'api::invalid-id',
  expected: 'a ULID: 26 characters of 0-9 and A-Z without I, L, O and U',
};

export const runInPath: PathParameter = {
  accepts: isUlid,
  schema: Type.String({
    pattern: ULID_PATTERN,
    description: 'Run identifier.',
    examples: ['01J5ZK3M8QW7V9XH2C4T6R8YAC'],
  }),
  code: 'api::invalid-id',
  expected: telecommandInPath.expected,
};

/** Where a malformed identifier is a run that is not known. */
export const runOrUnknown: PathParameter = { ...runInPath, code: 'run::unknown' };

export const actionInPath: PathParameter = {
  accepts: (text) => text === 'suspend' || text === 'resume' || text === 'abort',
  schema: Type.Enum(['suspend', 'resume', 'abort'], {
    description: 'The command for the run.',
    examples: ['suspend'],
  }),
  code: 'api::unknown-command',
  expected: 'a command of a run: suspend, resume, abort',
};

export const alarmInPath: PathParameter = {
  accepts: (text) => alarmAt(text) !== undefined,
  schema: Type.String({
    pattern: ALARM_PATH_PATTERN,
    description: 'The alarm in its component: its name, or the measure whose limits it watches.',
    examples: ['battery[1].voltage'],
  }),
  code: 'api::invalid-alarm',
  expected: 'an alarm such as component.alarm or component[instance].measure',
};

/** The serial number of a unit. */
export const serialInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Serial number of the unit.',
    examples: ['bench-07'],
  }),
  code: 'api::invalid-instance',
  expected: 'a serial number: letters, digits, - and _',
};

export const connectorInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({
    pattern: TOKEN_PATTERN,
    description: 'Name of the connector.',
    examples: ['warehouse'],
  }),
  code: 'api::invalid-instance',
  expected: 'the name of a connector: letters, digits, - and _',
};

/** Another verb is refused by the route with 400. */
export const unitVerbInPath: PathParameter = {
  accepts: () => true,
  schema: Type.Enum(['selftest', 'update', 'reboot'], {
    description: 'What the unit shall do.',
    examples: ['selftest'],
  }),
  code: 'api::invalid-instance',
  expected: 'a verb of units',
};

export const alarmActionInPath: PathParameter = {
  accepts: (text) => text === 'acknowledge' || text === 'shelve' || text === 'unshelve',
  schema: Type.Enum(['acknowledge', 'shelve', 'unshelve'], {
    description: 'The command about the alarm.',
    examples: ['acknowledge'],
  }),
  code: 'api::unknown-command',
  expected: 'a command about an alarm: acknowledge, shelve, unshelve',
};

/** `true` or `false`. */
export function flagInQuery(description: string): QueryParameter<boolean> {
  return {
    schema: Type.Boolean({ description }),
    expected: 'true or false',
    parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  };
}

/** How many items a list has at most; more than `most` counts as `most`. */
export function limitInQuery(usual: number, most: number): QueryParameter<number> {
  return {
    schema: Type.Integer({
      minimum: 1,
      default: usual,
      description: `How many, newest first; at most ${most}.`,
    }),
    expected: 'a whole number from 1',
    parse(text) {
      const limit = /^\d+$/.test(text) ? Number(text) : 0;
      return limit >= 1 ? Math.min(limit, most) : undefined;
    },
  };
}

/** A time of RFC 3339, as ms since 1970. */
export function instantInQuery(description: string): QueryParameter<number> {
  return {
    schema: Type.String({ format: 'date-time', maxLength: INSTANT_CHARACTERS, description }),
    expected: 'a time such as 2026-01-02T03:04:05Z',
    parse: readInstant,
  };
}

export const targetInQuery: QueryParameter<string> = {
  schema: Type.String({ pattern: TOKEN_PATTERN, description: 'Only this target.', examples: ['sat1'] }),
  expected: 'a target name: letters, digits, - and _',
  parse: (text) => (isToken(text) ? text : undefined),
};

/** Left to the handler, which refuses it with a code of its own. */
export const passInQuery: QueryParameter<string> = {
  schema: Type.String({ pattern: TOKEN_PATTERN, description: 'Only those of this pass.' }),
  expected: 'the identifier of a pass: letters, digits, - and _',
  parse: (text) => (isToken(text) ? text : undefined),
};

export const textInQuery: QueryParameter<string> = {
  schema: Type.String(nameBound),
  expected: `text of at most ${NAME_CHARACTERS} characters`,
  parse: (text) => text,
};

export const environmentInQuery: QueryParameter<string> = {
  ...textInQuery,
  schema: Type.String({
    ...nameBound,
    description: 'An environment the target is engaged in.',
    examples: ['bench'],
  }),
};

export const measuresInQuery: QueryParameter<string> = {
  ...textInQuery,
  schema: Type.String({
    maxLength: SELECTORS_CHARACTERS,
    description: 'Selectors with commas: `measure`, `component.measure`, `component[instance].measure`.',
    examples: ['obc.mode,battery[1].voltage'],
  }),
  expected: `selectors of at most ${SELECTORS_CHARACTERS} characters`,
};

/** The access token of a WebSocket, for clients that cannot set headers (section 5.1). */
export const tokenInQuery: QueryParameter<string> = {
  ...textInQuery,
  schema: Type.String({
    maxLength: AUTH_TOKEN_CHARACTERS,
    description: 'Access token, instead of the header `Authorization`.',
  }),
  expected: `a token of at most ${AUTH_TOKEN_CHARACTERS} characters`,
};
