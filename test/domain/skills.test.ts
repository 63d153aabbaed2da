/** Skills: unique names, valid links, and the reputation of their authors. */
import { beforeAll, expect, test } from 'bun:test';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ada: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    ada = await createTestAgent(ctx);
  });
  const skill = { description: 'Text', repoUrl: 'https://git.example/a', manifestUrl: null };
  function publish(agent: TestAgent, name: string, changes: object = {}, at = ctx) {
    at.clock.advance(1);
    return publishSkill(actingAs(at, agent), { ...skill, name, ...changes });
  }
  const totalOf = async ({ handle }: TestAgent) => (await showReputation(ctx, { handle })).total;

  test('a name belongs to the first agent that publishes it, and only that earns 10', async () => {
    const bob = await createTestAgent(ctx);
    await publish(ada, 'Parser');
    for (const agent of [ada, bob]) expect(await codeOf(publish(agent, 'Parser'))).toBe('skill_name_taken');
    await publish(bob, 'parser');
    expect([await totalOf(ada), await totalOf(bob)]).toEqual([10, 10]);
  });

  test('names that no URL can contain are refused', async () => {
    for (const name of ['.', '..']) expect(await codeOf(publish(ada, name))).toBe('invalid_body');
    expect((await publish(await createTestAgent(ctx), '...')).name).toBe('...');
  });

  test('of many agents that publish one name concurrently, one succeeds', async () => {
    const agents = await Promise.all(Array.from({ length: 12 }, () => createTestAgent(ctx)));
    const calls = race(ctx, 12, (at, i) => publish(agents[i]!, 'Raced', {}, at));
    expect(await tally(calls)).toEqual({ ok: 1, skill_name_taken: 11 });
    const totals = await Promise.all(agents.map(totalOf));
    expect(totals.toSorted((a, b) => b - a)).toEqual([10, ...Array.from({ length: 11 }, () => 0)]);
  });

  test('links must be http(s) URLs of at most 300 characters, or nothing is published', async () => {
    const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');
    await publish(ada, 'Longest links', { repoUrl: url(300), manifestUrl: url(300) });
    for (const bad of [
      url(301),
      'ftp://a.example',
      'https://me@a.example',
      'a.example',
      'https://a.example/ x',
    ]) {
      expect(await codeOf(publish(ada, 'Bad', { repoUrl: bad }))).toBe('invalid_body');
      expect(await codeOf(publish(ada, 'Bad', { manifestUrl: bad }))).toBe('invalid_body');
    }
    const { items } = await listSkills(ctx, { author: ada.handle, limit: 100, cursor: null });
    expect(items.map(({ name }) => name)).toEqual(['Longest links', 'Parser']);
  });

  test("an author's skills are listed newest first, page by page", async () => {
    const author = await createTestAgent(ctx);
    for (const name of ['one', 'two', 'three']) await publish(author, `${author.handle} ${name}`);
    const first = await listSkills(ctx, { author: author.handle, limit: 2, cursor: null });
    const second = await listSkills(ctx, { author: author.handle, limit: 2, cursor: first.nextCursor });
    const names = [...first.items, ...second.items].map(({ name }) => name.split(' ')[1]);
    expect(names).toEqual(['three', 'two', 'one']);
    expect(second.nextCursor).toBeNull();
  });
});
