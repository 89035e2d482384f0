/** The bench answers whatever it is asked: its real radio and runs over the model of a board, at its port. */

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { BENCH_ERRORS, type BenchErrorCode } from '../../contract/bench/errors.ts';
import { benchInterface } from '../../http/bench/dialect.ts';
import { benchFollows, benchRoutes } from '../../http/bench/front-end.ts';
import type { Route } from '../../http/route.ts';
import { type BenchPageService, startBenchPage } from '../console/bench-page.ts';
import { Description } from '../support/conformance.ts';
import { FUZZ_TEST_MS, fuzzServer } from './cases.ts';
import { demand } from './demand.ts';
import { type RawAnswer, RawClient } from './raw-http.ts';
import { type AnyRequest, requestTo, written } from './request.ts';
import { FRAMING_ANSWERS } from './sound-answer.ts';

const description = new Description(benchRoutes, benchFollows, benchInterface);
/** What captures may rightly wait for blocks until its client goes. */
const prompt = benchRoutes.filter(({ abortable }) => abortable !== true) as unknown as Route[];
const NAMES = ['fast', 'proof', 'long', 'fall', 'active', 'validate', 'all', 'rx', '2400000000', '-10'];

/** Names of the bench in place of those of missions. */
const request = fc
  .constantFrom(...prompt)
  .chain((route) => fc.tuple(requestTo(route), fc.constantFrom(...NAMES), fc.boolean()))
  .map(([each, name, isNamed]): AnyRequest => {
    if (!isNamed) return each;
    return { ...each, target: each.target.replace(/(sat1|noaa20|ghost|uhf|ping|capture|mode)/g, name) };
  });

describe('any request to the bench', { timeout: FUZZ_TEST_MS }, () => {
  let service: BenchPageService;
  let client: RawClient;
  beforeAll(async () => {
    service = await startBenchPage();
    client = new RawClient(Number(new URL(service.url).port));
  });
  afterEach(async () => {
    client.close();
    const health = await client.request(
      Buffer.from('GET /api/v1/radio/state HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    demand(health?.status === 200, 'it does not serve any more');
  });
  afterAll(async () => {
    client.close();
    await service.stop();
    const { said } = service.world.log;
    const defects = said.filter(({ level }) => level === 'error');
    demand(defects.length === 0, () => JSON.stringify(defects[0]));
  });

  it('RB-ERR-001 RB-ERR-002 RB-ERR-007 near a route is answered as described, and never by a failure', async () => {
    const seen = new Set<number>();
    await fuzzServer({ cases: 5_000 }, request, async (each) => {
      const answer = await client.request(written(each), each.method === 'HEAD');
      demand(answer !== undefined, 'closed without an answer');
      checkSound(each.method, each.target, answer);
      seen.add(answer.status);
    });
    for (const status of [200, 400, 404]) demand(seen.has(status), `never ${status}`);
  });
});

function checkSound(method: string, target: string, { status, headers, body }: RawAnswer): void {
  if (FRAMING_ANSWERS[status] === body) throw new Error(`taken for broken framing: ${body}`);
  const contentType = headers.get('content-type') ?? '';
  const value: unknown = contentType.startsWith('application/json') && body !== '' ? JSON.parse(body) : body;
  demand(status < 500, () => `status ${status}: ${body}`);
  if (status >= 400 && method !== 'HEAD') {
    const { code, message } = value as { code: BenchErrorCode; message: string };
    demand(BENCH_ERRORS[code]?.status === status && message !== '', () => `${status} ${body}`);
    // Of a path that fits no route: what the described routes say is not its business.
    if (message.startsWith('no route ')) return;
  }
  const url = URL.parse(target.split('?')[0]!, 'http://127.0.0.1');
  const problems =
    url === null ? [] : description.answerProblems(method, url.href, { status, contentType, body: value });
  demand(problems.length === 0, () => problems.join('\n'));
}
