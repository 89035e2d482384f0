/**
 * The supervision tree as rows, the outer before the inner, and what in it needs attention. Pure: a tree in, rows out.
 *
 * R1. A row has the worst health of what is below it, so that a closed branch hides no trouble.
 */

import type { ChildState, ChildView, EntityName, ProcessView, RoleView } from '../../contract/inspection.ts';
import type { InspectTree, SilentProcess } from '../../contract/inspector.ts';
import { duration } from '../moment.ts';

export type Health = 'ok' | 'busy' | 'trouble' | 'broken' | 'silent';

export interface TreeRow {
  readonly key: string;
  readonly level: number;
  readonly name: string;
  readonly health: Health;
  /** In a few words: `running`, `3 live`. */
  readonly about: string;
  readonly parents: readonly string[];
  readonly hasChildren: boolean;
  /** Opened by Enter. */
  readonly entity?: EntityName;
  /** Looked for by Enter. */
  readonly kind?: string;
}

/** Something that does not simply run, with what is needed to release it. */
export interface Trouble {
  readonly key: string;
  readonly instance: string;
  readonly name: string;
  readonly where: string;
  readonly state: ChildState | 'silent' | 'lost';
  readonly crashes: number;
  readonly reason: string;
  /** Undefined where nothing can be released. */
  readonly supervisor?: string;
  readonly entity?: EntityName;
}

/** Sign and word of each health: never the colour alone. */
export const HEALTH: Record<Health, { sign: string; word: string; tone: string }> = {
  ok: { sign: '●', word: 'running', tone: 'ok' },
  busy: { sign: '◔', word: 'starting or stopping', tone: 'muted' },
  trouble: { sign: '▲', word: 'restarting', tone: 'warn' },
  broken: { sign: '■', word: 'quarantined', tone: 'bad' },
  silent: { sign: '○', word: 'silent', tone: 'bad' },
};

const WORST: readonly Health[] = ['ok', 'busy', 'trouble', 'silent', 'broken'];

interface Branch {
  readonly key: string;
  readonly name: string;
  readonly health: Health;
  readonly about: string;
  readonly children: readonly Branch[];
  readonly entity?: EntityName;
  readonly kind?: string;
}

/** Every row of the tree. */
export function rowsOf(tree: InspectTree): TreeRow[] {
  return [
    ...tree.processes.map((process) => processBranch(process)),
    ...tree.silent.map(silentBranch),
  ].flatMap((branch) => flatten(branch, 1, []));
}

/** What needs attention, the worst first. */
export function troubleOf(tree: InspectTree): Trouble[] {
  const found = [
    ...tree.processes.flatMap(troubleOfProcess),
    ...tree.silent.map(troubleOfSilent),
    ...troubleOfBus(tree),
  ];
  const rank = ({ state }: Trouble): number => ['quarantined', 'silent', 'lost', 'restarting'].indexOf(state);
  return found.sort((one, other) => rank(one) - rank(other));
}

/** The latest of what processes say: each learns it from the others. */
function troubleOfBus({ processes }: InspectTree): Trouble[] {
  const until = Math.max(...processes.map(({ lostUntil = 0 }) => lostUntil), 0);
  if (until === 0) return [];
  const what = `what was stored until ${new Date(until).toISOString()} may be lost`;
  const reason = `${what}: its store went back, or a stream was deleted. mcs bus check says what does not fit together`;
  const where = 'of every process';
  return [{ key: 'bus', instance: '', name: 'the message bus', where, state: 'lost', crashes: 0, reason }];
}

export function healthOf({ state }: Pick<ChildView, 'state'>): Health {
  if (state === 'quarantined') return 'broken';
  if (state === 'restarting') return 'trouble';
  return state === 'running' ? 'ok' : 'busy';
}

function flatten(branch: Branch, level: number, parents: readonly string[]): TreeRow[] {
  const { children, health: _own, ...row } = branch;
  const below = children.flatMap((child) => flatten(child, level + 1, [...parents, branch.key]));
  return [{ ...row, level, parents, health: worst(branch), hasChildren: children.length > 0 }, ...below];
}

