/** Platform and topology documents of text links: what compiles and every fault of what does not. */

import { describe, expect, it } from 'vitest';
import { LINE_PATTERNS } from '../../contract/limits/link.ts';
import { processorMs, timesCeiling } from '../support/processor-time.ts';
import { compiled, faultsOf, platform, topology } from './documents.ts';

const MEASURES = {
  temperature: { type: 'f64', unit: 'degC' },
  count: { type: 'u8' },
  label: { type: 'string' },
  on: { type: 'bool' },
  mode: { type: 'Mode' },
};

interface Parts {
  readonly lines?: object;
  readonly telecommands?: object;
  readonly instances?: string[];
}

function oven({ lines, telecommands, instances }: Parts) {
  return platform({
    enums: { Mode: { OFF: 0, ON: 1 } },
    components: {
      oven: {
        measures: MEASURES,
        ...(telecommands !== undefined && { telecommands }),
        ...(instances !== undefined && { instances }),
      },
    },
    ...(lines !== undefined && { lines }),
  });
}

const paths = (parts: Parts): string[] =>
  faultsOf([oven(parts), topology()]).map(({ path, message }) => `${path}: ${message}`);
const act = (encode: object, args: object = {}, verify?: object) => ({
  act: { args, encode, ...(verify !== undefined && { verify }) },
});

describe('lines that are read', () => {
  it('compile, each place to its measure', () => {
    const { configuration } = compiled([
      oven({
        lines: {
          state: {
            match: 'T {t:decimal} N {n:integer} {on:OFF|ON} {m:Mode} {l:text}',
            to: { t: 'oven.temperature', n: 'oven.count', on: 'oven.on', m: 'oven.mode', l: 'oven.label' },
          },
          ignored: { match: 'BANNER {rest:text}', to: { rest: 'skip' } },
        },
      }),
      topology(),
    ]);
    expect(configuration.platforms[0]?.lines).toMatchObject([
      {
        name: 'state',
        to: [
          ['t', 'oven.temperature'],
          ['n', 'oven.count'],
          ['on', 'oven.on'],
          ['m', 'oven.mode'],
          ['l', 'oven.label'],
        ],
      },
      { name: 'ignored', to: [] },
    ]);
  });

  it('report every fault with its place', () => {
    const lines = {
      a: { match: 'A {t:numer}', to: { t: 'oven.temperature' } },
      b: { match: 'B {t:number} {u:word}', to: { t: 'oven.temprature', x: 'oven.count' } },
      c: { match: 'C {t:number} {u:integer}', to: { t: 'oven.count', u: 'oven.count' } },
      d: {
        match: 'D {t:word} {u:Mode} {v:A|B|C} {w:integer}',
        to: { t: 'oven.count', u: 'oven.on', v: 'oven.mode', w: 'oven.label' },
      },
    };
    expect(paths({ lines })).toEqual([
      'lines.a.match: {t:numer} holds nothing known',
      'lines.b: nothing says where {u} is read to',
      'lines.b.to.t: oven has no measure "temprature"',
      'lines.b.to.x: the pattern has no place {x}',
      'lines.c.to.t: a number cannot be read to a measure of type u8',
      'lines.c.to.u: oven.count is read from {t} already',
      'lines.d.to.t: text cannot be read to a measure of type u8',
      'lines.d.to.u: a value of Mode cannot be read to a measure of type bool',
      'lines.d.to.v: one of A, B, C cannot be read to a measure of type Mode',
      'lines.d.to.w: an integer cannot be read to a measure of type string',
    ]);
  });

  it('overlapping ones are faults, reported with a line that both match', () => {
    const lines = {
      temperature: { match: 'T {t:number}', to: { t: 'oven.temperature' } },
      count: { match: 'T {n:integer}', to: { n: 'oven.count' } },
      wide: { match: '{k:word} {v:integer}', to: { k: 'oven.label', v: 'skip' } },
    };
    expect(paths({ lines })).toEqual([
      expect.stringMatching(
        /^lines.count.match: it can never be reached: line temperature matches everything it matches, like "T \d"$/,
      ),
      expect.stringMatching(/^lines.wide.match: line temperature matches "T \d" as well$/),
      expect.stringMatching(/^lines.wide.match: line count matches "T \d" as well$/),
    ]);
  });

  it('too many are refused before each pair is compared', () => {
    const lines = Object.fromEntries(
      Array.from({ length: LINE_PATTERNS + 1 }, (_, n) => [`l${n}`, { match: `L${n}`, to: {} }]),
    );
    expect(paths({ lines })).toEqual([expect.stringContaining('a platform has at most')]);
  });

  it('as many as there may be, all alike at their beginning, cost little more than those that differ at once', () => {
    const comparing = (match: (n: number) => string): number => {
      const to = { a: 'skip', b: 'skip', c: 'skip' };
      const lines = Array.from({ length: LINE_PATTERNS }, (_, n) => [`l${n}`, { match: match(n), to }]);
      return processorMs(() => compiled([oven({ lines: Object.fromEntries(lines) }), topology()]));
    };
    const differing = (): number => comparing((n) => `L${n} {a:word} {b:number} {c:text}`);
    const alike = (): number => comparing((n) => `{a:word} {b:number} L${n} {c:text}`);
    expect(timesCeiling(alike, differing, 20)).toBeLessThanOrEqual(20);
  });
});

