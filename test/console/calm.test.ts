/**
 * The page under load and without its service: it stays usable at a thousand frames a second, keeps bounded lists, and
 * says when what it shows is old. Against the real front end on a real bus, with a process of the test behind it.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import { accepted } from '../../contract/result.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { layerPorts } from '../http/fixture.ts';
import {
  actorFrame,
  doorAnswers,
  entityView,
  type FakeProcess,
  processView,
  snapshotFrame,
  startFakeProcess,
} from '../http/inspect/fake-process.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { launch, openPage } from './browser.ts';

/** A service that is away or restarting is not the fault of the page. */
const forgiven = /net::ERR_|WebSocket connection to|status of (404|503)/;

let nats: TestNats;
let browser: Browser;
let frontEnd: FrontEnd;
let door: FakeProcess;

async function startApi(): Promise<FrontEnd> {
  return startFrontEnd({ ...layerPorts(), bus: await nats.connected(), port: 0 });
}

beforeAll(async () => {
  nats = await startNats();
  const bus = await nats.connected();
  await bus.ensureAssets({ deadlineMs: 20_000 });
  door = await startFakeProcess(bus, 'p1', doorAnswers('p1', 'x'));
  [frontEnd, browser] = await Promise.all([startApi(), launch()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await frontEnd.close();
  await nats.stop();
});

async function open(fragment: string, origin = frontEnd.url): Promise<{ page: Page; problems: string[] }> {
  const opened = await openPage(browser, origin, { forgiven });
  await opened.page.goto(`${origin}/inspect${fragment}`);
  await opened.page.locator('#connection.ok').waitFor();
  return opened;
}

/** Ended also by a test that fails: the others have a calm service. */
const floods = new Set<NodeJS.Timeout>();
afterEach(() => {
  for (const timer of floods) clearInterval(timer);
  floods.clear();
});

/** After a longer pause frames that were due are left out: a machine that is behind would never catch up with them. */
const PAUSE_MS = 20;

interface Flood {
  readonly sent: () => number;
  /** The result is how many there were. */
  readonly end: () => number;
}

/** Frames as fast as asked, spread evenly. */
function flood(perSecond: number): Flood {
  const bus = nats.open();
  let sent = 0;
  let due = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    due += (Math.min(now - before, PAUSE_MS) / 1000) * perSecond;
    before = now;
    for (; sent < due; sent += 1) {
      const lit = sent % 2 === 0;
      const view = entityView('x', 'p1', {
        revision: sent,
        at: Date.now(),
        state: lit ? 'lit' : 'dark',
        active: ['door', 'door.open', lit ? 'door.open.lit' : 'door.open.dark'],
        context: { opened: sent, list: Array.from({ length: 20 }, (_, n) => n + sent) },
      });
      const frame = snapshotFrame(view, { taken: ['door.open.dark|lamp.on|0'] });
      for (const watcher of door.watchers)
        bus.publish(subject.inspectWatch(watcher), Buffer.from(JSON.stringify(frame)));
    }
  }, 5);
  floods.add(timer);
  const end = (): number => {
    clearInterval(timer);
    return sent;
  };
  return { sent: () => sent, end };
}

