/**
 * `mcs actor trouble`, `resume` and `reset`: what restarts or is quarantined, wherever it is, and how a person ends a
 * quarantine. Names: `KIND/ID` of an entity, `PREFIX/NAME` of what a process owns (`lane/sat1`), `role/ROLE`.
 */

import type { ChildView, ProcessView } from '../contract/inspection.ts';
import type { InspectTree, ReleaseRequest } from '../contract/inspector.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

interface Troubled extends Omit<ReleaseRequest, 'action'> {
  readonly name: string;
  readonly state: ChildView['state'];
  readonly reason: string;
}

const TROUBLE_USAGE = `mcs actor trouble [--json]
  what restarts or is quarantined, in which process and why
`;

const releaseUsage = (
  action: string,
  what: string,
): string => `mcs actor ${action} NAME [--process INSTANCE] [--json]
  ${what}
  NAME: as \`mcs actor trouble\` lists it: telecommand/sat1.01J…, lane/sat1, role/executor
`;

export const trouble = defineCommand({
  usage: TROUBLE_USAGE,
  words: [],
  options: JSON_OPTIONS,
  async run({ values }) {
    const found = await lookedFor(serviceOf(values));
    if (found === undefined) return 1;
    if (values.json === true) printJson({ trouble: found });
    else process.stdout.write(`${found.map(lineOf).join('\n') || 'nothing is in trouble'}\n`);
    return 0;
  },
});

export const resume = releasing('resume', 'ends its quarantine: it starts again from its record');
export const reset = releasing('reset', 'ends its quarantine: it is given up here, and its record stays');

function releasing(action: ReleaseRequest['action'], what: string) {
  return defineCommand({
    usage: releaseUsage(action, what),
    words: ['NAME'],
    options: { ...JSON_OPTIONS, process: { type: 'string' } },
    async run({ words: [name], values }) {
      const service = serviceOf(values);
      const found = await lookedFor(service);
      if (found === undefined) return 1;
      const meant = found.filter(
        (each) =>
          each.name === name &&
          each.state === 'quarantined' &&
          (values.process ?? each.instance) === each.instance,
      );
      if (meant.length === 0) {
        process.stderr.write(`${printable(name)} is not quarantined (mcs actor trouble lists what is)\n`);
        return 1;
      }
      if (meant.length > 1)
        throw new WrongUsage(`${name} is quarantined in several processes: name one with --process`);
      const { instance, supervisor, child } = meant[0]!;
      const body: ReleaseRequest = { instance, supervisor, child, action };
      if ((await request(service, 'POST', '/v1/inspect/release', body)) === undefined) return 1;
      if (values.json === true) {
        printJson(body);
        return 0;
      }
      process.stdout.write(
        `${printable(name)}  ${action === 'resume' ? 'resumed' : 'reset'} in ${instance}\n`,
      );
      return 0;
    },
  });
}

/** Undefined after the refusal has been printed. */
async function lookedFor(service: Service): Promise<readonly Troubled[] | undefined> {
  const tree = await request<InspectTree>(service, 'GET', '/v1/inspect/tree');
  if (tree === undefined) return undefined;
  for (const { instance, why } of tree.silent)
    process.stderr.write(`${printable(instance)} does not answer (${why}): what is in it is not listed\n`);
  return tree.processes.flatMap(troubledIn);
}

function troubledIn({ instance, supervisor: root, roles }: ProcessView): Troubled[] {
  const under = (prefix: string, supervisor: string, children: readonly ChildView[]): Troubled[] =>
    children
      .filter(({ state }) => state === 'quarantined' || state === 'restarting')
      .map(({ name: child, state, reason = '' }) => {
        return { name: `${prefix}/${child}`, instance, supervisor, child, state, reason };
      });
  return [
    ...under('role', root, roles),
    ...roles.flatMap(({ partitions, kinds }) => [
      ...partitions.flatMap(({ prefix, supervisor, owned }) => under(prefix, supervisor, owned)),
      ...kinds.flatMap(({ kind, supervisor, trouble: children }) => under(kind, supervisor, children)),
    ]),
  ];
}

function lineOf({ name, state, instance, reason }: Troubled): string {
  return printable(`${name}  ${state}  ${instance}  ${reason}`);
}
