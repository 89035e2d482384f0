/**
 * Lists of passes: those in use, which this process holds, and where asked for those that are long over, which are read
 * (`messaging/passes-over.ts`). Mission Control Service, section 4.5.
 *
 * Q1. A list that does not ask for passes that are over reads nothing.
 * Q2. Those in use are looked at first: one that leaves them meanwhile is among the others already.
 * Q3. A page reads the days that it needs, and goes on behind its last pass whatever came or left meanwhile.
 */

import Type from 'typebox';
import { PASS_LIST_MOST } from '../contract/limits/pass.ts';
import { PATH_CHARACTERS } from '../contract/limits/request.ts';
import { type PassList, type PassOver, type PassView, passKey, type StoredPass } from '../contract/pass.ts';
import { isCopy } from '../messaging/passes-over.ts';
import { byAos, isOver, shownPass, windowOf } from '../mission/pass/pass.ts';
import type { RoutePorts } from './ports.ts';
import type { QueryParameter } from './route.ts';

/** Where a list goes on: behind this pass, in the order of lists. */
interface PassCursor {
  readonly aos: number;
  readonly key: string;
}

interface PassQuery {
  readonly target?: string | undefined;
  readonly all?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly after?: PassCursor | undefined;
}

const CURSOR = /^(-?\d{1,16})\.(.{1,300})$/;

export const cursorInQuery: QueryParameter<PassCursor> = {
  schema: Type.String({
    maxLength: PATH_CHARACTERS,
    description: 'Continue behind this pass: the `next` of a list.',
  }),
  expected: 'the next of a list',
  parse(text) {
    const [, aos, key] = CURSOR.exec(text) ?? [];
    return aos === undefined || key === undefined ? undefined : { aos: Number(aos), key };
  },
};

type Ports = Pick<RoutePorts, 'passes' | 'passesOver' | 'clock'>;

export async function listOfPasses(
  query: PassQuery,
  { passes, passesOver, clock }: Ports,
): Promise<PassList> {
  const { target, from, to, after, all } = query;
  const now = clock.now();
  const inUse = passes
    .passes(target)
    .filter((pass) => (all === true || !isOver(pass, now)) && matches(pass, query));
  const views = new Map<StoredPass, () => PassView>(inUse.map((pass) => [pass, () => passes.viewOf(pass)]));
  if (all === true) {
    const known = new Map(passes.passes(target).map((pass) => [passKey(pass.target, pass.id), pass]));
    const isShown = (pass: StoredPass): boolean => {
      const used = known.get(passKey(pass.target, pass.id));
      return (used === undefined || !isCopy(used, pass)) && matches(pass, query);
    };
    const time = { target, from, to, since: after?.aos };
    for (const over of await passesOver.list(time, PASS_LIST_MOST, isShown))
      views.set(over.pass, () => viewOfOver(over));
  }
  const matching = [...views.keys()].sort(byAos);
  const listed = matching.slice(0, PASS_LIST_MOST);
  const next = matching.length > listed.length ? cursorOf(listed.at(-1)!) : undefined;
  return { passes: listed.map((pass) => views.get(pass)!()), ...(next !== undefined && { next }) };
}

export function viewOfOver({ pass, gateway }: PassOver): PassView {
  return { pass: shownPass(pass), ...(gateway !== undefined && { gateway }) };
}

function matches(pass: StoredPass, { from, to, after }: PassQuery): boolean {
  const { aos, los } = windowOf(pass);
  return (
    (from === undefined || los > from) &&
    (to === undefined || aos < to) &&
    (after === undefined || isBehind(pass, aos, after))
  );
}

function isBehind({ target, id }: StoredPass, aos: number, after: PassCursor): boolean {
  return aos === after.aos ? passKey(target, id) > after.key : aos > after.aos;
}

function cursorOf(pass: StoredPass): string {
  return `${windowOf(pass).aos}.${passKey(pass.target, pass.id)}`;
}
