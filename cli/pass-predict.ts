/**
 * `mcs pass predict`: the passes of the next days from orbital elements and stations, printed or as JSON. Nothing is
 * asked of a service, unless they are fed (`pass-predict-feed.ts`). Exit code: 0 when they were predicted and taken, 1
 * when elements, stations or the request are refused, 2 when the command line is malformed.
 */

import { windowDocument } from '../mission/orbit/pass-document.ts';
import { type Prediction, predictPasses } from '../mission/orbit/predict.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { passLines } from './pass-line.ts';
import { readTime } from './pass-look.ts';
import { feedPrediction, feedRepeatedly, readEvery } from './pass-predict-feed.ts';
import { sourcesOf } from './pass-source.ts';
import { jsonText, printable } from './printable.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS } from './table-options.ts';

const PREDICT_USAGE = `mcs pass predict --mission DIR [--target TARGET …]
mcs pass predict --elements FILE --target TARGET[=SATELLITE] … (--stations FILE | --station NAME=LAT,LON,HEIGHT[,MASK] …)
                 [--days N] [--from TIME] [--ut1-utc SECONDS] [--json] [--utc | --local]
                 [--feed [--every DURATION] --user FEEDER]
  --mission: stations of its topology, elements of its targets in DIR/orbits/TARGET.tle, .json or .kvn
  --elements: OMM in JSON or KVN, or TLE; with several satellites, SATELLITE is a name or catalogue number
  --stations: stations as in a topology; --station in degrees and metres, mask 0 where none is given
  --days: default 7; --from: default now; --ut1-utc: UT1 - UTC of the IERS, default 0
  --json: for each target the body of POST /v1/passes/replace_window
  --feed: posts it, as source fds; --every: again and again, say each 1h, until Ctrl-C
`;

const OPTIONS = {
  ...TABLE_OPTIONS,
  feed: { type: 'boolean' },
  every: { type: 'string' },
  mission: { type: 'string' },
  elements: { type: 'string' },
  target: { type: 'string', multiple: true },
  stations: { type: 'string' },
  station: { type: 'string', multiple: true },
  days: { type: 'string' },
  from: { type: 'string' },
  'ut1-utc': { type: 'string' },
} as const;

type PredictValues = ValuesOf<typeof OPTIONS>;

const DEFAULT_DAYS = '7';
const NUMBER = /^-?\d+(\.\d+)?$/;

export const predict = defineCommand({
  usage: PREDICT_USAGE,
  words: [],
  options: OPTIONS,
  async run({ values }) {
    const { mission, elements, stations, station, feed = false, every } = values;
    const shape = shapeOf(values);
    if (mission === undefined && elements === undefined)
      throw new WrongUsage('--mission or --elements is missing');
    if (mission === undefined && (stations ?? station) === undefined)
      throw new WrongUsage('--elements needs --stations or --station');
    if (every !== undefined && !feed) throw new WrongUsage('--every needs --feed');
    // What is fed each hour from a time of its own would be the past soon.
    if (every !== undefined && values.from !== undefined)
      throw new WrongUsage('--every and --from exclude each other');
    const { json, local } = shape;
    if (feed) return feedOf(values, shape);
    const prediction = await predictionOf(values);
    if (prediction === undefined) return 1;
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    const lines = json
      ? [
          jsonText(
            prediction.targets.flatMap((each) => windowDocument(each) ?? []),
            2,
          ),
        ]
      : passLines(prediction, { local, colour: hasColour(), width });
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  },
});

async function feedOf(values: PredictValues, { json, local }: Shape): Promise<number> {
  const { every, days = DEFAULT_DAYS } = values;
  const service = serviceOf(values);
  const predict = (): Promise<Prediction | undefined> => predictionOf(values);
  if (every !== undefined) {
    const everyMs = readEvery(every, numberOf(days));
    return feedRepeatedly(predict, { service, json, everyMs, local });
  }
  const prediction = await predict();
  return prediction !== undefined && (await feedPrediction(prediction, { service, json })) ? 0 : 1;
}

/** What the options ask for, predicted, with its warnings printed; undefined after what is wrong was printed. */
async function predictionOf(values: PredictValues): Promise<Prediction | undefined> {
  const { days = DEFAULT_DAYS, 'ut1-utc': ut1 = '0' } = values;
  const print = (fault: string): void => void process.stderr.write(`mcs: ${printable(fault)}\n`);
  const fromMs = values.from === undefined ? realClock.now() : readTime(values.from);
  const sources = await sourcesOf(values, fromMs, print);
  if (sources === undefined) return undefined;
  const predicted = predictPasses({ ...sources, fromMs, days: numberOf(days), ut1MinusUtcS: numberOf(ut1) });
  if (predicted.ok) {
    for (const warning of predicted.value.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
    return predicted.value;
  }
  for (const { message, help } of predicted.faults) print(`${message} (${help})`);
  return undefined;
}

function numberOf(text: string): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}
