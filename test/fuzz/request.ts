/** Requests for fuzz tests, made from the route table: near what a route takes, and far from it. */

import fc from 'fast-check';
import type { FollowRoute } from '../../http/follow.ts';
import type { Endpoint, Route } from '../../http/route.ts';
import { damaged, type Json, ofSchema } from './json.ts';
import { mutated, noise } from './text.ts';

export interface AnyRequest {
  readonly method: string;
  /** Path and query as on the wire. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
}

/** Words that mean something to the demo mission. */
export const WORDS = [
  'sat1',
  'noaa20',
  'ghost',
  'sim-1',
  'replay-1',
  'uhf',
  'replay',
  'pus',
  'packets',
  'bench',
  'in_orbit',
  'ping',
  'obc.ping',
  'obc.set_mode',
  'set_watchdog',
  'obc.reboot',
  'battery.set_heater',
  'capture',
  '1',
  '2',
  'mode',
  'period',
  'SAFE',
  'NOMINAL',
  '60 s',
  '5 min',
  '0.5 V',
  '-273.15 degC',
  'true',
  '1e400',
  '',
  '0x10',
  'obc.mode',
  'battery[1].voltage',
  'obc.mode,battery.soc',
  '0873c016000f2011020000000040610502932e7b9d68',
  'c0ff',
  '01J5ZK3M8QW7V9XH2C4T6R8YAB',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'tm_silence',
  'uplink_dead',
  'telecommand',
  'run',
];

const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WORDS) }, noise);

/** What may stand in a request target without breaking its line. */
const targetText = word.map((text) =>
  encodeURI(text.replaceAll(/\p{Surrogate}/gu, '')).replaceAll(/[\s#]/g, '_'),
);
/** Percent signs and slashes that `encodeURI` would have made harmless. */
const rawTarget = fc.string({
  unit: fc.constantFrom(...'%25%2F%00%ff%c3%28/?&=+;..~[]"<>\\^`{|}'),
  maxLength: 24,
});
const part = fc.oneof(
  { weight: 5, arbitrary: targetText.map((text) => text.replaceAll(/[/?]/g, encodeURIComponent)) },
  rawTarget,
);

function pathOf({ path }: Endpoint): fc.Arbitrary<string> {
  const count = path.match(/:\w+/g)?.length ?? 0;
  return fc
    .tuple(
      fc.array(part, { minLength: count, maxLength: count }),
      fc.oneof({ weight: 9, arbitrary: fc.constant('') }, rawTarget),
    )
    .map(([values, more]) => {
      const left = [...values];
      return path.replaceAll(/:\w+/g, () => left.shift()!) + more;
    });
}

function queryOf({ query }: Endpoint): fc.Arbitrary<string> {
  const name = fc.oneof(fc.constantFrom(...Object.keys(query), 'token', 'x'), part);
  const pair = fc.tuple(name, part).map(([left, right]) => `${left}=${right}`);
  return fc.oneof(
    fc.constant(''),
    fc
      .array(fc.oneof({ weight: 5, arbitrary: pair }, rawTarget), { maxLength: 4 })
      .map((pairs) => `?${pairs.join('&')}`),
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no field value may hold (RFC 9110, section 5.5)
const CONTROL = /[\u0000-\u001f\u007f]/g;
/** A value as RFC 9110 has it; others are broken framing. */
export const headerValue = fc
  .oneof(word, fc.string({ unit: 'binary', maxLength: 300 }))
  .map((text) => Buffer.from(text.replaceAll(CONTROL, ' ')).toString('latin1').trim());
const header = fc.tuple(
  fc.oneof(
    fc.constantFrom(
      'X-Mcs-User',
      'X-Mcs-Role',
      'Authorization',
      'Content-Type',
      'Origin',
      'Accept',
      'Cookie',
      'Expect',
      'If-None-Match',
    ),
    fc
      .stringMatching(/^[A-Za-z-]{1,12}$/)
      .filter((name) => !/^(content-length|transfer-encoding|host|upgrade|connection)$/i.test(name)),
  ),
  fc.oneof(
    { weight: 3, arbitrary: headerValue },
    fc.constantFrom('Bearer x', 'Bearer ', 'application/json', 'null', 'http://127.0.0.1', 'http://['),
  ),
);
const headers = fc.array(header, { maxLength: 4 });

function bodyOf({ body }: Endpoint): fc.Arbitrary<Buffer | undefined> {
  if (body === undefined)
    return fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      noise.map((text) => Buffer.from(text)),
    );
  const shaped = ofSchema(body, WORDS);
  const json = fc.oneof(
    { weight: 3, arbitrary: shaped },
    { weight: 3, arbitrary: damaged(shaped) },
    fc.jsonValue() as fc.Arbitrary<Json>,
  );
  const text = json.map((value) => JSON.stringify(value));
  const broken = text.chain((each) => mutated([each], 3));
  return fc
    .oneof({ weight: 5, arbitrary: text }, broken, noise)
    .map((each) => Buffer.from(each))
    .chain((bytes) =>
      fc.oneof(
        { weight: 12, arbitrary: fc.constant(bytes) },
        fc.uint8Array({ maxLength: 200 }).map((noisy) => Buffer.from(noisy)),
      ),
    );
}

/** A request near the endpoint. */
export function requestTo(endpoint: Route | FollowRoute): fc.Arbitrary<AnyRequest> {
  const own = 'method' in endpoint ? endpoint.method : 'GET';
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant(own) },
    fc.constantFrom('HEAD', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'BREW', 'TRACE'),
  );
  return fc.record({
    method,
    target: fc.tuple(pathOf(endpoint), queryOf(endpoint)).map((both) => both.join('')),
    headers,
    body: bodyOf(endpoint),
  });
}

/** The request as a client would write it. */
export function written({ method, target, headers: given, body }: AnyRequest): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...given.map(([name, value]) => `${name}: ${value}`),
    ...length,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}
