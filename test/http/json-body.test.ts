import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { BODY_DEPTH } from '../../contract/limits/request.ts';
import { readJsonBody } from '../../http/json-body.ts';

const anything = Compile(Type.Object({ a: Type.Unknown() }));
const read = (text: string) => readJsonBody(Buffer.from(text), anything, 'api::invalid-request');
/** So many lists and objects within one another, the object of the body among them. */
const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('the body of a request', () => {
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
