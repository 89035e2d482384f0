/** The texts of a procedure with the values known now in place: messages of `log`, prompts. Part of resolution. */

import type { TextPart } from '../../../contract/program.ts';
import type { Text } from '../procedure.ts';
import { type Leaf, meaningOf, operandOf } from './invocation.ts';
import { withUnit } from './typed-value.ts';

/** What an optional input without value reads as. */
const NO_VALUE = 'none';

/** The text with inputs and targets in place; parts that depend on something unknown are left out. */
export function resolveText(text: Text, leaf: Leaf): TextPart[] {
  return text.flatMap((part) => (typeof part === 'string' ? [part] : resolvedPart(part, leaf)));
}

function resolvedPart(part: Exclude<Text[number], string>, leaf: Leaf): TextPart[] {
  if ('measure' in part) return measurePart(part, leaf);
  const meaning = meaningOf(part, leaf);
  if (meaning.kind === 'answer') return [part];
  if (meaning.kind === 'value') return [String(withUnit(meaning.value, meaning.unit))];
  return meaning.kind === 'absent' ? [NO_VALUE] : [];
}

function measurePart(
  { role, component, instance, measure }: Extract<Text[number], { measure: string }>,
  leaf: Leaf,
): TextPart[] {
  const target = leaf.frame.targets.get(role)?.target;
  const name = `${role}.${component}.${measure}`;
  const of = instance === undefined ? undefined : operandOf(meaningOf(instance, leaf), leaf, name);
  if (target === undefined || (instance !== undefined && of === undefined)) return [];
  return [{ target: target.name, component, ...(of !== undefined && { instance: of }), measure }];
}
