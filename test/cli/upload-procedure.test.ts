import { describe, expect, it } from 'vitest';
import { chooseProcedure } from '../../cli/upload-procedure.ts';
import type { ProcedureView } from '../../contract/procedure.ts';

const PUT: ProcedureView = {
  procedure: 'put_file',
  library: 'ops@1.0.0',
  description: 'Write a file',
  draft: false,
  roles: { sat: 'box@1.0.0' },
  inputs: [
    { name: 'file', type: 'file_id', of: 'image', required: true },
    { name: 'content', type: 'file', required: true },
    { name: 'note', type: 'string', required: false },
  ],
  uploads: [{ role: 'sat', file: 'file', content: 'content' }],
};
const PATCH: ProcedureView = {
  ...PUT,
  procedure: 'patch',
  library: 'updates@2.0.0',
  description: 'Patch it',
};
const OTHER: ProcedureView = { ...PUT, procedure: 'check', inputs: [], uploads: [] };

interface Asked {
  readonly procedure?: string;
  readonly environment?: string;
  readonly inputs?: readonly string[];
}

function choose(procedures: readonly ProcedureView[], asked: Asked = {}, environments = ['bench']) {
  const { procedure, environment, inputs = [] } = asked;
  const wanted = { target: 'sat1', procedure, environment, inputs };
  return chooseProcedure({ environments, procedures: [...procedures] }, wanted);
}

const saidOf = (...args: Parameters<typeof choose>): string => {
  const chosen = choose(...args);
  return chosen.ok ? '' : chosen.said;
};

describe('the procedure that puts a file on board', () => {
  it('MC-UPL-005 is the only one that uploads what its inputs name', () => {
    expect(choose([OTHER, PUT])).toEqual({
      ok: true,
      value: {
        procedure: 'put_file',
        library: 'ops@1.0.0',
        environment: 'bench',
        role: 'sat',
        file: 'file',
        content: 'content',
      },
    });
  });

  it('is named where several can, with or without its library', () => {
    expect(saidOf([PUT, PATCH])).toBe(
      'several procedures put files on sat1: ops/put_file (Write a file), updates/patch (Patch it)\n' +
        'choose one with --procedure',
    );
    for (const procedure of ['patch', 'updates/patch', 'updates@2.0.0/patch'])
      expect(choose([PUT, PATCH], { procedure })).toMatchObject({ value: { library: 'updates@2.0.0' } });
    expect(saidOf([PUT, PATCH], { procedure: 'ops/patch' })).toBe(
      'no procedure ops/patch is for sat1: ops/put_file, updates/patch put files there',
    );
    expect(saidOf([PUT, OTHER], { procedure: 'check' })).toBe('check uploads no file that its inputs name');
  });

  it('is described where there is none', () => {
    expect(saidOf([OTHER])).toContain('`upload: role.files[$file]` with `content: $content`');
  });

  it('needs nothing that is not given, one target, and an environment that allows it', () => {
    const needy = { ...PUT, inputs: [...PUT.inputs, { name: 'key', type: 'bytes', required: true }] };
    expect(saidOf([needy])).toBe(
      'no procedure can put the file on sat1 like this\nops/put_file: it needs --input key=…',
    );
    expect(choose([needy], { inputs: ['key'] }).ok).toBe(true);
    expect(choose([needy, PATCH])).toMatchObject({ value: { procedure: 'patch' } });
    expect(saidOf([{ ...PUT, allowed_in: ['rehearsal'] }])).toContain(
      'it is allowed in rehearsal, not in bench',
    );
    expect(saidOf([{ ...PUT, roles: { sat: 'box@1.0.0', relay: 'box@1.0.0' } }])).toContain(
      'more targets (relay)',
    );
    const twice = { ...PUT, uploads: [...PUT.uploads, { role: 'sat', file: 'file', content: 'note' }] };
    expect(saidOf([twice])).toContain('it uploads several files');
  });

  it('is started in the environment that is named, or the only one', () => {
    expect(saidOf([PUT], {}, ['bench', 'in_orbit'])).toBe(
      'sat1 is in bench, in_orbit: choose one with --environment',
    );
    expect(choose([PUT], { environment: 'in_orbit' }, ['bench', 'in_orbit'])).toMatchObject({
      value: { environment: 'in_orbit' },
    });
    expect(saidOf([PUT], {}, [])).toBe('sat1 is in no environment; name one with --environment');
  });
});
