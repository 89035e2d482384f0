/**
 * The kinds of names in mission documents, as schema pieces. Names that conditions speak of begin with a letter; names
 * that become part of a bus subject are tokens (Mission Control Service, "Conventions").
 */

import Type from 'typebox';
import { CONDITION_CHARACTERS, NAME_CHARACTERS, PATH_CHARACTERS } from '../../contract/limits/request.ts';

/** Of components, measures, telecommands, arguments, alarms, parameters, enumerations: usable in a condition. */
export const IDENTIFIER_PATTERN = `^[A-Za-z][A-Za-z0-9_-]{0,${NAME_CHARACTERS - 1}}$`;
/** Tokens, and not of digits only: their order matters, and keys of digits alone would be put first. */
export const NAME_PATTERN = `^(?![0-9]+$)[A-Za-z0-9_-]{1,${NAME_CHARACTERS}}$`;
export const VERSION_PATTERN = '^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$';

export const Identifier = Type.String({ pattern: IDENTIFIER_PATTERN, title: 'name' });
export const Name = Type.String({ pattern: NAME_PATTERN, title: 'token' });
export const Version = Type.String({
  pattern: VERSION_PATTERN,
  maxLength: NAME_CHARACTERS,
  title: 'version',
  description: 'Like 1.4.0.',
});
export const PlatformReference = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_-]*@[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$',
  maxLength: PATH_CHARACTERS,
  title: 'platform reference',
  description: '`name@version`.',
});
export const Text = Type.String({ description: 'Free text for people.' });
/** `6.8 V`, or a plain number in the unit of what it belongs to. */
export const QuantityText = Type.Union([Type.String(), Type.Number()], { title: 'quantity' });
export const DurationText = Type.String({ title: 'duration', description: 'Like 30 s, 10 min.' });
export const ConditionText = Type.String({
  minLength: 1,
  maxLength: CONDITION_CHARACTERS,
  title: 'condition',
});
const Bound = Type.Union([Type.String(), Type.Number(), Type.Null()]);
export const IntervalText = Type.Tuple([Bound, Bound], {
  title: 'interval',
  description: '[low, high]; null leaves a side open.',
});

export const closed = { additionalProperties: false } as const;
