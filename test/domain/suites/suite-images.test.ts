/** Images of suites: stored once, sent with their bytes, hidden with their cases, and gone with their suite. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { AgentCtx } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { deleteSuite, updateSuite } from '#domain/suites/change-suite.ts';
import { addDraft, deleteDraft, listDrafts } from '#domain/suites/drafts.ts';
import { publishSuite } from '#domain/suites/publish-suite.ts';
import { showImage } from '#domain/suites/suite-images.ts';
import { suiteBytesPerAgentMax } from '#domain/suites/suite-rules.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { signUp, closeWithKey } from '#test/domain/agents/sign-up.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { imageOf, dataUrl, png, pngUrl } from '#test/harness/images.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf } from '../outcomes.ts';
import { exportOf } from '#test/domain/account/traces.ts';

const sha256 = createHash('sha256').update(png).digest('hex');
const caseWith = (id: string, images: readonly unknown[]) => ({
  id,
  messages: [{ role: 'user', content: 'What is it?', images }],
  expect: [{ contains: 'cat' }],
});
const suiteOf = (name: string, ...cases: readonly object[]) => ({ suite: 1, name, cases });

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 20 });
  const ada = as.agent;
  const { agent: bob } = useAgentCtx(ctx, { tokens: 20 });

  const imagesOf = (suiteId: string) => rowsOf(ctx, 'suiteImages', { suiteId });

  test('an image is stored once, whatever number of cases, trials and versions have it', async () => {
    const publish = (...ids: readonly string[]) =>
      publishTestSuite(as, suiteOf('once', ...ids.map((id) => caseWith(id, [pngUrl]))));
    const { suite, version } = await publish('a', 'b');
    expect(version.casesWithImages).toBe(2);
    expect(JSON.stringify(version.document)).not.toContain('base64');
    expect(await publish('a')).toMatchObject({ created: true, version: { version: 2 } });
    const base64 = png.toString('base64');
    const stored = { sha256, type: 'image/png', bytes: png.length, base64 } as const;
    expect(await imagesOf(suite.id)).toMatchObject([stored]);
    const run = await orderSuiteRun(as, `@${ada.handle}/once`, { trials: 3 });
    const { cases } = await handOutCases(as, { runId: run.id, limit: 3 });
    const asked = [{ role: 'user' as const, content: 'What is it?', images: [stored] }];
    expect(cases.map(({ messages }) => messages)).toEqual([asked, asked, asked]);
    for (const table of ['runItems', 'runLeases'] as const) {
      const rows = await rowsOf(ctx, table, { runId: run.id });
      expect(JSON.stringify(rows)).not.toContain(base64.slice(0, 40));
    }
  });

  test('a document may name the images that its suite has, and no others', async () => {
    const known = { sha256, type: 'image/png', bytes: png.length };
    const publish = (name: string, image: object, by: AgentCtx = as) =>
      publishTestSuite(by, suiteOf(name, caseWith('a', [image]), caseWith('more', [image])));
    expect(await codeOf(publish('names', known))).toBe('invalid_suite');
    await publishTestSuite(as, suiteOf('names', caseWith('a', [pngUrl])));
    expect((await publish('names', known)).created).toBe(true);
    for (const wrong of [{ bytes: 1 }, { type: 'image/gif' }, { sha256: 'a'.repeat(64) }])
      expect(await codeOf(publish('names', { ...known, ...wrong }))).toBe('invalid_suite');
    // Another agent learns nothing from the hash of an image.
    expect(await codeOf(publish('names', known, actingAs(ctx, bob)))).toBe('invalid_suite');
  });

  test('an image is shown to those who may read the cases', async () => {
    await publishTestSuite(as, suiteOf('shown', caseWith('a', [pngUrl])));
    const key = { owner: ada.handle, name: 'shown' };
    const show = (viewer: TestAgent | null, hash = sha256) =>
      showImage(ctx, { ...key, sha256: hash, viewer });
    expect(await show(ada)).toEqual({ type: 'image/png', data: png });
    expect(await codeOf(show(ada, 'b'.repeat(64)))).toBe('not_found');
    for (const visibility of ['private', 'hidden'] as const) {
      await updateSuite(as, { ...key, visibility });
      for (const other of [bob, null]) expect(await codeOf(show(other))).toBe('not_found');
    }
    await updateSuite(as, { ...key, visibility: 'open' });
    expect(await show(null)).toEqual({ type: 'image/png', data: png });
  });

  test('images count towards the bytes of an agent, each once, and go with their suite', async () => {
    const as = actingAs(ctx, bob);
    const image = imageOf(1_000_000, 7);
    const document = suiteOf('counted', caseWith('a', [dataUrl(image)]));
    const { suite } = await publishTestSuite(as, document);
    await changeRows(ctx, 'suiteImages', { suiteId: suite.id }, { bytes: suiteBytesPerAgentMax - 500_000 });
    const other = suiteOf('counted', caseWith('a', [dataUrl(imageOf(1_000_000, 8))]));
    expect(await codeOf(publishTestSuite(as, other))).toBe('limit_reached');
    const same = await publishTestSuite(as, suiteOf('counted', caseWith('new', [dataUrl(image)])));
    expect(same.created).toBe(true);
    expect((await exportOf(as)).json['suite_images']).toMatchObject([{ base64: image.toString('base64') }]);
    await deleteSuite(as, { owner: bob.handle, name: 'counted' });
    expect(await imagesOf(suite.id)).toEqual([]);
  });

  test('closing an account deletes the images of its suites', async () => {
    const eve = await signUp(ctx, `heron-${store.dialect}`);
    const { suite } = await publishTestSuite(eve.ctx, suiteOf('closed', caseWith('a', [pngUrl])));
    await closeWithKey(eve.ctx, eve.key);
    expect(await imagesOf(suite.id)).toEqual([]);
  });

  test('a draft keeps its images until it is deleted, or published with the same ones', async () => {
    const key = { owner: ada.handle, name: 'drafted' };
    const { suite } = await publishTestSuite(as, suiteOf('drafted', caseWith('a', [pngUrl])));
    const photo = dataUrl(imageOf(200, 3));
    const content = [
      { type: 'text', text: 'And this?' },
      { type: 'image_url', image_url: { url: photo } },
    ];
    const sent = {
      request: { messages: [{ role: 'user', content }] },
      response: { choices: [{ message: { content: 'a cat' } }] },
    };
    const first = await addDraft(as, { ...key, sent, verdict: 'accepted' });
    expect(first.case.messages).toEqual([{ role: 'user', content: 'And this?', images: [photo] }]);
    await deleteDraft(as, { ...key, id: first.id });
    expect(await imagesOf(suite.id)).toHaveLength(1);
    const { case: drafted } = await addDraft(as, { ...key, sent, verdict: 'accepted' });
    const checked = await checkSuite(JSON.stringify(suiteOf('drafted', drafted)), 'json');
    await publishSuite(as, checked);
    expect(await listDrafts(as, key)).toEqual([]);
    expect(await imagesOf(suite.id)).toHaveLength(2);
  });
});
