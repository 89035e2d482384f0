/**
 * Telecommands of a platform document: arguments with their ranges and defaults, requirements, verification, encoding.
 * Mission Control Service, sections 2.1, 2.11, 4.1 rules 1 and 4.
 */

import { REQUIRES_MAX_AGE_MS } from '../../contract/limits/telecommand.ts';
import { readArgument } from '../argument.ts';
import type { ConditionScope, ScopeName } from '../condition/scope.ts';
import type { ArgumentConfiguration, TelecommandConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ArgumentDocument, TelecommandDocument, VerifyDocument } from '../document/platform.ts';
import type { Enumeration } from '../platform.ts';
import { integerBounds, isNumberType } from '../value-type.ts';
import { type AnswerSite, checkAnswer } from './answer.ts';
import { checkCondition, checkInstantCondition } from './condition.ts';
import { checkEncode } from './encode.ts';
import { typeKnown } from './measure.ts';
import { durationIn, intervalIn, unitKnown } from './quantity.ts';
import type { TelecommandSite } from './site.ts';

/** The telecommand as far as it holds. */
export function checkTelecommand(
  name: string,
  document: TelecommandDocument,
  site: TelecommandSite,
  faults: FaultsAt,
): TelecommandConfiguration {
  const { frame } = site;
  if (document.instance !== undefined && !site.files) {
    faults
      .in('instance')
      .fault('only telecommands of the files component name a file', 'leave it out; use `instances`');
  }
  const args = Object.entries(document.args ?? {}).map(([argument, each]) =>
    checkArgument(argument, each, frame.enumerations, site, faults.in('args', argument)),
  );
  const scope = scopeOf(args, site, document.instance !== undefined);
  const encode =
    document.encode === undefined ? undefined : checkEncode(document, args, site, faults.in('encode'));
  const bounded = args.map((each) =>
    withLengthBound(each, encode?.longest.get(each.name), faults.in('args', each.name, 'default')),
  );
  const verify =
    document.verify === undefined
      ? undefined
      : checkVerify(
          document.verify,
          scope,
          { isLine: document.encode?.line !== undefined, enumerations: frame.enumerations },
          faults.in('verify'),
        );
  return {
    name,
    ...(document.description !== undefined && { description: document.description }),
    args: bounded,
    changesState: document.changes_state ?? true,
    hazardous: document.hazardous ?? false,
    requires: checkRequires(document, scope, faults.in('requires')),
    ...(verify !== undefined && { verify }),
    ...(encode !== undefined && { encode: encode.encoding }),
    ...(document.instance === 'file' && {
      file: { ...(encode?.maxFile !== undefined && { maxId: encode.maxFile }) },
    }),
  };
}

function checkArgument(
  name: string,
  document: ArgumentDocument,
  enumerations: ReadonlyMap<string, Enumeration>,
  site: TelecommandSite,
  faults: FaultsAt,
): ArgumentConfiguration {
  const { description, type, unit } = document;
  const known = typeKnown(type, new Set(enumerations.keys()), faults.in('type'));
  const unitOk = unitKnown(unit, faults.in('unit'));
  if (known && unit !== undefined && !isNumberType(type)) {
    faults
      .in('unit')
      .fault(`an argument of type ${type} is not a number and has no unit`, 'leave the unit out');
  }
  if (name === 'instance')
    faults.keyFault('"instance" names the instance in `from: $instance`', 'take another name');
  const range = known && unitOk ? checkRange(document, faults.in('range')) : undefined;
  const written = defaultAsWritten(name, document, site);
  const argument = { type, unit, range, enumeration: enumerations.get(type) };
  if (known && unitOk && written !== undefined) {
    const read = readArgument(argument, written);
    for (const fault of read.ok ? [] : read.faults) faults.in('default').fault(fault.message, fault.help);
  }
  return {
    name,
    ...(description !== undefined && { description }),
    type: known ? type : 'f64',
    ...(unit !== undefined && unitOk && { unit }),
    ...(range !== undefined && { range }),
    ...(written !== undefined && { default: written }),
  };
}

