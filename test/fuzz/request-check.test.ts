import fc from 'fast-check';
import { describe, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { check, type Incoming } from '../../http/check.ts';
import { follows, routes } from '../../http/front-end.ts';
import { missionControlDialect } from '../../http/mission-control.ts';
import { type Endpoint, pathNames, type Route } from '../../http/route.ts';
import type { AccessTokens } from '../../ports/tokens.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { headerValue, requestTo } from './request.ts';

const missions = { current: undefined, at: async () => undefined, onChange: () => () => undefined };
const tokens: AccessTokens = {
  verify: async () => ({ ok: true, value: { name: 'ada', roles: [], expiresAt: 0 } }),
  onChange: () => () => undefined,
};
const PART = /[^/?]*/g;

/** The request as the transport would hand it over: the segments of the path by the names of the route. */
function incoming(endpoint: Endpoint): fc.Arbitrary<Incoming> {
  const names = pathNames(endpoint.path);
  const token = fc.option(headerValue, { nil: undefined, freq: 8 });
  return fc
    .tuple(requestTo(endpoint as Route), headerValue, headerValue, token)
    .map(([{ target, body }, user, roles, bearer]) => {
      const [path = '', query = ''] = target.split('?', 2);
      const parts = [...path.matchAll(PART)].map(([part]) => part).filter((part) => part !== '');
      const params = Object.fromEntries(
        names.map((name, index) => [name, parts[parts.length - names.length + index] ?? '']),
      );
      return {
        params,
        query,
        credentials: { token: bearer, user, roles },
        body: endpoint.body === undefined ? undefined : (body ?? Buffer.alloc(0)),
      };
    });
}

describe('any request, before its route sees it', { timeout: FUZZ_TEST_MS }, () => {
  it('is typed as the route says, or refused with codes that are known and a bounded list of reasons', () => {
    const any = fc
      .constantFrom<Endpoint[]>(...routes, ...follows)
      .chain((endpoint) => fc.tuple(fc.constant(endpoint), incoming(endpoint)));
    const outcomes = new Set<string>();
    fuzz({ cases: 10_000 }, any, ([endpoint, request]) => {
      const checked = check(endpoint, request, { missions, tokens }, missionControlDialect);
      // Who a token names is asked of others, whatever else the request says.
      if (checked instanceof Promise) return void outcomes.add('token');
      if (checked.ok) {
        outcomes.add('ok');
        const { body } = checked.value;
        if (request.body !== undefined && endpoint.body !== undefined)
          demand(
            JSON.stringify(body) === JSON.stringify(JSON.parse(request.body.toString())),
            'another body',
          );
        return;
      }
      demand(checked.faults.length <= 200, `${checked.faults.length} faults`);
      for (const { code, message } of checked.faults) {
        outcomes.add(code);
        demand(Object.hasOwn(ERRORS, code) && message !== '', `${code}: ${message}`);
        demand(ERRORS[code as ErrorCode].status[0] < 500, code);
      }
    });
    for (const expected of ['ok', 'api::invalid-body', 'api::invalid-target', 'token'])
      demand(outcomes.has(expected), `never ${expected}`);
  });
});
