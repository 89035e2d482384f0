/**
 * Reactions of alarms: the procedure that `on_raise` names must be there and fit. Mission Control Service, section 4.4
 * reaction rule 2.
 *
 * R1. Everything that does not fit is said at once, each at the `on_raise` of the alarm.
 * R2. A role or an input that has a fault of its own is reported for that alone.
 */

import { nearHelp } from '../../contract/near.ts';
import type { ComponentConfiguration, PlatformConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ProcedureDocument } from '../document/library.ts';
import type { ReadDocument } from '../document/read.ts';
import type { Input, Library, Procedure } from '../procedure/procedure.ts';
import { reactionLibraries } from '../procedure/reaction.ts';

/** What a reaction is checked against. */
interface ReactionSite {
  /** `name@version` */
  readonly platformId: string;
  readonly libraries: ReadonlyMap<string, Library>;
  /** The procedure as written, in the library of this id. */
  readonly written: (library: string, procedure: string) => ProcedureDocument | undefined;
}

/** Reports every reaction that cannot be one. */
export function checkReactions(
  documents: readonly ReadDocument[],
  platforms: ReadonlyMap<string, PlatformConfiguration>,
  site: Omit<ReactionSite, 'platformId'>,
): void {
  for (const { value, faults } of documents) {
    const { platform, version } = value as { platform: string; version: string };
    const platformId = `${platform}@${version}`;
    for (const component of platforms.get(platformId)?.components ?? []) {
      for (const { name, onRaise } of component.alarms) {
        if (onRaise === undefined) continue;
        const at = faults.in('components', component.name, 'alarms', name, 'on_raise');
        checkReaction(onRaise, component, { ...site, platformId }, at);
      }
    }
  }
}

function checkReaction(
  name: string,
  component: ComponentConfiguration,
  site: ReactionSite,
  faults: FaultsAt,
): void {
  const found = reactionLibraries(site.libraries, name, site.platformId);
  const [library, ...more] = found;
  const procedure = library?.procedures.get(name);
  if (library === undefined || procedure === undefined) {
    const names = new Set([...site.libraries.values()].flatMap(({ procedures }) => [...procedures.keys()]));
    faults.fault(`no library has a procedure "${name}"`, nearHelp(name, names, 'procedures'));
  } else if (more.length > 0) {
    const ids = found.map(({ id }) => id).join(' and ');
    faults.fault(
      `several libraries have a procedure "${name}": ${ids}`,
      'rename all but one: an alarm cannot say which is meant',
    );
  } else {
    const written = site.written(library.id, name);
    checkRole(procedure, written, site.platformId, faults);
    checkInputs(procedure, written, component, faults);
    checkHazard(procedure, faults);
  }
}

/** MC-REACT-007 */
function checkRole(
  { name, roles }: Procedure,
  written: ProcedureDocument | undefined,
  platformId: string,
  faults: FaultsAt,
): void {
  const names = Object.keys(written?.roles ?? {});
  if (names.length !== 1) {
    faults.fault(
      `procedure ${name} has the roles ${names.join(', ')}, and a reaction has exactly one: the target of the alarm`,
      'react with a procedure of one role',
    );
    return;
  }
  for (const [role, { platformId: wanted }] of roles) {
    if (wanted === platformId) continue;
    faults.fault(
      `role ${role} of procedure ${name} is a ${wanted}, and the alarm is of ${platformId}`,
      `react with a procedure for ${platformId}`,
    );
  }
}

/** MC-REACT-008 */
function checkInputs(
  { name, inputs }: Procedure,
  written: ProcedureDocument | undefined,
  component: ComponentConfiguration,
  faults: FaultsAt,
): void {
  const names = Object.keys(written?.inputs ?? {});
  const isOne = component.instances.length === 0;
  if (!isOne && names.length > 1) {
    faults.fault(
      `procedure ${name} has the inputs ${names.join(', ')}, and a reaction has at most one: the instance of ${component.name}`,
      'react with a procedure that needs no other input',
    );
    return;
  }
  for (const input of inputs.values()) {
    if (isOne) checkDefault(name, input, component, faults);
    else if (!isInstance(input, component))
      faults.fault(
        `input "${input.name}" of procedure ${name} is not an instance of ${component.name}, which is all that an alarm can give`,
        `declare it { type: instance, of: ${component.name} }, or react with a procedure without it`,
      );
  }
}

function checkDefault(
  procedure: string,
  { name, default: value }: Input,
  component: ComponentConfiguration,
  faults: FaultsAt,
): void {
  if (value !== undefined) return;
  faults.fault(
    `input "${name}" of procedure ${procedure} has no default, and an alarm of ${component.name} gives it no value`,
    'give it a default, or react with a procedure without it',
  );
}

function isInstance({ type }: Input, { name }: ComponentConfiguration): boolean {
  return type.type === 'instance' && type.of === name;
}

/** MC-REACT-009: nobody is there to confirm it. */
function checkHazard({ name, hazardous }: Procedure, faults: FaultsAt): void {
  for (const { path, telecommand } of hazardous) {
    faults.fault(
      `procedure ${name} sends the hazardous ${telecommand} in ${path}, and a reaction sends none`,
      'react with a procedure that sends no hazardous telecommand',
    );
  }
}
