/**
 * Requests resolved against the mission: a telecommand with its target, link, component, instance and arguments; the
 * link of a decode request; the gateway of a link. Mission Control Service, section 4.1 rules 1 and 6, section 7.3.
 * Whether a run holds the target is not asked here.
 *
 * R1. Every fault of a request is said at once, in the order target, link and environment, telecommand, instance,
 *     arguments of the document, arguments that are too many. What depends on something unknown is not reported.
 * R2. A resolved telecommand is complete: every argument has a value of its type, in its unit, inside its range.
 */

import type { Fault } from '../contract/errors.ts';
import { nearHelp } from '../contract/near.ts';
import { accepted, type Result, refusedAll } from '../contract/result.ts';
import type { ResolvedValue, TcSubmission } from '../contract/telecommand.ts';
import type { Gateway, Link, Mission, Target } from './mission.ts';
import type { Component, Platform, Telecommand } from './platform.ts';
import { resolveArguments } from './resolve-argument.ts';
import { resolveInstance } from './resolve-instance.ts';
import {
  environmentFaults,
  fault,
  type LinkRequest,
  linkOf,
  type ResolvedLink,
  resolvedLink,
  resolveTarget,
} from './resolve-link.ts';

/** What a client asks (`TcRequest`, `EncodeRequest`), or a procedure. */
export interface TelecommandRequest {
  readonly target: string;
  readonly telecommand: string;
  readonly instance?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly link?: string | undefined;
  readonly environment?: string | undefined;
}

export interface ResolvedTelecommand {
  readonly target: Target;
  readonly link: Link;
  readonly environment?: string;
  readonly component: Component;
  readonly telecommand: Telecommand;
  readonly instance?: string;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  /** `component.name`, or `component[instance].name`. */
  readonly written: string;
}

/** What is submitted of it under that identifier; `run`: under whose lease. */
export function submissionOf(id: string, resolved: ResolvedTelecommand, run?: string): TcSubmission {
  const { target, link, environment, telecommand, instance, args } = resolved;
  const submission = {
    id,
    target: target.name,
    component: telecommand.component,
    telecommand: telecommand.name,
    args,
    link: link.name,
  };
  // Spreading what is absent would cost more than the rest of this function.
  if (instance === undefined && environment === undefined && run === undefined) return submission;
  return {
    ...submission,
    ...(instance !== undefined && { instance }),
    ...(environment !== undefined && { environment }),
    ...(run !== undefined && { run }),
  };
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The telecommand; refuses with every fault of the request, each with a code of section 7.3. */
export function resolveTelecommand(
  mission: Mission,
  request: TelecommandRequest,
): Result<ResolvedTelecommand, Fault> {
  const found = resolveTarget(mission, request.target, 'tc::unknown-target');
  if (!found.ok) return found;
  const target = found.value;
  const { link, faults: linkFaults } = linkOf(target, request, 'tc::unknown-link');
  const faults: Fault[] = [...linkFaults, ...environmentFaults(target, request, 'tc::unknown-environment')];
  faults.push(...environmentRequired(target, link, request));
  if (target.platform === undefined) return refusedAll([...faults, missingCatalogue(target)]);
  const named = findTelecommand(target.platform, request.telecommand);
  if (!named.ok) return refusedAll([...faults, ...named.faults]);
  const { component, telecommand, instance: inPath } = named.value;
  faults.push(...linkComponent(link, component));
  const instance = resolveInstance(component, telecommand, inPath, request.instance);
  const args = resolveArguments(telecommand, request.args ?? {});
  faults.push(...instance.faults, ...args.faults);
  if (link === undefined || faults.length > 0) return refusedAll(faults);
  const name = instance.instance;
  const written = name === undefined ? telecommand.path : `${component.name}[${name}].${telecommand.name}`;
  const { environment } = resolvedLink(target, link, request.environment);
  // Without spreads: they were a quarter of the cost of a submission.
  const resolved: Writable<ResolvedTelecommand> = {
    target,
    link,
    component,
    telecommand,
    args: args.values,
    written,
  };
  if (environment !== undefined) resolved.environment = environment;
  if (name !== undefined) resolved.instance = name;
  return accepted(resolved);
}

/** The link of a decode request; refuses `api::unknown-target`, `api::unknown-link`, `api::unknown-environment`. */
export function resolveDecode(mission: Mission, request: LinkRequest): Result<ResolvedLink, Fault> {
  const target = resolveTarget(mission, request.target, 'api::unknown-target');
  if (!target.ok) return target;
  const link = linkOf(target.value, request, 'api::unknown-link');
  const faults = [...link.faults, ...environmentFaults(target.value, request, 'api::unknown-environment')];
  if (link.link === undefined || faults.length > 0) return refusedAll(faults);
  return accepted(resolvedLink(target.value, link.link, request.environment));
}

/**
 * The gateway of a link outside passes: the named one, else the first that carries all its tags; undefined when none
 * does. Which one serves it at a moment is said by `pass/serving-gateway.ts`.
 */
export function gatewayOf(
  mission: Pick<Mission, 'gateways'>,
  link: Link,
  environment: string | undefined,
): Gateway | undefined {
  const { gateway, tags } = link.parameters(environment);
  if (gateway !== undefined) return mission.gateways.get(gateway);
  if (tags.length === 0) return undefined;
  for (const each of mission.gateways.values()) if (carriesAll(each, tags)) return each;
  return undefined;
}

/** Whether a gateway carries every one of the tags. */
export function carriesAll(gateway: Pick<Gateway, 'tags'>, tags: readonly string[]): boolean {
  return tags.every((tag) => gateway.tags.includes(tag));
}

function environmentRequired(target: Target, link: Link | undefined, request: TelecommandRequest): Fault[] {
  if (request.environment !== undefined || link?.byEnvironment !== true || target.environments.length < 2)
    return [];
  const message = `link ${link.name} of ${target.name} differs by environment, and the target is engaged in several`;
  return [
    fault(
      'tc::environment-required',
      message,
      `give one of ${target.environments.join(', ')}`,
      '/environment',
    ),
  ];
}

function missingCatalogue(target: Target): Fault {
  const message = `the configuration has no catalogue of platform ${target.platformId} of target ${target.name}`;
  return fault('tc::missing-catalogue', message, 'publish a configuration with that platform', '/target');
}

function linkComponent(link: Link | undefined, component: Component): Fault[] {
  if (link?.components === undefined || link.components.has(component.name)) return [];
  const message = `link ${link.name} does not carry component ${component.name}`;
  const help = `it carries ${[...link.components].join(', ')}; the default link carries everything`;
  return [fault('tc::link-component', message, help, '/link')];
}

interface Named {
  readonly component: Component;
  readonly telecommand: Telecommand;
  /** The instance of the path form. */
  readonly instance: string | undefined;
}

const PATH = /^(?:([^.[\]]+)(?:\[([^\]]+)\])?\.)?([^.[\]]+)$/;

