/**
 * `npm run simulate -- --seed N --runs M`: runs seeds one after the other, prints the rate, and for each failing seed
 * what it broke, made small.
 *
 * Options: `--seed N` first seed (default: drawn), `--runs M` how many (default 100), `--kind K` what it is about
 * (default: each seed decides): telecommands, runs, both, alarms, holds, rewinds, schedules, transfers, archive,
 * clocks; or radio for that of the bench, cfdp for file transfers over a bad link. `--trace` prints the whole trace of
 * the first seed, `--no-shrink` only names the failing seeds. `--planted`, with `--kind transfers` or `archive`, looks
 * for each planted defect, in as many seeds from the first on as should find it.
 */

import { optionsOf } from '../../tools/command-line.ts';
import { cfdpScenarioOf } from './cfdp/scenario.ts';
import { attemptCfdp, reportCfdp, shrunkCfdp } from './cfdp/trial.ts';
import { findPlanted, PLANTED_KINDS } from './planted/find.ts';
import { radioScenarioOf } from './radio/scenario.ts';
import { attemptRadio, reportRadio, shrunkRadio } from './radio/trial.ts';
import { KINDS, scenarioOf } from './scenario.ts';
import { attemptSeed, report, shrunk } from './trial.ts';

const TELL_EVERY_MS = 10_000;

const values = optionsOf(import.meta.url, {
  seed: { type: 'string' },
  runs: { type: 'string', default: '100' },
  kind: { type: 'string' },
  trace: { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
  planted: { type: 'boolean', default: false },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(values.runs);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(runs) || runs < 1) {
  console.error('--seed and --runs are whole numbers');
  process.exit(2);
}

const kind = KINDS.find((each) => each === values.kind);
const apart = ['radio', 'cfdp'].find((each) => each === values.kind);
if (values.kind !== undefined && kind === undefined && apart === undefined) {
  console.error(`--kind is one of ${[...KINDS, 'radio', 'cfdp'].join(', ')}`);
  process.exit(2);
}

const runtime = {
  attempt: (of: number) => attemptSeed(of, {}, kind),
  report: (of: number) => report(scenarioOf(of, kind)),
  small: async (of: number, checker: string) => report(await shrunk(of, checker, {}, kind)),
};

const radio = {
  attempt: (of: number) => attemptRadio(radioScenarioOf(of)),
  report: (of: number) => reportRadio(radioScenarioOf(of)),
  small: async (of: number, checker: string) => reportRadio(await shrunkRadio(of, checker)),
};

const cfdp = {
  attempt: async (of: number) => attemptCfdp(cfdpScenarioOf(of)),
  report: async (of: number) => reportCfdp(cfdpScenarioOf(of)),
  small: async (of: number, checker: string) => reportCfdp(await shrunkCfdp(of, checker)),
};

const simulation = apart === 'radio' ? radio : apart === 'cfdp' ? cfdp : runtime;

if (values.planted) {
  const planted = PLANTED_KINDS.find((each) => each === kind);
  if (planted === undefined) console.error(`--planted is of --kind ${PLANTED_KINDS.join(' or ')}`);
  const missed = planted === undefined ? 1 : await findPlanted(planted, seed, console.log);
  process.exit(missed === 0 ? 0 : 1);
}
if (values.trace) console.log(await simulation.report(seed));

const began = performance.now();
let failed = 0;
let steps = 0;
let toldAt = began;
for (let n = 0; n < runs; n += 1) {
  const trial = await simulation.attempt(seed + n);
  steps += trial.run.steps;
  if (performance.now() - toldAt > TELL_EVERY_MS) {
    toldAt = performance.now();
    console.error(`${n + 1} of ${runs} seeds, ${failed} failed`);
  }
  const [first] = trial.violations;
  if (first !== undefined) {
    failed += 1;
    console.log(`seed ${trial.seed} breaks ${first.checker}: ${first.what}`);
    if (!values['no-shrink']) console.log(await simulation.small(trial.seed, first.checker));
  }
}
const seconds = (performance.now() - began) / 1000;
console.log(
  `seeds ${seed} to ${seed + runs - 1}: ${failed} failed; ${(runs / seconds).toFixed(1)} seeds a second, ${Math.round(steps / seconds)} events a second`,
);
process.exitCode = failed === 0 ? 0 : 1;
