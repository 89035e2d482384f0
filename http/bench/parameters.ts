/**
 * The parameters that several routes of the bench share. RF Bench Service, section 4; their bounds are not shown there.
 */

import Type from 'typebox';
import { BENCH_NAME_PATTERN } from '../../contract/bench/profile.ts';
import { BENCH_SCHEMA_KINDS } from '../../contract/bench/schema.ts';
import { nameBound } from '../../contract/bounded.ts';
import { BENCH_LIST_LIMIT, BENCH_LIST_MOST } from '../../contract/limits/bench.ts';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import type { QueryParameter } from '../route.ts';
import type { BenchPathParameter } from './route.ts';

const UUID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/** A document by its name. */
export function nameInPath(what: string, example: string): BenchPathParameter {
  return matching(
    BENCH_NAME_PATTERN,
    { description: `Name of the ${what}.`, examples: [example] },
    `a name of a ${what}: letters, digits, _, . and -, at most 64, a letter or digit first`,
  );
}

export const campaignRunInPath = matching(
  ID_PATTERN,
  { description: 'The run of a campaign.', examples: ['0192f0c4-7b1e-7a33-9c1d-3f2a9be4a002'] },
  'an identifier: letters, digits, _ and -, at most 64',
);

export const stepInPath = matching(
  ID_PATTERN,
  { description: 'The step, as the campaign names it.', examples: ['sweep'] },
  'a step: letters, digits, _ and -, at most 64',
);

export const schemaInPath = matching(
  `^(${BENCH_SCHEMA_KINDS.join('|')})$`,
  { description: 'Kind of the document.', examples: ['scenario'] },
  `a kind of document: ${BENCH_SCHEMA_KINDS.join(', ')}`,
);

/** Something by its UUID. */
export function uuidInPath(description: string): BenchPathParameter {
  return matching(
    UUID_PATTERN,
    { description, examples: ['0192f0c4-7b1e-7a33-9c1d-3f2a9be4a001'] },
    'a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12',
  );
}

function matching(
  pattern: string,
  words: { description: string; examples: string[] },
  expected: string,
): BenchPathParameter {
  const expression = new RegExp(pattern, pattern === UUID_PATTERN ? 'i' : '');
  return {
    accepts: (text) => expression.test(text),
    schema: Type.String({ pattern, ...words }),
    code: 'not_found',
    expected,
  };
}

/** A whole number within bounds. */
export function integerInQuery(
  description: string,
  minimum: number,
  maximum: number,
): QueryParameter<number> {
  return {
    schema: Type.Integer({ minimum, maximum, description }),
    expected: `a whole number from ${minimum} to ${maximum}`,
    parse(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
      return value >= minimum && value <= maximum ? value : undefined;
    },
  };
}

/** How many items a list has at most; more than there can be counts as all. */
export const limitInQuery: QueryParameter<number> = {
  schema: Type.Integer({
    minimum: 0,
    default: BENCH_LIST_LIMIT,
    description: `How many, newest first; at most ${BENCH_LIST_MOST}.`,
  }),
  expected: 'a whole number from 0',
  parse: (text) => (/^\d+$/.test(text) ? Math.min(Number(text), BENCH_LIST_MOST) : undefined),
};

/** One of the words. */
export function wordInQuery<const Word extends string>(
  words: readonly Word[],
  description: string,
): QueryParameter<Word> {
  return {
    schema: Type.Enum([...words], { description }),
    expected: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}

/** Whatever is compared with what there is; what there is not finds nothing. */
export function textInQuery(description: string, example: string): QueryParameter<string> {
  return {
    schema: Type.String({ ...nameBound, description, examples: [example] }),
    expected: `text of at most ${NAME_CHARACTERS} characters`,
    parse: (text) => text,
  };
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** A moment as ms since 1970. */
export function timeInQuery(description: string): QueryParameter<number> {
  return {
    schema: Type.String({
      ...nameBound,
      format: 'date-time',
      description,
      examples: ['2026-01-01T12:00:00Z'],
    }),
    expected: 'a time of RFC 3339 such as 2026-01-01T12:00:00Z (a + is written %2B)',
    parse: readTime,
  };
}

/** Undefined for a day or an hour there is not: `Date` would take the next one. */
function readTime(text: string): number | undefined {
  const [, year, month, day, hour] = RFC_3339.exec(text) ?? [];
  if (year === undefined || Number(hour) > 23) return undefined;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) > days) return undefined;
  const moment = Date.parse(text.toUpperCase());
  return Number.isNaN(moment) ? undefined : moment;
}

/** Filters of lists by time, both ends inclusive. */
export const sinceInQuery = timeInQuery('Not before this moment.');
export const untilInQuery = timeInQuery('Not after this moment.');
