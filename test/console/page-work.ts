/**
 * What a page does while it is flooded, as counts and as processor time of its own thread, for assertions that hold on
 * a machine that is busy with others: nothing here is compared with a constant of time.
 */

import type { Page } from 'playwright-core';

export interface PageWork {
  /** Tasks of the page that changed what it shows in the place that is watched. */
  readonly drawings: number;
  /** The most of those elements that stood there at once. */
  readonly mostRows: number;
  /** By the clock of the page, which its drawings keep to. */
  readonly seconds: number;
  /** Processor time of its main thread: what others have of the processor is not in it. */
  readonly cpuSeconds: number;
}

/** Counts from now on; the result gives what was counted since it was asked last. */
export async function watchWork(page: Page, place: string, rows: string): Promise<() => Promise<PageWork>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  await page.evaluate(`(${COUNT})(${JSON.stringify(place)}, ${JSON.stringify(rows)})`);
  let before = await cpu();
  return async () => {
    const counted = (await page.evaluate('window.workDone()')) as Omit<PageWork, 'cpuSeconds'>;
    const after = await cpu();
    const cpuSeconds = after - before;
    before = after;
    return { ...counted, cpuSeconds };
  };
}

const COUNT = `(place, rows) => {
  const watched = document.querySelector(place);
  let counted, began;
  const restart = () => { counted = { drawings: 0, mostRows: 0 }; began = performance.now(); };
  new MutationObserver(() => {
    counted.drawings += 1;
    counted.mostRows = Math.max(counted.mostRows, watched.querySelectorAll(rows).length);
  }).observe(watched, { childList: true, characterData: true, subtree: true });
  window.workDone = () => {
    const done = { ...counted, seconds: (performance.now() - began) / 1000 };
    restart();
    return done;
  };
  restart();
}`;

/** Bytes that the page keeps, without what its collector leaves. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/**
 * A script that gives a page `feed(part, count, make)`: hands the texts that `make` gives for 0 to `count - 1` to the
 * socket whose address has that part, as the network does, one task for each and as fast as it takes them. Until the
 * page has such a socket it waits: what the page shows may come by another way before.
 */
export const FEEDING = `
  const Real = WebSocket;
  const sockets = [];
  window.WebSocket = class extends Real {
    constructor(address) {
      super(address);
      sockets.push(this);
    }
  };
  window.feed = (part, count, make) => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    let sent = 0;
    port1.onmessage = () => {
      if (sent === count) return done();
      const socket = sockets.findLast(({ url, onmessage }) => url.includes(part) && onmessage);
      if (socket === undefined) return setTimeout(() => port2.postMessage(0), 10);
      socket.onmessage({ data: make(sent) });
      sent += 1;
      port2.postMessage(0);
    };
    port2.postMessage(0);
  });
`;

/** For `feed`: a sample of one of that many measures of the component `big`. */
export const sampleOf = (measures: number): string => `(n) => {
  const time = new Date().toISOString();
  const sample = { value: (n * 7) % 101, time, ground_time: time, link: 'uhf', delivery: 'realtime' };
  return JSON.stringify({ component: 'big', measure: 'm' + (n % ${measures}), sample });
}`;
