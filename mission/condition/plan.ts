/**
 * What a condition needs while it is followed, collected while it is compiled: the measures it reads (slots), the
 * values of its names, windows, holds and timers. Opening binds it to instances and values and gives a fresh history.
 */

import { assert } from '../../contract/assert.ts';
import { isFileId } from '../../contract/file-chunk.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Enumeration } from '../platform.ts';
import type { Bindings } from './condition.ts';
import { History, type Timer, type TruthRun } from './history.ts';
import { Hold } from './hold.ts';
import type { ScopePlatform } from './scope.ts';
import { Window } from './window.ts';

export type InstanceOf =
  | { readonly kind: 'none' | 'own' }
  | { readonly kind: 'literal' | 'name'; readonly value: string };

/** A measure as the condition reads it. */
export interface Slot {
  readonly platform: ScopePlatform;
  readonly component: string;
  readonly instance: InstanceOf;
  readonly measure: string;
  readonly text: boolean;
  /** Its instances are open-ended: one that is not there is unknown, not a defect. */
  readonly files: boolean;
}

interface NameSlot {
  readonly name: string;
  readonly text: boolean;
  readonly enumeration: Enumeration | undefined;
}

export class Plan {
  readonly slots: Slot[] = [];
  readonly names: NameSlot[] = [];
  readonly windows: { readonly slot: number; readonly lengthMs: number }[] = [];
  /** What is held, inner first. */
  readonly held: { readonly run: TruthRun }[] = [];
  readonly timers: Timer[] = [];
  /** Timers of what is held: the holds must be settled when they fire. */
  readonly heldTimers = new Set<Timer>();
  /** Whether it needs real time: temporal functions, holds, ages and changes. */
  temporal = false;
  /** How far back it looks, at most, ms: what is within each other adds up. */
  spanMs = 0;

  /** Index of the slot; the same measure has one. */
  slot(slot: Slot): number {
    const same = this.slots.findIndex(
      (other) =>
        other.platform === slot.platform &&
        other.component === slot.component &&
        other.measure === slot.measure &&
        sameInstance(other.instance, slot.instance),
    );
    return same === -1 ? this.slots.push(slot) - 1 : same;
  }

  name(name: NameSlot): number {
    const same = this.names.findIndex((other) => other.name === name.name);
    return same === -1 ? this.names.push(name) - 1 : same;
  }

  /** Index of the window over a slot; windows of the same length are one. */
  window(slot: number, lengthMs: number): number {
    this.temporal = true;
    const same = this.windows.findIndex((other) => other.slot === slot && other.lengthMs === lengthMs);
    if (same !== -1) return same;
    this.spanMs += lengthMs;
    const index = this.windows.push({ slot, lengthMs }) - 1;
    this.timers.push((history, after) => {
      history.windows[index]!.expire(after);
      return history.windows[index]!.expiry;
    });
    return index;
  }

  /** Index of the hold; `since` is how many timers there were before what is held was compiled. */
  hold(run: TruthRun, durationMs: number, since: number): number {
    this.temporal = true;
    this.spanMs += durationMs;
    for (const timer of this.timers.slice(since)) this.heldTimers.add(timer);
    const index = this.held.push({ run }) - 1;
    this.timers.push((history, after) => {
      const due = history.holds[index]!.due(durationMs);
      return due > after ? due : Number.POSITIVE_INFINITY;
    });
    return index;
  }

  /** The ordinal of each slot; undefined for a file that no sample can come from. */
  ordinals(bindings: Bindings): (number | undefined)[] {
    return this.slots.map((slot) => {
      const { platform, component, measure } = slot;
      if (slot.files) {
        const file = slot.instance.kind === 'own' ? bindings.instance : instanceName(slot.instance, bindings);
        return isFileId(file) ? bindings.files?.ordinal({ platform, component, file, measure }) : undefined;
      }
      const instance = instanceName(slot.instance, bindings);
      const of = instance === undefined ? component : `${component}[${instance}]`;
      const ordinal = platform.ordinal(`${of}.${measure}`);
      assert(ordinal !== undefined, `condition/condition.N3: ${of}.${measure} has an ordinal`);
      return ordinal;
    });
  }

  history(bindings: Bindings): History {
    const windows = this.windows.map((window) => new Window(window.lengthMs));
    return new History({
      texts: this.slots.map((slot) => slot.text),
      windowsOf: this.slots.map((_, slot) =>
        windows.filter((_, index) => this.windows[index]!.slot === slot),
      ),
      windows,
      holds: this.held.map(() => new Hold()),
      nameNumbers: this.names.map((name) => (name.text ? Number.NaN : boundNumber(name, bindings))),
      nameTexts: this.names.map((name) => (name.text ? String(bound(name.name, bindings)) : null)),
    });
  }
}

function sameInstance(a: InstanceOf, b: InstanceOf): boolean {
  if (a.kind !== b.kind) return false;
  return !('value' in a) || !('value' in b) || a.value === b.value;
}

function instanceName(instance: InstanceOf, bindings: Bindings): string | undefined {
  if (instance.kind === 'none') return undefined;
  if (instance.kind === 'literal') return instance.value;
  if (instance.kind === 'name') return String(bound(instance.value, bindings));
  assert(bindings.instance !== undefined, 'N3: the own instance is bound');
  return bindings.instance;
}

function bound(name: string, bindings: Bindings): ResolvedValue {
  const value = bindings.names?.[name];
  assert(value !== undefined, `condition/condition.N3: $${name} is bound`);
  return value;
}

function boundNumber(name: NameSlot, bindings: Bindings): number {
  const value = bound(name.name, bindings);
  if (typeof value === 'string' && name.enumeration !== undefined) {
    const number = name.enumeration.numberOf(value);
    assert(
      number !== undefined,
      `condition/condition.N3: $${name.name} is a value of ${name.enumeration.name}`,
    );
    return number;
  }
  return Number(value);
}
