/**
 * Texts of `log`, `ask` and `confirm`: `{$name}` shows the value of a name, `{role.component[instance].measure}` the
 * current value of a measure, `{{` and `}}` are braces. Mission Control Service, section 4.2.
 */

import { Checker } from '../../condition/checker.ts';
import { parseCondition, type ReferenceNode } from '../../condition/syntax.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { Text } from '../procedure.ts';
import { scopeOf } from './condition.ts';
import type { Names } from './names.ts';

const PIECES = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
type Part = Text[number];

/** The text in parts; what is in braces and cannot be shown is reported. */
export function compileText(text: string, names: Names, faults: FaultsAt): Text {
  const parts: Part[] = [];
  let end = 0;
  for (const piece of text.matchAll(PIECES)) {
    addText(parts, text.slice(end, piece.index));
    end = piece.index + piece[0].length;
    const [whole, inside] = piece;
    if (whole === '{{' || whole === '}}') addText(parts, whole[0] ?? '');
    else if (inside === undefined)
      faults.fault(`an unmatched brace at character ${piece.index + 1}`, 'write {{ or }} for a brace');
    else parts.push(...shownValue(inside.trim(), names, faults));
  }
  addText(parts, text.slice(end));
  return parts;
}

function addText(parts: Part[], text: string): void {
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else if (text !== '') parts.push(text);
}

function shownValue(inside: string, names: Names, faults: FaultsAt): Part[] {
  const tree = parseCondition(inside);
  const node = tree.ok ? tree.value : undefined;
  if (node?.kind === 'name') return shownName(node.name, names, faults);
  if (node?.kind === 'reference' && node.path.length > 1) return shownMeasure(inside, node, names, faults);
  faults.fault(`{${inside}} shows nothing`, 'write {$name} or {role.component.measure}, and {{ for a brace');
  return [];
}

function shownName(name: string, names: Names, faults: FaultsAt): Part[] {
  const type = names.find(name, faults);
  if (type === undefined) return [];
  return [{ name, ...(type.unit !== undefined && { unit: type.unit }) }];
}

function shownMeasure(inside: string, node: ReferenceNode, names: Names, faults: FaultsAt): Part[] {
  const [role, component, measure] = node.path;
  const named = component?.instance?.kind === 'name' ? component.instance.name : undefined;
  if (names.header.unsoundRoles.has(role?.name ?? '')) return [];
  if (named !== undefined && names.find(named, faults) === undefined) return [];
  if (named !== undefined && names.maybeNull(named)) {
    faults.fault(`$${named} may be null, but null is not an instance`, `give the input ${named} no default`);
    return [];
  }
  const checker = new Checker(scopeOf(names));
  const term = checker.term(node);
  for (const { message, help } of checker.faults)
    faults.fault(`${message} (in {${inside}})`, help ?? 'write {role.component.measure}');
  if (term === undefined || role === undefined || component === undefined || measure === undefined) return [];
  const { instance } = component;
  return [
    {
      role: role.name,
      component: component.name,
      measure: measure.name,
      instance:
        instance === null || instance === undefined
          ? undefined
          : instance.kind === 'name'
            ? { name: instance.name }
            : { value: instance.value },
    },
  ];
}
