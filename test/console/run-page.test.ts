/**
 * A run on the page `/inspect` in a real browser against the real service: what an operator sees of it while it goes,
 * when it asks, when it is suspended, and afterwards; with the mouse and with keys alone.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program, ProgramNode } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { programDocument } from '../../mission/procedure/program-document.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import {
  control,
  currentRevision,
  leaf,
  logWith,
  newRun,
  ping,
  programOf,
  setWatchdog,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { watchWork } from './page-work.ts';

let cell: DemoCell;
let browser: Browser;
let revision: string;
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startDemoCell({ memberTtlMs: 20_000 }), launch()]);
  revision = await currentRevision(cell.bus);
  // Laid out once, before anybody waits for it.
  await until(async () => (await call('GET', `${cell.api}/v1/inspect/charts/run`)).status === 200);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await cell.stop();
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(fragment = '', options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.api, options);
  opened.push(watched);
  await watched.page.goto(`${cell.api}/inspect${fragment}`);
  await watched.page.locator('#connection.ok').waitFor();
  return watched.page;
}

function start(steps: readonly ProgramNode[], over: Partial<Program> = {}): Promise<string> {
  // Shared, so that a run that is left behind keeps no other from its target.
  const leases = [{ target: 'sat1', mode: 'shared' }] as const;
  return submitProgram(cell.bus, programOf(revision, steps, { leases, ...over }), { by: 'ada' });
}

const post = (path: string, body?: object) =>
  call('POST', `${cell.api}${path}`, body, { 'x-mcs-user': 'ada' });
/** Sign and word of a step. */
const stepOf = (page: Page, path: string) => page.locator(`#steps [data-path="${path}"]`);
const stateOf = (page: Page, path: string, state: string) =>
  page.locator(`#steps [data-path="${path}"] .about`, { hasText: new RegExp(`^${state}`) });
const countOf = (page: Page, events: number) =>
  page.locator('#run-log-count', { hasText: new RegExp(`^${events} events$`) }).waitFor();
const hasState = (page: Page, path: string, state: string) => stateOf(page, path, state).waitFor();

const LOOK = leaf('look', [ping(), { kind: 'log', message: ['all is well'] }]);
const ASK = leaf('level', [{ kind: 'ask', prompt: ['Signal level of the downlink?'], timeoutMs: null }]);
const groupOf = (first: ProgramNode): ProgramNode => ({
  kind: 'step',
  path: 'work',
  attempts: 1,
  delayMs: 0,
  steps: [first, leaf('work/set', [setWatchdog(60)])],
});
const GROUP = groupOf(leaf('work/wait', [{ kind: 'wait', ms: 1_500 }]));
/** Is under way until it is answered, however long a busy machine takes to show it. */
const HELD = groupOf(leaf('work/wait', [{ kind: 'ask', prompt: ['Go on?'], timeoutMs: null }]));

