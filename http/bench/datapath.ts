/** The datapath: blocks captured, fed and measured, packets transmitted. RF Bench Service, section 4, rules 8 to 11. */

import {
  Acquired,
  CaptureBody,
  Enabled,
  FlushBody,
  FlushReply,
  TransmitBody,
} from '../../contract/bench/datapath.ts';
import { CAPTURE_BLOCKS, MEASURE_PAYLOAD_BYTES } from '../../contract/limits/bench.ts';
import type { LoopbackTerms } from '../../ports/bench.ts';
import type { BytesBody } from '../route.ts';
import { integerInQuery, wordInQuery } from './parameters.ts';
import {
  asked,
  askedBytes,
  type BenchRoute,
  BOARD_WRITE,
  defineBenchRoute,
  given,
  replied,
} from './route.ts';
import { Blocks, MeasurementShape, TransmitShape } from './shapes.ts';

/** Longest that a capture is waited for. */
const LONGEST_MS = 86_400_000;

const payload: BytesBody = {
  mediaType: 'application/octet-stream',
  description: 'the bytes to be fed, at least one',
  example: 'any bytes',
  minBytes: 1,
  maxBytes: MEASURE_PAYLOAD_BYTES,
};

const terms = {
  blocks: integerInQuery(
    'Blocks captured; default: by the payload, all of it and at least 4.',
    1,
    CAPTURE_BLOCKS,
  ),
  warmup: integerInQuery('Blocks discarded first.', 0, CAPTURE_BLOCKS),
  timeout_ms: integerInQuery('Of all blocks; default: by the rate.', 1, LONGEST_MS),
  force: wordInQuery(['true', 'false'], 'Over the air also where the chain cannot carry it; default false.'),
};

const GATED =
  'Over the air it is refused as transmit is, unless forced; a command that changes the chain ends it with 409.';

interface Terms {
  readonly blocks: number | undefined;
  readonly warmup: number | undefined;
  readonly timeout_ms: number | undefined;
  readonly force: 'true' | 'false' | undefined;
}

function termsOf({ blocks, warmup, timeout_ms, force }: Terms): LoopbackTerms {
  return given({
    blocks,
    warmup,
    timeoutMs: timeout_ms,
    force: force === undefined ? force : force === 'true',
  });
}

export const datapathRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/datapath',
    operationId: 'readDatapath',
    summary: 'Whether the daemon holds the devices of the modem',
    description:
      'Enable, conditioning and transmitting take them; disable and a capture with `release` give them back. Without them ' +
      'capture, loopback and measure answer 503, flush 404.',
    tag: 'Datapath',
    replies: { 200: Acquired },
    errors: [],
    handle: (_request, { bench }) => replied(bench.datapath.state()),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/capture',
    operationId: 'capture',
    summary: 'Captures raw blocks',
    description:
      'A short capture is refused, not truncated; blocks to warm up are obtained and discarded first.',
    tag: 'Datapath',
    body: CaptureBody,
    replies: { 200: Blocks },
    errors: [...BOARD_WRITE, 'conflict'],
    abortable: true,
    handle: ({ body, gone }, { bench }) => askedBytes(bench.datapath.capture(body, gone)),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/enable',
    operationId: 'enableDatapath',
    summary: 'Switches the datapath on',
    description: 'Blocks run between the modem and this daemon from then on.',
    tag: 'Datapath',
    replies: { 200: Enabled },
    errors: BOARD_WRITE,
    handle: (_request, { bench }) => asked(bench.datapath.enable()),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/disable',
    operationId: 'disableDatapath',
    summary: 'Switches the datapath off',
    description:
      'Goes ahead of everything under way or waiting, whichever run holds the board. What is pending for a block stays pending, for this path.',
    tag: 'Datapath',
    replies: { 200: Enabled },
    errors: BOARD_WRITE,
    handle: (_request, { bench }) => asked(bench.datapath.disable()),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/flush',
    operationId: 'flush',
    summary: 'Transmits what is pending, padded to a full block',
    description:
      'No timer does this. Flush two blocks to see the result come back. Refused as transmit is, unless forced.',
    tag: 'Datapath',
    body: FlushBody,
    bodyOptional: true,
    replies: { 200: FlushReply },
    errors: [...BOARD_WRITE, 'not_found', 'conflict'],
    handle: ({ body }, { bench }) => asked(bench.datapath.flush(body ?? {})),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/loopback',
    operationId: 'loopback',
    summary: 'Feeds a payload and returns what was captured meanwhile',
    description: `At most ${MEASURE_PAYLOAD_BYTES} bytes. The blocks are raw; \`measure\` compares them. ${GATED}`,
    tag: 'Datapath',
    bytes: payload,
    query: terms,
    replies: { 200: Blocks },
    errors: [...BOARD_WRITE, 'conflict'],
    abortable: true,
    handle: ({ bytes, query, gone }, { bench }) =>
      askedBytes(bench.datapath.loopback(bytes!, termsOf(query), gone)),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/measure',
    operationId: 'measure',
    summary: 'Feeds a payload, captures and compares',
    description: `At most ${MEASURE_PAYLOAD_BYTES} bytes. The verdict is byte by byte, for each block and over all. ${GATED}`,
    tag: 'Datapath',
    bytes: payload,
    query: terms,
    replies: { 200: MeasurementShape },
    errors: [...BOARD_WRITE, 'conflict'],
    abortable: true,
    handle: ({ bytes, query, gone }, { bench }) =>
      asked(bench.datapath.measure(bytes!, termsOf(query), gone)),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/datapath/transmit',
    operationId: 'transmit',
    summary: 'Queues packets for the air',
    description:
      'Answers once they are queued. Refused with the first missing step where the chain cannot carry them, unless forced.',
    tag: 'Datapath',
    body: TransmitBody,
    replies: { 200: TransmitShape },
    errors: [...BOARD_WRITE, 'not_found', 'conflict'],
    handle: ({ body }, { bench }) => asked(bench.datapath.transmit(body)),
  }),
];
