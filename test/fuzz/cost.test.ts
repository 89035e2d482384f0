/**
 * Whoever asks does not choose the cost: every route of both services, every reader of documents and whatever else
 * reads a text from outside takes time in proportion to what it is given (cost.K1, K2). The worst ten are printed.
 */

import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { TransmitPacket } from '../../contract/bench/datapath.ts';
import { BENCH_DOCUMENT_CHARACTERS } from '../../contract/limits/bench.ts';
import { nearHelp } from '../../contract/near.ts';
import { benchFollows, benchRoutes } from '../../http/bench/front-end.ts';
import { follows, routes } from '../../http/front-end.ts';
import { readJsonBody } from '../../http/json-body.ts';
import type { AnyEndpoint } from '../../http/route.ts';
import { compile } from '../../mission/compile.ts';
import { parseCondition } from '../../mission/condition/syntax.ts';
import { parseQuantity } from '../../mission/quantity.ts';
import { parseSelectors } from '../../mission/selector.ts';
import { readDocument } from '../../radio/document/read.ts';
import { startBenchPage } from '../console/bench-page.ts';
import { startDemoCell } from '../support/demo-cell.ts';
import { processorMs, timesCeiling } from '../support/processor-time.ts';
import { FUZZ_TEST_MS, factor } from './cases.ts';
import { Costs, DOCUMENT_SHARE, SHARE, type Subject } from './cost.ts';
import { dearRequests, documents } from './cost-inputs.ts';
import { RawClient } from './raw-http.ts';
import { shippedDocuments } from './shipped.ts';

/** In the short form every third input of each route is measured, another third of each from route to route. */
const STRIDE = factor > 1 ? 1 : 3;

/** How long the board takes for so many bytes decides, not how long we compute. */
const AT_THE_PACE: ReadonlySet<string> = new Set(
  ['loopback', 'measure', 'transmit', 'flush'].map((verb) => `/api/v1/datapath/${verb}`),
);

async function judge(what: string, costs: Costs): Promise<void> {
  console.info(`dearest of ${costs.count} inputs, ${what}:\n${costs.worst()}`);
  expect(costs.dear).toEqual([]);
}

