/**
 * Finding what a reference or a `$name` means (scope.R1, R2). A lone word that is no measure stays a word: the
 * other side of its comparison may have it as a value.
 */

import { isFileId } from '../../contract/file-chunk.ts';
import type { Enumeration } from '../platform.ts';
import { findUnit, PLAIN, type Unit } from '../unit.ts';
import type { NumberRun } from './history.ts';
import { listed } from './listing.ts';
import type { InstanceOf, Slot } from './plan.ts';
import type { ScopeComponent, ScopeMeasure, ScopePlatform } from './scope.ts';
import type { InstanceNode, ReferenceNode, Segment } from './syntax.ts';
import type { Check, Term } from './term.ts';
import { FALSE, TRUE, UNKNOWN } from './truth.ts';

const TEXT_TYPES = ['string', 'bytes', 'instance', 'file'];

interface Place {
  readonly platform: ScopePlatform;
  readonly component: ScopeComponent;
  /** As written in front of the measure; undefined for a bare measure. */
  readonly segment: Segment | undefined;
  readonly measure: Segment;
}

/** The measure or word referred to; reports what does not exist and what would. */
export function referenceTerm(node: ReferenceNode, check: Check): Term | undefined {
  const word = loneWord(node);
  if (word !== undefined && ownMeasure(word, check) === undefined) return { kind: 'word', word };
  const place = placeOf(node, check);
  if (place === undefined) return undefined;
  const { withoutFiles } = check.scope;
  if (place.component.files && withoutFiles !== undefined) {
    const help = 'judge it in a procedure, or in requires or verify of a telecommand';
    return check.fault(node.at, `${place.component.name} is the on-board directory: ${withoutFiles}`, help);
  }
  const measure = measureOf(place, node.at, check);
  const instance = instanceOf(place, node.at, check);
  if (measure === undefined || instance === undefined) return undefined;
  return measureTerm(measure, slotOf(place, measure, instance), check);
}

/** The value of `$name`; reports when there is no such name. */
export function nameTerm(name: string, at: number, check: Check): Term | undefined {
  const named = check.scope.names?.get(name);
  if (named === undefined) return check.fault(at, `nothing is named $${name}`, names(check));
  const { enumeration } = named;
  const text = enumeration === undefined && TEXT_TYPES.includes(named.type);
  const index = check.plan.name({ name, text, enumeration });
  if (text) {
    return { kind: 'text', bytes: named.type === 'bytes', run: (history) => history.nameTexts[index]! };
  }
  return numeric(named, (history) => history.nameNumbers[index]!);
}

/** What a lone word was meant to be, when nothing explains it. */
export function unknownWord(word: string, at: number, check: Check): undefined {
  const own = ownComponent(check);
  const known = own?.measures.map((measure) => measure.name) ?? [];
  const help = own === undefined ? 'write component.measure' : `${own.name} has: ${listed(known)}`;
  return check.fault(at, `"${word}" is no measure`, help);
}

/** The unit a measure or name declares; an undeclared or unknown one counts as none (its declaration is refused). */
export function declaredUnit(unit: string | undefined): Unit {
  return (unit === undefined ? undefined : findUnit(unit)) ?? PLAIN;
}

function loneWord(node: ReferenceNode): string | undefined {
  const [first, ...rest] = node.path;
  return rest.length === 0 && first?.instance === null ? first.name : undefined;
}

function ownComponent({ scope }: Check): ScopeComponent | undefined {
  return scope.own === undefined ? undefined : scope.platform?.components.get(scope.own);
}

function ownMeasure(name: string, check: Check): ScopeMeasure | undefined {
  return ownComponent(check)?.measures.find((measure) => measure.name === name);
}

function placeOf(node: ReferenceNode, check: Check): Place | undefined {
  const { platform, roles } = check.scope;
  const path = [...node.path];
  const measure = path.pop()!;
  if (measure.instance !== null) {
    return check.fault(
      node.at,
      `"${measure.name}" is a measure and has no instances`,
      'write component[instance].measure',
    );
  }
  const owner = ownComponent(check);
  if (path.length === 0 && platform !== undefined && owner !== undefined) {
    return { platform, component: owner, segment: undefined, measure };
  }
  const found = roles === undefined ? platform : roleOf(path.shift(), roles, node, check);
  const [segment, ...more] = path;
  if (found === undefined) return undefined;
  if (segment === undefined || more.length > 0)
    return check.fault(node.at, 'not a reference to a measure', form(check));
  const component = found.components.get(segment.name);
  if (component === undefined) {
    return check.fault(
      node.at,
      `no component "${segment.name}"`,
      `there are: ${listed(found.components.keys())}`,
    );
  }
  return { platform: found, component, segment, measure };
}

