/** The fields of a telecommand, and what is asked for of what was typed into them. Pure. */

import type { ArgumentView } from '../../../contract/catalogue.ts';
import type { MissionTarget } from '../../../contract/mission-view.ts';
import type { CatalogueTelecommand } from '../data/catalogue.ts';
import { type FieldView, sentValue } from '../parts/arguments.ts';
import type { Asked } from './draft.ts';

/** Fields beside the arguments; a blank keeps them apart from any argument. */
export const INSTANCE = ' instance';
const LINK = ' link';
const ENVIRONMENT = ' environment';

/** Instance first where there are several, then the arguments, then what has a default for the target. */
export function telecommandFields(
  { component, telecommand, isOfFile }: CatalogueTelecommand,
  target: MissionTarget | undefined,
): FieldView[] {
  const { instances } = component;
  const { links = [], environments = [], default_link = '' } = target ?? {};
  return [
    ...(instances.length > 0
      ? [{ name: INSTANCE, type: 'instance', choices: instances, required: true }]
      : []),
    ...(isOfFile ? [{ name: INSTANCE, type: 'file identifier', required: true }] : []),
    ...telecommand.args.map(fieldOf),
    ...(links.length > 1 ? [choiceOf(LINK, links, default_link)] : []),
    ...(environments.length > 1 ? [choiceOf(ENVIRONMENT, environments, 'that of the link')] : []),
  ];
}

const ARGUMENT = 'arg.';
const BESIDE: Readonly<Record<string, string>> = {
  [INSTANCE]: 'instance',
  [LINK]: 'link',
  [ENVIRONMENT]: 'environment',
};

/** Where the address has what is typed into a field. */
export function queryNameOf(field: string): string {
  return BESIDE[field] ?? `${ARGUMENT}${field}`;
}

/** What an address has typed into the fields. */
export function typedIn(query: Readonly<Record<string, string>>): Record<string, string> {
  const typed: Record<string, string> = {};
  for (const [name, text] of Object.entries(query))
    if (name.startsWith(ARGUMENT)) typed[name.slice(4)] = text;
  for (const [field, name] of Object.entries(BESIDE))
    if (query[name] !== undefined) typed[field] = query[name];
  return typed;
}

/** The address of a form that is filled in with what was asked for before. */
export function queryOfAsked({ args, instance, link, environment }: Partial<Asked>): Record<string, string> {
  const beside = { instance, link, environment };
  const typed = Object.entries(args ?? {}).map(([name, value]) => [`${ARGUMENT}${name}`, String(value)]);
  return Object.fromEntries([...typed, ...Object.entries(beside).filter(([, value]) => value !== undefined)]);
}

/** What is sent of them; what is left empty is left out. */
export function askedOf(
  fields: readonly FieldView[],
  typed: Readonly<Record<string, string>>,
): Omit<Asked, 'target' | 'telecommand'> {
  const optional = (name: string): string | undefined => typed[name]?.trim() || undefined;
  const [instance, link, environment] = [optional(INSTANCE), optional(LINK), optional(ENVIRONMENT)];
  const args = fields
    .filter(({ name }) => !name.startsWith(' '))
    .flatMap((field) => {
      const value = sentValue(field, typed[field.name] ?? '');
      return value === undefined ? [] : [[field.name, value] as const];
    });
  return {
    args: Object.fromEntries(args),
    ...(instance !== undefined && { instance }),
    ...(link !== undefined && { link }),
    ...(environment !== undefined && { environment }),
  };
}

function choiceOf(name: string, choices: readonly string[], fallback: string): FieldView {
  return { name, type: '', choices, required: false, fallback };
}

function fieldOf({
  name,
  description,
  type,
  unit,
  range,
  values,
  default: written,
}: ArgumentView): FieldView {
  const required = written === undefined;
  const fallback = required ? undefined : String(written);
  return { name, description, type, unit, range, choices: values, required, fallback };
}