/** YAML reads `0x00` and `12345678901234567890` as numbers; bytes and large integers are meant as written. */
function defaultAsWritten(
  name: string,
  { default: value, type }: ArgumentDocument,
  site: TelecommandSite,
): string | number | boolean | undefined {
  const literal = typeof value === 'number' && (type === 'bytes' || !Number.isSafeInteger(value));
  const keep = type === 'f32' || type === 'f64';
  return literal && !keep ? site.source(['args', name, 'default']) : value;
}

function checkRange(
  { type, unit, range }: ArgumentDocument,
  faults: FaultsAt,
): readonly [number | null, number | null] | undefined {
  if (range === undefined) return undefined;
  const lengthy = type === 'string' || type === 'bytes';
  if (!lengthy && !isNumberType(type)) {
    faults.fault(`an argument of type ${type} has no range`, 'leave it out');
    return undefined;
  }
  const read = intervalIn(range, lengthy ? undefined : unit, faults);
  const bounds = integerBounds(type);
  if (read === undefined || bounds === undefined) return read;
  const beyond = read.find((bound) => bound !== null && (bound < bounds.least || bound > bounds.most));
  if (beyond !== undefined) {
    faults.fault(`${beyond} is nothing ${type} holds`, `${type} holds ${bounds.least} to ${bounds.most}`);
  }
  return read;
}

/** A text or bytes argument is no longer than its place in the frame; its default is not either. */
function withLengthBound(
  argument: ArgumentConfiguration,
  longest: number | undefined,
  faults: FaultsAt,
): ArgumentConfiguration {
  if (longest === undefined) return argument;
  const [least, most] = argument.range ?? [null, null];
  const range = [least, most === null ? longest : Math.min(most, longest)] as const;
  if (argument.default !== undefined) {
    const type = { type: argument.type, unit: undefined, enumeration: undefined };
    const before = readArgument({ ...type, range: argument.range }, argument.default);
    const read = readArgument({ ...type, range }, argument.default);
    if (before.ok && !read.ok) for (const { message, help } of read.faults) faults.fault(message, help);
  }
  return { ...argument, range };
}

/** A telecommand of the directory that names no file has no measures of its own. */
function scopeOf(
  args: readonly ArgumentConfiguration[],
  { frame, component, files }: TelecommandSite,
  namesFile: boolean,
): ConditionScope {
  const names = new Map<string, ScopeName>(
    args.map(({ name, type, unit }) => [name, { type, unit, enumeration: frame.enumerations.get(type) }]),
  );
  return { platform: frame, own: files && !namesFile ? undefined : component, names };
}

function checkRequires(
  { requires = [] }: TelecommandDocument,
  scope: ConditionScope,
  faults: FaultsAt,
): TelecommandConfiguration['requires'] {
  return requires.map(({ that, max_age }, index) => {
    checkInstantCondition(that, scope, faults.in(index, 'that'));
    const maxAgeMs = max_age === undefined ? undefined : durationIn(max_age, faults.in(index, 'max_age'));
    return { that, maxAgeMs: maxAgeMs ?? REQUIRES_MAX_AGE_MS };
  });
}

function checkVerify(
  document: VerifyDocument,
  scope: ConditionScope,
  answered: AnswerSite,
  faults: FaultsAt,
): NonNullable<TelecommandConfiguration['verify']> {
  const { expect, fail, reports, stage, within } = document;
  if (expect === undefined && reports === undefined && document.answer === undefined) {
    faults.fault('nothing could ever verify it', 'give expect, reports or answer');
  }
  if (stage !== undefined && reports === undefined) {
    faults.in('stage').fault('stage belongs to reports', 'add `reports: pus-1`, or leave stage out');
  }
  if (expect !== undefined) checkCondition(expect, scope, faults.in('expect'));
  if (fail !== undefined) checkCondition(fail, scope, faults.in('fail'));
  const withinMs = durationIn(within, faults.in('within'));
  if (withinMs === 0)
    faults.in('within').fault('the time is zero', 'give the time an answer may take, like 10 s');
  const answer = checkAnswer(document, answered, withinMs ?? 0, faults);
  return {
    ...(expect !== undefined && { expect }),
    ...(fail !== undefined && { fail }),
    ...(reports !== undefined && { reports: stage ?? 'completion' }),
    ...(answer !== undefined && { reports: 'completion' as const, answer }),
    withinMs: withinMs ?? 0,
  };
}
