/**
 * The inputs of a procedure: those of a request, and those a call passes on. Mission Control Service, section 2.3
 * (field `inputs`) and section 7.4.
 *
 * I1. An input without value takes its default; one whose default is null may stay without.
 * I2. What a call passes on is in the unit of the caller's input and is converted; a value that does not fit is a fault
 *     of the input of the request it comes from.
 */

import type { Fault } from '../../../contract/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import { fault } from '../../resolve-link.ts';
import type { Input, Procedure, Written } from '../procedure.ts';
import { type BoundInput, type Invocation, inputMeaning } from './invocation.ts';
import { pointer } from './pointer.ts';
import { readTyped, type ValueSite, withUnit } from './typed-value.ts';

export interface ResolvedInputs {
  /** Those that hold. */
  readonly inputs: ReadonlyMap<string, BoundInput>;
  readonly faults: readonly Fault[];
}

/** The inputs of the request, and what does not hold: without value, too many, invalid. */
export function requestedInputs(
  given: Readonly<Record<string, unknown>>,
  procedure: Procedure,
  uploads: ReadonlySet<string>,
): ResolvedInputs {
  const site = valueSite(procedure, uploads);
  const inputs = new Map<string, BoundInput>();
  const faults: Fault[] = [];
  for (const [name, input] of procedure.inputs) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const bound = bind(input, value, pointer('inputs', name), site);
    if ('code' in bound) faults.push(bound);
    else inputs.set(name, bound);
  }
  return { inputs, faults: [...faults, ...unexpectedInputs(given, procedure)] };
}

/** The inputs of a called procedure; what does not fit is reported in the frame of the caller. */
export function passedInputs(
  procedure: Procedure,
  passed: ReadonlyMap<string, Written>,
  caller: Invocation,
): ReadonlyMap<string, BoundInput> {
  const site = valueSite(procedure, caller.uploads);
  const inputs = new Map<string, BoundInput>();
  for (const [name, input] of procedure.inputs) {
    const bound = passedInput(input, passed.get(name), caller, site);
    if (bound === undefined) continue;
    if ('code' in bound) caller.faults.push(bound);
    else inputs.set(name, bound);
  }
  return inputs;
}

function passedInput(
  input: Input,
  written: Written | undefined,
  caller: Invocation,
  site: ValueSite,
): BoundInput | Fault | undefined {
  if (written === undefined) return bind(input, undefined, pointer('run'), site);
  if ('value' in written) return bind(input, withUnit(written.value, input.type.unit), pointer('run'), site);
  const meaning = inputMeaning(written.name, caller);
  if (meaning.kind === 'unknown') return undefined;
  if (meaning.kind === 'absent') return bind(input, undefined, meaning.at, site);
  return bind(input, withUnit(meaning.value, meaning.unit), meaning.at, site);
}

/** A value given or the default; a fault when there is none or it does not fit. */
function bind(input: Input, given: unknown, at: string, site: ValueSite): BoundInput | Fault {
  const { name, type } = input;
  const value = given === undefined ? defaultOf(input) : given;
  if (value === undefined) {
    return fault(
      'run::missing-input',
      `input "${name}" has no value and no default`,
      describe(input, site),
      at,
    );
  }
  if (given === undefined && value === null) return { value, type, at };
  const read = readTyped(type, value, site);
  if (read.ok) return { value: read.value, type, at };
  const [{ message, help }] = read.faults;
  return fault('run::invalid-input', `input "${name}": ${message}`, help, at);
}

/** A default was read when the library was compiled: its number is in the unit of the input. */
function defaultOf({ default: value, type }: Input): unknown {
  return typeof value === 'number' ? withUnit(value, type.unit) : value;
}

function describe({ type: { type, unit, values, of } }: Input, site: ValueSite): string {
  if (values !== undefined) return `give one of ${values.map(([name]) => name).join(', ')}`;
  if (type === 'instance') return `give one of ${site.instancesOf(of ?? '').join(', ')}`;
  if (type === 'file') return 'give the SHA-256 of content stored with POST /v1/uploads';
  if (type === 'file_id') return 'give the number of a file on board';
  return unit === undefined ? `give a ${type}` : `give a ${type} with its unit, like "10 ${unit}"`;
}

function unexpectedInputs(given: Readonly<Record<string, unknown>>, procedure: Procedure): Fault[] {
  const names = [...procedure.inputs.keys()];
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const message = `procedure ${procedure.name} has no input "${name}"`;
      const help = nearHelp(name, names, 'inputs', 'it takes none');
      return fault('run::unexpected-input', message, help, pointer('inputs', name));
    });
}

/** Instances are those of the first role whose platform has the component. */
function valueSite({ roles }: Procedure, uploads: ReadonlySet<string>): ValueSite {
  return {
    uploads,
    instancesOf: (component) => {
      const components = [...roles.values()].map(({ compiled }) => compiled.components.get(component));
      return components.find((each) => each !== undefined)?.instances ?? [];
    },
  };
}