function roleOf(
  segment: Segment | undefined,
  roles: ReadonlyMap<string, ScopePlatform>,
  node: ReferenceNode,
  check: Check,
): ScopePlatform | undefined {
  if (segment === undefined || segment.instance !== null) {
    return check.fault(node.at, 'not a reference to a measure', form(check));
  }
  const platform = roles.get(segment.name);
  if (platform !== undefined) return platform;
  return check.fault(node.at, `no role "${segment.name}"`, `there are: ${listed(roles.keys())}`);
}

function form({ scope }: Check): string {
  return scope.roles === undefined
    ? 'write component.measure or component[instance].measure; no role in front here'
    : 'write role.component.measure or role.component[instance].measure';
}

function measureOf({ component, measure }: Place, at: number, check: Check): ScopeMeasure | undefined {
  const found = component.measures.find((one) => one.name === measure.name);
  if (found !== undefined) return found;
  const known = component.measures.map((one) => one.name);
  return check.fault(at, `${component.name} has no measure "${measure.name}"`, `it has: ${listed(known)}`);
}

function instanceOf({ component, segment }: Place, at: number, check: Check): InstanceOf | undefined {
  const written = segment?.instance ?? null;
  const several = component.instances.length > 0 || component.files;
  if (!several && written === null) return { kind: 'none' };
  if (!several) {
    return check.fault(at, `${component.name} has no instances`, `write ${component.name} alone`);
  }
  if (written !== null) return writtenInstance(written, component, at, check);
  if (component.name === check.scope.own && check.scope.roles === undefined) return { kind: 'own' };
  const known = component.files ? 'any file identifier' : listed(component.instances);
  return check.fault(at, `${component.name} needs an instance`, `write ${component.name}[…] with: ${known}`);
}

function writtenInstance(
  written: InstanceNode,
  component: ScopeComponent,
  at: number,
  check: Check,
): InstanceOf | undefined {
  if (written.kind === 'name') return namedInstance(written.name, component, at, check);
  if (component.files ? isFileId(written.value) : component.instances.includes(written.value)) {
    return { kind: 'literal', value: written.value };
  }
  const known = component.files ? 'any file identifier, a whole number' : listed(component.instances);
  return check.fault(at, `${component.name} has no instance "${written.value}"`, `there are: ${known}`);
}

function namedInstance(
  name: string,
  component: ScopeComponent,
  at: number,
  check: Check,
): InstanceOf | undefined {
  const named = check.scope.names?.get(name);
  if (named === undefined) return check.fault(at, `nothing is named $${name}`, names(check));
  const fits = component.files
    ? named.type === 'file_id'
    : named.type === 'instance' && (named.of === undefined || named.of === component.name);
  if (fits) return { kind: 'name', value: name };
  const wanted = component.files ? 'a file_id' : `an instance of ${component.name}`;
  return check.fault(at, `$${name} is not an instance of ${component.name}`, `declare it as ${wanted}`);
}

function names({ scope }: Check): string {
  const known = [...(scope.names?.keys() ?? [])].map((name) => `$${name}`);
  return known.length === 0 ? 'no names exist here' : `there are: ${listed(known)}`;
}

function slotOf(place: Place, measure: ScopeMeasure, instance: InstanceOf): Slot {
  return {
    platform: place.platform,
    component: place.component.name,
    instance,
    measure: measure.name,
    text: measure.enumeration === undefined && TEXT_TYPES.includes(measure.type),
    files: place.component.files,
  };
}

function measureTerm(measure: ScopeMeasure, of: Slot, { plan }: Check): Term {
  const slot = plan.slot(of);
  if (of.text) {
    return { kind: 'text', bytes: measure.type === 'bytes', run: (history) => history.texts[slot]!, slot };
  }
  return { ...numeric(measure, (history) => history.numbers[slot]!), slot };
}

function numeric(
  of: {
    readonly type: string;
    readonly unit?: string | undefined;
    readonly enumeration?: Enumeration | undefined;
  },
  run: NumberRun,
): Exclude<Term, { kind: 'word' | 'text' }> {
  const { enumeration } = of;
  if (enumeration !== undefined) return { kind: 'enum', enumeration, run };
  if (of.type !== 'bool') return { kind: 'number', unit: declaredUnit(of.unit), run };
  return {
    kind: 'truth',
    run: (history) => {
      const value = run(history);
      if (Number.isNaN(value)) return UNKNOWN;
      return value === 0 ? FALSE : TRUE;
    },
  };
}
