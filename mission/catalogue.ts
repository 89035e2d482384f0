/** The catalogue of a platform as clients see it. Mission Control Service, section 2.11. */

import type {
  ArgumentView,
  CatalogueView,
  ComponentView,
  FilesView,
  MeasureView,
  TelecommandView,
} from '../contract/catalogue.ts';
import type { FilesConfiguration } from './configuration.ts';
import type {
  Argument,
  Component,
  MeasureDefinition,
  Platform,
  Requirement,
  Telecommand,
  Verification,
} from './platform.ts';

/** The view; components, measures, telecommands and arguments in the order of the document. */
export function catalogueView(platform: Platform): CatalogueView {
  const components = [...platform.components.values()].map(componentView);
  const { id, files } = platform;
  return { platform: id, components, ...(files !== undefined && { files: filesView(files) }) };
}

function filesView({ component, types, transfer }: FilesConfiguration): FilesView {
  const { list, read, write, maxChunk, checksum, protocol } = transfer;
  return {
    component,
    types: types.map(({ number, name, decode }) => ({ number, name, decode })),
    transfer: {
      ...(list !== undefined && { list }),
      ...(read !== undefined && { read }),
      ...(write !== undefined && { write }),
      ...(maxChunk !== undefined && { max_chunk: maxChunk }),
      ...(checksum !== undefined && { checksum }),
      ...(protocol !== undefined && { protocol }),
    },
  };
}

function componentView(component: Component): ComponentView {
  return {
    name: component.name,
    ...described(component),
    instances: [...component.instances],
    measures: component.measures.map(measureView),
    telecommands: [...component.telecommands.values()].map(telecommandView),
  };
}

export function measureView(measure: MeasureDefinition): MeasureView {
  const { name, type, unit, soft, hard, derived } = measure;
  return {
    name,
    ...described(measure),
    type,
    ...(unit !== undefined && { unit }),
    ...(soft !== undefined && { soft: [soft[0], soft[1]] as const }),
    ...(hard !== undefined && { hard: [hard[0], hard[1]] as const }),
    derived: derived !== undefined,
  };
}

function telecommandView(telecommand: Telecommand): TelecommandView {
  return {
    name: telecommand.name,
    ...described(telecommand),
    args: telecommand.args.map(argumentView),
    changes_state: telecommand.changesState,
    hazardous: telecommand.hazardous,
    ...(telecommand.requires.length > 0 && { requires: telecommand.requires.map(requirementView) }),
    ...(telecommand.verify !== undefined && { verify: verificationView(telecommand.verify) }),
  };
}

function requirementView({ that, maxAgeMs }: Requirement) {
  return { that: that.source, max_age: seconds(maxAgeMs) };
}

function verificationView({ expect, fail, reports, withinMs }: Verification) {
  return {
    ...(expect !== undefined && { expect: expect.source }),
    ...(fail !== undefined && { fail: fail.source }),
    ...(reports !== undefined && { reports }),
    within: seconds(withinMs),
  };
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

function argumentView(argument: Argument): ArgumentView {
  const { name, type, unit, enumeration, range } = argument;
  return {
    name,
    ...described(argument),
    type,
    ...(unit !== undefined && { unit }),
    ...(enumeration !== undefined && { values: [...enumeration.names] }),
    ...(range !== undefined && { range: [range[0], range[1]] as const }),
    ...(argument.default !== undefined && { default: argument.default }),
  };
}

function described({ description }: { readonly description: string | undefined }): { description?: string } {
  return description === undefined ? {} : { description };
}
