/**
 * Holds of runs on targets.
 *
 * H1. A run that holds a target is open. So where a hold cannot be read and no open run asks for its target, nobody
 *     holds it, and it may be freed without a guess.
 */

import { Leases, targetsOf } from '../../actors/run/leases.ts';
import { OpenRuns, shardNames } from '../../actors/run/open-runs.ts';
import { Programs } from '../../actors/run/programs.ts';
import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { readHolds } from '../../contract/target-holds.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import type { Look, LookTools } from './finding.ts';
import { unreadable, whereOf } from './records.ts';
import { isOpen, stateOf } from './runs.ts';

/** Runs named to a person at once; the rest is counted. */
const NAMED = 5;

export const holds: Look = {
  checks: ['hold-of-finished-run', 'hold-of-unknown-run', 'unreadable-record'],
  needs: [
    bucketStream(buckets.leases),
    bucketStream(buckets.openRuns),
    bucketStream(buckets.programs),
    streams.runs.name,
  ],
  look: async (tools) => {
    const unread: Entry[] = [];
    await tools.bus.inventory.entries(buckets.leases, async (entry) => {
      if (readHolds(entry.value).unreadable === true) unread.push(entry);
      else await lookAtHolds(entry, tools);
    });
    if (unread.length > 0) await lookAtUnreadable(unread, tools);
  },
};

async function lookAtHolds({ key: target, value }: Entry, { bus, found }: LookTools): Promise<void> {
  const where = whereOf(buckets.leases, target);
  for (const { run } of readHolds(value).holders) {
    // What is open is looked after: its end gives the target back.
    if (await isOpen(bus, run)) continue;
    const state = await stateOf(bus, run);
    if (state === 'over') {
      const repair = async (): Promise<boolean> => {
        await new Leases(bus).release(run, [target]);
        return true;
      };
      const what = `run ${run} holds it and is over`;
      const remedy = 'the hold is released';
      found({ check: 'hold-of-finished-run', where, about: run, what, remedy, repair });
    } else {
      const what = `run ${run} holds it, is not open, and its log ${state === 'no log' ? 'is gone' : 'has no end'}`;
      const remedy = `make sure that nothing of it is still to leave, then \`nats kv del ${buckets.leases.name} ${target}\``;
      found({ check: 'hold-of-unknown-run', where, about: run, what, remedy });
    }
  }
}

/** H1. Whoever takes a run up meanwhile cannot take the target: it is refused to everybody. */
async function lookAtUnreadable(entries: readonly Entry[], { bus, found }: LookTools): Promise<void> {
  const mayHold = await openRunsByTarget(bus);
  for (const { key: target, revision } of entries) {
    const finding = unreadable(buckets.leases, target, 'the hold');
    const runs = [...(mayHold.get(target) ?? []), ...(mayHold.get(ANY) ?? [])];
    const what = `${finding.what}: nothing is sent to ${target} until it is corrected`;
    if (runs.length > 0) {
      const more = runs.length > NAMED ? ` and ${runs.length - NAMED} more` : '';
      const remedy = `these runs may hold it: ${runs.slice(0, NAMED).join(', ')}${more}. Abort them, then check again with --repair`;
      found({ ...finding, what, remedy });
      continue;
    }
    const repair = async (): Promise<boolean> => {
      const free = Buffer.from(JSON.stringify({ holders: [] }));
      return (await bus.bucket(buckets.leases).put(target, free, revision)).outcome === 'written';
    };
    found({ ...finding, what, remedy: 'no open run asks for the target: it is freed', repair });
  }
}

/** Stands for every target: of runs whose targets are not known. No target has this name. */
const ANY = '*';

async function openRunsByTarget(bus: Bus): Promise<ReadonlyMap<string, readonly string[]>> {
  const programs = new Programs(bus);
  const runs = new Map<string, string[]>();
  const note = (target: string, run: string): void => {
    runs.set(target, [...(runs.get(target) ?? []), run]);
  };
  for (const shard of shardNames())
    for (const { run, ir } of await new OpenRuns(bus, shard).list((key) => note(ANY, key))) {
      const program = await programs.of(ir);
      for (const target of typeof program === 'string' ? [ANY] : targetsOf(program)) note(target, run);
    }
  return runs;
}
