/**
 * Reads a typed answer into the type and unit that the question asks for. Mission Control Service, section 4.2 rule 8.
 *
 * N1. A number alone is in the unit of the question, text says its own: the person has been shown which.
 */

import type { AnswerType } from '../../../contract/program.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { RunValue } from '../../../contract/run-event.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import {
  isUploadHash,
  readTyped,
  type ValueSite,
  withUnit,
} from '../../../mission/procedure/resolve/typed-value.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';

export function createReadAnswer({ clock }: RunServices): Handler<'effect.read-answer'> {
  return async ({ ticket, statement, value }, at) => {
    const read = readAnswer(statement.type, value, at);
    const told = { at: clock.now(), ticket };
    if (read.ok) return { type: 'answer.read', ...told, value: read.value };
    return { type: 'answer.unreadable', ...told, reason: read.faults.join('; ') };
  };
}

function readAnswer(
  type: AnswerType | undefined,
  value: RunValue | undefined,
  at: RunAtHand,
): Result<ResolvedValue, string> {
  if (value === undefined || value === null) return refused(`the answer has no value: ${wanted(type)}`);
  if (type === undefined) return accepted(value);
  const read = readTyped(type, withUnit(value, type.unit), siteOf(value, at));
  if (read.ok) return read;
  return refused(read.faults.map(({ message, help }) => `${message}: ${help}`).join('; '));
}

function siteOf(value: ResolvedValue, { program, mission }: RunAtHand): ValueSite {
  const platforms = Object.values(program.targets).map((target) => mission.targets.get(target)?.platform);
  return {
    instancesOf: (component) => {
      const all = platforms.flatMap((platform) => platform?.components.get(component)?.instances ?? []);
      return [...new Set(all)];
    },
    // Whether content is stored is found by who is asked to upload it.
    uploads: new Set(isUploadHash(value) ? [value.toLowerCase()] : []),
  };
}

function wanted(type: AnswerType | undefined): string {
  if (type === undefined) return 'give one';
  if (type.values !== undefined) return `give one of ${type.values.map(([name]) => name).join(', ')}`;
  return type.unit === undefined ? `give a ${type.type}` : `give a ${type.type} in ${type.unit}`;
}
