/**
 * The instance a telecommand is meant for: of a multi-instance component, or the identifier of a file. Mission Control
 * Service, section 2.1 (field `instance`) and section 4.1 rule 1 (path form).
 *
 * I1. An instance given twice must be the same; if not, both are named.
 */

import type { Fault } from '../contract/errors.ts';
import { nearHelp } from '../contract/near.ts';
import { isToken } from '../contract/token.ts';
import type { Component, Telecommand } from './platform.ts';
import { fault } from './resolve-link.ts';

export interface ResolvedInstance {
  readonly instance: string | undefined;
  readonly faults: readonly Fault[];
}

/** The instance, or why there is none where one is needed, one where none is, or an unknown one. */
export function resolveInstance(
  component: Component,
  telecommand: Telecommand,
  inPath: string | undefined,
  inField: string | undefined,
): ResolvedInstance {
  if (inPath !== undefined && inField !== undefined && inPath !== inField) {
    const message = `instance "${inPath}" stands in telecommand, "${inField}" in instance`;
    return refusal(fault('tc::invalid-argument', message, 'give it once, or twice the same', '/instance'));
  }
  const instance = inPath ?? inField;
  if (component.files) return resolveFile(telecommand, instance);
  return resolveOwn(component, instance);
}

function resolveOwn({ name, instances }: Component, instance: string | undefined): ResolvedInstance {
  if (instances.length === 0) {
    if (instance === undefined) return { instance, faults: [] };
    const message = `component ${name} has no instances, and "${instance}" is given`;
    return refusal(fault('tc::unexpected-instance', message, 'leave the instance out', '/instance'));
  }
  if (instance === undefined) {
    const message = `component ${name} has several instances, but none is given`;
    return refusal(
      fault('tc::missing-instance', message, `give one of ${instances.join(', ')}`, '/instance'),
    );
  }
  if (instances.includes(instance)) return { instance, faults: [] };
  const message = `component ${name} has no instance "${instance}"`;
  return refusal(
    fault('tc::unknown-instance', message, nearHelp(instance, instances, 'instances'), '/instance'),
  );
}

function resolveFile({ path, file }: Telecommand, instance: string | undefined): ResolvedInstance {
  if (file === undefined) {
    if (instance === undefined) return { instance, faults: [] };
    const message = `${path} is for no file, and "${instance}" is given`;
    return refusal(fault('tc::unexpected-instance', message, 'leave the instance out', '/instance'));
  }
  if (instance === undefined) {
    const message = `${path} needs the identifier of a file`;
    return refusal(fault('tc::missing-instance', message, 'give it as instance', '/instance'));
  }
  const { maxId } = file;
  const number = maxId === undefined || (/^(0|[1-9]\d{0,15})$/.test(instance) && Number(instance) <= maxId);
  if (isToken(instance) && number) return { instance, faults: [] };
  const help = maxId === undefined ? 'letters, digits, - and _' : `a number from 0 to ${maxId}`;
  return refusal(fault('tc::unknown-instance', `"${instance}" is not a file identifier`, help, '/instance'));
}

function refusal(found: Fault): ResolvedInstance {
  return { instance: undefined, faults: [found] };
}