/** R1 */
function worst({ health, children }: Branch): Health {
  const all = [health, ...children.map(worst)];
  return WORST[Math.max(...all.map((each) => WORST.indexOf(each)))]!;
}

function processBranch(process: ProcessView): Branch {
  const { instance, startedAt, at, draining, roles, deadLetters } = process;
  const letters = deadLetters.count > 0 ? ` · ${deadLetters.count} dead letters` : '';
  return {
    key: instance,
    name: instance,
    health: draining ? 'busy' : 'ok',
    about: `${draining ? 'draining' : `up ${duration(at - startedAt)}`}${letters}`,
    children: roles.map((role) => roleBranch(instance, role)),
  };
}

function roleBranch(instance: string, role: RoleView): Branch {
  const key = `${instance}/${role.name}`;
  const groups = role.partitions.map(({ prefix, owned }) => ({
    key: `${key}/${prefix}`,
    name: prefix,
    health: 'ok' as const,
    about: `${owned.length} owned`,
    children: owned.map((partition) => childBranch(`${key}/${prefix}`, partition)),
  }));
  const kinds = role.kinds.map(({ kind, chartVersion, live, loading, trouble }) => ({
    key: `${key}/kind/${kind}`,
    name: `${kind} v${chartVersion}`,
    kind,
    health: 'ok' as const,
    about: [`${live} live`, ...(loading > 0 ? [`${loading} loading`] : [])].join(' · '),
    children: trouble.map((cell) => ({
      ...childBranch(`${key}/kind/${kind}`, cell),
      entity: { kind, id: cell.name },
    })),
  }));
  return { ...childBranch(instance, role), children: [...groups, ...kinds] };
}

function childBranch(parent: string, child: ChildView): Branch {
  const { name, state, crashes } = child;
  const about = crashes > 0 ? `${state} · ${crashes} ${crashes === 1 ? 'crash' : 'crashes'}` : state;
  return { key: `${parent}/${name}`, name, health: healthOf(child), about, children: [] };
}

function silentBranch({ instance, why }: SilentProcess): Branch {
  return { key: instance, name: instance, health: 'silent', about: why, children: [] };
}

function troubleOfProcess({ instance, supervisor, roles }: ProcessView): Trouble[] {
  return roles.flatMap((role) => [
    ...troubles(instance, `role of ${instance}`, supervisor, [role]),
    ...role.partitions.flatMap((group) =>
      troubles(
        instance,
        `${group.prefix} of role ${role.name} on ${instance}`,
        group.supervisor,
        group.owned,
      ),
    ),
    ...role.kinds.flatMap((kind) =>
      troubles(
        instance,
        `${kind.kind} in role ${role.name} on ${instance}`,
        kind.supervisor,
        kind.trouble,
        kind.kind,
      ),
    ),
  ]);
}

function troubles(
  instance: string,
  where: string,
  supervisor: string,
  children: readonly ChildView[],
  kind?: string,
): Trouble[] {
  return children
    .filter(({ state }) => state === 'quarantined' || state === 'restarting')
    .map(({ name, state, crashes, reason = '' }) => ({
      key: `${instance}|${supervisor}|${name}`,
      instance,
      where,
      name,
      state,
      crashes,
      reason,
      supervisor,
      ...(kind !== undefined && { entity: { kind, id: name } }),
    }));
}

const SILENCE = {
  gone: 'It does not answer: it crashed or was cut off, and other processes take over its work.',
  slow: 'It is connected but does not answer in time.',
  refused: 'Its reply is malformed; does it run another version?',
};

function troubleOfSilent({ instance, why }: SilentProcess): Trouble {
  const key = `${instance}|silent`;
  return {
    key,
    instance,
    name: instance,
    where: 'process',
    state: 'silent',
    crashes: 0,
    reason: SILENCE[why],
  };
}
