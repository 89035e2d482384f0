/**
 * A platform document to its configuration: everything a catalogue can get wrong. Mission Control Service, sections
 * 2.4, 2.5, 2.8, 2.11.
 *
 * C1. Measures come first and are kept even when faulty, so that conditions and packets that name them are still
 *     checked and one fault does not hide or cause others.
 */

import { nearHelp } from '../../contract/near.ts';
import type { ComponentConfiguration, EnumConfiguration, PlatformConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ComponentDocument, PlatformDocument } from '../document/platform.ts';
import type { ReadDocument } from '../document/read.ts';
import type { LayoutConfiguration } from '../layout/layout.ts';
import { createFrame, type MeasureTable } from '../measure-table.ts';
import { isValueType } from '../value-type.ts';
import { checkAlarms } from './alarm.ts';
import { checkDerived } from './derived.ts';
import type { MeasureLookup } from './field.ts';
import { checkFiles, fileComponent } from './files.ts';
import { checkLines } from './line.ts';
import { checkMeasure } from './measure.ts';
import { checkPacket } from './packet.ts';
import { checkParameters } from './parameter.ts';
import { checkTelecommand } from './telecommand.ts';

/** The platform as far as it holds; what does not is in the list of faults. */
export function checkPlatform(read: ReadDocument): PlatformConfiguration {
  const document = read.value as PlatformDocument;
  const { faults } = read;
  const enums = checkEnums(document, faults.in('enums'));
  const measured = measuredComponents(document, new Set(enums.map(({ name }) => name)), faults);
  const frame = createFrame({ enums, components: measured });
  checkDerived(measured, frame, faults);
  const commanded = measured.map((component) => withTelecommands(component, document, frame, read));
  const components = commanded.map((component) =>
    component.files
      ? component
      : withRest(component, document, commanded, frame, faults.in('components', component.name)),
  );
  const packets = checkPackets(document, measured, faults.in('packets'));
  const isRead = document.packets !== undefined || document.lines !== undefined;
  const files =
    document.files === undefined
      ? undefined
      : checkFiles(document.files, commanded, { packets, isRead }, faults.in('files'));
  const lines = checkLines(document, components, measureLookup(measured), frame, faults);
  return {
    name: document.platform,
    version: document.version,
    ...(document.description !== undefined && { description: document.description }),
    enums,
    components,
    ...(files !== undefined && { files }),
    packets,
    ...(lines.length > 0 && { lines }),
  };
}

function checkEnums({ enums = {} }: PlatformDocument, faults: FaultsAt): EnumConfiguration[] {
  return Object.entries(enums).map(([name, values]) => {
    const at = faults.in(name);
    if (isValueType(name)) at.keyFault(`"${name}" is a value type`, 'take another name');
    const seen = new Map<number, string>();
    for (const [value, number] of Object.entries(values)) {
      const before = seen.get(number);
      if (before !== undefined)
        at.in(value).fault(`${before} has the number ${number} too`, 'give each value its own');
      seen.set(number, value);
    }
    if (seen.size === 0) at.fault('it has no values', 'write { NAME: number, … }');
    return { name, values: Object.entries(values) };
  });
}

function measuredComponents(
  document: PlatformDocument,
  enums: ReadonlySet<string>,
  faults: FaultsAt,
): ComponentConfiguration[] {
  const components = Object.entries(document.components).map(([name, component]) =>
    measuredComponent(name, component, enums, faults.in('components', name)),
  );
  if (document.files === undefined) return components;
  const files = fileComponent(document.files);
  if (components.some(({ name }) => name === files.name)) {
    faults
      .in('components', files.name)
      .keyFault(
        `"${files.name}" is the component of the on-board directory`,
        'declare its telecommands under files, or give files another component',
      );
    return components;
  }
  return [...components, files];
}

function measuredComponent(
  name: string,
  document: ComponentDocument,
  enums: ReadonlySet<string>,
  faults: FaultsAt,
): ComponentConfiguration {
  const instances = (document.instances ?? []).map(String);
  for (const [index, instance] of instances.entries()) {
    if (instances.indexOf(instance) < index)
      faults.in('instances', index).fault(`instance ${instance} is given twice`, 'remove one');
    if (instance === '_') faults.in('instances', index).fault('"_" means no instance', 'take another name');
  }
  const measures = Object.entries(document.measures ?? {}).map(([measure, each]) =>
    checkMeasure(measure, each, enums, faults.in('measures', measure)),
  );
  return {
    name,
    ...(document.description !== undefined && { description: document.description }),
    instances: [...new Set(instances)],
    files: false,
    measures,
    parameters: [],
    telecommands: [],
    alarms: [],
  };
}

