/** Parameters of a component: what sets them and what reads them back. Mission Control Service, section 2.5. */

import { nearHelp } from '../../contract/near.ts';
import type {
  ArgumentConfiguration,
  ComponentConfiguration,
  ParameterConfiguration,
} from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ParameterDocument } from '../document/platform.ts';
import type { MeasureTable } from '../measure-table.ts';
import { converts, findUnit } from '../unit.ts';
import { isNumberType } from '../value-type.ts';
import { typeKnown } from './measure.ts';
import { unitKnown } from './quantity.ts';

/** The parameters; a setter or readback that is not there, or of another kind, is reported. */
export function checkParameters(
  parameters: Readonly<Record<string, ParameterDocument>>,
  component: ComponentConfiguration,
  components: readonly ComponentConfiguration[],
  frame: MeasureTable,
  faults: FaultsAt,
): ParameterConfiguration[] {
  return Object.entries(parameters).map(([name, document]) => {
    const at = faults.in(name);
    const { description, type, unit } = document;
    typeKnown(type, new Set(frame.enumerations.keys()), at.in('type'));
    unitKnown(unit, at.in('unit'));
    if (document.set === undefined && document.readback === undefined) {
      at.fault('nothing sets it and nothing reads it back', 'give set, readback or both');
    }
    const set =
      document.set === undefined ? undefined : setterOf(document, component, components, at.in('set'));
    const readback =
      document.readback === undefined
        ? undefined
        : readbackOf(document, component, components, at.in('readback'));
    return {
      name,
      ...(description !== undefined && { description }),
      type,
      ...(unit !== undefined && { unit }),
      ...(set !== undefined && { set }),
      ...(readback !== undefined && { readback }),
    };
  });
}

function setterOf(
  document: ParameterDocument,
  own: ComponentConfiguration,
  components: readonly ComponentConfiguration[],
  faults: FaultsAt,
): ParameterConfiguration['set'] {
  const parts = (document.set ?? '').split('.');
  const [componentName = '', telecommandName = '', argumentName = ''] = parts;
  if (parts.length !== 3) {
    faults.fault(`"${document.set}" is no setter`, 'write component.telecommand.argument');
    return undefined;
  }
  const component = componentOf(componentName, own, components, faults);
  const telecommand = component?.telecommands.find(({ name }) => name === telecommandName);
  if (component !== undefined && telecommand === undefined) {
    const names = component.telecommands.map(({ name }) => name);
    faults.fault(
      `${componentName} has no telecommand "${telecommandName}"`,
      nearHelp(telecommandName, names, 'telecommands'),
    );
  }
  if (telecommand === undefined) return undefined;
  const argument = telecommand.args.find(({ name }) => name === argumentName);
  if (argument === undefined) {
    const names = telecommand.args.map(({ name }) => name);
    faults.fault(
      `${componentName}.${telecommandName} has no argument "${argumentName}"`,
      nearHelp(argumentName, names, 'arguments'),
    );
    return undefined;
  }
  sameKind(document, argument, faults);
  for (const other of telecommand.args) {
    if (other.name !== argumentName && other.default === undefined) {
      faults.fault(`its argument "${other.name}" has no default`, 'a setter is sent with one argument only');
    }
  }
  return { component: componentName, telecommand: telecommandName, argument: argumentName };
}

function readbackOf(
  document: ParameterDocument,
  own: ComponentConfiguration,
  components: readonly ComponentConfiguration[],
  faults: FaultsAt,
): ParameterConfiguration['readback'] {
  const parts = (document.readback ?? '').split('.');
  const [componentName = '', measureName = ''] = parts;
  if (parts.length !== 2) {
    faults.fault(`"${document.readback}" is no readback`, 'write component.measure');
    return undefined;
  }
  const component = componentOf(componentName, own, components, faults);
  if (component === undefined) return undefined;
  const measure = component.measures.find(({ name }) => name === measureName);
  if (measure === undefined) {
    const names = component.measures.map(({ name }) => name);
    faults.fault(
      `${componentName} has no measure "${measureName}"`,
      nearHelp(measureName, names, 'measures'),
    );
    return undefined;
  }
  sameKind(document, measure, faults);
  return { component: componentName, measure: measureName };
}

/** A parameter with instances is set and read back in its own component. */
function componentOf(
  name: string,
  own: ComponentConfiguration,
  components: readonly ComponentConfiguration[],
  faults: FaultsAt,
): ComponentConfiguration | undefined {
  const component = components.find((each) => each.name === name);
  if (component === undefined) {
    faults.fault(
      `no component "${name}"`,
      nearHelp(
        name,
        components.map((each) => each.name),
        'components',
      ),
    );
    return undefined;
  }
  if (component.name !== own.name && component.instances.length > 0) {
    faults.fault(
      `${name} has instances, and nothing says which`,
      'take its own component, or one without instances',
    );
  }
  return component;
}

function sameKind(
  { type, unit }: ParameterDocument,
  other: Pick<ArgumentConfiguration, 'name' | 'type' | 'unit'>,
  faults: FaultsAt,
): void {
  if (isNumberType(type) !== isNumberType(other.type) || (!isNumberType(type) && type !== other.type)) {
    faults.fault(`it is of type ${type}, and ${other.name} of type ${other.type}`, 'give both the same type');
    return;
  }
  const [mine, theirs] = [findUnit(unit ?? ''), findUnit(other.unit ?? '')];
  const plain = (unit === undefined) !== (other.unit === undefined);
  if (plain || (mine !== undefined && theirs !== undefined && !converts(mine, theirs))) {
    faults.fault(
      `it is in ${unit ?? 'no unit'}, and ${other.name} in ${other.unit ?? 'no unit'}`,
      'give both units of one kind',
    );
  }
}
