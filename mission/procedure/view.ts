/**
 * Procedures as clients see them: what they need, and which files they upload. Mission Control Service, section 4.2.
 */

import type { ProcedureList, ProcedureView } from '../../contract/procedure.ts';
import type { Mission, Target } from '../mission.ts';
import type { Input, Library, Node, Procedure } from './procedure.ts';

/** A procedure never changes (mission.M1), so its view is made once. */
const views = new WeakMap<Procedure, ProcedureView>();
const uploads = new WeakMap<Procedure, readonly Upload[]>();

type Upload = ProcedureView['uploads'][number];

/** Those of which the target can have a role. */
export function proceduresFor(mission: Pick<Mission, 'libraries'>, target: Target): ProcedureList {
  const procedures = [...mission.libraries.values()].flatMap((library) =>
    [...library.procedures.values()]
      .filter((each) => fits(each, target))
      .map((each) => viewOf(library, each)),
  );
  return { environments: [...target.environments], procedures };
}

/** Those of every library. */
export function allProcedures({ libraries }: Pick<Mission, 'libraries'>): ProcedureView[] {
  return [...libraries.values()].flatMap((library) =>
    [...library.procedures.values()].map((each) => viewOf(library, each)),
  );
}

function fits({ roles }: Procedure, { platformId }: Target): boolean {
  return [...roles.values()].some((role) => role.platformId === platformId);
}

function viewOf(library: Library, procedure: Procedure): ProcedureView {
  const known = views.get(procedure);
  if (known !== undefined) return known;
  const { name, description, draft, allowedIn, roles, inputs } = procedure;
  const view: ProcedureView = {
    procedure: name,
    library: library.id,
    ...(description !== undefined && { description }),
    draft,
    ...(allowedIn !== undefined && { allowed_in: [...allowedIn] }),
    roles: Object.fromEntries([...roles].map(([role, { platformId }]) => [role, platformId])),
    inputs: [...inputs.values()].map(inputView),
    uploads: [...uploadsOf(procedure)],
    max_duration_ms: procedure.maxDurationMs,
    sends: procedure.sends,
    hazardous: procedure.hazardous.map(({ path, telecommand }) => ({ path, telecommand })),
  };
  views.set(procedure, view);
  return view;
}

function inputView({ name, description, type, default: standard }: Input): ProcedureView['inputs'][number] {
  return {
    name,
    type: type.type,
    ...(type.of !== undefined && { of: type.of }),
    ...(type.unit !== undefined && { unit: type.unit }),
    ...(type.range !== undefined && { range: [...type.range] }),
    ...(type.values !== undefined && { choices: type.values.map(([each]) => each) }),
    required: standard === undefined,
    ...(standard !== undefined && { default: standard }),
    ...(description !== undefined && { description }),
  };
}

/** Each once, in the words of the procedure: what it calls uploads what it is given. */
function uploadsOf(procedure: Procedure): readonly Upload[] {
  const known = uploads.get(procedure);
  if (known !== undefined) return known;
  const found = new Map<string, Upload>();
  for (const upload of procedure.steps.flatMap(uploadsIn)) {
    const { role, file, content } = upload;
    if (procedure.inputs.has(file) && procedure.inputs.has(content))
      found.set([role, file, content].join(' '), upload);
  }
  const all = [...found.values()];
  uploads.set(procedure, all);
  return all;
}

function uploadsIn(node: Node): readonly Upload[] {
  if (node.kind === 'if_failed') return [];
  if (node.kind === 'call')
    return uploadsOf(node.procedure).flatMap(({ role, file, content }) => {
      const [outer, ofFile, ofContent] = [
        node.roles.get(role),
        node.inputs.get(file),
        node.inputs.get(content),
      ];
      if (outer === undefined || ofFile === undefined || ofContent === undefined) return [];
      return 'name' in ofFile && 'name' in ofContent
        ? [{ role: outer, file: ofFile.name, content: ofContent.name }]
        : [];
    });
  const own = (node.statements ?? []).flatMap((statement) =>
    statement.kind === 'upload'
      ? [{ role: statement.role, file: statement.file.name, content: statement.content.name }]
      : [],
  );
  return [...own, ...(node.steps ?? []).flatMap(uploadsIn)];
}
