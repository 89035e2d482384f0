/** What the page of the bench is served as. */

import { describe, expect, it } from 'vitest';
import { benchPages } from '../../http/pages/bench.ts';
import { CONSOLE_POLICY } from '../../http/pages/page.ts';

async function served(path: string): Promise<{ text: string; type: string; policy: string | undefined }> {
  const page = benchPages.find((each) => each.path === path)!;
  const { status, bytes, contentType = '', headers = {} } = await page.answer('');
  expect(status).toBe(200);
  const policy = (headers as Record<string, string>)['content-security-policy'];
  return { text: Buffer.from(bytes ?? []).toString('utf8'), type: contentType, policy };
}

describe('the page of the bench', () => {
  it('stands at the root with everything it names, and under the policy of the console', async () => {
    const { text, policy } = await served('/');
    const named = [...text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(named).toHaveLength(6);
    for (const path of named) expect((await served(path)).policy).toBe(CONSOLE_POLICY);
    expect(policy).toBe(CONSOLE_POLICY);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style| style="| on\w+="/);
  });

  it.each(['/console', '/console/'])('pages/page.P5 is where %s leads', async (path) => {
    const { status, headers } = await benchPages.find((each) => each.path === path)!.answer('');
    expect([status, headers?.['location']]).toEqual([308, '/']);
  });

  it('is one script without imports, source map or names of this machine', async () => {
    const { text, type } = await served('/console/bench.js');
    expect(type).toBe('text/javascript; charset=utf-8');
    expect(text).not.toMatch(/\bimport\s*[{('"]|sourceMappingURL|\/home\/|\/work\//);
    expect(text).not.toContain(process.cwd());
  });
});
