/** The check that every other test relies on can fail: on a status, a type, a body, a code, a message. */

import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { refuse } from '../../http/errors.ts';
import { defineFollow } from '../../http/follow.ts';
import type { Reply } from '../../http/reply.ts';
import { defineRoute } from '../../http/route.ts';
import { call, follow, serveLayer } from '../http/fixture.ts';
import * as client from './client.ts';
import { Description } from './conformance.ts';
import { until } from './until.ts';
import { takeViolations } from './violations.ts';

const Thing = Type.Object({ n: Type.Integer() }, { additionalProperties: false, title: 'Thing' });

/** A service whose one route answers whatever it is reported, and whose one stream says it. */
async function serving(answer: Reply | 'alarm::refused', message = '{"n":1}') {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/thing',
    operationId: 'readThing',
    summary: 'a thing',
    replies: { 200: Thing },
    errors: ['api::unavailable'],
    handle: () => (typeof answer === 'string' ? refuse(answer, 'no') : { ok: true, value: answer }),
  });
  const stream = defineFollow({
    path: '/v1/thing/watch',
    operationId: 'watchThing',
    summary: 'things',
    policy: 'log',
    message: Thing,
    errors: [],
    open(_request, _ports, writer) {
      writer.push(message);
      return { ok: true, value: { stop: async () => undefined } };
    },
  });
  return serveLayer([route], [stream]);
}

describe('what a test receives is held against the interface description', () => {
  it.each<[string, Reply | 'alarm::refused', RegExp | undefined]>([
    ['nothing when it is as described', { status: 200, body: { n: 1 } }, undefined],
    [
      'a status that is not',
      { status: 201, body: { n: 1 } },
      /readThing 201: a status that is not described/,
    ],
    ['a field that is not', { status: 200, body: { n: 1, m: 2 } }, /must NOT have additional properties/],
    ['a value of another type', { status: 200, body: { n: 'x' } }, /n must be integer/],
    ['another content type', { status: 200, bytes: '{"n":1}', contentType: 'text/plain' }, /text\/plain/],
    ['an undeclared code of an undeclared status', 'alarm::refused', /readThing 409/],
    [
      'an undeclared code of a declared status',
      { status: 503, body: { errors: [{ code: 'alarm::no-service', message: 'x' }] } },
      /code must be equal to one of the allowed values/,
    ],
    ['an error without errors', { status: 503, body: { errors: [] } }, /must NOT have fewer than 1 items/],
  ])('finds %s', async (_what, answer, problem) => {
    const frontEnd = await serving(answer);
    await call(`${frontEnd.url}/v1/thing`).catch(() => undefined);
    const found = takeViolations();
    expect(found).toHaveLength(problem === undefined ? 0 : 1);
    if (problem !== undefined) expect(found[0]).toMatch(problem);
    await frontEnd.close();
  });

  it('the other client finds the same', async () => {
    const frontEnd = await serving({ status: 200, body: { n: 'x' } });
    await client.call('GET', `${frontEnd.url}/v1/thing`);
    expect(takeViolations().join()).toMatch(/n must be integer/);
    await frontEnd.close();
  });

  it('finds a message that is not as described, through both clients', async () => {
    const frontEnd = await serving({ status: 200, body: { n: 1 } }, '{"n":"x"}');
    const watching = client.follow(`${frontEnd.url}/v1/thing/watch`);
    await until(() => watching.messages.length > 0);
    expect(takeViolations().join()).toMatch(/watchThing message: .*n must be integer/);
    const watched = await follow(`${frontEnd.url}/v1/thing/watch`);
    await until(() => watched.messages.length > 0);
    expect(takeViolations().join()).toMatch(/watchThing message: .*n must be integer/);
    watching.close();
    watched.close();
    await frontEnd.close();
  });

  it('a path that nobody describes is not its business', () => {
    const nothing = new Description([], []);
    const received = { status: 404, contentType: 'text/html', body: 'x' };
    expect(nothing.answerProblems('GET', 'http://127.0.0.1/v1/thing', received)).toEqual([]);
  });
});
