import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { JSON_BODY_BYTES } from '../../contract/limits/request.ts';
import { follows, routes } from '../../http/front-end.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { FUZZ_TEST_MS, fuzzServer } from './cases.ts';
import { demand } from './demand.ts';
import { RawClient, takeAnswer } from './raw-http.ts';
import { requestTo, WORDS, written } from './request.ts';
import { checkSound, FRAMING_ANSWERS } from './sound-answer.ts';
import { mutated, mutatedBytes, noise } from './text.ts';

describe('any request', { timeout: FUZZ_TEST_MS }, () => {
  let cell: DemoCell;
  let client: RawClient;
  beforeAll(async () => {
    // Without an executor: what is accepted waits on the bus and costs nothing here.
    cell = await startDemoCell({ roles: ['api', 'drivers', 'gateways', 'telemetry'] });
    client = new RawClient(Number(new URL(cell.api).port));
  });
  afterEach(async () => {
    client.close();
    const health = await client.request(Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    demand(health?.status === 200, 'it does not serve any more');
  });
  afterAll(async () => {
    client.close();
    await cell.stop();
  });

  it('near a route is answered as described, and never by a failure', async () => {
    const request = fc.constantFrom(...routes, ...follows).chain(requestTo);
    const seen = new Set<number>();
    await fuzzServer({ cases: 3_000 }, request, async (each) => {
      const answer = await client.request(written(each), each.method === 'HEAD');
      demand(answer !== undefined, 'closed without an answer');
      if (FRAMING_ANSWERS[answer.status] === answer.body)
        throw new Error(`taken for broken framing: ${answer.body}`);
      checkSound(each.method, each.target, answer);
      seen.add(answer.status);
    });
    for (const status of [200, 400, 404, 422]) demand(seen.has(status), `never ${status}`);
  });

  it('whose bytes are broken gets an answer of the service, one of three of the HTTP parser, or a closed connection', async () => {
    const sound = ['/v1/tc', '/v1/encode', '/v1/targets/sat1/values', '/healthz'].map((path) =>
      written({
        method: path.startsWith('/v1/t') ? 'POST' : 'GET',
        target: path,
        headers: [['X-Mcs-User', 'ada']],
        body: Buffer.from('{"target":"sat1","telecommand":"ping"}'),
      }),
    );
    const chunked = Buffer.from(
      'POST /v1/encode HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
    );
    const old = Buffer.from('GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n');
    const large = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(66_000)}\r\n\r\n`);
    const pieces = [
      '\r\n',
      '\n',
      '\r\n\r\n',
      ' ',
      ':',
      '\0',
      'HTTP/1.1',
      'Host: y\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      'ffffffffffffffff\r\n',
    ];
    const spliced = mutated(
      [...sound, chunked].map((bytes) => bytes.toString('latin1')),
      4,
    ).map((text) => Buffer.from(text, 'latin1'));
    const joined = fc
      .array(fc.oneof(fc.constantFrom(...pieces), noise), { maxLength: 12 })
      .map((parts) => Buffer.from(`GET / ${parts.join('')}`));
    const bytes = fc.oneof(
      mutatedBytes([...sound, chunked, old, large], 4),
      spliced,
      joined,
      fc.uint8Array({ maxLength: 300 }).map((noisy) => Buffer.from(noisy)),
    );
    await fuzzServer({ cases: 1_500 }, bytes, async (each) => {
      checkAll(await client.exchange(each));
    });
  });

  it.each([
    [400, 'names no Host', 'GET /healthz HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    [
      431,
      'has too much in its head',
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(66_000)}\r\n\r\n`,
    ],
    [505, 'is of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n'],
  ])('gets %i of the HTTP parser itself when it %s', async (status, _what, request) => {
    client.close();
    const answer = await client.request(Buffer.from(request));
    client.close();
    demand(answer?.status === status && answer.body === FRAMING_ANSWERS[status], JSON.stringify(answer));
  });

  it('with a body past the bound is refused as too large, with and without a length', async () => {
    const size = fc.integer({ min: JSON_BODY_BYTES + 1, max: JSON_BODY_BYTES + 5_000 });
    await fuzzServer({ cases: 10 }, fc.tuple(size, fc.boolean()), async ([bytes, isChunked]) => {
      const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
      const head = `POST /v1/tc HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n${isChunked ? `${bytes.toString(16)}\r\n` : ''}`;
      const answer = await client.request(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, ' ')]));
      client.close();
      demand(answer?.status === 413, `status ${answer?.status}`);
      checkSound('POST', '/v1/tc', answer);
    });
  });

  it('to open a WebSocket opens it or is refused as described, also when the handshake is damaged', async () => {
    const keys = fc.constantFrom('dGhlIHNhbXBsZSBub25jZQ==', '', 'short', 'x'.repeat(24), 'x'.repeat(60));
    const handshake = fc.tuple(
      keys,
      fc.constantFrom('websocket', 'WebSocket', 'h2c', ''),
      fc.constantFrom('13', '8', '', '99'),
      noise.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '')),
    );
    const opening = fc
      .tuple(fc.constantFrom(...follows).chain(requestTo), handshake)
      .map(([request, [key, upgrade, version, extensions]]) => ({
        ...request,
        method: 'GET',
        body: undefined,
        headers: [
          ...request.headers,
          ['Upgrade', upgrade],
          ['Connection', 'Upgrade'],
          ['Sec-WebSocket-Key', key],
          ['Sec-WebSocket-Version', version],
          ['Sec-WebSocket-Extensions', extensions],
        ] as const,
      }));
    let opened = 0;
    await fuzzServer({ cases: 1_000 }, opening, async (each) => {
      const answer = await client.request(written(each));
      demand(answer !== undefined, 'closed without an answer');
      if (answer.status === 101) {
        opened += 1;
        client.close();
      } else checkSound('GET', each.target, answer);
    });
    demand(opened > 0, 'no opening was sound');
  });

  it('on an open WebSocket, frames of any bytes, closes that one socket at most', async () => {
    const frames = [
      Buffer.from('8185000000006865', 'hex'),
      Buffer.from('8980', 'hex'),
      Buffer.from('818500000000313233343', 'hex'),
      Buffer.from('88820000000003e8', 'hex'),
      Buffer.from('81fe7fff', 'hex'),
      Buffer.from('c18100000000ff', 'hex'),
    ];
    const sent = fc.array(
      fc.oneof(
        mutatedBytes(frames, 3),
        fc.uint8Array({ maxLength: 80 }).map((noisy) => Buffer.from(noisy)),
      ),
      { maxLength: 6 },
    );
    const open = (target: string): Buffer =>
      written({
        method: 'GET',
        target,
        body: undefined,
        headers: [
          ['Upgrade', 'websocket'],
          ['Connection', 'Upgrade'],
          ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
          ['Sec-WebSocket-Version', '13'],
        ],
      });
    const target = fc
      .constantFrom(...WORDS)
      .map((word) => `/v1/targets/sat1/values/watch?measures=${encodeURIComponent(word)}`);
    await fuzzServer({ cases: 300 }, fc.tuple(target, sent), async ([url, parts]) => {
      const answer = await client.converse(open(url), parts);
      demand(answer?.status === 101 || answer?.status === 400, `status ${answer?.status}`);
    });
  });
});

/** Checks one answer after the other. */
function checkAll(said: string): void {
  let left = Buffer.from(said, 'latin1');
  for (;;) {
    const taken = takeAnswer(left, false);
    if (taken === undefined) return;
    const { status, body } = taken.answer;
    if (status !== 101 && FRAMING_ANSWERS[status] !== body) checkSound('ANY', '/', taken.answer);
    left = taken.rest;
  }
}
