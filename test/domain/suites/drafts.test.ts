/** Drafts of a suite: who keeps them, how many, and when they are gone. */
import { expect, test } from 'bun:test';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { deleteSuite, updateSuite } from '#domain/suites/change-suite.ts';
import { addDraft, casesAsYaml, deleteDraft, listDrafts } from '#domain/suites/drafts.ts';
import { findSuite } from '#domain/suites/find-suite.ts';
import { showSuiteVersion } from '#domain/suites/show-suite.ts';
import { draftVersion, takeInDraft, type TakeInInput } from '#domain/suites/take-in-draft.ts';
import { holdSuite } from '#domain/suites/find-runnable-suite.ts';
import { publishSuite } from '#domain/suites/publish-suite.ts';
import type { SentConversation } from '#domain/suites/read-conversation.ts';
import { draftsPerSuiteMax, suiteBytesPerAgentMax } from '#domain/suites/suite-rules.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { signUp, closeWithKey } from '#test/domain/agents/sign-up.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf, tally } from '../outcomes.ts';
import { exportOf } from '#test/domain/account/traces.ts';

const about = (prompt: string) => replied({ messages: [{ role: 'user', content: prompt }] }, 'Refund');
const replied = (request: object, content: string) => ({
  request,
  response: { choices: [{ message: { content } }] },
});

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx);
  const { agent: bob } = useAgentCtx(ctx);

  async function start(as: AgentCtx, name: string) {
    const one = { id: 'one', prompt: 'Greet.', expect: [{ contains: 'a' }] };
    const { suite } = await publishTestSuite(as, { suite: 1, name, cases: [one] });
    const key = { owner: as.agent.handle, name };
    const add = (sent: SentConversation, verdict: 'accepted' | 'refused' = 'accepted') =>
      addDraft(as, { ...key, sent, verdict });
    const prompts = async () => (await listDrafts(as, key)).map(({ case: { prompt } }) => prompt);
    const publish = (...cases: readonly object[]) => publishTestSuite(as, { suite: 1, name, cases });
    /** The next version with a draft as a case. */
    const nextVersion = async (input: Omit<TakeInInput, 'owner' | 'name'>) => {
      const { text, basedOn, caseId } = await draftVersion(as, { ...key, ...input });
      return { ...key, id: input.id, text, caseId, basedOn, checked: await checkSuite(text, 'json') };
    };
    return { suite, key, add, prompts, publish, nextVersion };
  }

  test('published as they are listed, drafts become cases of the suite and are gone', async () => {
    const { key, add, prompts } = await start(as, 'pasted');
    expect(casesAsYaml([])).toBe('');
    const said = [
      { role: 'system' as const, content: 'Be brief.\n\n  # Rules: none' },
      { role: 'user' as const, content: 'Total?' },
    ];
    const tools = [{ name: 'route', parameters: { type: 'object' } }];
    await add(replied({ messages: said, tools }, '{"total": 5}'));
    await add(about('Late?'), 'refused');
    await add(about('Not published'));
    const drafts = await listDrafts(as, key);
    expect(drafts).toMatchObject([
      {
        verdict: 'accepted',
        case: { messages: said, tools, expect: [{ json: {} }], accepted: ['{"total": 5}'] },
      },
      { verdict: 'refused', case: { prompt: 'Late?', expect: [{ not: true }], refused: ['Refund'] } },
      { case: { prompt: 'Not published' } },
    ]);
    const text = `suite: 1\nname: pasted\ncases:\n  - { id: one, prompt: Hi., expect: [{ equals: a }] }\n`;
    const cases = casesAsYaml(drafts.slice(0, 2).map((draft) => draft.case));
    const { version } = await publishSuite(as, await checkSuite(text + cases, 'yaml'));
    expect(version).toMatchObject({ version: 2, caseCount: 3 });
    expect(await prompts()).toEqual(['Not published']);
  });

  test('a draft that is taken in is a case of the next version, with the chosen grader, and is gone', async () => {
    const { key, add, prompts, nextVersion } = await start(as, 'taken');
    const called = [
      { role: 'user', content: 'Order 7?' },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"id": 7}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'late' },
      { role: 'user', content: 'Refund?' },
    ];
    const [plain, tools, other] = [
      await add(about('Late?')),
      await add(replied({ messages: called }, '{"id": 9007199254740993}')),
      await add(about('Early?'), 'refused'),
    ];
    const takeIn = async (input: Omit<TakeInInput, 'owner' | 'name'>) => {
      const next = await nextVersion(input);
      const { version } = await takeInDraft(as, next);
      return [version.version, next.caseId];
    };
    const late = { title: 'A late one' };
    expect(await takeIn({ ...late, id: plain.id, grader: 1, caseId: 'late' })).toEqual([2, 'late']);
    expect(await takeIn({ id: tools.id })).toEqual([3, tools.case.id]);
    const own = [{ not: { contains: 'Refund' } }];
    expect((await takeIn({ id: other.id, expect: own }))[0]).toBe(4);
    expect(await prompts()).toEqual([]);
    const { document } = await showSuiteVersion(as, await findSuite(as, key, as.agent), 4);
    expect(document).toMatchObject({
      cases: [
        { id: 'one' },
        { ...late, id: 'late', prompt: 'Late?', expect: [{ contains: 'Refund' }], accepted: ['Refund'] },
        {
          messages: [
            { role: 'user' },
            { role: 'assistant', tool_calls: [{ id: 'c1', name: 'find', arguments: { id: 7 } }] },
            { role: 'tool', tool_call_id: 'c1', content: 'late' },
            { role: 'user', content: 'Refund?' },
          ],
          expect: [{ json: { schema: {} } }],
        },
        { expect: own, refused: ['Refund'] },
      ],
    });
  });

  test('a draft that would recreate an older version is not taken in, and the refusal names that version', async () => {
    const { add, prompts, publish, nextVersion } = await start(as, 'again');
    const { id, case: late } = await add(about('Late?'));
    await publishSuite(as, (await nextVersion({ id, caseId: 'late' })).checked);
    const one = { id: 'one', prompt: 'Hello.', expect: late.expect };
    await publish(one, { ...late, id: 'late' });
    await publish(one);
    const again = await add(about('Late?'));
    const refusal = await domainErrorOf(takeInDraft(as, await nextVersion({ id: again.id, caseId: 'late' })));
    expect(refusal).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('equal its version 3'),
    });
    expect(await prompts()).toEqual(['Late?']);
  });

  test('a draft is not taken in without a grader, into a suite of others, or over a version that is new', async () => {
    const { key, add, publish, nextVersion } = await start(as, 'not-taken');
    const { id } = await add(replied({ messages: [{ role: 'user', content: 'Hi.' }] }, ' '.repeat(9)));
    const draft = (input: Partial<TakeInInput>, by: AgentCtx = as) =>
      codeOf(draftVersion(by, { ...key, id, ...input }));
    expect(await draft({})).toBe('invalid_body');
    expect(await draft({ grader: 0 })).toBe('invalid_body');
    const expected = [{ contains: ' ' }];
    expect(await draft({ grader: 0, expect: expected })).toBe('invalid_body');
    expect(await draft({ id: crypto.randomUUID() })).toBe('not_found');
    const next = await nextVersion({ id, expect: [{ length: 'words', max: 9 }] });
    await publish({ prompt: 'New', expect: [{ equals: 'a' }] });
    expect(await codeOf(takeInDraft(as, next))).toBe('conflict');
    const checked = await checkSuite(next.text.replace('"max"', '"most"'), 'json');
    expect(await codeOf(takeInDraft(as, { ...next, checked, basedOn: 2 }))).toBe('invalid_suite');
    await updateSuite(as, { ...key, agents: [bob.handle] });
    expect(await draft({}, actingAs(ctx, bob))).toBe('not_author');
    await updateSuite(as, { ...key, visibility: 'open' });
    expect(await draft({ expect: expected })).toBe('conflict');
  });

  test('a draft that is deleted, or whose suite others may read, while it is checked is not taken in', async () => {
    const { key, add, nextVersion } = await start(as, 'meanwhile');
    const drafts = [await add(about('Late?')), await add(about('Early?'))];
    const [late, early] = await Promise.all(drafts.map(({ id }) => nextVersion({ id })));
    await deleteDraft(as, late!);
    expect(await codeOf(takeInDraft(as, late!))).toBe('not_found');
    await updateSuite(as, { ...key, visibility: 'open' });
    expect(await codeOf(takeInDraft(as, early!))).toBe('conflict');
    await updateSuite(as, { ...key, visibility: 'private' });
    const again = await add(about('Early?'), 'refused');
    expect(await tally([1, 2, 3].map(() => takeInDraft(as, early!)))).toEqual({ ok: 1, not_found: 2 });
    // Another reply to the same messages is another draft.
    expect((await listDrafts(as, key)).map(({ id }) => id)).toEqual([again.id]);
  });

  test('only the owner keeps, sees and deletes drafts, of a private suite', async () => {
    const { key, add, prompts } = await start(as, 'owned');
    const { id } = await add(about('Late?'));
    await updateSuite(as, { ...key, agents: [bob.handle] });
    const asBob = actingAs(ctx, bob);
    for (const verb of [
      () => addDraft(asBob, { ...key, sent: about('Mine'), verdict: 'accepted' }),
      () => listDrafts(asBob, key),
      () => deleteDraft(asBob, { ...key, id }),
    ])
      expect(await codeOf(verb())).toBe('not_author');
    await updateSuite(as, { ...key, visibility: 'hidden' });
    expect([await codeOf(add(about('More'))), await prompts()]).toEqual(['conflict', ['Late?']]);
    const other = await start(as, 'owned-too');
    expect(await codeOf(deleteDraft(as, { ...other.key, id }))).toBe('not_found');
    await deleteDraft(as, { ...key, id });
    expect([await codeOf(deleteDraft(as, { ...key, id })), await prompts()]).toEqual(['not_found', []]);
  });

  test(`a suite has at most ${draftsPerSuiteMax} drafts, which count in the stored bytes`, async () => {
    const { suite, key, add } = await start(as, 'bounded');
    const drafts = { suiteId: suite.id };
    await add(about('First'));
    const { bytes: own } = await rowOf(ctx, 'suiteDrafts', drafts);
    const set = (bytes: number) => changeRows(ctx, 'suiteDrafts', drafts, { bytes });
    await set(suiteBytesPerAgentMax);
    expect(await codeOf(add(about('More')))).toBe('limit_reached');
    expect(await codeOf(start(as, 'another'))).toBe('limit_reached');
    await set(own);
    for (let count = 1; count < draftsPerSuiteMax; count += 1) await add(about('Again'));
    expect(await codeOf(add(about('Again')))).toBe('limit_reached');
    await deleteSuite(as, key);
    expect(await rowsOf(ctx, 'suiteDrafts', drafts)).toEqual([]);
  });

  test('an export has the drafts, and closing the account deletes them, also of a suite that stays', async () => {
    const eve = await signUp(ctx, `tapir-${store.dialect}`);
    const { suite, add } = await start(eve.ctx, 'kept');
    await add(about('Late?'));
    await withTransaction(ctx, async (inner) =>
      (await holdSuite(inner, { suiteId: suite.id, runnerId: bob.id }))(),
    );
    expect((await exportOf(eve.ctx)).json).toMatchObject({
      suite_drafts: [{ asked: { prompt: 'Late?' }, reply: 'Refund' }],
    });
    await closeWithKey(eve.ctx, eve.key);
    expect(await rowsOf(ctx, 'suites', { id: suite.id })).toHaveLength(1);
    expect(await rowsOf(ctx, 'suiteDrafts', { suiteId: suite.id })).toEqual([]);
  });
});
