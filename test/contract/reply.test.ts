/**
 * Replies of other processes, as malformed as they come: every reader takes them for no answer, and no caller is
 * felled.
 */

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFault } from '../../actors/run/effects/fault.ts';
import { interruptAll } from '../../actors/run/preemption.ts';
import { unreadiness } from '../../actors/run/readiness.ts';
import type { RunAtHand, RunServices } from '../../actors/run/services.ts';
import { readAlarmReply } from '../../contract/alarm.ts';
import { readCfdpReply } from '../../contract/cfdp.ts';
import { readDecodeFileCall, readDecodeFileReply } from '../../contract/file-decoding.ts';
import { REPLY_BYTES, REPLY_DEPTH } from '../../contract/limits/link.ts';
import { readDecodeReply, readEncodeReply, readFaultReply } from '../../contract/link.ts';
import { readBindReply } from '../../contract/mode.ts';
import { readReply } from '../../contract/reply.ts';
import { readControlReply } from '../../contract/run-wire.ts';
import { askDriver } from '../../http/driver.ts';
import { askForFaults } from '../../http/gateway.ts';
import { LinkEnds } from '../../http/link-ends.ts';
import { linkRefusal } from '../../http/run-links.ts';
import { HandOvers } from '../../messaging/hand-overs.ts';
import { NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import type { Bus } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { demoMission } from '../support/missions.ts';
import { quiet } from '../support/nats.ts';
import { programOf } from '../support/run-program.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const deep = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth);
const json = (value: unknown): string => JSON.stringify(value);

/** None of them is an answer to anything. */
const MALFORMED: Readonly<Record<string, Uint8Array>> = {
  nothing: bytes(''),
  'no JSON': bytes('{"ok":tru'),
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
  ...Object.fromEntries(
    ['null', '3', '"accepted"', 'true', '[]', '[{"ok":true}]', '{}'].map((text) => [text, bytes(text)]),
  ),
  ...Object.fromEntries(
    [
      { ok: 'true' },
      { ok: true },
      { ok: true, value: null },
      { ok: true, value: [] },
      { ok: true, value: { faults: 3, frame: {}, samples: [null], generation: 'x' } },
      { ok: true, value: { faults: [{ fault: 3 }], samples: [{ component: 1 }], frame: '00', reference: 3 } },
      { ok: false },
      { ok: false, faults: [] },
      { ok: false, faults: {} },
      { ok: false, faults: [null] },
      { ok: false, faults: [{ code: 'no::such', message: 'x' }] },
      { ok: false, faults: [{ code: 'sim::refused', message: {} }] },
      { outcome: 5 },
      { outcome: 'perhaps' },
      { outcome: ['accepted'] },
      { link: null },
      { link: [] },
      { link: { state: {}, reason: [] } },
      { link: { state: 'sideways', reason: 'x' } },
      { bindings: null },
      { bindings: { length: 1e9 } },
      { bindings: [null, 3, [], { target: {}, link: [] }] },
      { bindings: [{ target: 'sat1', link: 'uhf', mode: { x: 1 }, parameters: 3 }] },
    ].map((value) => [json(value), bytes(json(value))]),
  ),
  'a name of every object': bytes('{"__proto__":{"ok":true,"outcome":"accepted"},"constructor":3}'),
  huge: bytes(
    `{"ok":true,"outcome":"accepted","value":{"frame":"","samples":[],"faults":[],"generation":1},"x":"${'x'.repeat(REPLY_BYTES)}"}`,
  ),
  'a deep list': bytes(deep(200_000)),
  'a deep object': bytes(
    `{"ok":true,"outcome":"accepted","value":${deep(50_000, '{"a":', '}').replace('{"a":}', '{}')}}`,
  ),
  'a deep binding': bytes(`{"bindings":[{"target":"sat1","link":"uhf","parameters":${deep(REPLY_DEPTH)}}]}`),
};

const READERS = {
  alarm: readAlarmReply,
  bind: readBindReply,
  cfdp: readCfdpReply,
  control: readControlReply,
  decode: readDecodeReply,
  encode: readEncodeReply,
  fault: readFaultReply,
  'decoding of a file': readDecodeFileReply,
  'offer of a file': readDecodeFileCall,
};

describe('the reader of replies', () => {
  it('reply.A1 takes objects to the depth and the length that are bounds, and no further', () => {
    const nested = (levels: number) => bytes(`{"a":${deep(levels - 1)}}`);
    expect(readReply(nested(REPLY_DEPTH))).toBeDefined();
    expect(readReply(nested(REPLY_DEPTH + 1))).toBeUndefined();
    const long = (length: number) => bytes(`{"a":"${'x'.repeat(length - 8)}"}`);
    expect(readReply(long(REPLY_BYTES))).toBeDefined();
    expect(readReply(long(REPLY_BYTES + 1))).toBeUndefined();
  });

  it('reply.A1 brackets in texts are no depth', () => {
    const text = `\\"${'[{'.repeat(500)}\\\\`;
    expect(readReply(bytes(json({ text })))).toEqual({ text });
  });

  it('reply.A1 gives what JSON.parse gives of every object, and never throws', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 5 }), (value) => {
        expect(readReply(bytes(json(value)))).toEqual(JSON.parse(json(value)));
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (data) => void readReply(data)),
      { numRuns: 200 },
    );
  });

  it.each(Object.entries(READERS))('reply.A2 %s takes nothing malformed for an answer', (_name, read) => {
    for (const [what, reply] of Object.entries(MALFORMED)) expect(read(reply), what).toBeUndefined();
  });

  it('reply.A3 whoever asks over the bus brings the reader of its answer: nothing else calls the request of the bus', () => {
    const folders = ['actors', 'cli', 'http', 'identity', 'links', 'messaging', 'supervision', 'telemetry'];
    const files = folders.flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
    );
    const asks = files.filter(
      (file) =>
        file.endsWith('.ts') && /\bbus\??\.request\(/.test(readFileSync(file, 'utf8').replace(/\s+\./g, '.')),
    );
    // Whoever serves bindings asks for those of before, and looks at no answer: they are delivered.
    expect(asks.sort()).toEqual(['links/kept-bindings.ts', 'messaging/ask.ts']);
  });
});

