/**
 * `mcs values export`: samples of the past in a file. A thin client of the route of the past. Exit code: 0 when the
 * file is there, 1 when the service refuses, 2 when the command line is malformed, 130 when it was interrupted.
 *
 * X1. The file appears whole or not at all (export-file.F1); a connection that breaks continues where it was
 *     (export-pages.E1).
 * X2. What is missing in it is said, and how much.
 */

import { extname } from 'node:path';
import type { HistoryBuckets } from '../contract/history-view.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { type ExportPlace, filePlace, stdoutPlace } from './export-file.ts';
import { EXPORT_FORMATS, type ExportFormat, joiningOf } from './export-format.ts';
import { ExportRefused, exportPages } from './export-pages.ts';
import { INTERRUPTED, whenEnded } from './followed.ts';
import { saidBeside, saidOfMeasures } from './history-lines.ts';
import { countOf, PAST_OPTIONS, pastPath, pastQuery } from './past-question.ts';
import { EXPORT_USAGE } from './past-usage.ts';
import { printable } from './printable.ts';
import { ProgressShown } from './progress-shown.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';
import { bytesText } from './transfer-progress.ts';

const OPTIONS = {
  ...SERVICE_OPTIONS,
  ...PAST_OPTIONS,
  output: { type: 'string', short: 'o' },
  format: { type: 'string' },
} as const;
/** Enough to count what there is, and to say what was lost. */
const POINTS = 100;

interface Wanted {
  readonly service: Service;
  readonly target: string;
  readonly query: URLSearchParams;
  readonly format: ExportFormat;
  readonly output: string;
  readonly ended: AbortController;
  readonly shown: ProgressShown;
}

export const exportPast = defineCommand({
  usage: EXPORT_USAGE,
  words: ['TARGET'],
  rest: 'SELECTOR',
  options: OPTIONS,
  async run({ words: [target], rest: selectors, values }) {
    const { output } = values;
    if (output === undefined) throw new WrongUsage('the file to write is missing: -o FILE');
    const format = formatOf(values.format, output);
    if (format === undefined)
      throw new WrongUsage(`--format is one of ${EXPORT_FORMATS.join(', ')}, or the ending of FILE is`);
    const service = serviceOf(values);
    const query = pastQuery(selectors, values);
    const ended = whenEnded();
    const counted = new URLSearchParams(query);
    counted.set('points', String(POINTS));
    const overview = await request<HistoryBuckets>(service, 'GET', pastPath(target, counted));
    if (overview === undefined) return 1;
    const shown = new ProgressShown(process.stderr, realClock, false);
    try {
      return await bring(overview, { service, target, query, format, output, ended, shown });
    } finally {
      shown.end();
    }
  },
});

function formatOf(given: string | undefined, output = ''): ExportFormat | undefined {
  const wanted = given ?? extname(output).slice(1);
  return EXPORT_FORMATS.find((format) => format === wanted);
}

async function bring(overview: HistoryBuckets, wanted: Wanted): Promise<number> {
  const { output, shown, ended } = wanted;
  const place = output === '-' ? stdoutPlace() : await filePlace(output);
  try {
    const { samples, bytes, damaged } = await written(overview, place, wanted);
    await place.keep();
    shown.end();
    const where = output === '-' ? '' : `${printable(output)}  `;
    const hidden =
      damaged > overview.damaged.length ? ['a segment cannot be read: what it had is missing'] : [];
    const beside = [...saidOfMeasures(overview.measures), ...saidBeside(overview, false), ...hidden];
    for (const line of beside) shown.say(line);
    process.stderr.write(`${where}${samples} samples  ${bytesText(bytes)}\n`);
    return 0;
  } catch (error) {
    if (ended.signal.aborted) {
      shown.failed('interrupted; nothing is left of the file');
      return INTERRUPTED;
    }
    if (error instanceof ExportRefused) return shown.failed(error.message);
    throw error;
  } finally {
    await place.drop();
  }
}

async function written(
  overview: HistoryBuckets,
  place: ExportPlace,
  { service, target, query, format, ended, shown }: Wanted,
): Promise<{ readonly samples: number; readonly bytes: number; readonly damaged: number }> {
  const joining = joiningOf(format);
  const all = countOf(overview);
  let [samples, bytes, damaged] = [0, 0, 0];
  const write = async (piece: Uint8Array): Promise<void> => {
    if (piece.length > 0) await place.write(piece);
    bytes += piece.length;
  };
  const lost = (said: string): void => shown.say(`${said}; trying again`);
  const { media } = joining;
  for await (const page of exportPages({ service, target, query, media, signal: ended.signal, lost })) {
    await write(joining.add(page.bytes));
    samples += page.samples;
    damaged = Math.max(damaged, page.damaged);
    shown.exporting(samples, all, bytes);
  }
  await write(joining.end());
  ended.signal.throwIfAborted();
  return { samples, bytes, damaged };
}
