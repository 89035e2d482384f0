/**
 * A telecommand as its lane works on it: the submission, what the catalogue of its revision says of it, and the
 * identity of its cell. Telecommands are taken up under the configuration they were resolved with.
 */

import { assert } from '../../contract/assert.ts';
import type { TcSubmission } from '../../contract/telecommand.ts';
import { isUlid } from '../../contract/token.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import type { Platform, Telecommand } from '../../mission/platform.ts';

/** What the catalogue and the topology say of a telecommand. */
export interface Definition {
  readonly mission: Mission;
  readonly target: Target;
  readonly platform: Platform;
  readonly link: Link;
  readonly telecommand: Telecommand;
}

export interface Work {
  readonly submission: TcSubmission;
  /** Position in TC_COMMANDS. */
  readonly seq: number;
  readonly submittedAt: number;
  readonly by: string | undefined;
  /** Undefined when its configuration no longer says what it is: it is then rejected. */
  readonly definition: Definition | undefined;
}

/** `<target>.<id>`: a token holds no dot, so both come back out. */
export function cellId(target: string, id: string): string {
  return `${target}.${id}`;
}

export function fromCellId(cell: string): { target: string; id: string } {
  const [target, id] = cell.split('.');
  assert(target !== undefined && id !== undefined, 'cell id of a telecommand');
  return { target, id };
}

/** The cell an effect key belongs to (`telecommand:<target>.<id>:<revision>:<n>`). */
export function cellOfKey(key: string): string | undefined {
  const [kind, cell] = key.split(':');
  return kind === 'telecommand' ? cell : undefined;
}

export function parseSubmission(data: Uint8Array): TcSubmission | undefined {
  try {
    const submission = JSON.parse(Buffer.from(data).toString()) as TcSubmission;
    return isUlid(submission.id) && typeof submission.telecommand === 'string' ? submission : undefined;
  } catch {
    return undefined;
  }
}

/** The definition in a mission; undefined when the mission lacks any part of it. */
export function define(mission: Mission | undefined, submission: TcSubmission): Definition | undefined {
  const target = mission?.targets.get(submission.target);
  const platform = target?.platform;
  const link = target?.links.get(submission.link);
  const telecommand = platform?.components
    .get(submission.component)
    ?.telecommands.get(submission.telecommand);
  if (mission === undefined || target === undefined || platform === undefined) return undefined;
  if (link === undefined || telecommand === undefined) return undefined;
  return { mission, target, platform, link, telecommand };
}

export function chartInput(work: Work, at: number, refusal: string | undefined): TelecommandInput {
  const { submission, definition, by } = work;
  const verify = definition?.telecommand.verify;
  return {
    id: submission.id,
    target: submission.target,
    component: submission.component,
    telecommand: submission.telecommand,
    // Unknown to the configuration: nobody can say it is harmless.
    changesState: definition?.telecommand.changesState ?? true,
    verifyWithinMs: verify?.withinMs ?? null,
    at,
    ...(submission.instance !== undefined && { instance: submission.instance }),
    ...(by !== undefined && { by }),
    ...(submission.run !== undefined && { run: submission.run }),
    ...(submission.step !== undefined && { step: submission.step }),
    ...(refusal !== undefined && { refusal }),
  };
}
