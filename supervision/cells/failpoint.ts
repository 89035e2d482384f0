/**
 * Places where a test lets the process die for real, by SIGKILL: `MCS_FAILPOINT=<kind>:<point>`, where the point is
 * `committing <STATE>` or `committed <STATE>` (of a record; of a run its number in the log; of an alarm also `written
 * <STATE>`, in its bucket and not yet published), `asked <effect>` or `answered <effect>`. Without the variable nothing
 * is wrapped and nothing is paid.
 */

import type { AnyStateMachine } from 'xstate';
import type { Binding, EffectRun, Emitted } from '../../ports/entity.ts';

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives while this spins: nothing else of the process runs meanwhile.
  for (;;);
}

/** Kills the process when it is called with the given point, if that is one of this kind. */
export function failpointOf(kind: string, failpoint: string | undefined): (point: string) => void {
  const wanted = failpoint?.startsWith(`${kind}:`) ? failpoint.slice(kind.length + 1) : undefined;
  if (wanted === undefined) return () => undefined;
  return (point) => {
    if (point === wanted) die();
  };
}

/** The binding, dying at the given point if the point is of this kind. */
export function withFailpoint<Chart extends AnyStateMachine>(
  binding: Binding<Chart>,
  failpoint: string | undefined,
): Binding<Chart> {
  if (failpoint === undefined) return binding;
  const [kind, point] = failpoint.split(':');
  if (kind !== binding.kind || point === undefined) return binding;
  const reached = (what: string): void => {
    if (what === point) die();
  };
  return {
    ...binding,
    store: mortalStore(binding.store, reached),
    effects: mortalEffects(binding.effects, reached),
  };
}

function mortalStore(store: Binding['store'], reached: (what: string) => void): Binding['store'] {
  const states = (records: readonly Emitted[]): string[] =>
    records.map((record) => ('state' in record ? String(record.state) : record.type));
  return {
    load: (id, how) => store.load(id, how),
    commit: async (commit) => {
      for (const state of states(commit.records)) reached(`committing ${state}`);
      const outcome = await store.commit(commit);
      for (const state of states(commit.records)) reached(`committed ${state}`);
      return outcome;
    },
  };
}

function mortalEffects(effects: Binding['effects'], reached: (what: string) => void): Binding['effects'] {
  const mortal = Object.entries(effects).map(([type, handler]) => [
    type,
    async (effect: Emitted, run: EffectRun) => {
      reached(`asked ${type}`);
      const reply = await handler(effect, run);
      reached(`answered ${type}`);
      return reply;
    },
  ]);
  return Object.fromEntries(mortal);
}
