/** Targets of a topology: environments, modes, links, parameters. Mission Control Service, sections 2.1 and 2.5. */

import { nearHelp } from '../../contract/near.ts';
import { readArgument } from '../argument.ts';
import type {
  LinkConfiguration,
  LinkParametersConfiguration,
  ParameterConfiguration,
  ParameterValue,
  PlatformConfiguration,
  TargetConfiguration,
} from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type {
  LinkDocument,
  LinkParametersDocument,
  TargetDocument,
  TopologyDocument,
} from '../document/topology.ts';
import { createEnumeration } from '../enumeration.ts';
import { checkDriverLink } from './driver.ts';
import { numberIn } from './quantity.ts';

/** What a target may name. */
export interface TargetSite {
  readonly document: TopologyDocument;
  readonly platforms: ReadonlyMap<string, PlatformConfiguration>;
}

/** The target as far as it holds. A platform without document is a warning: its requests are refused one by one. */
export function checkTarget(
  name: string,
  document: TargetDocument,
  site: TargetSite,
  faults: FaultsAt,
): TargetConfiguration {
  const platform = site.platforms.get(document.platform);
  if (platform === undefined) {
    const help = nearHelp(document.platform, site.platforms.keys(), 'platforms', 'add its platform document');
    faults
      .in('platform')
      .warning(`there is no document for platform ${document.platform}; its telecommands are refused`, help);
  }
  const known = Object.keys(site.document.environments);
  checkNames(document.environments, known, 'environment', faults.in('environments'));
  checkNames(document.modes ?? [], undefined, 'mode', faults.in('modes'));
  const links = Object.entries(document.links).map(([link, each]) =>
    checkLink(link, each, document, site, platform, faults.in('links', link)),
  );
  return {
    name,
    platform: document.platform,
    environments: known.filter((environment) => document.environments.includes(environment)),
    modes: document.modes ?? [],
    links,
    defaultLink: defaultLinkOf(document, faults.in('links')),
    parameters: checkValues(document, platform, faults.in('parameters')),
  };
}

function checkNames(
  names: readonly string[],
  known: readonly string[] | undefined,
  what: string,
  faults: FaultsAt,
): void {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) faults.in(index).fault(`${what} ${name} is given twice`, 'remove one');
    if (known !== undefined && !known.includes(name)) {
      faults.in(index).fault(`no ${what} "${name}"`, nearHelp(name, known, `${what}s`));
    }
  }
}

function defaultLinkOf({ links }: TargetDocument, faults: FaultsAt): string {
  const names = Object.keys(links);
  const defaults = Object.entries(links).filter(([, link]) => link.default === true);
  if (defaults.length === 0) faults.fault('no link is the default one', 'add `default: true` to one link');
  for (const [name] of defaults.slice(1)) {
    faults.in(name, 'default').fault(`link ${defaults[0]?.[0]} is the default one already`, 'keep one');
  }
  return defaults[0]?.[0] ?? names[0] ?? '';
}

function checkLink(
  name: string,
  document: LinkDocument,
  target: TargetDocument,
  { document: topology }: TargetSite,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): LinkConfiguration {
  const { driver, transport, components, environments = {} } = document;
  checkDriver(document, topology, platform, faults);
  checkCarried(document, platform, faults);
  for (const environment of Object.keys(environments)) {
    if (target.environments.includes(environment)) continue;
    const help = nearHelp(environment, target.environments, 'environments');
    faults.in('environments', environment).keyFault(`the target is not engaged in "${environment}"`, help);
  }
  return {
    name,
    ...(driver !== undefined && { driver }),
    ...(transport !== undefined && { transport }),
    ...(components !== undefined && { components }),
    ...linkParameters(document, topology, faults),
    environments: Object.entries(environments).map(([environment, each]) => ({
      name: environment,
      ...linkParameters(each, topology, faults.in('environments', environment)),
    })),
  };
}

function checkDriver(
  document: LinkDocument,
  topology: TopologyDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): void {
  const { driver } = document;
  const drivers = Object.keys(topology.drivers ?? {});
  if (driver !== undefined && !drivers.includes(driver)) {
    const help = nearHelp(driver, drivers, 'drivers', 'declare it under drivers');
    faults.in('driver').fault(`no driver "${driver}"`, help);
  }
  if (driver === undefined)
    faults.warning('no driver is bound to the link; nothing can be sent or decoded', 'add `driver:`');
  checkDriverLink(topology.drivers?.[driver ?? ''], document, platform, faults);
}

/** The part of the catalogue that the link carries. */
function checkCarried(
  document: LinkDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): void {
  const { components } = document;
  if (document.default === true && components !== undefined) {
    faults.in('components').fault('the default link carries the whole catalogue', 'leave components out');
  }
  if (platform === undefined) return;
  const known = platform.components.map((each) => each.name);
  checkNames(components ?? [], known, 'component', faults.in('components'));
}

