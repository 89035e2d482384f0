import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { named } from '../../contract/bounded.ts';
import { BODY_DEPTH, ERRORS_LISTED, REQUEST_ENTRIES } from '../../contract/limits/request.ts';
import { tooLarge } from '../../http/body-size.ts';
import { readJsonBody } from '../../http/json-body.ts';

const anything = Compile(Type.Object({ a: Type.Unknown() }));
const read = (text: string) => readJsonBody(Buffer.from(text), anything, 'api::invalid-request');
/** So many lists and objects within one another, the object of the body among them. */
const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('the body of a request', () => {
  const Closed = Type.Object(
    {
      id: Type.Optional(Type.String()),
      inputs: Type.Optional(named(Type.Number())),
      trigger: Type.Optional(
        Type.Union([Type.Object({ after: Type.String() }, { additionalProperties: false }), Type.Null()]),
      ),
      list: Type.Optional(
        Type.Array(Type.Object({ a: Type.Number() }, { additionalProperties: false }), { maxItems: 500 }),
      ),
    },
    { additionalProperties: false },
  );
  const closed = Compile(Closed);
  const many = (entries: number, value: unknown): object =>
    Object.fromEntries(Array.from({ length: entries }, (_, n) => [`name${n}`, value]));
  const messages = (body: unknown): string[] => {
    const answer = readJsonBody(Buffer.from(JSON.stringify(body)), closed, 'x');
    return answer.ok ? [] : answer.faults.map(({ message }) => message);
  };

  it.each([
    ['unknown fields', many(5_000, 0), 'the body has 5000 entries; at most 4 fit'],
    ['names of a mapping', { inputs: many(5_000, 'x') }, '/inputs has 5000 entries; at most 256 fit'],
    ['fields of an alternative', { trigger: many(5_000, 0) }, '/trigger has 5000 entries; at most 1 fit'],
    ['items', { list: Array(5_000).fill('x') }, '/list has 5000 entries; at most 500 fit'],
    [
      'unknown fields of an item',
      { list: [{ a: 1 }, many(5_000, 0)] },
      '/list/1 has 5000 entries; at most 1 fit',
    ],
  ])('json-body.Y4 is refused alone for too many %s', (_what, body, message) => {
    expect(messages(body)).toEqual([message]);
  });

  it.each([
    [{ inputs: many(REQUEST_ENTRIES, 1), list: Array(500).fill({ a: 1 }) }, 0],
    [{ ...many(ERRORS_LISTED, 'x'.repeat(100)) }, ERRORS_LISTED],
    [many(ERRORS_LISTED + 4, 'x'.repeat(100)), ERRORS_LISTED],
    [{ id: 'x'.repeat(5_000), inputs: null, list: null, trigger: null }, 2],
    [{ list: Array(200).fill({ a: 'x'.repeat(30) }) }, ERRORS_LISTED],
  ])('json-body.Y1 lists every fault of one that is not too large (%#)', (body, faults) => {
    expect(messages(body)).toHaveLength(faults);
  });

  it('json-body.Y4 is taken with any number of fields where any are allowed', () => {
    const open = Compile(Type.Object({ a: Type.Optional(Type.Unknown()) }));
    const body = Buffer.from(JSON.stringify({ ...many(5_000, 0), a: [null, many(5_000, 0)] }));
    expect(readJsonBody(body, open, 'x')).toMatchObject({ ok: true });
  });

  it('json-body.Y4 costs as much with entries that are wrong as with ones that are not there', () => {
    let looked = 0;
    const counting = { ...many(5_000, 0) };
    const values = new Proxy(counting, {
      get: (object, name) => {
        looked += 1;
        return Reflect.get(object, name);
      },
    });
    expect(tooLarge(values, Closed)).toEqual({ path: '', entries: 5_000, most: 4 });
    expect(looked).toBe(0);
  });

  it('json-body.Y3 may be so deep, and is refused with the bound where it is deeper', () => {
    expect(read(nested(BODY_DEPTH))).toMatchObject({ ok: true });
    expect(read(nested(BODY_DEPTH + 1))).toEqual({
      ok: false,
      faults: [
        {
          code: 'api::invalid-request',
          message: `the body has more than ${BODY_DEPTH} lists and objects within one another`,
          help: 'Send one JSON object of the shape that the route describes.',
        },
      ],
    });
  });

  it('json-body.Y3 is as deep as it is where it is deepest, whatever stands in its texts', () => {
    const lists = Array.from({ length: 2 * BODY_DEPTH }, () => '[{}]').join();
    expect(read(`{"a":[${lists}]}`)).toMatchObject({ ok: true });
    expect(read(`{"a":"${'[{'.repeat(BODY_DEPTH)}\\"${'['.repeat(BODY_DEPTH)}"}`)).toMatchObject({
      ok: true,
    });
  });
});