describe('a run that goes', () => {
  it('moves: its chart, its steps and its log; its question is shown large and goes when it is answered', async () => {
    const run = await start([LOOK, HELD, ASK]);
    const page = await open(`#run/${run}`);
    await hasState(page, 'work', 'running');
    await hasState(page, 'work/wait', 'asking');
    await hasState(page, 'look', 'passed');
    expect(await stepOf(page, 'level').getAttribute('aria-level')).toBe('1');
    expect(await stepOf(page, 'work/wait').getAttribute('aria-level')).toBe('2');
    expect((await post(`/v1/runs/${run}/answers`, { path: 'work/wait', accepted: true })).status).toBe(202);
    await hasState(page, 'level', 'asking');
    expect(await page.locator('#run-notice').textContent()).toContain('Signal level of the downlink?');
    const [yes] = await page.locator('#run-notice code').allTextContents();
    // It names the question, so that typed again it means no other one.
    expect(yes).toMatch(new RegExp(`^mcs run answer ${run} yes --question \\d+ --api ${cell.api}$`));
    await page.locator('#chart [data-state="run.control.running.asking"].active').waitFor();
    await page.locator('#steps-progress', { hasText: /^3 of 4 done$/ }).waitFor();
    const rows = await page.locator('#run-log-list li').allTextContents();
    expect(rows.at(-1)).toContain('Signal level of the downlink?');
    expect(rows.join('\n')).toContain('all is well');

    expect((await post(`/v1/runs/${run}/answers`, { path: 'level', accepted: true })).status).toBe(202);
    await page.locator('#run-notice.ok', { hasText: 'Passed' }).waitFor();
    await page.locator('#player').waitFor();
    expect(await page.locator('#entity-status').textContent()).toBe('✓ finished');
    // The last step may reach the log a moment behind the end.
    await page.locator('#entity-state', { hasText: /^finished$/ }).waitFor();
    await page.locator('#chart [data-state="run.control.finished"].active').waitFor();
  }, 60_000);

  it('leads from its log to its telecommand, and back', async () => {
    const run = await start([LOOK]);
    await logWith(cell.bus, run, 'finished');
    const page = await open(`#run/${run}`);
    await page.locator('#run-log-list a').first().click();
    await page.locator('#entity-state', { hasText: 'VERIFIED' }).waitFor();
    expect(await page.locator('#run-steps, #run-log, #run-notice').filter({ visible: true }).count()).toBe(0);
    await page.locator('#log-section').waitFor();
    await page.goBack();
    await page.locator('#entity-label', { hasText: 'test_run' }).waitFor();
    await hasState(page, 'look', 'passed');
  }, 60_000);

  it('is shown suspended with the commands that let it go on, until it does', async () => {
    const run = await start([ASK, LOOK]);
    const page = await open(`#run/${run}`);
    await hasState(page, 'level', 'asking');
    await control(cell.bus, run, { action: 'suspend', by: 'bob' });
    await page.locator('#run-notice.warn', { hasText: 'Suspended' }).waitFor();
    expect(await page.locator('#run-notice').textContent()).toContain('at level, by bob');
    await hasState(page, 'level', 'suspended');
    expect(await page.locator('#run-notice code').nth(1).textContent()).toContain('--choice skip');
    expect(await control(cell.bus, run, { action: 'resume', by: 'bob', choice: 'skip' })).toEqual({
      outcome: 'accepted',
    });
    await hasState(page, 'level', 'skipped');
    await page.locator('#run-notice.ok').waitFor();
  }, 60_000);

  it('shows a decision with its reason, and the end that was decided', async () => {
    const fails = leaf('judge', [
      {
        kind: 'check',
        condition: 'sat.obc.uptime < 0 s',
        targets: { sat: 'sat1' },
        inputs: {},
        answers: {},
        inputTypes: {},
      },
    ]);
    const run = await start([fails, LOOK]);
    const page = await open(`#run/${run}`);
    await page.locator('#run-notice', { hasText: 'Needs a decision' }).waitFor();
    expect(await page.locator('#run-notice code').count()).toBe(4);
    await post(`/v1/runs/${run}/answers`, { path: 'judge', accepted: true, value: 'abort' });
    await page.locator('#run-notice.bad', { hasText: 'Failed' }).waitFor();
    await hasState(page, 'judge', 'interrupted');
    await hasState(page, 'look', 'not begun');
  }, 60_000);
});