describe('at a thousand frames a second', () => {
  /** Keys pressed and answered while so many seconds' frames come, and what the page did meanwhile. */
  async function worked(page: Page, perSecond: number, forSeconds: number): Promise<Worked> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpu = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };
    const flooding = flood(perSecond);
    await page.locator('#chart [data-state="door.open.lit"].active').waitFor();
    // What the page drew until it was ready is not of these seconds.
    await page.evaluate('window.restart()');
    const before = await cpu();
    const last = flooding.sent() + forSeconds * perSecond;
    for (let n = 0; n % 2 === 1 || flooding.sent() < last; n += 1) {
      await page.keyboard.press('l');
      await page.locator(n % 2 === 0 ? '#states' : '#chart').waitFor();
    }
    const counted = (await page.evaluate('window.counted()')) as Omit<Worked, 'cpuSeconds' | 'sent'>;
    const cpuSeconds = (await cpu()) - before;
    await session.detach();
    return { ...counted, cpuSeconds, sent: flooding.end() };
  }

  it('the page answers, draws text no more often than can be read, and keeps its lists bounded', async () => {
    const { page, problems } = await open('#door/x');
    await page.locator('#chart [data-state="door.open"].active').waitFor();
    await until(() => door.watchers.size === 1);
    await page.evaluate(COUNT_CHANGES);
    const tenth = await worked(page, 100, 2.5);
    const whole = await worked(page, 1_000, 2.5);
    expect(whole.sent).toBeGreaterThan(2_000);
    // Whatever comes, it is drawn once per frame of the screen, and only the transition that was taken is moved.
    expect(whole.charts).toBeLessThanOrEqual(whole.frames + 2);
    expect(whole.moved).toBeLessThanOrEqual(whole.charts);
    // So ten times the frames cost little more, but for frames of the screen that there were fewer of.
    const spread = Math.max(1, whole.frames / tenth.frames);
    expect(whole.cpuSeconds).toBeLessThan(3 * spread * tenth.cpuSeconds);
    // Context and log are text: five times a second can be read, and no more is drawn.
    expect(whole.texts).toBeLessThanOrEqual(6 * (whole.seconds + 2));
    expect(await page.locator('#log li').count()).toBeLessThanOrEqual(30);
    expect(await page.locator('#chart .edge.last').count()).toBe(1);
    expect(problems).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('keeps a bounded number of frames while it is hidden, and is up to date at once when it is seen', async () => {
    const { page, problems } = await open('#door/x');
    await page.locator('#chart [data-state="door.open"].active').waitFor();
    await page.evaluate(HIDE);
    const { end } = flood(1_000);
    await until(async () => ((await page.evaluate('window.heard')) as number) > 500);
    end();
    expect(await page.evaluate('window.wake()')).toBeLessThanOrEqual(64);
    const view = entityView('x', 'p1', {
      state: 'shut',
      active: ['door', 'door.shut'],
      context: { last: true },
    });
    const bus = await nats.connected();
    const tell = (): void => {
      for (const watcher of door.watchers)
        bus.publish(subject.inspectWatch(watcher), Buffer.from(JSON.stringify(actorFrame(view))));
    };
    await until(async () => {
      tell();
      await page.evaluate('window.wake()');
      return (await page.locator('#chart [data-state="door.shut"].active').count()) === 1;
    });
    expect(problems).toEqual([]);
    await page.context().close();
  }, 60_000);
});

/** A page that is not seen gets no frames of the screen; `wake` gives it one and says how much was read in it. */
const HIDE = `
  window.heard = 0;
  let waiting = [];
  let read = 0;
  const parse = JSON.parse;
  JSON.parse = (text) => { read += 1; return parse(text); };
  window.requestAnimationFrame = (fire) => waiting.push(fire);
  window.wake = () => { read = 0; const fires = waiting; waiting = []; for (const fire of fires) fire(0); return read; };
  const own = new WebSocket(location.origin.replace('http', 'ws') + '/v1/inspect/entities/door/x/events');
  own.onmessage = () => { window.heard += 1; };
`;

interface Worked {
  /** Frames of the entity. */
  readonly sent: number;
  /** By the clock of the page. */
  readonly seconds: number;
  /** Frames of the screen. */
  readonly frames: number;
  /** Tasks that drew the chart, elements put into it, and tasks that drew the context. */
  readonly charts: number;
  readonly moved: number;
  readonly texts: number;
  /** Processor time of the page's thread. */
  readonly cpuSeconds: number;
}

const COUNT_CHANGES = `
  let count, began;
  window.restart = () => { count = { frames: 0, charts: 0, moved: 0, texts: 0 }; began = performance.now(); };
  window.counted = () => ({ ...count, seconds: (performance.now() - began) / 1000 });
  window.restart();
  const each = () => { count.frames += 1; requestAnimationFrame(each); };
  requestAnimationFrame(each);
  new MutationObserver((changes) => {
    count.charts += 1;
    for (const { addedNodes } of changes) count.moved += addedNodes.length;
  }).observe(document.getElementById('chart'), { subtree: true, childList: true });
  new MutationObserver(() => { count.texts += 1; }).observe(document.getElementById('context'), { childList: true });
`;

