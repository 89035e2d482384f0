/** What somebody follows, and what a follower is made with. */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { FollowFrom, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Assets } from './assets.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import type { Past } from './past.ts';
import type { Tails } from './stream-tail.ts';

export interface FollowTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly past: Past;
  readonly tails: Tails;
  readonly log: Log;
}

export interface FollowRequest {
  readonly stream: StreamDefinition;
  readonly filter: string;
  readonly from: FollowFrom;
  readonly handle: (message: StreamMessage) => void | Promise<void>;
  readonly wentBack?: (() => void) | undefined;
  readonly together?: boolean | undefined;
  readonly atHead?: (() => void) | undefined;
}
