/** A platform of the compiled configuration to its indexes, conditions, layouts and encodings. Part of `load`. */

import { assert } from '../contract/assert.ts';
import { revisionOf } from './canonical.ts';
import { type CompiledCondition, compileCondition } from './condition/compile.ts';
import type { ConditionScope, ScopeName } from './condition/scope.ts';
import type {
  AlarmConfiguration,
  ArgumentConfiguration,
  ComponentConfiguration,
  ParameterConfiguration,
  PlatformConfiguration,
  TelecommandConfiguration,
} from './configuration.ts';
import { createEncoding } from './layout/encoding.ts';
import { createDatagramReader, createPacketReader } from './layout/reader.ts';
import { loadAnswer, loadLines, loadWriter } from './line/load.ts';
import { loadDerived } from './load-derived.ts';
import { createFrame, knownOrdinal, type MeasureTable } from './measure-table.ts';
import type {
  Argument,
  Component,
  Enumeration,
  NamedAlarm,
  Parameter,
  Platform,
  Telecommand,
  Verification,
} from './platform.ts';

/** The platform; throws a defect where the configuration does not hold. */
export function loadPlatform(configuration: PlatformConfiguration): Platform {
  const { name, version } = configuration;
  const frame = createFrame(configuration);
  const components = new Map(
    configuration.components.map((component) => [component.name, loadComponent(component, frame)]),
  );
  return Object.freeze({
    id: `${name}@${version}`,
    name,
    version,
    digest: revisionOf(configuration),
    enumerations: frame.enumerations,
    components,
    files: configuration.files,
    fileTypes: new Map(configuration.files?.types.map((each) => [each.name, each.number])),
    measures: frame.measures,
    ordinal: frame.ordinal,
    packets: createPacketReader(configuration.packets, (key) => knownOrdinal(frame, key)),
    datagrams: createDatagramReader(configuration.packets, (key) => knownOrdinal(frame, key)),
    lines: loadLines(configuration, frame),
    derived: loadDerived(frame),
    alarms: Object.freeze(
      configuration.components.flatMap((component) =>
        component.alarms.map((each) => loadAlarm(each, component, frame)),
      ),
    ),
  });
}

function loadComponent(configuration: ComponentConfiguration, frame: MeasureTable): Component {
  const component = frame.components.get(configuration.name);
  assert(component !== undefined, `component ${configuration.name} is in the frame`);
  const telecommands = new Map(
    configuration.telecommands.map((each) => [each.name, loadTelecommand(each, configuration, frame)]),
  );
  const parameters = configuration.parameters.map((each) => loadParameter(each, frame.enumerations));
  return Object.freeze({ ...component, telecommands, parameters: Object.freeze(parameters) });
}

function loadAlarm(
  { name, when, severity, onRaise }: AlarmConfiguration,
  { name: component, instances }: ComponentConfiguration,
  frame: MeasureTable,
): NamedAlarm {
  const condition = conditionOf(when, { platform: frame, own: component });
  const { temporal, spanMs } = condition;
  return Object.freeze({
    component,
    instances: Object.freeze([...instances]),
    name,
    severity,
    when: condition,
    temporal,
    spanMs,
    onRaise,
  });
}

function loadParameter(
  { name, description, type, unit, set, readback }: ParameterConfiguration,
  enumerations: ReadonlyMap<string, Enumeration>,
): Parameter {
  return Object.freeze({ name, description, type, enumeration: enumerations.get(type), unit, set, readback });
}

function loadTelecommand(
  configuration: TelecommandConfiguration,
  { name: component }: ComponentConfiguration,
  frame: MeasureTable,
): Telecommand {
  const { name, description, changesState, hazardous, encode, file } = configuration;
  const args = configuration.args.map((each) => loadArgument(each, frame.enumerations));
  const names = new Map<string, ScopeName>(args.map((each) => [each.name, each]));
  const scope: ConditionScope = { platform: frame, own: component, names };
  const requires = configuration.requires.map(({ that, maxAgeMs }) =>
    Object.freeze({ that: conditionOf(that, scope), maxAgeMs }),
  );
  return Object.freeze({
    component,
    name,
    path: `${component}.${name}`,
    description,
    args: Object.freeze(args),
    changesState,
    hazardous,
    requires: Object.freeze(requires),
    verify: loadVerification(configuration.verify, scope),
    encoding:
      encode === undefined
        ? undefined
        : createEncoding(
            encode,
            (each) => enumerationOf(each, frame),
            loadWriter(configuration, frame.enumerations),
          ),
    ...(file !== undefined && { file: Object.freeze({ maxId: file.maxId }) }),
  });
}

function loadArgument(
  { name, description, type, unit, range, default: value }: ArgumentConfiguration,
  enumerations: ReadonlyMap<string, Enumeration>,
): Argument {
  return Object.freeze({
    name,
    description,
    type,
    unit,
    enumeration: enumerations.get(type),
    range: range === undefined ? undefined : Object.freeze(range),
    default: value,
  });
}

function loadVerification(
  configuration: TelecommandConfiguration['verify'],
  scope: ConditionScope,
): Verification | undefined {
  if (configuration === undefined) return undefined;
  const { expect, fail, reports, answer, withinMs } = configuration;
  return Object.freeze({
    expect: expect === undefined ? undefined : conditionOf(expect, scope),
    fail: fail === undefined ? undefined : conditionOf(fail, scope),
    reports,
    ...(answer !== undefined && { answer: loadAnswer(answer) }),
    withinMs,
  });
}

function conditionOf(text: string, scope: ConditionScope): CompiledCondition {
  const compiled = compileCondition(text, scope);
  assert(compiled.ok, `condition \`${text}\` compiled before`);
  return compiled.value;
}

function enumerationOf(name: string, frame: MeasureTable): Enumeration {
  const enumeration = frame.enumerations.get(name);
  assert(enumeration !== undefined, `enumeration ${name} is in the platform`);
  return enumeration;
}