/** Finds `name`, `component.name` or `component[instance].name`. */
function findTelecommand(platform: Platform, written: string): Result<Named, Fault> {
  const [, componentName, instance, name] = PATH.exec(written) ?? [];
  if (name === undefined) {
    return unknown(
      `"${written}" is not the form of a telecommand`,
      'write name, component.name or component[instance].name',
    );
  }
  if (componentName === undefined) return findByName(platform, name);
  const component = platform.components.get(componentName);
  if (component === undefined) {
    const help = nearHelp(componentName, platform.components.keys(), 'components');
    return unknown(`platform ${platform.id} has no component "${componentName}"`, help);
  }
  const telecommand = component.telecommands.get(name);
  if (telecommand !== undefined) return accepted({ component, telecommand, instance });
  const help = nearHelp(name, component.telecommands.keys(), 'telecommands');
  return unknown(`component ${componentName} has no telecommand "${name}"`, help);
}

function findByName(platform: Platform, name: string): Result<Named, Fault> {
  const found = [...platform.components.values()].flatMap((component) => {
    const telecommand = component.telecommands.get(name);
    return telecommand === undefined ? [] : [{ component, telecommand, instance: undefined }];
  });
  const [first, second] = found;
  if (first === undefined) {
    const names = [...platform.components.values()].flatMap((each) => [...each.telecommands.keys()]);
    return unknown(
      `platform ${platform.id} has no telecommand "${name}"`,
      nearHelp(name, new Set(names), 'telecommands'),
    );
  }
  if (second === undefined) return accepted(first);
  const help = `write ${found.map(({ telecommand }) => telecommand.path).join(' or ')}`;
  const message = `several components have a telecommand "${name}"`;
  return refusedAll([fault('tc::ambiguous-telecommand', message, help, '/telecommand')]);
}

function unknown(message: string, help: string | undefined): Result<never, Fault> {
  return refusedAll([fault('tc::unknown-telecommand', message, help, '/telecommand')]);
}