describe('a run that has finished', () => {
  it('is scrubbed: chart, steps, log and notice are of the same moment', async () => {
    const run = await start([LOOK, GROUP]);
    const log = await logWith(cell.bus, run, 'finished');
    const page = await open(`#run/${run}`);
    await page.locator('#player').waitFor();
    await hasState(page, 'work/set', 'passed');
    await countOf(page, log.length);
    await page.locator('#chart .state.active').first().waitFor();
    await page.locator('#player-position').focus();
    await page.keyboard.press('Home');
    await hasState(page, 'look', 'not begun');
    expect(await page.locator('#run-notice').isVisible()).toBe(false);
    expect(await page.locator('#run-log-list [aria-current=step] .what').textContent()).toBe('started');
    expect(await page.locator('#run-log-list .later').count()).toBe(log.length - 1);
    await page.locator('#run-log-list li.telecommand_sent').first().locator('.what').click();
    await hasState(page, 'look', 'running');
    await page.locator('#chart [data-state="run.control.running.sending"].active').waitFor();
    expect(await page.locator('#player-text').textContent()).toMatch(/^4\/\d+ telecommand_sent/);
    await page.keyboard.press('End');
    await page.locator('#player-position').focus();
    await page.keyboard.press('End');
    await page.locator('#run-notice.ok').waitFor();
  }, 60_000);

  it('is found by its procedure, by its target and by how it ended', async () => {
    const run = await start([leaf('once', [{ kind: 'log', message: ['x'] }])], { procedure: 'find_me' });
    await logWith(cell.bus, run, 'finished');
    const page = await open();
    await page.locator('#search-id').fill('find_m');
    const found = page.locator('#results a', { hasText: run });
    await found.locator('.under', { hasText: 'run · find_me · sat1 · finished' }).waitFor();
    await page.locator('#search-target').fill('sat1');
    await page.locator('#search-state').fill('passed');
    await page.locator('#results-note', { hasText: /^1 found/ }).waitFor();
    await page.locator('#search-state').fill('failed');
    await page.locator('#results-note', { hasText: 'Nothing found' }).waitFor();
  }, 60_000);

  it('is walked with the keyboard alone: steps, the log of one, all of it again', async () => {
    const run = await start([LOOK, GROUP]);
    const log = await logWith(cell.bus, run, 'finished');
    const page = await open(`#run/${run}`);
    await page.locator('#player').waitFor();
    await hasState(page, 'work/set', 'passed');
    await countOf(page, log.length);
    const rows = page.locator('#run-log-list li');
    const focused = () => page.evaluate('document.activeElement.dataset.path ?? document.activeElement.id');
    await page.keyboard.press('s');
    expect(await focused()).toBe('look');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#run-log-count', { hasText: 'of work: ' }).waitFor();
    const ofWork = log.filter((event) => 'path' in event && event.path.startsWith('work'));
    expect(await rows.count()).toBe(ofWork.length);
    await page.keyboard.press('End');
    expect(await focused()).toBe('work/set');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('work');
    await page.keyboard.press('Escape');
    await until(async () => (await rows.count()) === log.length);
    await page.keyboard.press('e');
    expect(await focused()).toBe('run-log-list');
    await page.keyboard.press(',');
    await page.locator('#run-log-list [aria-current=step]', { hasText: 'procedure' }).waitFor();
  }, 60_000);
});

