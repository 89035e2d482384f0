/**
 * The past of measures: buckets to draw, or samples. Ours; targets, selectors and samples are those of Mission Control
 * Service, sections 2.2 and 4.1 rule 10.
 *
 * H1. Whoever asks does not choose the cost: measures, points, pages and answers that are under way are bounded, and
 *     each bound says how to ask instead.
 * H2. What is missing is said (said-beside.B1), and where no archive answers nothing looks like an empty past.
 */

import Type from 'typebox';
import type { Delivery, HistoryQuery } from '../../contract/history.ts';
import { HISTORY_MEDIA, History, type HistoryMedia } from '../../contract/history-view.ts';
import {
  HISTORY_PAGE,
  HISTORY_PAGE_USUAL,
  HISTORY_POINTS,
  HISTORY_POINTS_OF_ALL,
} from '../../contract/limits/archive.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { type AskedMeasure, askedMeasures } from '../history/asked-measures.ts';
import { bucketsReply } from '../history/bucket-reply.ts';
import { BUCKET_HEADING } from '../history/bucket-text.ts';
import { CURSOR_CHARACTERS, readCursor } from '../history/cursor-text.ts';
import { mediaOf } from '../history/media.ts';
import { samplesReply } from '../history/sample-reply.ts';
import { SAMPLE_HEADING } from '../history/sample-text.ts';
import { targetOf } from '../mission-of.ts';
import { instantInQuery, measuresInQuery, targetInPath } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import { defineRoute, type QueryOf, type QueryParameter } from '../route.ts';
import { noCatalogue } from './values.ts';

const HOUR_MS = 3_600_000;
const DELIVERIES: readonly Delivery[] = ['realtime', 'deferred', 'all'];

function countInQuery(most: number, description: string): QueryParameter<number> {
  return {
    schema: Type.Integer({ minimum: 1, maximum: most, description }),
    expected: `a whole number from 1 to ${most}`,
    parse(text) {
      const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      return count >= 1 && count <= most ? count : undefined;
    },
  };
}

const query = {
  measures: measuresInQuery,
  from: instantInQuery('The first moment; default an hour before `to`.'),
  to: instantInQuery('The moment behind the last one; default now.'),
  points: countInQuery(
    HISTORY_POINTS,
    `Buckets of each measure, about so many; of all measures together at most ${HISTORY_POINTS_OF_ALL}. Absent: samples.`,
  ),
  delivery: {
    schema: Type.Enum(DELIVERIES, {
      default: 'realtime',
      description: 'How samples came: as they were sent, in files that came down later, or both.',
    }),
    expected: 'realtime, deferred or all',
    parse: (text: string) => DELIVERIES.find((delivery) => delivery === text),
  },
  cursor: {
    schema: Type.String({ maxLength: CURSOR_CHARACTERS, description: '`next` of the page before.' }),
    expected: 'what a page said as `next`',
    parse: readCursor,
  },
  limit: countInQuery(
    HISTORY_PAGE,
    `Samples of a page, default ${HISTORY_PAGE_USUAL}; a page may have fewer. Rows without it: all that there are.`,
  ),
} as const;

type Asked = QueryOf<typeof query>;

const rows = (contentMediaType: string, example: string) =>
  Type.String({ contentMediaType, examples: [example] });

const EXAMPLE_ROW =
  'sat1,battery[1].voltage,2026-01-02T03:04:05.678Z,2026-01-02T03:04:05.702Z,7.42,7420,uhf,realtime,false,120311\n';
const EXAMPLE_LINE =
  '{"component":"battery","instance":"1","measure":"voltage","sample":{"value":7.42,"raw":7420,' +
  '"time":"2026-01-02T03:04:05.678Z","ground_time":"2026-01-02T03:04:05.702Z","link":"uhf","delivery":"realtime"}}\n';

