/**
 * Runs with a private pack on both stores: what its cases hide, when they are shown, and the effect of a missing pack.
 */
import { expect, test } from 'bun:test';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { join } from 'node:path';
import { exportAccount } from '#domain/account/export-account.ts';
import type { AgentCtx } from '#domain/context.ts';
import { planCases } from '#domain/runs/products/eval-run/plan-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showCasePrompt, showEvalRun } from '#domain/runs/products/eval-run/show-eval-run.ts';
import { countPackExposures, requireSuite } from '#domain/runs/products/eval-run/suite-of-run.ts';
import { loadPack } from '#evals/suite/packs/load-packs.ts';
import { noPacks, type Pack } from '#evals/suite/packs/pack.ts';
import { evalRun } from '#domain/runs/products/eval-run.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { answerPulled, readPulledRun, redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';

/** Only its names prevent the example from being installed. */
const folder = join(projectFolder, 'evals', 'suite', 'example-pack');
const pack = (await loadPack(folder, new Set(), { retired: false })) as Pack;
const withPacks = <C extends AgentCtx>(ctx: C, evalPacks: AgentCtx['rules']['evalPacks']): C => ({
  ...ctx,
  rules: { ...ctx.rules, evalPacks },
});

forEachStore((store) => {
  async function startRun() {
    const base = createTestCtx(store.db, createTestClock());
    const agent = await createTestAgent(base, { tokens: 2, freeEvalTaken: true });
    const ctx = withPacks({ ...base, agent }, { installed: pack, retired: [] });
    const { suitePack } = await evalRun.order(ctx, {
      product: 'eval-run',
      secretKey: '',
      targetUrl: null,
      target: null,
      runSize: 40,
      maxPromptTokens: 8_000,
      ranked: false,
    });
    const { evalRun: redeemed } = await redeem(ctx, agent.id, null, { suitePack });
    return { ctx, runId: redeemed.id };
  }

  /** Answers the public kinds and fails those of the pack. */
  async function play(ctx: AgentCtx, runId: string): Promise<void> {
    const { run } = await showEvalRun(ctx, { runId });
    const source = planCases(requireSuite(ctx, run), run);
    const turns = new Map<string, number>();
    for (let round = 0, ended = false; !ended && round < 60; round += 1) {
      const { cases } = await handOutCases(ctx, { runId, limit: 8 });
      const recorded = (await readPulledRun(ctx, runId)).cases;
      const answers = cases.map(({ caseId, index, turn }) => {
        turns.set(caseId, turn);
        const planned = source.planned(recorded)[index]!;
        const [best = []] = source.taskOf(planned).accepted;
        return { caseId, text: planned.unseen === true ? 'Answer: no idea' : (best[turn - 1] ?? '') };
      });
      ({ ended } = await answerPulled(ctx, runId, answers));
    }
  }

  test('eight cases come from the pack, and nothing about them is shown before it is retired', async () => {
    const { ctx, runId } = await startRun();
    await play(ctx, runId);
    const { run, cases, scorecard } = await showEvalRun(ctx, { runId });
    expect(run).toMatchObject({ status: 'completed', suitePack: { name: 'example', hash: pack.hash } });
    const unseen = cases.filter((one) => one.unseen === true);
    expect([cases.length, unseen.length]).toEqual([40, 8]);
    expect(unseen.every(({ prompt, expected }) => prompt === null && expected === null)).toBe(true);
    expect(cases.filter(({ prompt, expected }) => prompt !== null && expected !== null)).toHaveLength(32);
    expect(scorecard?.scoreJson).toMatchObject({
      suite: { pack: { name: 'example', hash: pack.hash } },
      kinds: { known: { score: 100, cases: 32 }, unseen: { score: 0, cases: 8 }, gap: true },
    });
    const { model } = scorecard!;
    for (const card of [scorecardDocument(model), scorecardMarkdown(model, 'summary')])
      expect(card).toMatch(/A gap: the agent does significantly better on the public kinds/);
    const [{ index }] = unseen as [(typeof unseen)[number]];
    expect(showCasePrompt(ctx, { runId, named: String(index) })).rejects.toMatchObject({
      code: 'prompt_gone',
      message: expect.stringContaining('once the pack is retired'),
    });
    const source = planCases(requireSuite(ctx, run), run);
    const secrets = source.planned(cases).flatMap((one) => (one.unseen ? [source.taskOf(one).expected] : []));
    const shown = JSON.stringify([
      cases,
      scorecard?.scoreJson,
      scorecardDocument(model),
      scorecardMarkdown(model, 'full'),
    ]);
    expect(secrets.filter((text) => text.length > 4 && shown.includes(text))).toEqual([]);
    expect(await countPackExposures(ctx, pack)).toEqual({ runs: 1, casesPerKind: 2 });

    // A process that starts after the pack was retired shows all of it; one without the pack only the public cases.
    const retired = { installed: null, retired: [{ ...pack, retired: true }] };
    expect(await showCasePrompt(withPacks(ctx, retired), { runId, named: String(index) })).toMatch(/^.{40}/s);
    expect(showCasePrompt(withPacks(ctx, noPacks), { runId, named: String(index) })).rejects.toMatchObject({
      code: 'prompt_gone',
      message: expect.stringContaining('removed'),
    });
    const known = cases.find((one) => one.unseen !== true)!;
    const prompt = await showCasePrompt(withPacks(ctx, noPacks), { runId, named: known.id });
    expect(prompt.startsWith(known.prompt!)).toBe(true);
  });

  test("the account's export shows no more of the cases of a pack in use than the run does", async () => {
    const { ctx, runId } = await startRun();
    await play(ctx, runId);
    const { run, cases } = await showEvalRun(ctx, { runId });
    const exported = async (as: AgentCtx) =>
      JSON.parse((await Array.fromAsync(exportAccount(as))).join('')).runs[0].cases as typeof cases;
    const shown = cases.map(({ index, checks }) => ({ index, checks }));
    expect(await exported(ctx)).toMatchObject(shown);
    const source = planCases(requireSuite(ctx, run), run);
    const unseen = source.planned(cases).filter((one) => one.unseen);
    const text = JSON.stringify(await exported(ctx));
    const secrets = unseen.map((one) => source.taskOf(one).expected).filter(({ length }) => length > 4);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    const retired = withPacks(ctx, { installed: null, retired: [{ ...pack, retired: true }] });
    expect(JSON.stringify(await exported(retired))).not.toContain('Hidden');
  });

  test('an open run keeps a pack that was retired, and is refunded when the pack is gone', async () => {
    const kept = await startRun();
    const retired = withPacks(kept.ctx, { installed: null, retired: [{ ...pack, retired: true }] });
    await play(retired, kept.runId);
    expect((await readPulledRun(kept.ctx, kept.runId)).job.status).toBe('completed');

    const lost = await startRun();
    await handOutCases(lost.ctx, { runId: lost.runId, limit: 1 });
    const without = withPacks(lost.ctx, noPacks);
    expect(await handOutCases(without, { runId: lost.runId, limit: 1 })).toMatchObject({
      ended: true,
    });
    expect(await readPulledRun(lost.ctx, lost.runId)).toMatchObject({
      job: { status: 'failed', failureCode: 'internal', chargeState: 'refunded' },
      balance: 2,
    });
  });
});
