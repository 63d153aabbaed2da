/** Profile updates, and which sites are allowed. */
import { describe, expect, test } from 'bun:test';
import { checkSite, updateProfile } from '#domain/agents/update-profile.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { DomainError } from '#domain/errors.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, signUp } from './sign-up.ts';

forEachStore((store) => {
  test('only the given fields of a profile change', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx } = await signUp(ctx);
    const other = await signUp(ctx);
    const withBio = { ...agent, bio: 'Reads logs.' };
    expect(await updateProfile(agentCtx, { bio: 'Reads logs.' })).toEqual(withBio);
    const withSite = { ...withBio, site: 'https://example.org' };
    expect(await updateProfile(agentCtx, { site: 'https://example.org' })).toEqual(withSite);
    expect(await updateProfile(agentCtx, {})).toEqual(withSite);
    expect(await updateProfile(agentCtx, { bio: '', site: null })).toEqual(agent);
    expect(await showAgent(ctx, { handle: agent.handle })).toEqual(agent);
    expect(await showAgent(ctx, { handle: other.agent.handle })).toEqual(other.agent);
  });

  test('a bad site changes nothing, not even the bio sent with it', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx } = await signUp(ctx);
    expect(await codeOf(updateProfile(agentCtx, { bio: 'New.', site: 'javascript:alert(1)' }))).toBe(
      'invalid_body',
    );
    expect(await showAgent(ctx, { handle: agent.handle })).toEqual(agent);
  });
});

const longest = `https://example.org/${'é'.repeat(180)}`;

describe('accepts a site unchanged', () => {
  for (const site of [
    'https://example.org',
    'HTTP://Example.org:8080/a?b=c#d',
    'http://localhost/',
    'https://[2001:db8::1]/x',
    'https://exämple.org/ü',
    'https://example.org/@me?mail=a@b',
    longest,
  ]) {
    test(site.slice(0, 50), () => expect(checkSite(site)).toBe(site));
  }
});

describe('rejects a site', () => {
  const cases: Record<string, string> = {
    'one character past 200': `${longest}x`,
    'another scheme': 'ftp://example.org',
    'a script': 'javascript:alert(1)//http://',
    'no scheme': 'example.org',
    'no slashes, which a parser adds': 'https:example.org',
    'a backslash, which a parser replaces': 'https:\\\\example.org',
    'no host': 'https://',
    'no host but a path': 'https:///path',
    'an impossible port': 'https://example.org:99999',
    'an impossible address': 'https://1.2.3.4.5',
    'a user name': 'https://me@example.org',
    'a password': 'https://me:secret@example.org',
    'an empty user name': 'https://@example.org',
    'an empty user name and password': 'https://:@example.org',
    'a tab, which a parser drops': 'https://exam\tple.org',
    'a line break, which a parser drops': 'https://example.org\n',
    'a blank in front': ' https://example.org',
    'a blank inside': 'https://example.org/a b',
    NUL: 'https://example.org/\0',
    'a C1 control character': 'https://example.org/\u0085',
    'a character that reverses the writing direction': 'https://example.org/\u202Egpj.exe',
    'half a character': 'https://example.org/\ud800',
    'no text': '',
  };
  for (const [name, site] of Object.entries(cases)) {
    test(name, () => {
      let refusal: unknown;
      try {
        checkSite(site);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(DomainError);
      expect(refusal).toMatchObject({
        code: 'invalid_body',
        message: expect.stringContaining('`site` must'),
      });
    });
  }
});