export const readHistory = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/values/history',
  operationId: 'readHistory',
  summary: 'The past of measures: so many buckets each, or their samples',
  description: `With \`points\` buckets with minimum, maximum, mean, number, first and last time and the last value of each; without it
samples in order of time, a page at a time: \`next\` of one is the \`cursor\` of the next. \`Accept\` chooses \`text/csv\`,
\`application/vnd.apache.parquet\` or, of samples, \`application/x-ndjson\` instead: rows, all of them or with \`limit\` a page,
whose \`next\` is in \`X-Mcs-Next\` and number in \`X-Mcs-Samples\`; \`X-Mcs-Gaps\`, \`X-Mcs-Damaged\` and \`X-Mcs-Thinned\` say whether something is missing. CSV has the columns
\`${SAMPLE_HEADING.trim()}\`, of buckets \`${BUCKET_HEADING.trim()}\`.

\`measures\` takes selectors of the catalogue of today, and the exact name of a measure that only an earlier one had. A
time without buckets is one in which nothing was sent; what was lost is said in \`gaps\` and by \`lost\`.`,
  tag: 'History',
  params: { target: targetInPath },
  query,
  abortable: true,
  replies: { 200: History },
  alsoAs: [
    rows(HISTORY_MEDIA.csv, `${SAMPLE_HEADING}${EXAMPLE_ROW}`),
    rows(HISTORY_MEDIA.ndjson, EXAMPLE_LINE),
    rows(HISTORY_MEDIA.parquet, 'any bytes'),
  ],
  errors: [
    'api::no-configuration',
    'api::unknown-target',
    'api::no-catalogue',
    'api::invalid-measure',
    'archive::invalid',
    'archive::none',
    'archive::unanswered',
    'archive::busy',
    'archive::failed',
  ],
  async handle({ params, query: asked, accept, gone }, ports) {
    const measures = measuresOf(params.target, asked, ports);
    if (!measures.ok) return measures;
    const to = asked.to ?? ports.clock.now();
    const { from = to - HOUR_MS, delivery = 'realtime', points, cursor, limit } = asked;
    const names = measures.value.map(({ name }) => name);
    const about: HistoryQuery = { target: params.target, measures: names, from, to, delivery };
    const refused = faultOf(asked, about) ?? fullRefusal(ports);
    if (refused !== undefined) return refused;
    if (!busAnswers(ports.bus)) return busUnavailable();
    const wanted = mediaOf(accept);
    const media: HistoryMedia = wanted === 'parquet' && ports.history.tables === undefined ? 'json' : wanted;
    const question = { query: about, measures: measures.value };
    if (points !== undefined) return bucketsReply({ ...question, points }, media, ports, gone!);
    const page = limit ?? (media === 'json' ? HISTORY_PAGE_USUAL : undefined);
    return samplesReply({ ...question, cursor, limit: page }, media, ports, gone!);
  },
});

function measuresOf(name: string, asked: Asked, ports: RoutePorts): Handled<readonly AskedMeasure[]> {
  const target = targetOf(name, ports);
  if (!target.ok) return target;
  const { platform } = target.value;
  if (platform === undefined) return noCatalogue(target.value);
  return askedMeasures(asked.measures ?? '', platform, ports.values.current(name)?.files);
}

/** What does not go together (H1). */
function faultOf(
  { points, cursor, limit }: Asked,
  { from, to, measures }: HistoryQuery,
): Refusal | undefined {
  if (from >= to)
    return invalid(
      'from',
      `${moment(from)} is not before to, ${moment(to)}`,
      'Ask from an earlier to a later time.',
    );
  if (points === undefined) return undefined;
  if (cursor !== undefined || limit !== undefined)
    return invalid(
      'points',
      'points is given with cursor or limit',
      'Buckets have no pages: leave out cursor and limit.',
    );
  const most = Math.min(HISTORY_POINTS, Math.floor(HISTORY_POINTS_OF_ALL / measures.length));
  if (points <= most) return undefined;
  const help = `Ask for at most ${most} points, or for fewer measures.`;
  return invalid('points', `${points} points of each of ${measures.length} measures are too many`, help);
}

function fullRefusal({ history: { streams } }: RoutePorts): Refusal | undefined {
  if (!streams.full) return undefined;
  return refuse('archive::busy', `${streams.most} answers about the past are being sent already`, {
    help: 'Try again when one of them is through.',
  });
}

function invalid(path: string, message: string, help: string): Refusal {
  return refuse('api::invalid-body', `query parameter ${path}: ${message}`, { help, path });
}

function moment(ms: number): string {
  return new Date(ms).toISOString();
}

export const historyRoutes = [readHistory];