describe('a run with a long and fast log', () => {
  /** Of a run that no executor has: what a page shows of it comes from the bus all the same. */
  interface Flood {
    /** So many events more, evenly; the result is how many there are now. */
    more(events: number, perSecond: number): Promise<number>;
  }

  async function flooded(run: string, steps = 30): Promise<Flood> {
    const nodes = Array.from({ length: steps }, (_, n) => leaf(`s${n + 1}`, [ping()]));
    const { ir, canonical } = programDocument(programOf(revision, nodes, { procedure: `flood_${run}` }));
    await cell.bus.bucket({ name: 'mcs_ir', history: 1 }).put(ir, Buffer.from(canonical), 0);
    let seq = 0;
    const append = (fields: object): Promise<unknown> => {
      seq += 1;
      const event = { run, seq, at: new Date().toISOString(), ...fields };
      return cell.bus.append(streams.runs, subject.runEvents(run), Buffer.from(JSON.stringify(event)));
    };
    const [targets, inputs] = [{ sat: 'sat1' }, {}];
    const head = { procedure: 'flood', library: 'l@1', environment: 'bench', targets, ir, inputs };
    await append({ event: 'started', ...head });
    const next = (): Promise<unknown> => {
      const path = `s${1 + (Math.floor(seq / 3) % steps)}`;
      const kind = seq % 3;
      if (kind === 0) return append({ event: 'step_started', path, attempt: 1, inputs });
      if (kind === 1) return append({ event: 'logged', path, message: `line ${seq}`, samples: [] });
      return append({ event: 'step_finished', path, attempt: 1, ok: true });
    };
    return {
      async more(events, perSecond) {
        const [from, began] = [seq, performance.now()];
        while (seq < from + events) {
          const due = from + Math.min(events, Math.ceil(((performance.now() - began) / 1_000) * perSecond));
          const batch: Promise<unknown>[] = [];
          while (seq < due) batch.push(next());
          await Promise.all(batch);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return seq;
      },
    };
  }

  const forgiven = /status of 404|WebSocket connection to/;
  /** Five, and what is filled in whenever the log was calm for 400 ms. */
  const DRAWN_A_SECOND = 5 + 2.5;

  it('stays usable at a thousand events a second, and shows every one in its numbers', async () => {
    const run = newRun();
    const page = await open(`#run/${run}`, { forgiven });
    const flood = await flooded(run);
    await flood.more(2, 1_000);
    await hasState(page, 's1', 'passed|running');
    const worked = await watchWork(page, '#run-log', '#run-log-list > li');
    await page.keyboard.press('/');
    const flooding = flood.more(2_000, 1_000);
    await page.keyboard.type('x');
    expect(await page.locator('#search-id').inputValue()).toBe('x');
    await countOf(page, await flooding);
    const first = await worked();
    const total = await flood.more(2_000, 1_000);
    await countOf(page, total);
    const second = await worked();
    expect(await page.locator('#run-log-list li').count()).toBeLessThanOrEqual(250);
    const last = await page.locator('#run-log-list li').last().locator('.seq').textContent();
    expect(last).toBe(`${total}`);
    for (const { drawings, seconds, mostRows } of [first, second]) {
      expect(drawings).toBeLessThanOrEqual(DRAWN_A_SECOND * seconds + 2);
      expect(mostRows).toBeLessThanOrEqual(250);
    }
    // As many events again cost no more with a longer log, but for drawings that a busy machine spread over more time.
    const spread = Math.max(1, second.drawings / first.drawings);
    expect(second.cpuSeconds).toBeLessThan(2 * spread * first.cpuSeconds);
  }, 60_000);

  it('lets a person read back in peace, and leads to the newest again', async () => {
    const run = newRun();
    const page = await open(`#run/${run}`, { forgiven });
    const flood = await flooded(run);
    await countOf(page, await flood.more(1_999, 2_000));
    // Once it is calm there is more to read back in than was drawn at speed.
    await page.locator('#run-log-list li').nth(249).waitFor({ state: 'attached' });
    const scrolled = () => page.evaluate("document.getElementById('run-log-list').scrollTop");
    // Until the page has seen that somebody reads, whatever it draws leads to the end again.
    await until(async () => (await page.evaluate(SCROLLED_BACK)) === 200);
    const append = (seq: number): RunEvent => ({
      run,
      seq,
      at: new Date().toISOString(),
      event: 'logged',
      path: 's1',
      message: 'newer',
      samples: [],
    });
    for (let seq = 2_001; seq <= 2_005; seq += 1)
      await cell.bus.append(streams.runs, subject.runEvents(run), Buffer.from(JSON.stringify(append(seq))));
    await page.locator('#run-log-newest', { hasText: '5 newer' }).waitFor();
    expect(await scrolled()).toBe(200);
    expect(await page.locator('#run-log-list li', { hasText: 'newer' }).count()).toBe(0);
    await page.locator('#run-log-newest').click();
    await page.locator('#run-log-list li').last().filter({ hasText: 'newer' }).waitFor();
    await page.locator('#run-log-newest').waitFor({ state: 'hidden' });
  }, 60_000);
});

/** Scrolls the log of a run back; where it is two frames later. */
const SCROLLED_BACK = `(async () => {
  const list = document.getElementById('run-log-list');
  list.scrollTop = 200;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return list.scrollTop;
})()`;
