/**
 * Followers: every message of a filter from a position on, each exactly once and in order (ports/bus.P2).
 *
 * F1. The position moves when a message is handed over, so a new consumer begins after it.
 * F2. Positions mean nothing in another stream of the same name: a follower that finds its stream recreated reads it
 *     from its beginning; one whose stream lost its tail goes on where F4 says, else at the end; and where the end has
 *     passed its position again since, which the message there shows, behind the last one it took by time. All say so
 *     in the log and to who asked for it. Only what the server says at that moment counts: a position moved back by
 *     stale knowledge would deliver messages twice.
 * F3. In a cluster a new leader may not know yet what the old one delivered: that is waited for, not taken for a loss,
 *     and what a lagging copy delivers again is skipped.
 * F4. Where the stream lost its tail, the follower goes on behind the newest message that it took and that stands there
 *     still, if that is among the last it took: nobody knows then whether what took the place of the others is older or
 *     newer than they were. Seen with nats-server 2.10.27, which delivers what it stores elsewhere after an election.
 */

import { Outage } from '../contract/outage.ts';
import type { Follower } from '../ports/bus.ts';
import type { FollowRequest, FollowTools } from './follow-request.ts';
import { Place } from './place.ts';
import { StreamFollower } from './stream-follower.ts';

/** Fixes the position and begins to follow; rejects with an outage when the stream cannot be reached in time. */
export async function follow(tools: FollowTools, request: FollowRequest): Promise<Follower> {
  const { assets, jetstream, past, log } = tools;
  const asset = assets.stream(request.stream);
  const stands = await jetstream.retrying(undefined, (left) => asset.look(left()));
  const { from, wentBack, filter } = request;
  const place = new Place({ past, log, filter, from, stands, wentBack });
  const caught = caughtUpAt(stands.lastSeq);
  const following = new StreamFollower(tools, request, place, caught.resolve);
  void following.begin();
  const stop = async () => {
    caught.reject(new Outage('bus.unavailable', `the follower of ${request.filter} was stopped`));
    following.stop();
  };
  return { caughtUp: caught.promise, stop };
}

interface Caught {
  readonly promise: Promise<number>;
  readonly resolve: () => void;
  readonly reject: (reason: Outage) => void;
}

function caughtUpAt(lastSeq: number): Caught {
  let resolve = () => {};
  let reject: (reason: Outage) => void = () => {};
  const promise = new Promise<number>((fulfil, refuse) => {
    resolve = () => fulfil(lastSeq);
    reject = refuse;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
