/**
 * Which procedure puts a file on board a target, and in which environment: named, or the only one there is. Pure.
 *
 * P1. It uploads to a role of which the target can be, a file and content that its inputs name, and needs nothing else
 *     that is not given.
 * P2. Of several, or where none can, it is said which and what to write: nothing is guessed.
 */

import type { ProcedureList, ProcedureView } from '../contract/procedure.ts';
import type { Read } from './upload-content.ts';

export interface ChosenProcedure {
  readonly procedure: string;
  readonly library: string;
  readonly environment: string;
  readonly role: string;
  /** Names of its inputs. */
  readonly file: string;
  readonly content: string;
}

interface Wanted {
  readonly target: string;
  /** As it is named, with or without its library: `put_file`, `ops/put_file`. */
  readonly procedure: string | undefined;
  readonly environment: string | undefined;
  /** Names of further inputs that are given. */
  readonly inputs: readonly string[];
}

type Candidate = ProcedureView & { readonly upload: ProcedureView['uploads'][number] };

export function chooseProcedure(list: ProcedureList, wanted: Wanted): Read<ChosenProcedure> {
  const environment = environmentIn(list, wanted);
  if (!environment.ok) return environment;
  const where = environment.value;
  const named = list.procedures.filter((each) => isNamed(each, wanted.procedure));
  if (named.length === 0 && wanted.procedure !== undefined)
    return refused(
      `no procedure ${wanted.procedure} is for ${wanted.target}: ${namesOf(uploading(list.procedures))}`,
    );
  const able = uploading(named);
  if (able.length === 0)
    return refused(
      wanted.procedure === undefined
        ? none(wanted)
        : `${wanted.procedure} uploads no file that its inputs name`,
    );
  const fitting = able.filter((each) => obstacleIn(each, where, wanted.inputs) === undefined);
  if (fitting.length === 1) return { ok: true, value: chosen(fitting[0]!, where) };
  if (fitting.length > 1)
    return refused(
      `several procedures put files on ${wanted.target}: ${described(fitting)}\nchoose one with --procedure`,
    );
  const why = able.map((each) => `${nameOf(each)}: ${obstacleIn(each, where, wanted.inputs)}`);
  return refused(`no procedure can put the file on ${wanted.target} like this\n${why.join('\n')}`);
}

function environmentIn({ environments }: ProcedureList, { target, environment }: Wanted): Read<string> {
  if (environment !== undefined) return { ok: true, value: environment };
  const [only, ...more] = environments;
  if (only !== undefined && more.length === 0) return { ok: true, value: only };
  if (only === undefined) return refused(`${target} is in no environment; name one with --environment`);
  return refused(`${target} is in ${environments.join(', ')}: choose one with --environment`);
}

function isNamed({ procedure, library }: ProcedureView, name: string | undefined): boolean {
  if (name === undefined || name === procedure) return true;
  const [bare] = library.split('@');
  return name === `${library}/${procedure}` || name === `${bare}/${procedure}`;
}

/** P1: one for each way to give it a file. */
function uploading(procedures: readonly ProcedureView[]): Candidate[] {
  return procedures.flatMap((each) => each.uploads.slice(0, 1).map((upload) => ({ ...each, upload })));
}

function obstacleIn(candidate: Candidate, environment: string, given: readonly string[]): string | undefined {
  const { uploads, roles, inputs, upload, allowed_in } = candidate;
  if (uploads.length > 1) return 'it uploads several files; start it with mcs run start';
  const others = Object.keys(roles).filter((role) => role !== upload.role);
  if (others.length > 0) return `it needs more targets (${others.join(', ')}); start it with mcs run start`;
  if (allowed_in !== undefined && !allowed_in.includes(environment))
    return `it is allowed in ${allowed_in.join(', ') || 'no environment'}, not in ${environment}`;
  const known = [upload.file, upload.content, ...given];
  const missing = inputs.filter(({ name, required }) => required && !known.includes(name));
  if (missing.length === 0) return undefined;
  return `it needs ${missing.map(({ name }) => `--input ${name}=…`).join(' ')}`;
}

function chosen({ procedure, library, upload }: Candidate, environment: string): ChosenProcedure {
  const { role, file, content } = upload;
  return { procedure, library, environment, role, file, content };
}

function none({ target }: Wanted): string {
  return (
    `no procedure of the libraries puts files on ${target}\n` +
    'one needs inputs of the types file_id and file and a statement `upload: role.files[$file]` with `content: $content` ' +
    '(docs/files.md, "Putting a file")'
  );
}

function namesOf(candidates: readonly Candidate[]): string {
  return candidates.length === 0
    ? 'no procedure puts files there'
    : `${candidates.map(nameOf).join(', ')} put files there`;
}

function described(candidates: readonly Candidate[]): string {
  return candidates
    .map((each) => (each.description === undefined ? nameOf(each) : `${nameOf(each)} (${each.description})`))
    .join(', ');
}

function nameOf({ library, procedure }: ProcedureView): string {
  return `${library.split('@')[0]}/${procedure}`;
}

function refused(said: string): { readonly ok: false; readonly said: string } {
  return { ok: false, said };
}
