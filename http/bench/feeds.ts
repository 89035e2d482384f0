/** Pictures and readings of the link for eyes: binary messages, the newest wins. Not in the specification. */

import Type from 'typebox';
import { FEEDS, type FeedName, markDropped } from '../../contract/bench/feed.ts';
import { type BenchFollow, defineBenchFollow } from './route.ts';

const Message = Type.String({
  title: 'FeedMessage',
  contentMediaType: 'application/octet-stream',
  description:
    'Little-endian. Byte 0: version, 1. Byte 1: kind (1 spectrum, 2 constellation, 3 eye, 4 metrics). Bytes 2 and 3: ' +
    'length of the description. Bytes 4 to 7: sequence, the same for all who watch. Bytes 8 to 11: messages that this ' +
    'watcher has missed since it opened. Bytes 12 to 15: milliseconds since the start of the daemon. Then the description ' +
    'in JSON, filled with spaces to a multiple of 4, and 32-bit floats to the end.',
  examples: ['any bytes'],
});

const SHOWN: Readonly<Record<FeedName, readonly [summary: string, description: string]>> = {
  spectrum: [
    'The spectrum of what is received',
    'Power of each bin in dB below full scale, lowest frequency first.',
  ],
  constellation: ['The symbols received', 'I and Q alternating, of mean power 1.'],
  eye: ['The eye of what is received', 'Traces over two symbols, one after the other.'],
  metrics: ['Readings of link and board', 'No floats: the values are in the description.'],
};

export const pictureFeeds: readonly BenchFollow[] = FEEDS.map((feed) => {
  const [summary, description] = SHOWN[feed];
  return defineBenchFollow({
    path: `/ws/${feed}`,
    operationId: `follow${feed[0]!.toUpperCase()}${feed.slice(1)}`,
    summary,
    description,
    tag: 'Feeds',
    policy: 'newest',
    message: Message,
    mark: markDropped,
    errors: [],
    open(_request, { bench }, writer) {
      const unwatch = bench.feeds.watch(feed, (message) => writer.push(message));
      return { ok: true, value: { stop: async () => unwatch() } };
    },
  });
});