describe('without its service', () => {
  it('the page says so, marks what it shows as old, and comes back automatically where it was', async () => {
    // In front of it, so that its address stays: its port may be taken by others while it is away.
    const relay = await startRelay(frontEnd.port);
    try {
      const { page, problems } = await open('#door/x', `http://127.0.0.1:${relay.port}`);
      await page.locator('#chart [data-state="door.open"].active').waitFor();
      relay.refusing = true;
      await frontEnd.close();
      await page.locator('#connection.bad', { hasText: 'connection lost' }).waitFor();
      expect(await page.locator('#stale').textContent()).toContain('The connection to the service is lost');
      expect(await page.locator('body.stale #chart .state.active').count()).toBeGreaterThan(0);
      frontEnd = await startApi();
      relay.target = frontEnd.port;
      relay.refusing = false;
      await page.locator('#connection.ok', { hasText: 'live' }).waitFor();
      expect(await page.locator('#stale').isVisible()).toBe(false);
      await until(() => door.watchers.size > 0);
      expect(problems).toEqual([]);
      await page.context().close();
    } finally {
      await relay.stop();
    }
  }, 120_000);

  it('the page says when the service has lost its bus', async () => {
    const { page, problems } = await open('#door/x');
    await nats.kill();
    await page.locator('#connection.bad', { hasText: 'bus away' }).waitFor();
    await nats.start();
    await page.locator('#connection.ok').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  }, 90_000);
});

describe('what a process reports', () => {
  it('is text and never markup', async () => {
    const nasty = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    door.answers = {
      ...doorAnswers('p1', nasty),
      entity: () =>
        accepted(
          entityView(nasty, 'p1', { context: { [nasty]: nasty }, reason: nasty, status: 'quarantined' }),
        ),
      tree: () =>
        accepted(
          processView('p1', {
            roles: [
              { name: nasty, state: 'quarantined', crashes: 1, reason: nasty, partitions: [], kinds: [] },
            ],
          }),
        ),
    };
    const { page, problems } = await open(`#door/${encodeURIComponent(nasty)}`);
    await page.locator('#trouble li.quarantined').waitFor();
    await page.locator('#entity-note', { hasText: '<img' }).waitFor();
    await page.locator('#context li').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('of another entity is gone when one is chosen that is not known', async () => {
    door.answers = doorAnswers('p1', 'x');
    const { page, problems } = await open('#door/x');
    await page.locator('#chart [data-state="door.open"].active').waitFor();
    await page.evaluate("location.hash = '#door/nobody'");
    await page.locator('#entity-note', { hasText: 'no process has door nobody' }).waitFor();
    expect(await page.locator('#chart .state.active, #states [aria-current]').count()).toBe(0);
    expect(await page.locator('#entity-note').textContent()).not.toContain('..');
    expect(await page.locator('#entity-status').isVisible()).toBe(false);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('is said to be old while it does not answer, and no longer when it does', async () => {
    door.answers = doorAnswers('p1', 'x');
    const { page, problems } = await open('#door/x');
    await page.locator('#chart [data-state="door.open"].active').waitFor();
    door.answers = { ...doorAnswers('p1', 'x'), tree: () => 'nonsense' as never };
    await page.locator('#entity-note', { hasText: 'p1 does not answer' }).waitFor();
    door.answers = doorAnswers('p1', 'x');
    await page.locator('#entity-note').waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('is read whole: no name in the tree is cut, and the first found stands clear of the form', async () => {
    const name = 'a-long-name-of-a-machine-of-the-cell';
    door.answers = {
      ...doorAnswers('p1', 'x'),
      tree: () => accepted(processView(name, { deadLetters: { count: 1234, newest: [] } })),
    };
    const { page, problems } = await open('');
    await page.locator('#tree .name', { hasText: name }).waitFor();
    await page.locator('#results a').first().waitFor();
    expect(await page.evaluate(CUT)).toEqual([]);
    expect(await page.evaluate(CLEAR)).toBeGreaterThanOrEqual(6);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('an entity that is not known is reported as such, and shown as soon as somebody has it', async () => {
    door.answers = doorAnswers('p1');
    const { page, problems } = await open('#door/later');
    await page.locator('#entity-note', { hasText: 'no process has door later' }).waitFor();
    door.answers = doorAnswers('p1', 'later');
    await page.locator('#chart [data-state="door.open"].active').waitFor();
    await page.locator('#entity-note').waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

/** Pixels between the form and the first that was found, at one moment: what comes above them moves both. */
const CLEAR = `document.querySelector('#results a').getBoundingClientRect().top - document.querySelector('#search').getBoundingClientRect().bottom`;
/** What stands in the tree and is not seen whole. */
const CUT = `[...document.querySelectorAll('#tree span:not(.unseen)')].filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)`;

describe('the name of the operator', () => {
  it('is refused beforehand where no header can carry it', async () => {
    const { page, problems } = await open('');
    const valid = (name: string) =>
      page.evaluate(
        `(() => { const by = document.getElementById('release-by'); by.value = ${JSON.stringify(name)}; return by.checkValidity(); })()`,
      );
    expect([await valid('ada l.'), await valid('Ада'), await valid('')]).toEqual([true, false, false]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
