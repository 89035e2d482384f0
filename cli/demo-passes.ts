/**
 * What the demo has to do with passes: it feeds predictions of its targets, and adds a rule and, on a pass that is made
 * up, a schedule, all of it over the API as feeders and people do.
 *
 * D1. Each start comes to the same end over the same store: predictions replace what was predicted, a rule that is
 *     there stays, and no second pass is made up while one is not over.
 * D2. What fails is reported and tried again; the demo does not end because of it.
 */

import { readInstant } from '../contract/instant.ts';
import type { Pass, PassList } from '../contract/pass.ts';
import type { RuleList } from '../contract/schedule-rule.ts';
import { windowDocument } from '../mission/orbit/pass-document.ts';
import { predictPasses } from '../mission/orbit/predict.ts';
import { realClock } from '../supervision/clock.ts';
import { pause } from './followed.ts';
import { momentText, remaining } from './pass-look.ts';
import { sourcesOf } from './pass-source.ts';
import { ask, faultLine } from './request.ts';
import type { Service } from './service.ts';

/** Of the config document of the demo. */
const DYNAMICS = 'flight-dynamics';
const NETWORK = 'station-network';
const PLANNER = 'demo';
/** A station that the topology does not have: whoever reads it sees that the pass is made up. */
const MADE_UP = 'made-up';
const TARGET = 'sat1';
const AHEAD_MS = 60_000;
/** Long enough for the schedule and, behind it, the health check of the rule with every retry. */
const LASTS_MS = 6 * 60_000;
const DAYS = 3;
const AGAIN_MS = 3_600_000;
/** Twice as long after each failure, up to a minute. */
const RETRY_MS = 2_000;
const RETRY_MOST_MS = 60_000;
const S_MS = 1_000;

const RULE = {
  id: 'health-each-pass',
  target: TARGET,
  filter: { min_elevation: '20 deg', uplink: true },
  start: 'aos + 40 s',
  run: 'health_check',
  targets: { sat: TARGET },
  environment: 'bench',
} as const;

export interface DemoPasses {
  readonly api: string;
  /** Folder of the mission, with `orbits`. */
  readonly mission: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Feeds and plans, then feeds again every hour until the signal (D1, D2). */
export async function keepPasses(demo: DemoPasses): Promise<void> {
  await untilDone(demo, async () => {
    const pass = await madeUpPass(demo);
    await addSchedule(demo, pass);
    await addRule(demo);
    const count = await feedPredictions(demo);
    demo.print(`Passes are fed: ${count} predicted, and one that is made up: ${madeUpText(pass)}.`);
  });
  while (!demo.signal.aborted) {
    await pause(AGAIN_MS, demo.signal);
    if (!demo.signal.aborted) await untilDone(demo, () => feedPredictions(demo));
  }
}

/** D2 */
async function untilDone({ signal, warn }: DemoPasses, step: () => Promise<unknown>): Promise<void> {
  let reported = '';
  for (let waitMs = RETRY_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, RETRY_MOST_MS)) {
    try {
      await step();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const said = error instanceof Error ? error.message : String(error);
      // Once for each reason, not once for each try.
      if (said !== reported) warn(`the demo's passes: ${said}; trying again`);
      reported = said;
      await pause(waitMs, signal);
    }
  }
}

/** The one that is not over, or a new one that begins in a minute. */
async function madeUpPass(demo: DemoPasses): Promise<Pass> {
  const listed = await asked<PassList>(demo, PLANNER, 'GET', `/v1/passes?target=${TARGET}`);
  const standing = listed.passes.find(({ pass }) => pass.station === MADE_UP);
  if (standing !== undefined) return standing.pass;
  const aosMs = Math.ceil(realClock.now() / S_MS) * S_MS + AHEAD_MS;
  const [aos, los] = [aosMs, aosMs + LASTS_MS].map((ms) => new Date(ms).toISOString()) as [string, string];
  const pass: Pass = {
    id: `${MADE_UP}-${aos.slice(0, 19).replace(/[-:]/g, '')}`,
    target: TARGET,
    station: MADE_UP,
    aos,
    los,
    max_elevation: '45 deg',
    source: 'provider',
    status: 'booked',
  };
  await asked(demo, NETWORK, 'POST', '/v1/passes', pass);
  return pass;
}

function madeUpText({ id, aos }: Pass): string {
  const leftMs = (readInstant(aos) ?? Number.NaN) - realClock.now();
  const when = leftMs > 0 ? `begins in ${remaining(leftMs)}` : `began at ${momentText(aos, false)}`;
  return `${id} of ${TARGET} ${when}`;
}

/** How many passes were predicted. */
async function feedPredictions(demo: DemoPasses): Promise<number> {
  const faults: string[] = [];
  const fromMs = realClock.now();
  const sources = await sourcesOf({ mission: demo.mission }, fromMs, (fault) => faults.push(fault));
  if (sources === undefined) throw new Error(faults.join('; '));
  const predicted = predictPasses({ ...sources, fromMs, days: DAYS });
  // That elements of years ago give no reliable times stands in the README of the demo.
  if (!predicted.ok) throw new Error(predicted.faults.map(({ message }) => message).join('; '));
  const windows = predicted.value.targets.flatMap((each) => windowDocument(each) ?? []);
  for (const window of windows) await asked(demo, DYNAMICS, 'POST', '/v1/passes/replace_window', window);
  return windows.reduce((sum, { passes }) => sum + passes.length, 0);
}

async function addRule(demo: DemoPasses): Promise<void> {
  const { rules } = await asked<RuleList>(demo, PLANNER, 'GET', '/v1/schedule-rules');
  if (rules.some(({ id }) => id === RULE.id)) return;
  await asked(demo, PLANNER, 'POST', '/v1/schedule-rules', RULE);
}

/** Nothing on a pass that has begun: its schedule has been fired. */
async function addSchedule(demo: DemoPasses, { id: pass, aos }: Pass): Promise<void> {
  if ((readInstant(aos) ?? 0) <= realClock.now()) return;
  const run = { start: 'aos', run: 'long_check', targets: { sat: TARGET }, environment: 'bench' };
  await asked(demo, PLANNER, 'POST', '/v1/schedules', { id: `check-${pass}`, pass, ...run });
}

/** The reply; throws what the service refuses. */
async function asked<Reply>(
  { api, signal }: DemoPasses,
  user: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const service: Service = { api, user, roles: undefined, token: undefined };
  const answer = await ask<Reply>(service, method, path, body, signal);
  if (answer.ok) return answer.reply;
  throw new Error(answer.faults.map(faultLine).join('; '));
}
