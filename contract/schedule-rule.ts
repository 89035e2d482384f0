/**
 * Recurring rules, which make a schedule of each pass they match, on the HTTP interface. Mission Control Service,
 * sections 2.7 and 4.6.
 */

import Type, { type Static } from 'typebox';
import { quantityBound } from './bounded.ts';
import { AUTH_SUBJECT_CHARACTERS } from './limits/auth.ts';
import { RULE_REFUSALS_SHOWN } from './limits/schedule.ts';
import { PASS_STATUSES, Token } from './pass.ts';
import { By, closed, Identifier, ignored, Moment, planned, Reasons } from './planned-run.ts';
import { TOKEN_PATTERN } from './token.ts';

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
  id: Identifier,
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
      maxItems: RULE_REFUSALS_SHOWN,
      description: 'The earliest passes that were refused a schedule, and why.',
    }),
    refused_count: Type.Integer({
      minimum: 0,
      description: 'Passes that were refused a schedule, also those that are not listed.',
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
        passes: { matched: 3, created: 3, refused: [], refused_count: 0 },
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
