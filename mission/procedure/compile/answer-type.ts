/**
 * The type of an input or of an answer, checked against the platforms of the roles. Mission Control Service, section
 * 2.3 (inputs) and section 4.2 (typed answers).
 */

import { nearHelp } from '../../../contract/near.ts';
import type { AnswerType } from '../../../contract/program.ts';
import { intervalIn, unitKnown } from '../../check/quantity.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { AnswerTypeDocument } from '../../document/input.ts';
import type { Enumeration } from '../../platform.ts';
import { isNumberType, isValueType, VALUE_TYPES } from '../../value-type.ts';
import type { Role } from '../procedure.ts';

/** Types that name something of the mission rather than a value. */
const NAMING_TYPES = ['instance', 'file_id', 'file'] as const;

/** Whose platforms a type may speak of. */
export interface TypeSite {
  readonly roles: ReadonlyMap<string, Role>;
  /** Some platform is not known: an enumeration or a component may be there. */
  readonly lenient: boolean;
}

/** The type; undefined when it has a fault, or speaks of a platform that is not known. */
export function checkAnswerType(
  document: AnswerTypeDocument,
  site: TypeSite,
  faults: FaultsAt,
): AnswerType | undefined {
  const before = faults.found;
  checkParts(document, faults);
  const type = typeOf(document, site, faults);
  return faults.found === before ? type : undefined;
}

/** Parts that do not belong to the type. */
function checkParts({ type, unit, of, range }: AnswerTypeDocument, faults: FaultsAt): void {
  const isNumber = isNumberType(type);
  if (unit !== undefined && !isNumber) faults.in('unit').fault(`${type} has no unit`, 'leave it out');
  if (range !== undefined && !isNumber && type !== 'string' && type !== 'bytes')
    faults.in('range').fault(`${type} has no range`, 'leave it out');
  const needsOf = type === 'instance' || type === 'file_id';
  if (of !== undefined && !needsOf)
    faults.in('of').fault('only instance and file_id are of something', 'leave it out');
  if (of !== undefined || !needsOf) return;
  const what = type === 'instance' ? 'component' : 'file type';
  faults.fault(`${type} without its object`, `add \`of\` with the name of a ${what}`);
}

function typeOf(document: AnswerTypeDocument, site: TypeSite, faults: FaultsAt): AnswerType | undefined {
  const { type, of } = document;
  if (type === 'file') return { type };
  if (type === 'instance') return of === undefined ? undefined : instanceType(of, site, faults.in('of'));
  if (type === 'file_id') return of === undefined ? undefined : fileType(of, site, faults.in('of'));
  if (isValueType(type)) return valueType(document, faults);
  return enumType(type, site, faults.in('type'));
}

function valueType({ type, unit, range }: AnswerTypeDocument, faults: FaultsAt): AnswerType | undefined {
  if (!unitKnown(unit, faults.in('unit'))) return undefined;
  const read = range === undefined ? undefined : intervalIn(range, unit, faults.in('range'));
  return { type, ...(unit !== undefined && { unit }), ...(read !== undefined && { range: read }) };
}

function enumType(type: string, { roles, lenient }: TypeSite, faults: FaultsAt): AnswerType | undefined {
  const platforms = [...roles.values()].map(({ compiled }) => compiled);
  const found = platforms.flatMap(({ enumerations }) => enumerations.get(type) ?? []);
  const [first, ...others] = found;
  if (first === undefined) {
    const known = platforms.flatMap(({ enumerations }) => [...enumerations.keys()]);
    const help = nearHelp(type, new Set([...known, ...NAMING_TYPES, ...VALUE_TYPES]), 'types');
    if (!lenient) faults.fault(`unknown type "${type}"`, help);
    return undefined;
  }
  const values = valuesOf(first);
  if (others.every((each) => JSON.stringify(valuesOf(each)) === JSON.stringify(values)))
    return { type, values };
  faults.fault(`the platforms of the roles have different enumerations "${type}"`, 'rename one of them');
  return undefined;
}

function valuesOf(enumeration: Enumeration): (readonly [string, number])[] {
  return enumeration.names.map((name) => [name, enumeration.numberOf(name) ?? 0] as const);
}

function instanceType(of: string, { roles, lenient }: TypeSite, faults: FaultsAt): AnswerType | undefined {
  const components = [...roles.values()].flatMap(({ compiled }) => compiled.components.get(of) ?? []);
  const [first, ...others] = components.filter(({ instances }) => instances.length > 0);
  if (first === undefined) {
    if (lenient) return undefined;
    const known = [...roles.values()].flatMap(({ compiled }) =>
      [...compiled.components.values()].flatMap(({ name, instances }) =>
        instances.length > 0 ? [name] : [],
      ),
    );
    const message =
      components.length > 0
        ? `component ${of} has no instances`
        : `no platform of a role has a component "${of}"`;
    faults.fault(message, nearHelp(of, new Set(known), 'components with instances'));
    return undefined;
  }
  if (others.every(({ instances }) => instances.join() === first.instances.join()))
    return { type: 'instance', of };
  faults.fault(
    `the platforms of the roles have different instances of ${of}`,
    'rename one of the components',
  );
  return undefined;
}

function fileType(of: string, { roles, lenient }: TypeSite, faults: FaultsAt): AnswerType | undefined {
  const platforms = [...roles.values()].map(({ compiled }) => compiled);
  if (platforms.some(({ fileTypes }) => fileTypes.has(of))) return { type: 'file_id', of };
  const known = platforms.flatMap(({ fileTypes }) => [...fileTypes.keys()]);
  if (!lenient)
    faults.fault(`no platform of a role has a file type "${of}"`, nearHelp(of, new Set(known), 'file types'));
  return undefined;
}
