/**
 * Captured blocks. RF Bench Service, sections 2 and 4. Their times count from the start of the daemon, written as if it
 * had started with the epoch; so do `since` and `until`.
 */

import { Purged } from '../../contract/bench/event.ts';
import { BenchFrame } from '../../contract/bench/frame.ts';
import { BENCH_LIST_LIMIT } from '../../contract/limits/bench.ts';
import { limitInQuery, textInQuery, timeInQuery, uuidInPath } from './parameters.ts';
import { type BenchRoute, defineBenchRoute, found, given, replied } from './route.ts';
import { FramePageShape } from './shapes.ts';

export const frameRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/frames',
    operationId: 'listFrames',
    summary: 'The captured blocks',
    description: 'Newest first. One entry is one DMA block, cut with no relation to a frame of a protocol.',
    tag: 'Frames',
    query: {
      protocol: textInQuery('Only of this protocol.', 'raw'),
      profile: textInQuery('Only of this profile.', 'qpsk-1m'),
      since: timeInQuery('Not before this moment, counted from the start of the daemon as the epoch.'),
      until: timeInQuery('Not after this moment, counted likewise.'),
      limit: limitInQuery,
    },
    replies: { 200: FramePageShape },
    errors: [],
    handle: ({ query: { limit = BENCH_LIST_LIMIT, ...filter } }, { bench }) =>
      replied(bench.frames.page(given({ ...filter, limit }))),
  }),
  defineBenchRoute({
    method: 'DELETE',
    path: '/api/v1/frames',
    operationId: 'purgeFrames',
    summary: 'Removes every captured block',
    description: 'Followers continue with the blocks that follow.',
    tag: 'Frames',
    replies: { 200: Purged },
    errors: [],
    handle: (_request, { bench }) => replied({ purged: bench.frames.purge() }),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/frames/:id',
    operationId: 'readFrame',
    summary: 'One captured block',
    description: 'With all of its bytes.',
    tag: 'Frames',
    params: { id: uuidInPath('The captured block.') },
    replies: { 200: BenchFrame },
    errors: [],
    handle: ({ params: { id } }, { bench }) =>
      found(bench.frames.get(id.toLowerCase()), 'frame', id, 'GET /api/v1/frames'),
  }),
];