describe('telecommands that are lines', () => {
  it('report every fault of their template', () => {
    const args = { goal: { type: 'f64' }, left: { type: 'u8' } };
    const encode = { line: 'SET {gaol} {goal:x} {instance}', service: 3, subtype: 1, fields: [] };
    expect(paths({ telecommands: act(encode, args) })).toEqual([
      'components.oven.telecommands.act.encode.service: a line has no service',
      'components.oven.telecommands.act.encode.subtype: a line has no subtype',
      'components.oven.telecommands.act.encode.fields: a line has no fields',
      'components.oven.telecommands.act.encode.line: {goal:x} fits no argument of type f64',
      'components.oven.telecommands.act.encode.line: the telecommand has no argument "gaol"',
      'components.oven.telecommands.act.encode.line: oven has no instances',
      'components.oven.telecommands.act.encode.line: the line leaves out the argument "left"',
    ]);
  });

  it('write hexadecimal where the range begins at zero', () => {
    const args = { n: { type: 'i16', range: [0, 99] } };
    compiled([oven({ telecommands: act({ line: 'N {n:x}' }, args) }), topology()]);
    expect(
      paths({ telecommands: act({ line: 'N {n:x}' }, { n: { type: 'i16', range: [-1, 99] } }) }),
    ).toHaveLength(1);
  });

  it('await answers: success and failure distinguished, in time', () => {
    const verify = (answer: object, within = '2 s') => ({ answer, within });
    const faults = (wish: object) => paths({ telecommands: act({ line: 'GO' }, {}, wish) });
    expect(faults(verify({ ok: 'OK {x:number}', error: '{y:text}' }))).toEqual([
      expect.stringMatching(/verify.answer.error: "OK \d" would be success and failure$/),
    ]);
    expect(faults(verify({ ok: 'OK', within: '3 s' }))).toEqual([
      expect.stringContaining('verify.answer.within: it ends after the whole verification'),
    ]);
    expect(faults(verify({ ok: 'OK', within: '0 s' }))).toEqual([
      expect.stringContaining('the time is zero'),
    ]);
    expect(faults({ ...verify({ ok: 'OK {', error: 'ERR {code:int}' }), reports: 'pus-1' })).toHaveLength(3);
    expect(faults({ within: '2 s' })).toEqual([expect.stringContaining('nothing could ever verify it')]);
    expect(paths({ telecommands: act({ fields: [] }, {}, verify({ ok: 'OK' })) })).toEqual([
      expect.stringContaining('only a telecommand written as a line has an answer'),
    ]);
  });

  it('warn when one awaits no answer beside others that do', () => {
    const telecommands = {
      ...act({ line: 'GO' }, {}, { answer: { ok: 'OK' }, within: '2 s' }),
      silent: { encode: { line: 'STOP' } },
    };
    const { warnings } = compiled([oven({ telecommands }), topology()]);
    expect(warnings.map(({ path }) => path)).toEqual(['components.oven.telecommands.silent']);
  });
});

describe('text links', () => {
  const answering = oven({ telecommands: act({ line: 'GO' }, {}, { answer: { ok: 'OK' }, within: '2 s' }) });
  const bench = (targets: object, drivers: object = { con: { protocol: 'text' } }) =>
    topology({ gateways: { gw: { tags: ['a'] }, other: {} }, drivers, targets });
  const target = (link: object) => ({
    platform: 'box@1.0.0',
    environments: ['bench'],
    links: { con: { default: true, driver: 'con', ...link } },
  });
  const found = (targets: object, drivers?: object) =>
    faultsOf([answering, bench(targets, drivers)]).map(({ path, message }) => `${path}: ${message}`);

  it('compile with the transport of lines or none', () => {
    compiled([
      answering,
      bench({
        one: target({ gateway: 'gw', transport: { kind: 'line' } }),
        two: target({ gateway: 'other' }),
      }),
    ]);
  });

  it('report settings and transports they do not have', () => {
    const drivers = { con: { protocol: 'text', terminator: 'nl', echo: true } };
    expect(found({ one: target({ transport: { kind: 'csp', crc: true } }) }, drivers)).toEqual([
      'drivers.con.echo: a driver of protocol text has no setting "echo"',
      'drivers.con.terminator: "nl" ends no line',
      'targets.one.links.con.transport: a text link has the transport of lines or none',
      'targets.one.links.con.transport.crc: the transport of lines has no crc',
    ]);
  });

  it('T1 of two targets that await answers do not share a gateway, named or by tags', () => {
    expect(found({ one: target({ gateway: 'gw' }), two: target({ tags: ['a'] }) })).toEqual([
      expect.stringMatching(/^targets.two.links.con: target one awaits answers over gateway gw too/),
    ]);
  });
});
