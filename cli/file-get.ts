/**
 * `mcs file get`: brings a file down from a spacecraft and saves it. A thin client of the routes of transfers. Mission
 * Control Service, section 4.7. Exit code: 0 when it is saved, 1 when it was refused, came down corrupted or was
 * superseded, 2 when the command line is malformed, 130 when it was interrupted.
 *
 * G1. Called again it finds the transfer that is there, and the bytes that were saved of it.
 * G2. A file whose checksum differs is saved only where that is asked for.
 */

import type { Transfer } from '../contract/transfer.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { download } from './content-download.ts';
import { INTERRUPTED, whenEnded } from './followed.ts';
import { followTransfer, isJudged, sameTransfer } from './followed-transfer.ts';
import { jsonText, printable } from './printable.ts';
import { ProgressShown } from './progress-shown.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';
import { bytesText } from './transfer-progress.ts';

const FILE_GET_USAGE = `mcs file get TARGET FILE [--output PATH | --output -] [--priority N] [--corrupted] [--json]
  brings the file down that was listed last, and saves it when it is whole and verified; called again it continues.
  PATH: default TARGET-FILE-GENERATION; -: stdout. --priority: higher first, for a new transfer.
  --corrupted: also a file whose checksum differs. --json: what was saved, as JSON
`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  output: { type: 'string', short: 'o' },
  priority: { type: 'string' },
  corrupted: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

interface Wanted {
  readonly service: Service;
  readonly output: string | undefined;
  readonly corrupted: boolean;
  readonly json: boolean;
  readonly ended: AbortController;
  readonly shown: ProgressShown;
}

export const get = defineCommand({
  usage: FILE_GET_USAGE,
  words: ['TARGET', 'FILE'],
  options: OPTIONS,
  async run({ words: [target, file], values }) {
    const { output, priority, corrupted = false, json = false } = values;
    if (priority !== undefined && !/^-?\d{1,10}$/.test(priority))
      throw new WrongUsage(`--priority is a whole number, not ${JSON.stringify(priority)}`);
    if (json && output === '-') throw new WrongUsage('--json and --output - both want stdout');
    const service = serviceOf(values);
    const asked = { target, file_id: file, ...(priority !== undefined && { priority: Number(priority) }) };
    // From here on an interruption finds a transfer that may be there.
    const ended = whenEnded();
    const begun = await request<Transfer>(service, 'POST', '/v1/transfers', asked);
    if (begun === undefined) return 1;
    const shown = new ProgressShown(process.stderr, realClock, json);
    try {
      return await bring(begun, { service, output, corrupted, json, ended, shown });
    } catch (error) {
      if (ended.signal.aborted) return interrupted(shown);
      throw error;
    } finally {
      shown.end();
    }
  },
});

async function bring(begun: Transfer, wanted: Wanted): Promise<number> {
  const { shown, corrupted, ended, service } = wanted;
  const arrived = isJudged(begun) ? begun : await arrival(begun, wanted);
  if (arrived === undefined) return ended.signal.aborted ? interrupted(shown) : 1;
  if ('said' in arrived) return shown.failed(arrived.said);
  const { state, reason = '', target, file_id } = arrived;
  if (state === 'SUPERSEDED')
    return shown.failed(`superseded: ${reason} (mcs file get ${target} ${file_id} brings the newer one)`);
  if (state === 'CORRUPTED' && !corrupted)
    return shown.failed(`CORRUPTED: ${reason} (--corrupted saves it as it came)`);
  if (state === 'CORRUPTED' || reason !== '') shown.say(`${state}: ${reason}`);
  const path = `/v1/transfers/${target}/${file_id}/${arrived.generation}/content`;
  const standard = `${target}-${file_id}-${arrived.generation}`;
  const output = wanted.output === '-' ? undefined : (wanted.output ?? standard);
  const saved = await download({
    service,
    path,
    output,
    signal: ended.signal,
    there: (bytes, size) => shown.copying('saving', bytes, size),
  });
  if (!saved.ok) return ended.signal.aborted ? interrupted(shown) : shown.failed(saved.said);
  shown.end();
  report(arrived, output, saved, wanted.json);
  return 0;
}

function arrival(begun: Transfer, { service, ended, shown }: Wanted): ReturnType<typeof followTransfer> {
  shown.progress(begun);
  return followTransfer({
    service,
    target: begun.target,
    shown,
    signal: ended.signal,
    isIt: sameTransfer(begun),
    hasArrived: isJudged,
  });
}

interface Saved {
  readonly sha256: string;
  readonly bytes: number;
  readonly wasThere: boolean;
}

function report(
  transfer: Transfer,
  output: string | undefined,
  { sha256, bytes, wasThere }: Saved,
  json: boolean,
): void {
  if (json) {
    const saved = { path: output, sha256, bytes, transfer };
    process.stdout.write(`${jsonText(saved, 2)}\n`);
    return;
  }
  const how = wasThere ? 'was there already' : 'saved';
  const where = output === undefined ? '' : `${printable(output)}  ${how}  `;
  process.stderr.write(`${where}${transfer.state}  ${bytesText(bytes)}  sha256 ${sha256}\n`);
}

function interrupted(shown: ProgressShown): number {
  shown.failed('interrupted; the transfer continues, and the same command saves it');
  return INTERRUPTED;
}