function withTelecommands(
  component: ComponentConfiguration,
  document: PlatformDocument,
  frame: MeasureTable,
  read: ReadDocument,
): ComponentConfiguration {
  const base = component.files ? ['files'] : ['components', component.name];
  const source = component.files ? document.files : document.components[component.name];
  const telecommands = Object.entries(source?.telecommands ?? {}).map(([name, each]) => {
    const path = [...base, 'telecommands', name];
    const site = {
      component: component.name,
      instances: component.instances,
      files: component.files,
      frame,
      source: (below: readonly (string | number)[]) => read.source([...path, ...below]),
    };
    return checkTelecommand(name, each, site, read.faults.in(...path));
  });
  return { ...component, telecommands };
}

function withRest(
  component: ComponentConfiguration,
  { components }: PlatformDocument,
  commanded: readonly ComponentConfiguration[],
  frame: MeasureTable,
  faults: FaultsAt,
): ComponentConfiguration {
  const document = components[component.name] ?? {};
  return {
    ...component,
    parameters: checkParameters(
      document.parameters ?? {},
      component,
      commanded,
      frame,
      faults.in('parameters'),
    ),
    alarms: checkAlarms(document.alarms ?? {}, component, frame, faults.in('alarms')),
  };
}

function checkPackets(
  { packets = {}, files }: PlatformDocument,
  components: readonly ComponentConfiguration[],
  faults: FaultsAt,
): LayoutConfiguration[] {
  const lookup = measureLookup(components);
  const layouts = Object.entries(packets).map(([name, packet]) =>
    checkPacket(name, packet, lookup, faults.in(name)),
  );
  for (const { name, listing, chunk } of layouts) {
    if (files === undefined && (listing !== undefined || chunk !== undefined))
      faults
        .in(name, listing === undefined ? 'chunk' : 'listing')
        .fault('the platform has no on-board directory', 'add the section files');
  }
  const seen = new Map<string, string>();
  for (const { name, csp, match } of layouts) {
    const conditions = [...match, ...(csp === undefined ? [] : [csp])]
      .map((each) => JSON.stringify(each))
      .sort()
      .join();
    const before = seen.get(conditions);
    if (before !== undefined)
      faults.in(name).keyFault(`packet ${before} matches the same packets first`, 'match on something more');
    else seen.set(conditions, name);
  }
  return layouts;
}

const MEASURE_KEY = /^([A-Za-z][A-Za-z0-9_-]*)(?:\[([A-Za-z0-9_-]+)\])?\.([A-Za-z][A-Za-z0-9_-]*)$/;

function measureLookup(components: readonly ComponentConfiguration[]): MeasureLookup {
  const byName = new Map(components.map((component) => [component.name, component]));
  return (key) => {
    const [, name = '', instance, measureName = ''] = MEASURE_KEY.exec(key) ?? [];
    if (name === '')
      return {
        message: `"${key}" is no measure`,
        help: 'write component.measure, component[instance].measure or skip',
      };
    const component = byName.get(name);
    if (component === undefined) return none(`no component "${name}"`, name, byName.keys(), 'components');
    if (component.files)
      return { message: 'measures of files come from listings, not from packets', help: 'leave it out' };
    const measure = component.measures.find((each) => each.name === measureName);
    if (measure === undefined) {
      return none(
        `${name} has no measure "${measureName}"`,
        measureName,
        component.measures.map((each) => each.name),
        'measures',
      );
    }
    if (measure.derived !== undefined)
      return { message: `${key} is derived`, help: 'it is computed, leave it out of packets' };
    return instanceFault(component, instance) ?? { measure };
  };
}

function instanceFault(
  { name, instances }: ComponentConfiguration,
  instance: string | undefined,
): { message: string; help: string } | undefined {
  if (instance === undefined) {
    return instances.length === 0
      ? undefined
      : { message: `${name} has instances`, help: `write ${name}[${instances[0]}].…` };
  }
  if (instances.includes(instance)) return undefined;
  if (instances.length === 0) return { message: `${name} has no instances`, help: `write ${name}.…` };
  return none(`${name} has no instance "${instance}"`, instance, instances, 'instances');
}

function none(
  message: string,
  wanted: string,
  names: Iterable<string>,
  what: string,
): { message: string; help: string } {
  return { message, help: nearHelp(wanted, names, what) };
}