function linkParameters(
  { gateway, tags, rate }: LinkParametersDocument,
  { gateways = {} }: TopologyDocument,
  faults: FaultsAt,
): LinkParametersConfiguration {
  if (gateway !== undefined && tags !== undefined) {
    faults.in('tags').fault('a link names its gateway or the tags of one', 'keep one of the two');
  }
  if (gateway !== undefined && !Object.hasOwn(gateways, gateway)) {
    const help = nearHelp(gateway, Object.keys(gateways), 'gateways', 'declare it under gateways');
    faults.in('gateway').fault(`no gateway "${gateway}"`, help);
  }
  const carried = Object.values(gateways).map((each) => each.tags ?? []);
  if (tags !== undefined && !carried.some((each) => tags.every((tag) => each.includes(tag)))) {
    faults.in('tags').fault(`no gateway carries ${tags.join(' and ')}`, 'add the tags to a gateway');
  }
  const bits = rate === undefined ? undefined : numberIn(rate, 'bit/s', faults.in('rate'));
  if (bits !== undefined && bits <= 0)
    faults.in('rate').fault('a rate is above zero', 'write one like 9.6 kbit/s');
  return {
    ...(gateway !== undefined && { gateway }),
    ...(tags !== undefined && { tags }),
    ...(bits !== undefined && { rate: bits }),
  };
}

const PARAMETER_KEY = /^([^[.]+)(?:\[([^\]]+)\])?\.(.+)$/;

function checkValues(
  document: TargetDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): TargetConfiguration['parameters'] {
  const modes = document.modes ?? [];
  return Object.entries(document.parameters ?? {}).map(([key, { environments, ...values }]) => {
    const at = faults.in(key);
    const parameter = platform === undefined ? undefined : parameterOf(key, platform, at);
    const read = (each: object, where: FaultsAt): Record<string, ParameterValue> =>
      modeValues(each, modes, parameter, platform, where);
    const overrides = typeof environments === 'object' && environments !== null ? environments : {};
    if (environments !== undefined && typeof environments !== 'object') {
      at.in('environments').fault('is no mapping', 'write environments: { environment: { mode: value } }');
    }
    return {
      key,
      values: read(values, at),
      environments: Object.fromEntries(
        Object.entries(overrides).map(([environment, each]) => {
          if (!document.environments.includes(environment)) {
            at.in('environments', environment).keyFault(
              `the target is not engaged in "${environment}"`,
              nearHelp(environment, document.environments, 'environments'),
            );
          }
          return [environment, read(each as object, at.in('environments', environment))];
        }),
      ),
    };
  });
}

function parameterOf(
  key: string,
  platform: PlatformConfiguration,
  faults: FaultsAt,
): ParameterConfiguration | undefined {
  const [, componentName = '', instance, name = ''] = PARAMETER_KEY.exec(key) ?? [];
  const component = platform.components.find((each) => each.name === componentName);
  if (component === undefined) {
    faults.keyFault(
      `no component "${componentName}"`,
      nearHelp(
        componentName,
        platform.components.map((each) => each.name),
        'components',
      ),
    );
    return undefined;
  }
  if (instance !== undefined && !component.instances.includes(instance)) {
    faults.keyFault(
      `${componentName} has no instance "${instance}"`,
      nearHelp(instance, component.instances, 'instances'),
    );
  }
  const parameter = component.parameters.find((each) => each.name === name);
  if (parameter === undefined) {
    faults.keyFault(
      `${componentName} has no parameter "${name}"`,
      nearHelp(
        name,
        component.parameters.map((each) => each.name),
        'parameters',
      ),
    );
  }
  return parameter;
}

function modeValues(
  values: object,
  modes: readonly string[],
  parameter: ParameterConfiguration | undefined,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): Record<string, ParameterValue> {
  // Not by assignment: a mode may be called `__proto__`.
  const read: [string, ParameterValue][] = [];
  if (typeof values !== 'object' || values === null) {
    faults.fault('is no mapping', 'write { mode: value }');
    return {};
  }
  for (const [mode, value] of Object.entries(values)) {
    const at = faults.in(mode);
    if (!modes.includes(mode))
      at.keyFault(`the target has no mode "${mode}"`, nearHelp(mode, modes, 'modes', 'declare modes'));
    if (parameter === undefined || platform === undefined) continue;
    const values = platform.enums.find(({ name }) => name === parameter.type)?.values;
    const enumeration = values === undefined ? undefined : createEnumeration(parameter.type, values);
    const result = readArgument(
      { type: parameter.type, unit: parameter.unit, range: undefined, enumeration },
      value,
    );
    if (result.ok) read.push([mode, result.value]);
    else for (const { message, help } of result.faults) at.fault(message, help);
  }
  return Object.fromEntries(read);
}