async function measureRoutes(what: string, port: number, endpoints: readonly AnyEndpoint[]): Promise<void> {
  const client = new RawClient(port);
  const costs = new Costs(async (input) => {
    const answer = await client.request(input);
    // A socket that was opened is not the next one's.
    if (answer === undefined || answer.status === 101) client.close();
    return answer === undefined ? 'unanswered' : answer.status < 300 ? 'accepted' : answer.status;
  });
  await costs.begin(Buffer.from('GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
  const subjects = endpoints.flatMap((endpoint, at) =>
    dearRequests(endpoint).filter((_, index) => index % STRIDE === at % STRIDE),
  );
  for (const subject of subjects) await costs.measure(subject);
  client.close();
  await judge(what, costs);
}

describe('time per byte', { timeout: FUZZ_TEST_MS }, () => {
  it('of every route of mission control grows no faster than the request', async () => {
    const cell = await startDemoCell({ roles: ['api'] });
    try {
      await measureRoutes('mission control', Number(new URL(cell.api).port), [...routes, ...follows]);
    } finally {
      await cell.stop();
    }
  });

  it('of every route of the bench grows no faster than the request', async () => {
    const service = await startBenchPage();
    const prompt = benchRoutes.filter(({ path, abortable }) => abortable !== true && !AT_THE_PACE.has(path));
    try {
      await measureRoutes('the bench', Number(new URL(service.url).port), [...prompt, ...benchFollows]);
    } finally {
      await service.stop();
    }
  });

  it('of every reader of documents and texts grows no faster than the text', async () => {
    for (const [reader, { read, inputs, share = SHARE }] of Object.entries(READERS)) {
      const costs = new Costs((input) => read(input.toString()));
      await costs.begin(Buffer.from('a'));
      for (const [name, body] of inputs) {
        const subject: Subject = {
          name: `${reader}: ${name}`,
          share,
          input: (scale) => Buffer.from(body(scale)),
        };
        await costs.measure(subject);
      }
      await judge(reader, costs);
    }
  });
});

describe('the judgement', { timeout: FUZZ_TEST_MS }, () => {
  const LENGTH = 1_000;
  const pairsOf = (text: string, step: number): number => {
    let same = 0;
    for (let one = 0; one < text.length; one += step)
      for (let other = 0; other < text.length; other += 1) if (text[one] === text[other]) same += 1;
    return same;
  };
  it.each<[string, (text: string) => number, number]>([
    ['cost.K1 finds what grows with the square', (text) => pairsOf(text, 1), 1],
    ['lets pass what grows with the length', (text) => pairsOf(text, text.length / 100), 0],
  ])('%s', async (_, read, found) => {
    const costs = new Costs((input) => read(input.toString()));
    // Compiled by the time it is measured.
    for (let n = 0; n < 10; n += 1) read('ab'.repeat(LENGTH));
    await costs.begin(Buffer.from('a'));
    // What a byte costs is not in question here.
    await costs.measure({
      name: 'pairs',
      share: 1e6,
      input: (scale) => Buffer.from('ab'.repeat((scale * LENGTH) / 2)),
    });
    expect(costs.dear).toHaveLength(found);
  });
});

/** What a document may cost, in timelines. */
const MOST_TIMES = 3;

describe('a document of the bench as long as one may be', { timeout: FUZZ_TEST_MS }, () => {
  const filled = (piece: string): string =>
    piece.repeat(BENCH_DOCUMENT_CHARACTERS / piece.length).slice(0, BENCH_DOCUMENT_CHARACTERS);
  const inList = (piece: string): string => `a: [${filled(piece).slice(0, -10)}]`;
  const timeline = (): string => {
    const lines = Array.from(
      { length: 6_000 },
      (_, n) => `  - { at: ${n} s, do: set, gain: ${n % 70} dB }\n`,
    );
    return `timeline:\n${lines.join('')}`.slice(0, BENCH_DOCUMENT_CHARACTERS);
  };
  const cost = (text: string) => () => processorMs(() => readDocument(text));

  it('radio/document/read.D4 costs no more than three times a timeline, whatever it is made of', () => {
    const plain = cost(timeline().slice(0, 150 * 1024));
    for (let n = 0; n < 4; n += 1) plain();
    const dear = {
      tags: inList('!a 1, '),
      'tags of nothing': filled('!a '),
      'tags in lines': filled('!\n'),
      anchors: filled('&a '),
      aliases: `a: &a 1\nb: [${filled('*a, ').slice(0, -20)}]`,
      commas: inList(','),
      lists: inList('[],'),
      documents: filled('---\n'),
      'lists where a key stands': filled('key: value\n- 1\n'),
      comments: filled('#\n'),
      numbers: inList('1, '),
    };
    const figures = Object.entries(dear).map(
      ([name, text]) => [name, timesCeiling(cost(text), plain, MOST_TIMES)] as const,
    );
    console.info(
      `times a timeline: ${figures.map(([name, times]) => `${name} ${times.toFixed(2)}`).join(', ')}`,
    );
    expect(figures.filter(([, times]) => times > MOST_TIMES)).toEqual([]);
  });
});

const PIECES = [
  'x',
  '9',
  '(',
  '-',
  'not ',
  'a.',
  '[',
  '"',
  ' ',
  'a,',
  'obc.mode == 1 and ',
  '1e9 ',
  'min(',
  '1 + ',
];
const texts = (length: number) =>
  PIECES.map(
    (piece) => [`of ${piece}`, (scale: 1 | 4) => piece.repeat((scale * length) / piece.length)] as const,
  );
const packet = Compile(TransmitPacket);
const shipped = shippedDocuments()[0]!;

/** The documents of a mission with one replaced. */
const missionWith = (text: string): void =>
  void compile([...shipped.filter(({ file }) => !file.startsWith('config')), { file: 'x.yaml', text }]);
const many =
  (kind: string, line: (n: number) => string) =>
  (scale: 1 | 4): string =>
    `${kind}\n${Array.from({ length: scale * 150 }, (_, n) => line(n)).join('\n')}\n`;

const READERS: Readonly<
  Record<
    string,
    {
      readonly read: (text: string) => void;
      readonly share?: number;
      readonly inputs: readonly (readonly [string, (scale: 1 | 4) => string])[];
    }
  >
> = {
  'mission documents': {
    read: (text) => void compile([{ file: 'x.yaml', text }]),
    share: DOCUMENT_SHARE,
    inputs: [
      ...documents,
      [
        'measures',
        many(
          'platform: p\nversion: 1.0.0\ncomponents:\n  a:\n    measures:',
          (n) => `      m${n}: { type: u8 }`,
        ),
      ],
      [
        'measures of a wrong type',
        many(
          'platform: p\nversion: 1.0.0\ncomponents:\n  a:\n    measures:',
          (n) => `      m${n}: { type: u9 }`,
        ),
      ],
      [
        'components',
        many('platform: p\nversion: 1.0.0\ncomponents:', (n) => `  c${n}: { measures: { m: { type: u8 } } }`),
      ],
      [
        'alarms',
        many(
          'platform: p\nversion: 1.0.0\ncomponents:\n  a:\n    measures: { m: { type: u8 } }\n    alarms:',
          (n) => `      a${n}: { when: a.m > ${n % 200}, severity: warning }`,
        ),
      ],
    ],
  },
  'mission documents beside others': {
    read: missionWith,
    share: DOCUMENT_SHARE,
    inputs: [
      [
        'statements',
        many(
          'library: l\nversion: 1.0.0\nimports: []\nprocedures:\n  p:\n    roles: { sat: box }\n    steps:',
          () => '      - wait: 1 s',
        ),
      ],
      [
        'unknown statements',
        many(
          'library: l\nversion: 1.0.0\nimports: []\nprocedures:\n  p:\n    roles: { sat: box }\n    steps:',
          (n) => `      - wiat${n}: 1 s`,
        ),
      ],
      [
        'procedures',
        many(
          'library: l\nversion: 1.0.0\nimports: []\nprocedures:',
          (n) => `  p${n}: { roles: { sat: box }, steps: [{ wait: 1 s }] }`,
        ),
      ],
    ],
  },
  'documents of the bench': {
    read: (text) => void readDocument(text),
    share: DOCUMENT_SHARE,
    inputs: documents,
  },
  conditions: { read: (text) => void parseCondition(text), inputs: texts(1_000) },
  quantities: { read: (text) => void parseQuantity(text), inputs: texts(30_000) },
  // Four times this is what a request line holds.
  selectors: { read: (text) => void parseSelectors(text), inputs: texts(15_000) },
  names: { read: (text) => void nearHelp(text, ['x'.repeat(100), 'ping'], 'names'), inputs: texts(30_000) },
  'messages to the transmitter': {
    read: (text) => void readJsonBody(Buffer.from(text), packet, 'validation_failed'),
    inputs: [
      ...texts(30_000),
      ['payload', (scale) => `{"protocol":"raw","payload_hex":"${'0'.repeat(scale * 30_000)}"}`],
      [
        'a payload that is none',
        (scale) => `{"protocol":"raw","payload_hex":"${'0'.repeat(scale * 30_000)}x"}`,
      ],
    ],
  },
};
