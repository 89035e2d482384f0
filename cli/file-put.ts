/**
 * `mcs file put`: puts a file of this machine on board a spacecraft. It stores the content, starts the run whose
 * procedure uploads it, and waits for both. Mission Control Service, section 4.7 rule 8. Exit code: 0 when the run has
 * passed and the file is on board, 1 when something was refused, failed or was superseded, 2 when the command line is
 * malformed, 130 when it was interrupted.
 *
 * P1. Called again it follows the run that writes the same content already, and starts no other. Where that run is over
 *     another one goes on from what is on board.
 * P2. It answers no question of the run and ends none: what a person has to do is said with its command.
 * P3. What is verified on board, as it was last listed, is not written again unless that is asked for, however long
 *     ago it was uploaded. Where that cannot be read nothing is said of it and nothing written.
 */

import { isFileId } from '../contract/file-chunk.ts';
import type { ProcedureList } from '../contract/procedure.ts';
import type { LaunchReply, RunStatus } from '../contract/run.ts';
import type { Transfer } from '../contract/transfer.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { type PutOnBoard, putByRun } from './file-put-run.ts';
import { INTERRUPTED, whenEnded } from './followed.ts';
import { jsonText } from './printable.ts';
import { ProgressShown } from './progress-shown.ts';
import { ask, request } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';
import { unlessRewritten, uploadOf, uploadOnBoard } from './standing-uploads.ts';
import { type LocalContent, readContent, storeContent } from './upload-content.ts';
import { chooseProcedure } from './upload-procedure.ts';
import { readPairs, readValue } from './written-value.ts';

const FILE_PUT_USAGE = `mcs file put TARGET FILE PATH [--procedure NAME] [--environment E] [--input name=value] [--again] [--json]
  puts PATH on board as file FILE: stores the content, starts the run that uploads it, and waits until that is over;
  called again it continues. --procedure: where several put files there. --environment: where the target is in several.
  --again: also where this content is on board already, as the next generation. --json: what was put, as JSON
`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  procedure: { type: 'string' },
  environment: { type: 'string' },
  input: { type: 'string', multiple: true },
  again: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

interface Wanted extends Omit<PutOnBoard, 'content' | 'run'> {
  readonly path: string;
  readonly procedure: string | undefined;
  readonly environment: string | undefined;
  readonly inputs: readonly string[];
  readonly again: boolean;
  readonly ended: AbortController;
}

export const put = defineCommand({
  usage: FILE_PUT_USAGE,
  words: ['TARGET', 'FILE', 'PATH'],
  options: OPTIONS,
  async run({ words: [target, file, path], values }) {
    const { procedure, environment, input: inputs = [], again = false, json = false } = values;
    if (!isFileId(file))
      throw new WrongUsage(`${JSON.stringify(file)} is not the identifier of a file on board`);
    const shown = new ProgressShown(process.stderr, realClock, json);
    const ended = whenEnded();
    const common = {
      service: serviceOf(values),
      target,
      file,
      path,
      json,
      shown,
      ended,
      signal: ended.signal,
    };
    try {
      return await bring({ ...common, procedure, environment, inputs, again });
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      shown.failed('interrupted before a run was started: nothing continues');
      return INTERRUPTED;
    } finally {
      shown.end();
    }
  },
});

const NOTHING = { transfer: undefined };

async function bring(wanted: Wanted): Promise<number> {
  const { service, path, shown, signal, again } = wanted;
  const read = await readContent(path, signal);
  if (!read.ok) return shown.failed(read.said);
  const content = read.value;
  const standing = await uploadOf(wanted, content.hash);
  if (standing === undefined) return 1;
  const run = await runWriting(service, standing.transfer);
  if (run !== undefined) {
    shown.say(`run ${run} is writing this content already`);
    return putByRun({ ...wanted, content, run });
  }
  const newest = await unlessRewritten(wanted, standing.transfer);
  if (newest === undefined) return 1;
  const onBoard = again ? NOTHING : await uploadOnBoard(wanted, content.hash, newest.transfer);
  if (onBoard === undefined) return 1;
  if (onBoard.transfer !== undefined) {
    const { generation } = onBoard.transfer;
    shown.say(`this content is on board already, as generation ${generation} (--again writes it once more)`);
    return reportThere(wanted, content, onBoard.transfer);
  }
  if (newest.transfer?.state === 'COMPLETE')
    return shown.failed(
      `generation ${newest.transfer.generation} of this content is on board and was not listed since: the next can be written after mcs file refresh ${wanted.target}`,
    );
  const there = (bytes: number, size: number): void => shown.copying('storing', bytes, size);
  return begin(wanted, content, () => storeContent(content, { service, signal, there }));
}

/** Stores the content and starts the run; which run that is, is known first: nothing is stored for none. */
async function begin(
  wanted: Wanted,
  content: LocalContent,
  store: () => ReturnType<typeof storeContent>,
): Promise<number> {
  const { service, target, file, shown, procedure, environment, inputs, signal } = wanted;
  const given = readPairs(inputs, 'an input').map(([name, text]) => [name, readValue(text)] as const);
  const path = `/v1/targets/${encodeURIComponent(target)}/procedures`;
  const list = await request<ProcedureList>(service, 'GET', path);
  if (list === undefined) return 1;
  const names = given.map(([name]) => name);
  const chosen = chooseProcedure(list, { target, procedure, environment, inputs: names });
  if (!chosen.ok) return shown.failed(chosen.said);
  const stored = await store();
  if (!stored.ok) return shown.failed(stored.said);
  signal.throwIfAborted();
  const of = chosen.value;
  const number = Number(file);
  const launched = await request<LaunchReply>(service, 'POST', '/v1/runs', {
    run: of.procedure,
    library: of.library,
    environment: of.environment,
    targets: { [of.role]: target },
    inputs: {
      ...Object.fromEntries(given),
      [of.file]: Number.isSafeInteger(number) ? number : file,
      [of.content]: content.hash,
    },
  });
  if (launched === undefined) return 1;
  for (const warning of launched.warnings) shown.say(`warning: ${warning}`);
  shown.say(`run ${launched.run} of ${of.procedure} writes it`);
  return putByRun({ ...wanted, content, run: launched.run });
}

/** The run that writes it now; undefined where nothing does. */
async function runWriting(service: Service, transfer: Transfer | undefined): Promise<string | undefined> {
  const run = /^run (.+)$/.exec(transfer?.by ?? '')?.[1];
  const isUnderWay = ['REQUESTED', 'PARTIAL', 'COMPLETE'].includes(transfer?.state ?? '');
  if (run === undefined || !isUnderWay) return undefined;
  const status = await ask<RunStatus>(service, 'GET', `/v1/runs/${run}`);
  return status.ok && status.reply.finished === undefined ? run : undefined;
}

function reportThere(wanted: Wanted, content: LocalContent, transfer: Transfer): number {
  const { json } = wanted;
  if (json)
    process.stdout.write(`${jsonText({ sha256: content.hash, bytes: content.bytes, transfer }, 2)}\n`);
  return 0;
}
