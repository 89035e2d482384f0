/**
 * `mcs file refresh`: asks the spacecraft for its on-board directory, waits for the listing, and shows it. A thin
 * client of `POST /v1/targets/{target}/files/refresh` and `GET /v1/targets/{target}/files`. Mission Control Service,
 * section 4.7 rule 1.
 *
 * R1. A listing comes in as many packets as it takes: it is shown when two looks, one after the other, find the same.
 * R2. Without a listing within ten seconds nothing is shown as if it were new, and the exit code is 1.
 */

import { DIRECTORY_LOOK_MS, DIRECTORY_POLL_MS } from '../contract/limits/transfer.ts';
import type { OnboardDirectory } from '../contract/onboard-file.ts';
import type { TcReply } from '../contract/telecommand.ts';
import type { Clock } from '../ports/clock.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { printDirectory } from './file-list.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const FILE_REFRESH_USAGE = `mcs file refresh TARGET [--environment E] [--json] [--utc | --local]
  asks the spacecraft for a listing, waits up to ${DIRECTORY_POLL_MS / 1_000} s for it, and shows it
`;

export const refresh = defineCommand({
  usage: FILE_REFRESH_USAGE,
  words: ['TARGET'],
  options: { ...TABLE_OPTIONS, environment: { type: 'string' } },
  async run({ words: [target], values }) {
    const shape = shapeOf(values);
    const service = serviceOf(values);
    const path = `/v1/targets/${encodeURIComponent(target)}/files`;
    const look = () => request<OnboardDirectory>(service, 'GET', path);
    const before = await look();
    if (before === undefined) return 1;
    const submitted = await ask(service, path, values.environment);
    if (submitted === undefined) return 1;
    const listed = await awaitListing(before, look, realClock);
    if (listed === 'refused') return 1;
    if (listed !== undefined) {
      printDirectory(listed, shape);
      return 0;
    }
    const id = printable(submitted.id);
    const said = `no listing within ${DIRECTORY_POLL_MS / 1_000} s; telecommand ${id} of ${printable(target)} asked for it`;
    process.stderr.write(`${said} (mcs tc watch shows telecommands, mcs file list what was last listed)\n`);
    return 1;
  },
});

function ask(service: Service, path: string, environment: string | undefined): Promise<TcReply | undefined> {
  const query = environment === undefined ? '' : `?${new URLSearchParams({ environment })}`;
  return request<TcReply>(service, 'POST', `${path}/refresh${query}`);
}

/** The directory once it is newer than before and stands still (R1); undefined when nothing newer came in time. */
export async function awaitListing(
  before: OnboardDirectory,
  look: () => Promise<OnboardDirectory | undefined>,
  clock: Clock,
): Promise<OnboardDirectory | 'refused' | undefined> {
  const began = clock.now();
  const known = lastListedMs(before);
  let newest: { readonly directory: OnboardDirectory; readonly text: string } | undefined;
  while (clock.now() - began < DIRECTORY_POLL_MS) {
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, DIRECTORY_LOOK_MS));
    const directory = await look();
    if (directory === undefined) return 'refused';
    if (lastListedMs(directory) <= known) continue;
    const text = JSON.stringify(directory);
    if (newest?.text === text) return directory;
    newest = { directory, text };
  }
  return newest?.directory;
}

function lastListedMs({ files }: OnboardDirectory): number {
  return files.reduce(
    (last, { listed_at }) => Math.max(last, listed_at === undefined ? 0 : Date.parse(listed_at)),
    0,
  );
}
