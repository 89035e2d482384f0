/**
 * A bench that answers what the test wants, for what the real one can hardly be brought to: every refusal of every
 * route, and a defect. It remembers what it was asked. Its good answers are the examples of the interface description.
 */

import type { BenchErrorCode, BenchFault } from '../../../contract/bench/errors.ts';
import { BenchEvent } from '../../../contract/bench/event.ts';
import { BenchFrame } from '../../../contract/bench/frame.ts';
import { Profile } from '../../../contract/bench/profile.ts';
import { accepted, refused } from '../../../contract/result.ts';
import * as shapes from '../../../http/bench/shapes.ts';
import { exampleOf } from '../../../http/schema-components.ts';
import type { Bench } from '../../../ports/bench.ts';

type Feed = (message: Uint8Array) => void;

export interface ScriptedBench {
  readonly bench: Bench;
  /** `part.method` with its arguments, in order. */
  readonly asked: { readonly what: string; readonly args: readonly unknown[] }[];
  /** What everything that can refuse does from now on; undefined: nothing. */
  refusal: BenchFault | undefined;
  /** What everything throws from now on. */
  defect: Error | undefined;
  /** Held back while this is pending. */
  gate: Promise<unknown> | undefined;
  readonly frameWatchers: Set<(frame: BenchFrame) => void>;
  readonly feedWatchers: Set<Feed>;
}

export function fault(code: BenchErrorCode): BenchFault {
  return { code, message: `scripted: ${code}` };
}

const nothing = { list: () => [], get: () => undefined };

/** A bench of good answers. */
export function scriptedBench(): ScriptedBench {
  const script: ScriptedBench = {
    bench: undefined as unknown as Bench,
    asked: [],
    refusal: undefined,
    defect: undefined,
    gate: undefined,
    frameWatchers: new Set(),
    feedWatchers: new Set(),
  };
  const yes = (shape: object) => async () => accepted(exampleOf(shape as never) as never);
  const parts = {
    radio: {
      status: yes(shapes.RadioStatusShape),
      tune: yes(shapes.RadioStatusShape),
      gain: yes(shapes.RadioStatusShape),
      loopback: yes(shapes.RadioStatusShape),
      reset: yes(shapes.RadioStatusShape),
      capabilities: yes(shapes.CapabilitiesShape),
      aux: yes(shapes.AuxShape),
      clocks: yes(shapes.ClocksShape),
    },
    chain: {
      state: yes(shapes.ChainStateShape),
      condition: yes(shapes.ConditionedShape),
      recover: yes(shapes.RecoveredShape),
    },
    datapath: {
      state: () => ({ acquired: true }),
      capture: async () => accepted(Uint8Array.of(1, 2, 3)),
      enable: async () => accepted({ enabled: true }),
      disable: async () => accepted({ enabled: false }),
      flush: async () => accepted({ useful_bytes: 0, tx_chain_running: null }),
      loopback: async (payload: Uint8Array) => accepted(payload),
      measure: yes(shapes.MeasurementShape),
      transmit: yes(shapes.TransmitShape),
      feed: async () => accepted({ pendingBytes: 7 }),
    },
    profiles: {
      list: () => exampleOf(shapes.ProfilesShape),
      active: async () => ({ dirty: false }),
      get: () => exampleOf(Profile),
      validate: () => ({ ok: false, errors: ['tx.gain_db: is 3'] }),
      register: (name: string) =>
        accepted({ name, replaced: false, persisted: false, note: 'until the end' }),
      apply: yes(shapes.ApplyShape),
      revisions: () => exampleOf(shapes.RevisionsShape),
    },
    scenarios: {
      list: () => exampleOf(shapes.ScenariosShape),
      get: () => exampleOf(shapes.ScenarioShape),
      validate: () => ({ ok: true, errors: [] }),
      start: yes(shapes.ScenarioRunShape),
      active: () => undefined,
      cancel: yes(shapes.ScenarioRunShape),
      runs: yes(shapes.ScenarioRunsShape),
      run: yes(shapes.ScenarioRunShape),
      runEvents: yes(shapes.RunEventsShape),
      reports: yes(shapes.ReportsShape),
      report: yes(shapes.ReportShape),
    },
    campaigns: {
      list: () => exampleOf(shapes.CampaignsShape),
      get: () => exampleOf(shapes.CampaignShape),
      active: () => exampleOf(shapes.ActiveCampaignShape),
      start: yes(shapes.CampaignStateShape),
      runs: yes(shapes.CampaignRunsShape),
      run: yes(shapes.CampaignStateShape),
      pause: yes(shapes.CampaignStateShape),
      resume: yes(shapes.CampaignStateShape),
      rerun: yes(shapes.CampaignStateShape),
    },
    events: {
      events: () => [exampleOf(BenchEvent)],
      logs: () => [exampleOf(BenchEvent)],
      purge: async () => accepted(3),
    },
    frames: {
      page: () => exampleOf(shapes.FramePageShape),
      get: () => exampleOf(BenchFrame),
      purge: () => 2,
      watch: watching(script.frameWatchers),
    },
    feeds: { watch: (_feed: string, reported: Feed) => watching(script.feedWatchers)(reported) },
  };
  const bench = Object.fromEntries(
    Object.entries(parts).map(([part, methods]) => [part, scripted(part, methods, script)]),
  );
  return Object.assign(script, { bench: bench as unknown as Bench });
}

function watching<Told>(watchers: Set<Told>) {
  return (announced: Told) => {
    watchers.add(announced);
    return () => void watchers.delete(announced);
  };
}

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The methods, each remembered and refused or broken as the script says. */
function scripted(part: string, methods: Methods, script: ScriptedBench): Methods {
  const wrap = (name: string, method: Methods[string]) =>
    ((...args: unknown[]) => {
      script.asked.push({ what: `${part}.${name}`, args });
      if (script.defect !== undefined) throw script.defect;
      if (script.refusal !== undefined) {
        if (name in nothing || name === 'revisions') return undefined;
        if (name !== 'watch') return name === 'register' ? refused(script.refusal) : refusing(script);
      }
      const answer = method(...(args as never[]));
      return script.gate === undefined ? answer : script.gate.then(() => answer);
    }) as Methods[string];
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, wrap(name, method)]));
}

async function refusing({ refusal }: ScriptedBench) {
  return refused(refusal!);
}
