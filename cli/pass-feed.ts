/**
 * `mcs pass feed`: snapshots, each everything that a source knows of a target in an interval. A thin client of
 * `POST /v1/passes/replace_window`. Mission Control Service, section 4.5.
 *
 * N1. Each snapshot stands alone: one that is refused keeps no other back, but for what would refuse every one of them,
 *     as a caller who is no feeder.
 */

import type { PassesReplaced } from '../contract/pass.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { readPassFile } from './pass-file.ts';
import { instantOf } from './pass-look.ts';
import { jsonText, printable } from './printable.ts';
import { ask, faultLine } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';

const FEED_USAGE = `mcs pass feed FILE|- [--json]
mcs pass feed FILE|- --source fds|provider --target T --from TIME --to TIME [--json]
  replaces what a source said of an interval by snapshots, JSON or YAML, as mcs pass predict --json prints them; with
  options, by a list of passes: what the source said there and the list does not have is cancelled
`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  source: { type: 'string' },
  target: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** A request that names wrongly what it is about: others may be right. */
const OF_THIS_ONE: ReadonlySet<number> = new Set([400, 404, 413, 422]);

type Values = Pick<ValuesOf<typeof OPTIONS>, 'source' | 'target' | 'from' | 'to'>;

export interface FeedOptions {
  readonly service: Service;
  readonly json: boolean;
  readonly signal?: AbortSignal;
}

export const feed = defineCommand({
  usage: FEED_USAGE,
  words: ['FILE'],
  options: OPTIONS,
  async run({ words: [file], values }) {
    const { source, target, from, to, json = false } = values;
    const given = [source, target, from, to].filter((option) => option !== undefined).length;
    if (given !== 0 && given !== 4)
      throw new WrongUsage('--source, --target, --from and --to are given together or not at all');
    const snapshots = await snapshotsOf(file, given === 0 ? undefined : values);
    return (await feedSnapshots(snapshots, { service: serviceOf(values), json })) ? 0 : 1;
  },
});

async function snapshotsOf(file: string, options: Values | undefined): Promise<readonly unknown[]> {
  const read = await readPassFile(file);
  if (read.kind === 'snapshots') {
    if (options === undefined) return read.snapshots;
    throw new Error(
      `${file} names source, target and interval itself: leave out --source, --target, --from, --to`,
    );
  }
  if (options !== undefined) {
    const { source, target, from = '', to = '' } = options;
    return [{ source, target, from: instantOf(from), to: instantOf(to), passes: read.passes }];
  }
  if (read.passes.length === 0) throw new Error(`${file} has no snapshot: nothing is changed`);
  throw new Error(
    `${file} has passes without an interval: give --source, --target, --from and --to, or use mcs pass put`,
  );
}

/** Posts each and prints what it changed; false where one was refused (N1). Throws where the service is away. */
export async function feedSnapshots(
  snapshots: readonly unknown[],
  { service, json, signal }: FeedOptions,
): Promise<boolean> {
  let isWhole = true;
  for (const [index, snapshot] of snapshots.entries()) {
    const { target, source } = snapshot as { readonly target?: unknown; readonly source?: unknown };
    const name = printable(typeof target === 'string' ? target : `snapshot ${index + 1}`);
    const path = '/v1/passes/replace_window';
    const answer = await ask<PassesReplaced>(service, 'POST', path, snapshot, signal);
    if (answer.ok) {
      const { upserted, cancelled } = answer.reply;
      const counts = `${passes(upserted.length)} upserted, ${cancelled.length} cancelled`;
      const line = json ? jsonText({ target, source, upserted, cancelled }) : `${name}  ${counts}`;
      process.stdout.write(`${line}\n`);
      continue;
    }
    isWhole = false;
    for (const fault of answer.faults) process.stderr.write(`${name}: ${faultLine(fault)}\n`);
    const left = snapshots.length - index - 1;
    if (OF_THIS_ONE.has(answer.status) || left === 0) continue;
    process.stderr.write(`snapshots behind it, not sent: ${left}\n`);
    break;
  }
  return isWhole;
}

function passes(count: number): string {
  return count === 1 ? '1 pass' : `${count} passes`;
}
