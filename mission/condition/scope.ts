/**
 * What a condition may name, and how a reference is found in it. A platform has the shape asked for here, so its loader
 * passes it as it is. Mission Control Service, section 2.11.
 *
 * R1. `component[instance].measure`; a bare `measure`, or the component without instance, inside its own component.
 * R2. With roles every reference begins with one; without, none may.
 */

import type { Enumeration } from '../platform.ts';

export interface ConditionScope {
  /** What references without role name. */
  readonly platform?: ScopePlatform | undefined;
  /** The component whose measures may be named alone; its own instance is bound when the condition is opened. */
  readonly own?: string | undefined;
  /**
   * Platforms by role. The ordinals of two roles must not meet: one evaluation reports its samples by ordinal alone.
   */
  readonly roles?: ReadonlyMap<string, ScopePlatform> | undefined;
  /**
   * Why it may not name files, where it may not: alarms and derived measures are made of measures that are there before
   * any sample.
   */
  readonly withoutFiles?: string | undefined;
  /** What `$name` may name: inputs, answers or arguments. */
  readonly names?: ReadonlyMap<string, ScopeName> | undefined;
}

export interface ScopePlatform {
  readonly components: ReadonlyMap<string, ScopeComponent>;
  /** Ordinal of `component.measure` or `component[instance].measure`. */
  ordinal(key: string): number | undefined;
}

export interface ScopeComponent {
  readonly name: string;
  readonly instances: readonly string[];
  /** The component of the on-board directory: any file identifier is an instance. */
  readonly files: boolean;
  readonly measures: readonly ScopeMeasure[];
}

export interface ScopeMeasure {
  readonly name: string;
  /** A value type or the name of an enumeration. */
  readonly type: string;
  readonly unit: string | undefined;
  readonly enumeration: Enumeration | undefined;
}

export interface ScopeName {
  /** A value type, the name of an enumeration, `instance` (of a component), `file_id` or `file`. */
  readonly type: string;
  readonly unit?: string | undefined;
  readonly enumeration?: Enumeration | undefined;
  /** For `instance`: the component. */
  readonly of?: string | undefined;
}
