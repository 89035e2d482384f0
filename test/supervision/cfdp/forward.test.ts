/** Which process a call of the verb `cfdp` goes to, and what is answered where there is none. */

import { expect, it } from 'vitest';
import { header } from '../../../contract/bus/headers.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { UPLOAD_BYTES } from '../../../contract/limits/transfer.ts';
import { NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import { forwardCfdp } from '../../../supervision/cfdp/forward.ts';
import { DOWN, missionOf, UP } from '../../links/cfdp/group-world.ts';
import { ManualClock } from '../../support/manual-clock.ts';

interface Asked {
  readonly to: string;
  readonly call: object;
  readonly headers: object | undefined;
}

const bound = (transport: object) => ({
  platform: 'box@1.0.0',
  environments: ['bench'],
  links: { s: { default: true, driver: 'pus', gateway: 'g', transport } },
});

/** The answer to a call, and what was asked of whom. */
async function forwarded(call: object | undefined, mission = missionOf(), name = 'pus') {
  const asked: Asked[] = [];
  const bus = {
    request: async (to: string, data: Uint8Array, { headers }: { headers?: object }) => {
      asked.push({ to, call: JSON.parse(Buffer.from(data).toString()) as object, headers });
      return Buffer.from(JSON.stringify({ ok: true, value: { outcome: 'completed' } }));
    },
  };
  const driver = mission.drivers.get(name)!;
  const answer = await forwardCfdp(
    { bus: bus as never, clock: new ManualClock(0), passes: NO_PASSES },
    driver,
    call,
    mission,
  );
  return { answer, asked };
}

it.each([DOWN, UP])(
  'MC-CFDP-003 a call goes to the process that has the gateway of its link ($direction)',
  async (call) => {
    const mission = missionOf();
    const { answer, asked } = await forwarded(call, mission);
    expect(answer).toEqual({ ok: true, value: { outcome: 'completed' } });
    const headers = { [header.config]: mission.revision };
    expect(asked).toEqual([{ to: subject.cfdp('g'), call: { ...call, link: 's' }, headers }]);
  },
);

it.each<[string, object | undefined, RegExp]>([
  ['no call', undefined, /^the call is not a JSON object$/],
  ['no target', { ...DOWN, target: 7 }, /lacks `target`/],
  ['a target that is no name', { ...DOWN, target: 'a.b' }, /lacks `target`/],
  ['an unknown target', { ...DOWN, target: 'sat9' }, /^configuration [0-9a-f]+ has no target "sat9"$/],
  ['a file that is no number', { ...DOWN, file_id: '../x' }, /^`file_id` is no decimal number/],
  ['no generation', { ...DOWN, generation: -1 }, /^`generation` is no whole number/],
  ['another direction', { ...DOWN, direction: 'sideways' }, /^`direction` is neither/],
  ['a size beyond what is exact', { ...DOWN, size: 2 ** 53 }, /^`size` is no whole number up to 2\^53 - 1$/],
  ['a type that is none', { ...DOWN, file_type: 'image' }, /^`file_type` is no whole number/],
  [
    'an upload that is too long',
    { ...UP, size: UPLOAD_BYTES + 1 },
    /is too long: uploads have at most 268435456$/,
  ],
  ['an upload without content', { ...UP, source: undefined }, /names its content by `source`/],
])('MC-CFDP-005 %s is answered with what is wrong', async (_, call, message) => {
  const { answer, asked } = await forwarded(call);
  expect(answer).toEqual({
    ok: false,
    faults: [{ code: 'driver::cfdp-failed', message: expect.stringMatching(message) }],
  });
  expect(asked).toEqual([]);
});

it.each<[string, object, RegExp]>([
  [
    'a link without CFDP',
    { targets: { sat: bound({ kind: 'space-packet', apid: 116 }) } },
    /^link s of sat carries no CFDP: its transport has no section cfdp$/,
  ],
  [
    'a link that no gateway serves',
    {
      gateways: {},
      targets: {
        sat: {
          ...bound({}),
          links: {
            s: {
              default: true,
              driver: 'pus',
              transport: { kind: 'space-packet', cfdp: { entity: 42, apid: 117 } },
            },
          },
        },
      },
    },
    /^no gateway serves link s of sat$/,
  ],
])('%s is answered with what is missing', async (_, more, message) => {
  const { answer } = await forwarded(DOWN, missionOf({}, more));
  expect(answer).toMatchObject({ ok: false, faults: [{ message: expect.stringMatching(message) }] });
});

it('a driver that is not that of the default link is refused', async () => {
  const drivers = { pus: { protocol: 'pus-c', cfdp: { entity: 1 } }, other: { protocol: 'cfdp', entity: 1 } };
  const { answer } = await forwarded(DOWN, missionOf({}, { drivers }), 'other');
  expect(answer).toMatchObject({
    faults: [{ message: 'the default link s of sat is not bound to other' }],
  });
});
