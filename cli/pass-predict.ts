/**
 * `mcs pass predict`: the passes of the next days from orbital elements and stations, printed or as JSON. Nothing is
 * asked of a service. Exit code: 0 when they were predicted, 1 when elements, stations or the request are refused, 2
 * when the command line is malformed.
 */

import { parseArgs } from 'node:util';
import { windowDocument } from '../mission/orbit/pass-document.ts';
import { type Prediction, predictPasses } from '../mission/orbit/predict.ts';
import { realClock } from '../supervision/clock.ts';
import { passLines } from './pass-line.ts';
import { sourcesOf } from './pass-source.ts';
import { hasColour } from './run-follow.ts';

export const PREDICT_USAGE = `mcs pass predict --mission DIR [--target TARGET …]
mcs pass predict --elements FILE --target TARGET[=SATELLITE] … (--stations FILE | --station NAME=LAT,LON,HEIGHT[,MASK] …)
                 [--days N] [--from TIME] [--ut1-utc SECONDS] [--json] [--utc | --local]
  --mission: stations of its topology, elements of its targets in DIR/orbits/TARGET.tle, .json or .kvn
  --elements: OMM in JSON or KVN, or TLE; with several satellites, SATELLITE is a name or catalogue number
  --stations: stations as in a topology; --station in degrees and metres, mask 0 where none is given
  --days: default 7; --from: default now; --ut1-utc: UT1 - UTC of the IERS, default 0
  --json: for each target the body of POST /v1/passes/replace_window
`;

const OPTIONS = {
  mission: { type: 'string' },
  elements: { type: 'string' },
  target: { type: 'string', multiple: true },
  stations: { type: 'string' },
  station: { type: 'string', multiple: true },
  days: { type: 'string' },
  from: { type: 'string' },
  'ut1-utc': { type: 'string' },
  json: { type: 'boolean' },
  utc: { type: 'boolean' },
  local: { type: 'boolean' },
} as const;

type PredictValues = ReturnType<typeof parse>['values'];

const DEFAULT_DAYS = '7';
const NUMBER = /^-?\d+(\.\d+)?$/;
/** A time without its zone would mean another one on another machine. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

export async function predict(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const { mission, elements, stations, station, utc = false, local = false } = values;
  const isWhole = mission !== undefined || (elements !== undefined && (stations ?? station) !== undefined);
  if (positionals.length > 0 || !isWhole || (utc && local)) {
    process.stderr.write(PREDICT_USAGE);
    return 2;
  }
  const prediction = await predictionOf(values);
  if (prediction === undefined) return 1;
  for (const warning of prediction.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const lines =
    values.json === true
      ? [
          JSON.stringify(
            prediction.targets.flatMap((each) => windowDocument(each) ?? []),
            undefined,
            2,
          ),
        ]
      : passLines(prediction, { local, colour: hasColour(), width });
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

/** What the options ask for, predicted; undefined after what is wrong was printed. */
export async function predictionOf(values: PredictValues): Promise<Prediction | undefined> {
  const { days = DEFAULT_DAYS, 'ut1-utc': ut1 = '0' } = values;
  const print = (fault: string): void => void process.stderr.write(`mcs: ${printable(fault)}\n`);
  const fromMs = values.from === undefined ? realClock.now() : timeOf(values.from);
  const sources = await sourcesOf(values, fromMs, print);
  if (sources === undefined) return undefined;
  const predicted = predictPasses({ ...sources, fromMs, days: numberOf(days), ut1MinusUtcS: numberOf(ut1) });
  if (predicted.ok) return predicted.value;
  for (const { message, help } of predicted.faults) print(`${message} (${help})`);
  return undefined;
}

/** Names and lines of files are repeated in faults and warnings. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '.');
}

function numberOf(text: string): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

function timeOf(text: string): number {
  return TIME.test(text) ? Date.parse(text) : Number.NaN;
}
