/**
 * What the last word of a command line may be: options of the command, and the names of the mission for its words. Asks
 * the service, for a moment.
 */

import type { CatalogueView } from '../contract/catalogue.ts';
import type { MissionView } from '../contract/mission-view.ts';
import type { Command } from './command.ts';
import { ask } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';
import { telecommandsOf } from './telecommand.ts';
import { measuresByName } from './values-table.ts';

/** What is known of each command before it is loaded. */
export type CommandTable = Readonly<
  Record<string, { readonly verbs?: string; readonly load: () => Promise<Command> }>
>;

/** Whoever has pressed Tab waits. */
const ANSWER_MS = 1_500;
const OPTION = /--[a-z][a-z0-9-]*/g;

/** Nothing where it is not known; never throws (completion.C1). */
export async function completedWords(table: CommandTable, given: readonly string[]): Promise<string[]> {
  const [noun = '', ...rest] = given;
  if (given.length <= 1) return Object.keys(table);
  if (!Object.hasOwn(table, noun)) return [];
  const loaded = await table[noun]!.load();
  const verb = rest[0] ?? '';
  if (loaded.verbs === undefined) return wordsOf(loaded, rest);
  if (rest.length <= 1) return Object.keys(loaded.verbs);
  return Object.hasOwn(loaded.verbs, verb) ? wordsOf(loaded.verbs[verb]!, rest.slice(1)) : [];
}

/** `given` stands behind the command; its last word is the one in question. */
async function wordsOf(command: Command, given: readonly string[]): Promise<string[]> {
  const current = given.at(-1) ?? '';
  if (current.startsWith('-')) return optionsOf(command);
  const { placed, values } = readLine(command, given.slice(0, -1));
  if (values === undefined) return [];
  const kind = kindOf(command, placed.length);
  const names = kind === undefined ? undefined : NAMES[kind];
  const service = serviceOf(values);
  return names === undefined ? [] : names(service, placed).catch(() => []);
}

function optionsOf({ options, usage }: Command): string[] {
  const own =
    options === undefined ? (usage.match(OPTION) ?? []) : Object.keys(options).map((name) => `--${name}`);
  return [...new Set([...own, '--help'])].sort();
}

interface ReadLine {
  readonly placed: readonly string[];
  /** Undefined where the value of an option stands last. */
  readonly values: Partial<Record<keyof typeof SERVICE_OPTIONS, string>> | undefined;
}

/** The words before, without options and their values. */
function readLine({ options }: Command, given: readonly string[]): ReadLine {
  const placed: string[] = [];
  const values: Record<string, string> = {};
  const known: Readonly<Record<string, { readonly type: string } | undefined>> = options ?? SERVICE_OPTIONS;
  for (let at = 0; at < given.length; at += 1) {
    const [name = '', inline] = given[at]!.replace(/^--/, '').split('=', 2);
    if (!given[at]!.startsWith('--')) placed.push(given[at]!);
    else if (inline !== undefined) values[name] = inline;
    else if (known[name]?.type === 'string') {
      at += 1;
      if (at >= given.length) return { placed, values: undefined };
      values[name] = given[at]!;
    }
  }
  return { placed, values };
}

type Kind = keyof typeof NAMES;

/** What the word at that place is of, by how the command is called. */
function kindOf({ words, usage }: Command, place: number): Kind | undefined {
  const [, , , ...called] = (usage.split('\n')[0] ?? '').split(' ');
  const name = words?.[place] ?? (words === undefined ? called[place] : undefined);
  const plain = name?.replace(/[[\]]/g, '');
  if (plain !== undefined && Object.hasOwn(NAMES, plain)) return plain as Kind;
  return usage.includes('[SELECTOR …]') && place > 0 ? 'SELECTOR' : undefined;
}

const NAMES = {
  TARGET: async (service) => (await missionOf(service)).targets.map(({ target }) => target),
  GATEWAY: async (service) => (await missionOf(service)).gateways.map(({ gateway }) => gateway),
  PROCEDURE: async (service) => (await missionOf(service)).procedures.map(({ procedure }) => procedure),
  MODE: async (service, [target]) =>
    (await missionOf(service)).targets.find((each) => each.target === target)?.modes ?? [],
  TELECOMMAND: async (service, [target = '']) =>
    telecommandsOf(await catalogueOf(service, target)).map(({ name }) => name),
  SELECTOR: async (service, [target = '']) => [...measuresByName(await catalogueOf(service, target)).keys()],
} as const satisfies Record<string, (service: Service, placed: readonly string[]) => Promise<string[]>>;

function missionOf(service: Service): Promise<MissionView> {
  return read(service, '/v1/mission');
}

function catalogueOf(service: Service, target: string): Promise<CatalogueView> {
  return read(service, `/v1/targets/${encodeURIComponent(target)}/catalogue`);
}

async function read<View>(service: Service, path: string): Promise<View> {
  const answer = await ask<View>(service, 'GET', path, undefined, AbortSignal.timeout(ANSWER_MS));
  if (!answer.ok) throw new Error('the service refuses');
  return answer.reply;
}