// Callers -------------------------------------------------------------------------------------------------------------

const mission = demoMission();
const target = mission.targets.get('sat1')!;

function answering(reply: Uint8Array): Bus {
  return { request: async () => reply } as Partial<Bus> as Bus;
}

function runServices(bus: Bus): RunServices {
  const clock = new ManualClock(0);
  return { bus, clock, log: quiet, handOvers: new HandOvers(clock, 0) } as unknown as RunServices;
}

const program = programOf(mission.revision, []);
const atHand = { run: 'r', program, mission, holds: () => true } as unknown as RunAtHand;
const { signal } = new AbortController();
const driver = { name: 'pus', explicit: false };

const looking = (bus: Bus) => ({ bus, clock: realClock, passes: NO_PASSES });

/** What each makes of a malformed reply; it must not be what it makes of an answer. */
const CALLERS: Readonly<Record<string, (bus: Bus) => Promise<unknown>>> = {
  'the links route, driver': (bus) =>
    new LinkEnds(target, null, { bus, clock: realClock }).driver('pus', 'uhf'),
  'the links route, gateway': (bus) =>
    new LinkEnds(target, null, { bus, clock: realClock }).gateway('sim-1', 'uhf', []),
  'the launch in orbit': (bus) =>
    linkRefusal({ ...program, environment: 'in_orbit' }, mission, looking(bus)).then(
      (refusal) => refusal ?? 'a link',
    ),
  'the faults route': (bus) => askForFaults('sim-1', undefined, { bus, log: quiet }),
  'the encode route': (bus) => askDriver(driver, 'encode', {}, { bus, clock: realClock, log: quiet }),
  'the decode route': (bus) => askDriver(driver, 'decode', {}, { bus, clock: realClock, log: quiet }),
  'readiness of a run': (bus) =>
    unreadiness({ ...looking(bus), handOvers: new HandOvers(realClock, 0), signal }, mission, program),
  'a fault of a run': (bus) => {
    const fault = { fault: 'x', target: 'sat1', gateway: 'sim-1' };
    const effect = { type: 'effect.fault', index: 0, fault, on: true, at: 0 };
    return Promise.resolve(createFault(runServices(bus))(effect as never, atHand, signal));
  },
  'a reaction': (bus) =>
    interruptAll(['r'], { by: 'alarm x', services: runServices(bus), isOwner: () => true, signal }).then(
      (reported) => [...reported],
    ),
};

/** What must not be seen: a success that nobody has said, and what only a good answer brings. */
const CLAIMS: Readonly<Record<string, RegExp>> = {
  'the faults route': /"ok":true/,
  'the encode route': /"ok":true/,
  'the decode route': /"ok":true/,
  'a fault of a run': /switched/,
  'a reaction': /"r"/,
  'the links route, driver': /"current"|"mode":\{/,
  'the links route, gateway': /"current"|"mode":\{|sideways/,
  'readiness of a run': /object Object/,
  'the launch in orbit': /object Object|sideways|undefined/,
};

describe('who asks', () => {
  it.each(Object.entries(CALLERS))(
    'reply.A2 %s is not felled by a malformed reply, nor takes it for an answer',
    async (name, ask) => {
      for (const [what, reply] of Object.entries(MALFORMED)) {
        const made = await ask(answering(reply)).catch((error: unknown) => {
          throw new Error(`${what}: ${String(error)}`);
        });
        expect(json(made) ?? '', what).not.toMatch(CLAIMS[name]!);
      }
    },
  );
});
